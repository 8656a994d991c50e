"""The metric attribution, by models whose output depends on one known token, and by plain torch.

Weights of gradients are also those of captum 0.9.0 (InputXGradient over the embeddings), where it is
installed; its numbers for the random models here stand in CAPTUM.
"""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import tiny_models
from tiny_models import save

import dialtools
from dialtools.languages import get
from dialtools.models import attributions, likelihoods
from dialtools.models.checkpoints import Place
from dialtools.names import restoration
from dialtools.system.errors import DialtoolsError, RecordError

RECORD = {
    "id": "a",
    "lang": "en",
    "dialogue": [
        {"speaker": "Ann", "text": "Hi Bob, can you bring the tickets to the station?"},
        {"speaker": "Bob", "text": "Sure, I will be there at ten."},
        {"speaker": "Ann", "text": "Thanks! See you."},
    ],
    "prediction": "Ann",
    # no end was written, which none of these models likes
    "history": [{"by": "dt-generate", "signature": "causal", "unfinished": True}],
}
METHODS = ("gradient", "attention", "occlusion")
KINDS = ("gpt2", "bart")
LIMITS = "max_new_tokens=16"


def dependent(place: Path, kind: str, piece: str) -> str:
    """Save a model that likes to write "Ann" where it has read one token, and else writes anything.

    All other tokens have an embedding of zeros; each position asks for that token, and adds what it
    says to what it writes.
    """
    import torch

    words = tiny_models.tokenizer()
    model = getattr(tiny_models, kind)(words, tie_word_embeddings=False)
    [asked], [written] = (
        words(text, add_special_tokens=False)["input_ids"] for text in (piece, "Ann")
    )
    sign = torch.tensor([1.0, -1.0] * 16)
    unit = torch.eye(32)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if "norm" in name or "ln_" in name else 0.0)
            if name.endswith("bias"):
                weight.zero_()
        reader = model if kind == "gpt2" else model.get_encoder()
        reader.get_input_embeddings().weight[asked] = (
            0.003 * sign
        )  # a layer norm is blind to the length of longer ones
        model.lm_head.weight[written] = 0.1 * sign
        if kind == "gpt2":
            attention = model.transformer.h[0].attn
            attention.c_attn.bias[:32] = 2.5 * sign
            attention.c_attn.weight[:, 32:64], attention.c_attn.weight[:, 64:] = 2.5 * unit, unit
            attention.c_proj.weight.copy_(unit)
        else:
            attention = model.model.decoder.layers[0].encoder_attn
            attention.q_proj.bias.copy_(2.5 * sign)
            attention.k_proj.weight.copy_(2.5 * unit)
            attention.v_proj.weight.copy_(unit)
            attention.out_proj.weight.copy_(unit)
    return save(place / f"{kind}-{piece.strip()}", model, words)


@pytest.fixture(scope="module")
def folder(torch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of models: gpt2 and bart with random weights, and dependent ones."""
    place = tmp_path_factory.mktemp("models")
    words = tiny_models.tokenizer()
    for kind in KINDS:
        save(place / kind, getattr(tiny_models, kind)(words), words)
        for piece in (" tickets", " Bob"):
            dependent(place, kind, piece)
    return place


def scored(record: dict, *options: str, **more: Any) -> dict:
    [result] = dialtools.score([record], metric=f"attribution:{','.join(options)}", **more)
    return result


def weighed(result: dict) -> dict[tuple, float]:
    """Return {(pointer, text): weight} of the only metric."""
    [details] = result["attributions"].values()
    texts = {}
    for pointer, start, end, weight in details["spans"]:
        value: Any = result
        for key in pointer.split("/")[1:]:
            value = value[int(key) if key.isdecimal() else key]
        texts[pointer, value[start:end]] = texts.get((pointer, value[start:end]), 0) + weight
    return texts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_dependence_that_is_built_in_is_found(folder: Path, kind: str, method: str):
    for piece, of_names in (("tickets", 0.0), ("Bob", 1.0)):
        label = f"model={folder / f'{kind}-{piece}'}", f"method={method}", LIMITS
        result = scored(RECORD, *label)
        assert math.isclose(sum(map(abs, weighed(result).values())), 1, abs_tol=1e-5)
        (pointer, text), weight = max(weighed(result).items(), key=lambda pair: abs(pair[1]))
        [score] = result["scores"].values()
        assert pointer == "/dialogue/0/text" or method == "occlusion"
        assert abs(score - of_names) < 1e-3, (piece, method)
        if method == "occlusion" and piece == "Bob":
            # the mention and the label, by their length
            assert weighed(result)["/dialogue/0/text", "Bob"] == pytest.approx(0.5)
            assert weighed(result)["/dialogue/1/speaker", "Bob"] == pytest.approx(0.5)
        elif method == "occlusion":
            in_turn = [w for (place, _), w in weighed(result).items() if place == pointer]
            assert sum(in_turn) == pytest.approx(1, abs=1e-3)
        else:
            assert text == piece and weight > 0.999


# By hand.

TEXT = "Ann: Hi Bob, can you bring the tickets?\n"
CAPTUM = {
    "gpt2": (
        -38.056664,
        [-0.187959, -0.150216, 5.440887, 0.997027, -0.009164, -2.193309],
        6.399999,
    ),
    "bart": (
        -37.665565,
        [2.018464, -0.506596, -3.744092, 0.349567, 1.294852, -0.155252],
        -26.546937,
    ),
}


def asked(folder: Path, kind: str, method: str) -> tuple[Any, likelihoods.Query]:
    """Return a model, and the row that asks how likely "See you" and an end are after TEXT."""
    task = "causal" if kind == "gpt2" else "seq2seq"
    loaded = attributions.showing if method == "attention" else likelihoods.loaded
    words, model = loaded(task, str(folder / kind), Place())
    read, written = (
        words(text, add_special_tokens=False)["input_ids"] for text in (TEXT, "See you")
    )
    end = 0 if kind == "gpt2" else 2
    return model, likelihoods.continuation(model, tuple(read), (*written, end))


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_captums(folder: Path, kind: str):
    model, row = asked(folder, kind, "gradient")
    [(value, weights)] = attributions.weights("gradient", model, [row], 1)
    weights = weights[: 12 if kind == "gpt2" else None]
    expected, first, total = CAPTUM[kind]
    assert value == pytest.approx(expected, abs=1e-4)
    assert weights[:6] == pytest.approx(first, abs=1e-4) and len(weights) == 12
    assert sum(weights) == pytest.approx(total, abs=1e-3)

    attr = pytest.importorskip("captum.attr")
    import torch

    read = torch.tensor([row.source or row.ids[:12]])
    written = torch.tensor([row.targets])
    reader = model if kind == "gpt2" else model.get_encoder()
    embed = reader.get_input_embeddings()

    def likelihood(embedded: Any) -> Any:
        labels = written.expand(len(embedded), -1)
        if kind == "gpt2":
            logits = model(inputs_embeds=torch.cat([embedded, embed(labels)], 1)).logits[:, 11:-1]
        else:
            logits = model(inputs_embeds=embedded, labels=labels).logits
        return logits.log_softmax(-1).gather(2, labels[..., None]).sum((1, 2))

    embedded = embed(read).detach().requires_grad_()
    of_captum = attr.InputXGradient(likelihood).attribute(embedded).sum(-1)[0].tolist()
    assert weights == pytest.approx(of_captum, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["gradient", "attention"])
def test_a_row_weighs_alike_in_any_batch(folder: Path, kind: str, method: str):
    model, row = asked(folder, kind, method)
    longer = likelihoods.continuation(model, (row.source or row.ids) * 2, row.targets)
    [(value, alone)] = attributions.weights(method, model, [row], 1)
    [_, (together_value, together)] = attributions.weights(method, model, [longer, row], 2)
    assert together == pytest.approx(alone, rel=1e-4, abs=1e-5)
    assert together_value == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_attention_is_the_mean_over_layers_heads_and_output_tokens(folder: Path, kind: str):
    import torch

    model, row = asked(folder, kind, "attention")
    [(_, weights)] = attributions.weights("attention", model, [row], 1)
    with torch.no_grad():
        if kind == "gpt2":
            outputs = model(input_ids=torch.tensor([row.ids]), output_attentions=True)
            layers, places = outputs.attentions, list(row.places)
        else:
            outputs = model(
                input_ids=torch.tensor([row.source]),
                labels=torch.tensor([row.targets]),
                output_attentions=True,
            )
            layers, places = outputs.cross_attentions, slice(None)
    expected = torch.stack(layers)[:, 0, :, places].mean((0, 1, 2)).tolist()
    if kind == "gpt2":
        assert expected[0] > 0 and weights[0] == 0
        expected[0] = 0.0
    assert weights == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_occlusion_is_what_is_lost_without_a_part(folder: Path, kind: str):
    """Each part is left out by hand; the likelihoods are those of plain rows."""
    words, model = likelihoods.loaded(
        "causal" if kind == "gpt2" else "seq2seq", str(folder / kind), Place()
    )

    def likelihood(*lines: str) -> float:
        text = "\n".join(lines) + ("\n" if kind == "gpt2" else "")
        read = tuple(words(text)["input_ids"])
        read = read[:-1] if kind == "gpt2" else read  # no end behind a prompt
        written = tuple(words(text_target="Ann", add_special_tokens=kind == "bart")["input_ids"])
        written = written[:-1] if kind == "bart" else written  # the output was cut
        [losses] = likelihoods.losses(model, [[likelihoods.continuation(model, read, written)]], 1)
        return -sum(losses)

    lines = ["Ann: Hi Bob, can you bring the tickets to the station?"]
    lines += ["Bob: Sure, I will be there at ten.", "Ann: Thanks! See you."]
    whole = likelihood(*lines)
    lost = {
        "Ann": whole - likelihood(*(line.replace("Ann", "#Person1#") for line in lines)),
        "Bob": whole - likelihood(*(line.replace("Bob", "#Person2#") for line in lines)),
        "first": whole - likelihood("Ann: Bob", *lines[1:]),
        "second": whole - likelihood(lines[0], "Bob: ", lines[2]),
        "third": whole - likelihood(*lines[:2], "Ann: "),
    }
    result = scored(RECORD, f"model={folder / kind}", "method=occlusion", LIMITS)
    [details] = result["attributions"].values()
    total = sum(map(abs, lost.values()))
    assert details["value"] == pytest.approx(whole, abs=1e-4)
    assert details["names"] == pytest.approx(
        (abs(lost["Ann"]) + abs(lost["Bob"])) / total, abs=1e-4
    )
    assert details["even"] == 0.4 and details["outside"] == 0
    weights = weighed(result)
    ann = sum(weight for (_, text), weight in weights.items() if text == "Ann")
    assert ann == pytest.approx(lost["Ann"] / total, abs=1e-4)
    second = weights["/dialogue/1/text", "Sure, I will be there at ten."]
    assert second == pytest.approx(lost["second"] / total, abs=1e-4)


# Differences, inputs, generators.


def variants(*predictions: str) -> list[dict]:
    """Return RECORD and variants of it in which Ann has become Eve, with these predictions."""
    original = {key: value for key, value in RECORD.items() if key not in ("prediction", "history")}
    swapped = dialtools.swap_names([original], map='{"Ann": "Eve"}', keep_original=True)
    return [
        {**record, "prediction": prediction}
        for record, prediction in zip(swapped, predictions, strict=False)
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_a_difference_is_that_of_the_two_outputs_under_the_variants_input(
    folder: Path, kind: str, method: str
):
    original, variant = variants("Ann: See Bob", "Bob: See you")
    options = f"model={folder / kind}", f"method={method}", LIMITS
    spec = f"attribution:{','.join(options)},against=original"
    unscored, result = dialtools.score([original, variant], metric=spec)
    assert not unscored["scores"] and "attributions" not in unscored

    # the original's output has the names of the variant
    [mine, others] = (
        [*scored({**variant, "prediction": text}, *options)["attributions"].values()][0]
        for text in ("Bob: See you", "Eve: See Bob")
    )
    [details] = result["attributions"].values()
    assert details["value"] == pytest.approx(mine["value"] - others["value"], abs=1e-3)
    if method != "occlusion":
        return

    def lost(one: dict) -> dict[tuple, float]:
        """Return what is lost without each part: its value is known by all others."""
        return {tuple(place): weight for *place, weight in one["spans"]}

    first, second, both = map(lost, (mine, others, details))
    # weights are parts of totals that are not known: two ratios of three parts tell them
    import numpy

    keys = [key for key in both if key in first and key in second]
    columns = numpy.array([[first[key], -second[key]] for key in keys])
    _, residual, *_ = numpy.linalg.lstsq(columns, numpy.array([both[key] for key in keys]))
    assert len(keys) > 3 and float(residual.sum()) < 1e-8


def test_outputs_that_differ_by_names_alone_have_no_score(folder: Path, shell, tmp_path):
    records = variants("Ann will see Bob.", "Eve will see Bob.")
    spec = f"attribution:model={folder / 'gpt2'},{LIMITS},against=original"
    (tmp_path / "in.jsonl").write_text("".join(map(line, records)))
    result = shell(f"dt-score -m '{spec}' in.jsonl -o out.jsonl")
    assert result.status == 0 and "2 records, 1 output the same\n" in result.err


def line(record: dict) -> str:
    return json.dumps(record) + "\n"


def test_a_restored_record_is_refused(folder: Path):
    """What stands in it is no longer what the model has read."""
    made = list(dialtools.generate(variants("", "")[1:], generator="longest", overwrite=True))
    assert scored(made[0], f"model={folder / 'gpt2'}", LIMITS)["scores"]
    [restored] = dialtools.swap_names(made, restore=True)
    with pytest.raises(RecordError, match="attribution comes before --restore"):
        scored(restored, f"model={folder / 'gpt2'}", LIMITS)


def test_it_is_compared_with_one_text(folder: Path):
    """An n-best list counts as its first."""
    original, variant = variants("", "Bob: See you")
    options = f"model={folder / 'gpt2'}", LIMITS
    spec = f"attribution:{','.join(options)},against=original"
    several = {**original, "prediction": ["Ann: See Bob", "Ann"]}
    made = [
        list(dialtools.score([one, variant], metric=spec))[1]["scores"]
        for one in (several, {**original, "prediction": "Ann: See Bob"})
    ]
    assert made[0] == made[1]
    with pytest.raises(RecordError, match='"reference" holds 2 texts'):
        scored({**RECORD, "reference": ["Ann.", "Eve."]}, *options, "against=reference")


def test_an_output_gets_the_names_of_a_variant():
    [_, variant] = variants("", "")
    text = "Ann's sister meets Bob, says Ann."
    assert restoration.renamed(text, variant, get("en")) == "Eve's sister meets Bob, says Eve."
    assert restoration.renamed(text, RECORD | {"history": []}, get("en")) == text


def test_a_prompt_and_a_string_are_followed(folder: Path, tmp_path):
    (tmp_path / "prompt.txt").write_text("Bob asks: {{ context }}\nTurns:\n{{ dialogue }}\nSo?")
    flat = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in RECORD["dialogue"])
    record = {**RECORD, "dialogue": flat, "context": "Who sees Bob?"}
    options = f"model={folder / 'gpt2'}", "max_new_tokens=4", f"prompt={tmp_path / 'prompt.txt'}"
    result = scored(record, *options)
    [details] = result["attributions"].values()
    assert 0 < details["outside"] < 1
    places = {pointer for pointer, *_ in details["spans"]}
    turns = {f"/dialogue/{n}/{key}" for n in range(3) for key in ("speaker", "text")}
    assert places == {"/context", *turns}
    # what the template says of Bob is no text of the record: three mentions and three labels
    texts = {"/context": record["context"]} | {
        f"/dialogue/{n}/{key}": turn[key]
        for n, turn in enumerate(RECORD["dialogue"])
        for key in ("speaker", "text")
    }
    of_names = sum(
        abs(weight)
        for pointer, start, end, weight in details["spans"]
        if texts[pointer][start:end] in ("Ann", "Bob")
    )
    assert details["names"] == pytest.approx(of_names, abs=1e-4)
    # what goes on from "So?" begins with a space, which predictions are kept without
    chosen = f'choice:options=["{record["prediction"]}","No."]'
    prompting = dialtools.Prompting(prompt=str(tmp_path / "prompt.txt"))
    [made] = dialtools.generate(
        [record], generator=chosen, model=str(folder / "gpt2"), prompting=prompting, overwrite=True
    )
    assert details["value"] == pytest.approx(made["choices"][0]["sum"], abs=1e-4)
    assert "|prompt:" in result["history"][-1]["signature"][next(iter(result["scores"]))]


def test_what_a_chat_template_adds_is_outside(folder: Path, tmp_path):
    words = tiny_models.tokenizer()
    words.chat_template = (
        "{% for m in messages %}<s>{{ m.role }} Ann: {{ m.content }}</s>{% endfor %}Bob:"
    )
    name = save(tmp_path / "chat", tiny_models.gpt2(words), words)
    result = scored({"id": 1, "text": "See Ann.", "prediction": "Ann"}, f"model={name}", LIMITS)
    [details] = result["attributions"].values()
    assert 0.2 < details["outside"] < 1
    text = "".join("See Ann."[start:end] for _, start, end, _ in details["spans"])
    assert text.replace(" ", "") == "SeeAnn." and {span[0] for span in details["spans"]} == {
        "/text"
    }


def test_the_excess_is_above_what_even_weights_give(folder: Path):
    for piece, of_names in (("tickets", 0), ("Bob", 1)):
        result = scored(RECORD, f"model={folder / f'gpt2-{piece}'}", LIMITS, "excess=yes")
        [details], [score] = result["attributions"].values(), result["scores"].values()
        assert score == pytest.approx(of_names - details["even"])
        # labels and mentions among the tokens that are texts
        assert 0.1 < details["even"] < 0.3


def test_a_generator_without_likelihoods_is_asked_again(tmp_path):
    """The longest turn is Ann's first one; without its words it is Bob's, 29 characters."""
    record = {**RECORD, "prediction": "Ann: Hi Bob, can you bring the tickets to the station?"}
    result = scored(record, "generator=longest", "method=occlusion")
    weights = weighed(result)
    [details] = result["attributions"].values()
    from rapidfuzz.distance import Levenshtein

    def lost(output: str) -> float:
        return round(Levenshtein.normalized_distance(record["prediction"], output), 4)

    expected = {
        "Ann": lost(record["prediction"].replace("Ann", "#Person1#")),
        "Bob": lost(record["prediction"].replace("Bob", "#Person2#")),
        "words": lost("Bob: Sure, I will be there at ten."),
    }
    total = sum(expected.values())
    assert details["value"] == 1 and details["even"] == 0.4
    assert details["names"] == pytest.approx(1 - expected["words"] / total)
    assert not any(pointer in ("/dialogue/1/text", "/dialogue/2/text") for pointer, _ in weights)

    [other] = dialtools.score(
        [{**record, "prediction": "Hm"}], metric="attribution:generator=longest,method=occlusion"
    )
    assert other["history"][-1]["counts"]["other_output"] == 1


@pytest.mark.parametrize(
    "spec, message",
    [
        ("attribution", "which model"),
        ("attribution:model=gpt2,method=charm", "charm"),
        ("attribution:generator=longest", "method=gradient needs a model"),
        ("attribution:model=m,of=text", "chooses itself"),
        ("attribution:model=/nowhere", "no model folder"),
    ],
)
def test_what_cannot_be_attributed_is_refused(spec: str, message: str):
    with pytest.raises(DialtoolsError, match=message):
        list(dialtools.score([RECORD], metric=spec))


def test_one_text_has_nothing_to_be_left_out_of(folder: Path):
    record = {"id": 1, "lang": "en", "text": "See you at ten.", "prediction": "Ann"}
    with pytest.raises(RecordError, match="a single part"):
        scored(record, f"model={folder / 'gpt2'}", "method=occlusion", LIMITS)
    assert scored(record, f"model={folder / 'gpt2'}", LIMITS)["scores"]


def test_an_empty_output_is_its_end(folder: Path):
    for kind in KINDS:
        empty = {**RECORD, "prediction": "", "history": []}
        result = scored(empty, f"model={folder / kind}", LIMITS)
        [details] = result["attributions"].values()
        assert details["value"] < 0 and result["scores"]
    with pytest.raises(RecordError, match="no text, and so no likelihood"):  # it was cut
        scored({**RECORD, "prediction": ""}, f"model={folder / 'gpt2'}", LIMITS)


def test_shares_are_tested_by_the_name_of_the_metric(folder: Path, shell, tmp_path):
    spec = f"attribution:model={folder / 'gpt2'},{LIMITS}"
    records = [{**RECORD, "id": number, "group": number % 2} for number in range(4)]
    scored_lines = map(line, dialtools.score(records, metric=spec))
    (tmp_path / "in.jsonl").write_text("".join(scored_lines))
    result = shell("dt-ttest --value attribution --by group -t welch in.jsonl --format json")
    tested = json.loads(result.out.splitlines()[0])
    assert tested["n"] == 4 and tested["value"].startswith("scores.attribution:model=")


def test_shades_in_a_terminal_and_on_a_page(folder: Path, shell, tmp_path):
    """The weights of a model that hangs on "tickets" alone."""
    spec = f"attribution:model={folder / 'gpt2-tickets'},{LIMITS}"
    original, variant = variants("Ann", "Ann: See")
    records = [
        {**record, "id": number, "reference": "See"}
        for number in range(4)
        for record in (
            original,
            variant,
            {**variant, "variant": "map:2", "prediction": "Ann: See" + " you" * number},
        )
    ]
    records = dialtools.score(records, metric=[spec, "rouge1"])
    (tmp_path / "in.jsonl").write_text("".join(map(line, records)))
    shown = shell("dt-show --id 1 in.jsonl").out
    assert "attribution of original: 0 % of the weights on names" in shown
    assert "1  100 %" in shown and "bring the tickets(100) to" in shown.replace("\n", " ")
    shell("dt-report in.jsonl -o page.html")
    page = (tmp_path / "page.html").read_text()
    assert set(re.findall('title="([^"]+)">tickets</mark>', page)) == {"100 %"}
