"""cosine against sentence-transformers; embedding_average and greedy_matching by hand."""

import json
import shutil
from pathlib import Path

import pytest
import samples
import tiny_models

import dialtools
from dialtools.evaluation import scorer as scorers
from dialtools.models import encoders
from dialtools.system.errors import MissingError, OptionError, RecordError

pytestmark = pytest.mark.filterwarnings("default")


def scores(spec: str, given: list[tuple[str, str]], lang: str = "en") -> list[float]:
    return scorers.of(spec, lang).values([one for one, _ in given], [[other] for _, other in given])


# Cosine.


def test_cosines_are_those_of_sentence_transformers(minilm: str):
    """All pairs of sentences in five languages, one of 600 words, encoded by the package in one go."""
    library = pytest.importorskip("sentence_transformers")
    texts = [text for lang in samples.TURNS for _, text in samples.TURNS[lang]][::3]
    texts += ["word " * 200 + "end " * 400, "  Hello \n", "…"]
    vectors = (
        library.SentenceTransformer(minilm, device="cpu", local_files_only=True)
        .encode(texts)
        .tolist()
    )

    def cosine(one: list[float], other: list[float]) -> float:
        lengths = [sum(a * a for a in own) ** 0.5 for own in (one, other)]
        return sum(a * b for a, b in zip(one, other, strict=True)) / (lengths[0] * lengths[1])

    places = [(i, j) for i in range(len(texts)) for j in range(len(texts))]
    found = scores(f"cosine:model={minilm}", [(texts[i], texts[j]) for i, j in places])
    assert found == pytest.approx([cosine(vectors[i], vectors[j]) for i, j in places], abs=2e-6)


def test_a_text_without_a_token_is_like_no_other(minilm: str):
    """This tokenizer drops what is invisible or could not be decoded; sentence-transformers compares [CLS][SEP]."""
    texts = ["", " ", "\u200b", "\ufffd"]
    assert (
        scores(
            f"cosine:model={minilm}", [(one, other) for one in texts for other in (*texts, "Hi")]
        )
        == [0.0] * 20
    )


def test_long_texts_are_counted(minilm: str):
    record = {"id": 1, "prediction": "word " * 300, "reference": ["word " * 300 + "end", "Hi"]}
    (made,) = dialtools.score([record], metric=[f"cosine:model={minilm}"])
    assert made["history"][-1]["counts"]["truncated"] == 2 and made["scores"][
        f"cosine:model={minilm}"
    ] == pytest.approx(1, abs=1e-5)
    with pytest.raises(RecordError, match="256 are what the encoder can read"):
        list(dialtools.score([record], metric=[f"cosine:model={minilm},long=error"]))


def pooled(place: Path, **pooling) -> str:
    """Write a tiny sentence encoder that makes its embeddings as asked; return its folder."""
    words = tiny_models.tokenizer()
    tiny_models.save(place, tiny_models.bert(words), words)
    (place / "1_Pooling").mkdir()
    (place / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 32} | pooling)
    )
    kinds = ["sentence_transformers.models.Transformer", "sentence_transformers.models.Pooling"]
    (place / "modules.json").write_text(
        json.dumps(
            [
                {"idx": n, "name": str(n), "path": ["", "1_Pooling"][n], "type": kind}
                for n, kind in enumerate(kinds)
            ]
        )
    )
    return str(place)


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        {"pooling_mode": "cls"},
        {"pooling_mode": "mean"},
        {"pooling_mode_mean_tokens": True},
    ],
)
def test_pooling_is_as_the_folder_says(pooling: dict, tmp_path: Path):
    library = pytest.importorskip("sentence_transformers")
    folder, (one, other) = pooled(tmp_path, **pooling), tiny_models.TEXTS[:2]
    vectors = library.SentenceTransformer(folder, device="cpu", local_files_only=True).encode(
        [one, other], normalize_embeddings=True
    )
    assert scores(f"cosine:model={folder}", [(one, other)]) == pytest.approx(
        [float((vectors[0] * vectors[1]).sum())], abs=2e-6
    )


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode": "max"},
        {"pooling_mode_lasttoken": True},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
    ],
)
def test_other_pooling_is_refused(pooling: dict, tmp_path: Path):
    pytest.importorskip("torch")
    with pytest.raises(OptionError, match="only mean or cls is supported"):
        scores(f"cosine:model={pooled(tmp_path, **pooling)}", [("a", "b")])


def test_further_layers_are_refused(minilm: str, tmp_path: Path):
    folder = shutil.copytree(
        minilm, tmp_path / "model", ignore=shutil.ignore_patterns("*.safetensors")
    )
    (folder / "model.safetensors").symlink_to(Path(minilm) / "model.safetensors")
    steps = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(
        json.dumps([*steps, {"type": "sentence_transformers.models.Dense"}])
    )
    with pytest.raises(OptionError, match="Dense"):
        encoders.manner(str(folder))


def test_cosine_needs_a_model():
    with pytest.raises(OptionError, match="cosine:model=PATH"):
        scores("cosine", [("a", "b")])


# Word vectors.

VECTORS = {
    "cat": (1, 0, 0),
    "dog": (3, 4, 0),
    "sat": (0, 0, 2),
    "猫": (0, 1, 0),
    "kopi": (1, 1, 0),
    "nil": (0, 0, 0),
}


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Return a file of vectors as fastText writes it, with its numbers of words and of dimensions."""
    rows = [" ".join([word, *map(str, numbers)]) for word, numbers in VECTORS.items()]
    file = tmp_path / "vectors.vec"
    file.write_text("\n".join([f"{len(rows)} 3", *rows]) + " \n", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "prediction, reference, average, greedy",
    [
        # dog is (0.6, 0.8, 0) at length 1.  Means: (2, 2, 0) against (0.5, 0, 1).
        ("Cat dog", "cat sat", 1 / (8**0.5 * 1.25**0.5), ((1 + 0.6) / 2 + (1 + 0) / 2) / 2),
        ("dog", "cat", 0.6, 0.6),
        ("cat cat dog", "CAT", 5 / 41**0.5, ((1 + 1 + 0.6) / 3 + 1) / 2),
        ("cat", "sat", 0.0, 0.0),
        ("", "cat", 0.0, 0.0),
        ("…", "!", 0.0, 0.0),
        ("sat the dog", "dog sat", 1.0, 1.0),
    ],
)
def test_by_hand(vectors: Path, prediction: str, reference: str, average: float, greedy: float):
    """Liu et al. 2016, equations 1 to 3, with a pencil."""
    given = [(prediction, reference), (reference, prediction)]
    assert scores(f"embedding_average:vectors={vectors}", given) == pytest.approx(
        [average] * 2, abs=1e-12
    )
    assert scores(f"greedy_matching:vectors={vectors}", given) == pytest.approx(
        [greedy] * 2, abs=1e-12
    )


def test_other_languages(vectors: Path):
    assert scores(f"greedy_matching:vectors={vectors},tok=characters", [("猫", "猫")], "ja") == [1]
    assert scores(
        f"embedding_average:vectors={vectors}", [("Kopi", "kopi")], "jv"
    ) == pytest.approx([1])


@pytest.mark.parametrize("metric", ["embedding_average", "greedy_matching"])
def test_words_without_a_vector(vectors: Path, metric: str):
    records = [
        {"id": 1, "prediction": "the cat sat", "reference": ["a cat", "the nil dog"]},
        {"id": 2, "prediction": "one two", "reference": ["cat"]},
    ]
    (made,) = dialtools.score(records[:1], metric=[f"{metric}:vectors={vectors}"])
    assert made["history"][-1]["counts"]["no_vector"] == 1 + 1 + 2  # nil is (0, 0, 0)
    with pytest.raises(RecordError, match='no word of "one two" has a vector') as error:
        list(dialtools.score(records, metric=[f"{metric}:vectors={vectors}"]))
    assert error.value.record == {**records[1], "lang": "en"}


@pytest.mark.parametrize(
    "text, message",
    [
        ("cat 1 2 3\ndog 1 2\n", "'dog' is not 3 numbers"),
        ("cat 1 2\ndog 1 x\n", "'dog' is not 2 numbers"),
        ("cat 1 2\ndog 1 nan\n", "'dog' is not 2 numbers"),
    ],
)
def test_a_file_that_is_none_of_vectors(tmp_path: Path, text: str, message: str):
    (tmp_path / "v").write_text(text)
    with pytest.raises(MissingError, match=message):
        scores(f"embedding_average:vectors={tmp_path / 'v'}", [("cat dog", "dog")])


def test_neither_or_both(vectors: Path):
    for spec in "embedding_average", f"greedy_matching:vectors={vectors},model=m":
        with pytest.raises(OptionError, match="vectors=FILE"):
            scores(spec, [("a", "b")])
    with pytest.raises(MissingError, match="no file of word vectors ./nowhere"):
        scores("greedy_matching:vectors=./nowhere", [("a", "b")])


def test_the_vectors_that_a_model_begins_with(minilm: str):
    """Read from the weights: those of "cat" and "dog" in its vocabulary."""
    numpy, safetensors = pytest.importorskip("numpy"), pytest.importorskip("safetensors")
    words = json.loads((Path(minilm) / "tokenizer.json").read_text())["model"]["vocab"]
    with safetensors.safe_open(Path(minilm) / "model.safetensors", "numpy") as file:
        matrix = file.get_tensor("embeddings.word_embeddings.weight")
    one, other = (matrix[words[word]].astype("float64") for word in ("cat", "dog"))
    expected = [float(one @ other / numpy.linalg.norm(one) / numpy.linalg.norm(other))]
    for metric in "embedding_average", "greedy_matching":
        assert scores(f"{metric}:model={minilm}", [("cat", "dog")]) == pytest.approx(
            expected, abs=1e-9
        )


@pytest.mark.parametrize(
    "spec",
    [
        "cosine:model={minilm}",
        "embedding_average:model={minilm}",
        "greedy_matching:model={minilm}",
        "greedy_matching:vectors={vectors}",
    ],
)
def test_neither_order_nor_batch_matters(spec: str, minilm: str, vectors: Path):
    texts = ["The cat sat.", "a dog and a cat", "", "cat", "?", "sat, sat"]
    given = [(one, other) for one in texts for other in texts]
    spec = spec.format(minilm=minilm, vectors=vectors)
    whole = scores(spec, given)
    assert scores(spec, given[::-1])[::-1] == pytest.approx(whole, abs=1e-6)
    assert [scores(spec, [pair])[0] for pair in given] == pytest.approx(whole, abs=1e-6)
    assert all(-1 - 1e-9 <= value <= 1 + 1e-9 for value in whole)
    assert scores(spec, [(other, one) for one, other in given]) == pytest.approx(whole, abs=1e-6)
