"""Metrics that want many records at once: the numbers of one source at a time, in few calls."""

from copy import deepcopy
from dataclasses import replace

import pytest

import dialtools
from dialtools.metrics import exact, meteor, set_overlap
from dialtools.models.decoding import Loading
from dialtools.plugins import registry
from dialtools.plugins.metric import Metric
from dialtools.system.batches import Listed
from dialtools.system.errors import OptionError, RecordError
from dialtools.text import overlap

WORDS = "the cat sat on a mat and saw two birds in one tree".split()
SPECS = [
    "f1",
    "meteor",
]  # one that is symmetric, one to which the order matters; f1 can be told to fail
ASKED = [
    {},
    {"summary": True},
    {"sensitivity": True},
    {"sensitivity": True, "per_source": True},
    {"sensitivity": True, "with_original": True},
    {"sensitivity": True, "by": "kind"},
    {"robustness": True},
    {"robustness": True, "per_source": True},
]


def records(number: int = 30) -> list[dict]:
    """Return sources in two languages, each with an original and variants of two kinds, some of them equal or empty."""
    made = []
    for at in range(number):
        head = {"id": at, "lang": "en" if at % 3 else "id", "dialogue": f"Ann: {WORDS[at % 13]} so"}
        head |= (
            {"reference": [" ".join(WORDS[at % 5 :])]}
            if at % 4
            else {"reference": ["so", "the tree"]}
        )
        said = [" ".join(WORDS[at % 7 : at % 7 + n]) for n in (0, 3, 3, 5, 8)]
        made += [head | {"prediction": "tree " + said[1]}]
        made += [
            head | {"prediction": text, "variant": f"{'names' if n < 3 else 'typo.case'}:{n + 1}"}
            for n, text in enumerate(said)
        ]
    return made


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make the two metrics want 40 records at once; return how many predictions they get in each call."""
    found: list[int] = []
    best_of = overlap.best_of

    def counted(known, compare, predictions, *given):
        found.append(len(predictions))
        return best_of(known, compare, predictions, *given)

    monkeypatch.setattr(overlap, "best_of", counted)
    monkeypatch.setattr(set_overlap, "f1", replace(set_overlap.f1, window=40))
    monkeypatch.setattr(meteor, "METRIC", replace(meteor.METRIC, window=40))
    registry._load.cache_clear()
    return found


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_same_numbers(asked: dict, sizes: list[int], monkeypatch: pytest.MonkeyPatch):
    wide = list(dialtools.score(deepcopy(records()), metric=SPECS, **asked))
    # 180 records, whole sources of 6: five times 42 at most; of each two languages and two metrics.  The controls of
    # sensitivity are one more call of each.
    assert (
        10
        <= len([size for size in sizes if size > 1])
        <= 2 * 2 * (5 + 1) * (2 if asked.get("by") else 1)
    )
    monkeypatch.undo()
    assert wide == list(dialtools.score(records(), metric=SPECS, **asked))


@pytest.mark.parametrize("asked", [{}, {"sensitivity": True}, {"robustness": True}], ids=str)
def test_the_record_to_blame_is_named(asked: dict, sizes: list[int]):
    found = records()
    found[100] |= {"prediction": "木"}  # from which the tokenizer of ROUGE has no word
    with pytest.raises(RecordError) as error:
        list(dialtools.score(found, metric=["f1:tok=rouge"], **asked))
    assert (error.value.record or {})["id"] == found[100]["id"]
    assert (error.value.record or {}).get("variant") == found[100].get("variant")


@pytest.fixture
def fresh():
    """Forget, before and after a test, what metrics are."""
    registry._load.cache_clear()
    yield
    registry._load.cache_clear()


def test_options_of_models(fresh, monkeypatch: pytest.MonkeyPatch):
    """They reach the metrics that know them; only what changes a score is in label and signature."""

    def score(
        predictions,
        references,
        *,
        model: str = "",
        device: str = "auto",
        offline: bool = False,
        batch_size: int = 4,
        precision: str = "float32",
    ):
        seen.append((model, device, offline, batch_size, precision))
        return [1.0] * len(predictions)

    seen: list[tuple] = []
    monkeypatch.setattr(exact, "METRIC", replace(exact.METRIC, score=score))
    given = Loading(device="cpu", offline=True, batch_size=2)
    record = {"id": 1, "prediction": "a", "reference": "a"}
    (made,) = dialtools.score([record], metric=["exact:model=m", "edit"], loading=given)
    assert seen == [("m", "cpu", True, 2, "float32")] and made["scores"] == {
        "exact:model=m": 1,
        "edit": 1,
    }
    assert made["history"][-1]["signature"]["exact:model=m"].startswith(
        "exact|lang:en|model:m|precision:float32|refs:1/max|v:"
    )
    loading = given._replace(precision="bfloat16", model="n")
    (made,) = dialtools.score(
        [record], metric=["exact:device=x", "edit", "exact:model=m"], loading=loading
    )
    assert seen[-2:] == [("n", "x", True, 2, "bfloat16"), ("m", "cpu", True, 2, "bfloat16")]
    assert list(made["scores"]) == [
        "exact:device=x,model=n,precision=bfloat16",
        "edit",
        "exact:model=m,precision=bfloat16",
    ]
    with pytest.raises(
        OptionError,
        match="Loading.model is for metrics that have a model; none of these does: edit",
    ):
        list(dialtools.score([record], metric=["edit"], loading=Loading(model="n")))
    with pytest.raises(OptionError, match="Loading.batch_size is for metrics that have a model"):
        list(dialtools.score([record], metric=["edit"], loading=Loading(batch_size=2)))
    assert list(dialtools.score([record], metric=["edit"], loading=Loading(offline=True)))


@pytest.mark.parametrize("window, lengths", [(1, [2, 1]), (32, [3])])
def test_only_a_model_waits_for_more_texts_where_the_input_pauses(window: int, lengths: list[int]):
    """Also one that wants no more of them at once than all metrics get."""
    read = []

    def metric(predictions: list[str], references: list[list[str]]) -> list[float]:
        read.append(len(predictions))
        return [1.0] * len(predictions)

    pairs = [{"id": id, "prediction": "a", "reference": "b"} for id in range(3)]
    assert (
        len(
            list(
                dialtools.score(
                    Listed([pairs[:2], pairs[2:]]), metric=Metric(metric, window=window)
                )
            )
        )
        == 3
    )
    assert read == lengths
