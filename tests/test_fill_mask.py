"""dt-generate -g fill-mask: beside the pipeline of transformers, and beside all fillings written out."""

import json
import math
from itertools import product
from pathlib import Path

import pytest
import tiny_models

import dialtools
from dialtools.system.errors import OptionError, RecordError

pytest.importorskip("transformers")
TEXTS = [
    "Ann: Hi Bob, can you bring the [MASK] to the station?",
    "[MASK]: はい、二枚あります。",
    "Which [MASK]",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a BERT of random weights that guesses masked tokens."""
    words = tiny_models.tokenizer(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    words.mask_token = "<mask>"
    place = tmp_path_factory.mktemp("model")
    return tiny_models.save(place, tiny_models.masked(words), words)


def filled(texts: list[str], model: str, **options: object) -> list[dict]:
    spec = "".join(f",{name}={value}" for name, value in options.items())
    records = [
        {"id": n, "text": text, "lang": "en" if text.isascii() else "ja"}
        for n, text in enumerate(texts)
    ]
    generator = f"fill-mask:device=cpu,offline=yes{spec}"
    return list(dialtools.generate(records, generator=generator, model=model))


def test_fillings_of_one_token_are_those_of_transformers(model: str):
    pipeline = pytest.importorskip("transformers").pipeline
    judge = pipeline("fill-mask", model=model, device="cpu", top_k=9)
    special = set(judge.tokenizer.all_special_ids)
    for record, text in zip(filled(TEXTS, model, number=4, batch_size=2), TEXTS, strict=True):
        expected: dict[str, float] = {}
        for guess in judge(text.replace("[MASK]", "<mask>")):
            if guess["token"] not in special and guess["token_str"].strip():
                expected.setdefault(guess["token_str"].strip(), guess["score"])
        assert record["prediction"] == list(expected)[:4]
        probabilities = record["history"][-1]["probabilities"]
        assert probabilities == pytest.approx(list(expected.values())[:4], abs=2e-6)


def test_fillings_of_two_tokens_are_the_best_of_all(model: str):
    """The probability of two tokens is that of the first, times that of the second after it."""
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    words = transformers.AutoTokenizer.from_pretrained(model)
    network = transformers.AutoModelForMaskedLM.from_pretrained(model).eval()

    def logarithms(rows: list[list[int]], place: int) -> list[list[float]]:
        with torch.no_grad():
            return network(torch.tensor(rows)).logits[:, place].log_softmax(-1).tolist()

    before, after = TEXTS[0].split("[MASK]")
    tokens = [token for token in range(len(words)) if token not in words.all_special_ids]
    best: dict[str, float] = {}
    for length in (1, 2):
        row = words(f"{before}{'<mask>' * length}{after}")["input_ids"]
        place = row.index(words.mask_token_id)
        [first] = logarithms([row], place)
        if length == 1:
            sums = {(token,): first[token] for token in tokens}
        else:
            rows = [[*row[:place], token, *row[place + 1 :]] for token in tokens]
            second = dict(zip(tokens, logarithms(rows, place + 1), strict=True))
            sums = {(a, b): first[a] + second[a][b] for a, b in product(tokens, tokens)}
        for ids, logarithm in sums.items():
            text = words.decode(ids).strip()
            best[text] = max(best.get(text, -math.inf), logarithm)
    expected = sorted(filter(None, best), key=lambda text: -best[text])[:3]
    # so wide a beam leaves nothing out
    [record] = filled(TEXTS[:1], model, number=200, tokens=2)
    assert record["prediction"][:3] == expected
    assert record["history"][-1]["probabilities"][0] == pytest.approx(
        math.exp(best[expected[0]]), abs=2e-6
    )


def test_a_filling_begins_a_word(tmp_path: Path):
    """The pipeline of transformers lists pieces such as ##s too, which stand for no word."""
    transformers = pytest.importorskip("transformers")
    pieces = "[PAD] [UNK] [CLS] [SEP] [MASK] ##s ##a s a ann bob which hi ## ##t".split()
    words = transformers.BertTokenizerFast(vocab={piece: n for n, piece in enumerate(pieces)})
    network = tiny_models.masked(words)
    with pytest.importorskip("torch").no_grad():
        network.get_output_embeddings().bias[5] += 9  # ##s is the likeliest by far
    model = tiny_models.save(tmp_path, network, words)
    judge = transformers.pipeline("fill-mask", model=model, device="cpu", top_k=len(pieces))
    guesses = [guess["token_str"] for guess in judge("which [MASK]")]
    assert guesses[0] == "##s"
    beginning = [guess for guess in guesses if guess in pieces[7:14]]
    [one], [two] = (filled(["which [MASK]"], model, number=9, tokens=most) for most in (1, 2))
    assert one["prediction"] == beginning
    assert two["prediction"][0] == f"{beginning[0]}s"


def test_the_own_sign_of_a_model_and_another_are_read(model: str):
    same = [text.replace("[MASK]", "<mask>") for text in TEXTS]
    other = [text.replace("[MASK]", "___") for text in TEXTS]
    expected = [record["prediction"] for record in filled(TEXTS, model)]
    assert expected == [record["prediction"] for record in filled(same, model)]
    assert expected == [record["prediction"] for record in filled(other, model, mask="___")]


@pytest.mark.parametrize("text", ["nothing to fill", "[MASK] and [MASK]", "[MASK] <mask>"])
def test_a_text_has_its_mask_once(model: str, text: str):
    with pytest.raises(RecordError, match="wants it once"):
        filled([text], model)


def test_what_cannot_be_done_is_refused(model: str, tmp_path: Path):
    with pytest.raises(RecordError, match="positions for 96"):
        filled([f"{'a b ' * 99}[MASK]"], model)
    with pytest.raises(OptionError, match="tokens is 1 or more"):
        filled(TEXTS, model, tokens=0)
    words = tiny_models.tokenizer()
    other = tiny_models.save(tmp_path / "gpt2", tiny_models.gpt2(words), words)
    with pytest.raises(OptionError, match="is a causal model"):
        filled(TEXTS, other)


def test_probes_are_scored(shell, model: str, tmp_path: Path):
    facts = tmp_path / "facts.jsonl"
    [record] = filled(TEXTS[:1], model)
    fact = {"id": 1, "text": TEXTS[0], "reference": record["prediction"][1]}
    facts.write_text(json.dumps(fact))
    line = (
        f"dt-generate -g fill-mask --model {model} --offline -q {facts} | "
        "dt-score -q --summary -m accuracy_at:k=1 -m accuracy_at:k=5 --format json | jq .mean"
    )
    result = shell(line)
    assert result.status == 0 and result.out.split() == ["0", "100"], result.err
