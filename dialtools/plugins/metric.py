"""What a metric declares: a number for each prediction, and what is said of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple


@dataclass(frozen=True, eq=False)
class Corpus:
    """The value of a data set that is not the mean over its records, such as corpus BLEU.

    statistics(predictions, references, *, options): for each prediction a list of numbers, or
        {name: count}, which add up.
    score(statistics, *, options): the value, from the statistics of records or from sums of them,
        perhaps floats; names with count 0 are left out.
    signature: parts of the signature of the value.
    bounds: (lowest, highest) of the value, if a record has others.
    margin(statistics): {"margin": …} of the value at 95 %.
    mean: what the mean over records is called.
    of_record(statistics of a record, *, options): its score, if it follows from them, so that its
        texts are read once.
    resampled: whether the value of records drawn with replacement says how far the value varies;
        else it has neither interval nor test.
    """

    statistics: Callable[..., list]
    score: Callable[..., Any]
    signature: Mapping[str, str] = field(default_factory=dict)
    bounds: tuple[float, float] | None = None
    margin: Callable[..., float] | None = None
    mean: str = "the sentence mean"
    of_record: Callable[..., float] | None = None
    resampled: bool = True


class Explained(NamedTuple):
    """A score with what explains it; counts: as those of Metric."""

    score: float | None
    details: Any = None
    counts: Mapping[str, int] = {}


@dataclass(frozen=True, eq=False)
class Metric:
    """A number for each prediction.

    score(predictions, references, *, options): a list of numbers; None where the metric leaves a
        record out.  predictions: a list of strings; references: a list of strings for each.
    range: (worst, best); infinite, or None, without a bound or a direction.  Numbers from 0 to 1
        are shown in percent, others as they are.
    bounds: (lowest, highest) of a metric without range, or a function of its options.
    better: the direction of a metric without range.
    unit: the unit of the numbers, where it does not follow from the range.
    reaches_best: whether a text has the best score against itself.
    symmetric: whether prediction and reference may change places.
    window: how many records the metric wants at once, for a model.  It may get more or fewer; the
        score of a record does not depend on it.
    texts: what the texts must be, such as "numbers"; "" for any text.
    needs: the columns that the metric reads (evaluation/columns.py lists them; any other name is a
        key of the record), or a function of its options.
    references: the rule for several references, for a metric without the option `refs`.
    subsets: how to combine the scores against single subsets of references, for a metric that
        makes one score of several references.
    by_language: {option: key of language.json}, the default of an option in each language.
    corpus: the value of a data set that is not the mean over records.
    pairs(predictions, references, *, options): for each prediction a list of (true label,
        predicted label), for metrics that compare labels.
    counts(predictions, references, *, options): {"truncated": 1, …} for each prediction, summed in
        the closing line.
    counted: the names of those counts that stand in results too.
    explain(predictions, references, *, options): an Explained for each prediction, of a metric whose
        scores come with details; `score` and `counts` are not called for records then.
    kept: the key of records that gets these details, by label; None is no detail.
    libraries: those whose versions the signature names, or a function of its options.
    described(options): further parts of the signature; None leaves a part out.
    by_options(options): fields that follow from options, such as range.
    scores_pairs: score(predictions, references) also works of a metric that needs records; so it
        can measure sensitivity and robustness.
    whole_spec: the option that takes everything after the first ":", or after other options, each
        with a comma; an option `name` is the label.
    summary: a line about it, in a file that declares several.

    An option `language` gets the Language.  The options device, offline, batch_size, timeout (no
    part of signature and label) and precision exist in dt-score too.
    """

    score: Callable[..., list]
    range: tuple[float, float] | None = None
    bounds: tuple[float, float] | Callable[[dict], tuple[float, float] | None] | None = None
    better: Literal["higher", "lower"] | None = None
    unit: Literal["points", "raw"] | None = None
    reaches_best: bool = True
    symmetric: bool = False
    window: int = 1
    texts: str = ""
    needs: tuple[str, ...] | Callable[[dict], tuple[str, ...]] = ("prediction", "reference")
    references: str = "max"
    subsets: Literal["max", "min"] | None = None
    by_language: Mapping[str, str] = field(default_factory=dict)
    corpus: Corpus | None = None
    pairs: Callable[..., list] | None = None
    counts: Callable[..., list] | None = None
    counted: tuple[str, ...] = ()
    explain: Callable[..., list[Explained]] | None = None
    kept: str = ""
    libraries: tuple[str, ...] | Callable[[dict], tuple[str, ...]] = ()
    described: Callable[[dict], dict] | None = None
    by_options: Callable[[dict], dict] | None = None
    scores_pairs: bool = False
    whole_spec: str = ""
    summary: str = ""


def of_backend(options: dict) -> tuple[str, ...]:
    """Return the library that computes a metric, if its option `backend` names one."""
    backend = options.get("backend")
    return (backend.replace("_", "-"),) if backend else ()
