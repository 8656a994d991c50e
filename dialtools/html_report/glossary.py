"""The section on terms: what the words on a page mean."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dialtools.html_report import recognition, variations
from dialtools.html_report.estimates import Estimate, Key
from dialtools.html_report.material import Material
from dialtools.html_report.parts import Cell, Line, Section, Table
from dialtools.plugins import registry

_MEASURES = {
    "mean": "the mean of a metric over sources, and of each over its variants; of outputs, their "
    "quality",
    "S": "sensitivity: how much the outputs to one source differ between its variants, 0 if they "
    "are all equal",
    "R": "the range of the quality of the outputs to one source",
    "D": "the standard deviation of the quality of the outputs to one source",
    "control": "S between different sources; where this is low, too, outputs are all alike",
    "distinct": "the share of outputs that are distinct",
    "consistency": "Δz_c: how far an output changes from that to the original; larger is worse",
    "saliency": "Δz_s: how far the score of an output against the reference moves; larger is worse",
    "faithfulness": "Δz_f: how far the score of an output against the input moves; larger is worse",
}
_OF_TESTS = {
    "p": "the probability of a difference at least as large if there were none; more than chance: "
    "below 0.05",
    "95 % CI": "an interval made so that 95 of 100 such intervals hold the true number; one of "
    "several tests has a wider one",
    "Holm, Bonferroni": "corrections of p for the number of tests: of many, some are below 0.05 "
    "by chance",
}
_OF_TRAININGS = {
    "loss": "what training makes small; dev loss: on the records that it does not learn from",
    "gap": "how much more the dev loss is with the sources of other records; near 0 the model "
    "does not read its input",
    "distinct": "the share of outputs that are distinct",
    "auc": "the probability that alike texts are nearer to each other than others are",
    "spearman": "how far the ranks of two lists of numbers agree, from −1 to 1",
    "accuracy": "the share of right labels",
    "macro f1": "the mean of F1 over the labels, each counted alike",
    "temperature": "what the scores of labels are divided by, so that probabilities are honest",
}
_SOURCE = {
    "source": "one item of the data, such as a dialogue, with all its variants",
    "variant": "a source with something changed that should not matter",
}


def section(
    held: Material, numbers: Mapping[Key, Estimate], tests: Sequence[dict], kinds: Iterable[str]
) -> Section | None:
    """Return the words of a page with what they mean."""
    kinds = list(kinds)
    measures = {key.measure for key in numbers}
    found = dict(_SOURCE) if kinds else {}
    found |= {name: about for name, about in _MEASURES.items() if name in measures}
    found |= dict(_plugins("metrics", [*(key.metric for key in numbers), *map(_metric, tests)]))
    found |= {kind: about for kind in kinds if (about := variations.explained(kind))}
    found |= dict(_plugins("generators", _generators(held)))
    found |= dict(_plugins("hypothesis_tests", [str(test.get("test")) for test in tests]))
    curves = {key.replace("_", " ") for line in held.results[recognition.EPOCH] for key in line}
    found |= {name: about for name, about in _OF_TRAININGS.items() if name in curves}
    if any(test.get("p") is not None for test in tests):
        found |= _OF_TESTS
    rows = [Line([Cell(name), Cell(about)]) for name, about in found.items()]
    return (
        Section("terms", "Terms", [], [Table("Words on this page", ["term", "meaning"], rows)])
        if rows
        else None
    )


def _metric(test: dict) -> str:
    label = str(test.get("value") or "").removeprefix("scores.")
    return label.removeprefix("S:").removeprefix("consistency:")


def _plugins(folder: str, specs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of plug-ins with their first lines."""
    known = registry.names(folder)
    for name in dict.fromkeys(spec.partition(":")[0] for spec in specs):
        if name in known:
            about = registry.summary(folder, name).rstrip(".")
            yield name, f"{about[0].lower()}{about[1:]}" if about[1:2].islower() else about


def _generators(held: Material) -> list[str]:
    return [
        signature.partition("|")[0]
        for chain in held.chains
        for by, signature in chain
        if by == "dt-generate"
    ]
