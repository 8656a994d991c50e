"""How like one output is to another, by a metric: the second stands for the reference."""

from math import inf, isfinite

from dialtools.evaluation import units
from dialtools.evaluation.chosen_metrics import ChosenMetric, Spec
from dialtools.evaluation.scorer import bind
from dialtools.languages import Language
from dialtools.system.errors import OptionError, RecordError


class Likeness:
    """A metric of two outputs; of equal ones it is the best that the metric has.

    sign: 1 where higher scores are more alike, else -1.
    worst: the score of outputs that could not be less alike; infinite where there is none.
    """

    def __init__(self, spec: Spec, option: str) -> None:
        """Read a spec; option: what names it, in errors."""
        self.metric = ChosenMetric(spec)
        self.metric.require_valid()
        better = units.better(self.metric)
        if not self.metric.is_of_pairs or not self.metric.texts.is_plain() or better is None:
            raise OptionError(
                f"{option}: {self.metric.label} does not compare a prediction with a reference, in "
                "place of which the original's prediction stands"
            )
        self.sign = 1 if better == "higher" else -1
        worst, best = self.metric.declared.range or (inf, inf)
        self.worst, self.best = worst, best if isfinite(best) else None

    @property
    def label(self) -> str:
        return self.metric.label

    def of(self, output: str, original: str, language: Language) -> float:
        """Return the score of an output. Raise RecordError where there is none."""
        if output == original and self.best is not None:
            return self.best
        [score] = bind(self.metric, language).values([output], [[original]])
        if score is None:
            raise RecordError(f"{self.label} gives it no score")
        return score
