"""What was varied between the records of one source, in words; what the words of a page mean."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dialtools.html_report import inputs, material, parts
from dialtools.html_report.estimates import Estimate, Key
from dialtools.html_report.material import CHANGE, Chain, Material
from dialtools.html_report.parts import Section, Table
from dialtools.plugins import registry
from dialtools.records import history

MOST = 6  # kinds that a sentence names
_OF_NAMES = {
    "names": "the names of the speakers",
    "one": "the name of one speaker at a time",
    "ids": "the names of the speakers, replaced by numbers",
    "map": "the names of the speakers, replaced by given ones",
}

_MEASURES = {
    "mean": "the mean of a metric over sources, and of each over its variants; of outputs, their "
    "quality",
    "corpus": "the score of a data set as a whole, which is not the mean of the scores of outputs",
    "sentence_mean": "the mean of the scores of outputs, of a metric that has a corpus score",
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


def makes_variants(by: str, signature: str) -> bool:
    """Return whether a step made variants of records."""
    name = signature.partition("|")[0]
    return by == "dt-swap-names" and name in _OF_NAMES or by == "dt-perturb" and name != "undo"


def of_chain(chain: Chain) -> list[str]:
    """Return the kinds of variants that the steps of a chain made.

    >>> of_chain((("dt-swap-names", "names|lang:en|pool:rare"), ("dt-perturb", "typo.case|seed:1")))
    ['names', 'typo.case']
    """
    return [signature.partition("|")[0] for by, signature in chain if makes_variants(by, signature)]


def of_files(held: Material) -> dict[int, list[str]]:
    """Return the kinds of variants in each file, by its number."""
    kinds: dict[int, dict[str, None]] = {number: {} for number in range(len(held.files))}
    for chain, numbers in held.chains.items():
        for number in numbers:
            kinds[number] |= dict.fromkeys(of_chain(chain))
    for rows in held.sample.held.values():
        for row in rows:
            kinds[row.file] |= dict.fromkeys(kinds_of(row.kind))
            if row.group and not kinds[row.file]:
                kinds[row.file]["names"] = None  # which alone have pools
    return {number: list(of_file) for number, of_file in kinds.items()}


def of_sensitivity(held: Material, in_files: Mapping[int, Sequence[str]]) -> list[str]:
    """Return the kinds of variants whose outputs S compares.

    in_files: those in each file.
    """
    kinds: dict[str, None] = {}
    rows = [row for rows in held.sample.held.values() for row in rows if row.is_source]
    labels = {label for row in rows for label in row.measured if label[:2] == "S:"}
    has_summary = any("S" in result for result in held.results[inputs.SENSITIVITY])
    # our own change of outputs is shown only where nobody measured S
    compared = labels or (set() if has_summary else {CHANGE})
    for row in rows:
        if compared & row.measured.keys():
            kinds |= dict.fromkeys(kinds_of(row.kind) or in_files[row.file])
    for result in held.results[inputs.SENSITIVITY]:
        kinds |= dict.fromkeys(of_result(result))
    return list(kinds)


def kinds_of(kind: str) -> list[str]:
    """Return the kinds that are one together, without pools of names and options.

    >>> kinds_of("names.rare/typo.case:rate=0.5")
    ['names', 'typo.case']
    """
    parts = (history.typed(part).partition(":")[0] for part in kind.split("/") if part)
    return [
        next((name for name in _OF_NAMES if part.startswith(f"{name}.")), part)
        for part in parts
        if part.strip("*") and part != "all"
    ]


def of_result(result: Mapping) -> list[str]:
    """Return the kinds of variants that the records of a result had."""
    return list(result.get("varied") or of_chain(tuple(material.steps(dict(result)))))


def named(kinds: Iterable[str]) -> str:
    """Return kinds for a sentence, such as what a system is sensitive to.

    >>> named(["names", "typo.case", "names"])
    'names and typo.case'
    """
    names = ["names" if kind in _OF_NAMES else kind for kind in kinds]
    return parts.listed(list(dict.fromkeys(names))[:MOST])


def explained(kind: str) -> str:
    """Return what a kind of variation is; "" of one of the user's own.

    >>> explained("dialogue.greeting")
    'begin the dialogue with a greeting'
    """
    if kind in _OF_NAMES:
        return _OF_NAMES[kind]
    return next((about for _, about in _plugins("perturbations", [kind])), "")


def sentence(kinds: Sequence[str], pools: Iterable[str]) -> str:
    """Return what was varied as a sentence; "" for nothing.

    >>> sentence(["names"], ["rare", "frequent"])
    'What was varied: the names of the speakers (frequent, rare).'
    """
    drawn = ", ".join(sorted(pools))
    changes = []
    for kind in kinds[:MOST]:
        about = explained(kind)
        if kind in _OF_NAMES:
            changes.append(f"{about} ({drawn})" if drawn else about)
        else:
            changes.append(f"{kind} ({about})" if about else kind)
    if len(kinds) > MOST:
        changes.append(f"{len(kinds) - MOST} more, which the terms explain")
    return f"What was varied: {'; '.join(changes)}." if changes else ""


def terms(
    held: Material, numbers: Mapping[Key, Estimate], tests: Sequence[dict], kinds: Iterable[str]
) -> Section | None:
    """Return the words of a page with what they mean."""
    kinds = list(kinds)
    measures = {key.measure for key in numbers}
    metrics = [key.metric for key in numbers]
    for test in tests:
        metrics.append(parts.value_of(test).removeprefix("S:").removeprefix("consistency:"))
    generators = [
        signature.partition("|")[0]
        for chain in held.chains
        for by, signature in chain
        if by == "dt-generate"
    ]
    curves = {key.replace("_", " ") for line in held.results[inputs.EPOCH] for key in line}

    meanings = dict(_SOURCE) if kinds else {}
    meanings |= {
        name.replace("_", " "): about for name, about in _MEASURES.items() if name in measures
    }
    meanings |= dict(_plugins("metrics", metrics))
    meanings |= {kind: about for kind in kinds if (about := explained(kind))}
    meanings |= dict(_plugins("generators", generators))
    meanings |= dict(_plugins("hypothesis_tests", [str(test.get("test")) for test in tests]))
    meanings |= {name: about for name, about in _OF_TRAININGS.items() if name in curves}
    if any(test.get("p") is not None for test in tests):
        meanings |= _OF_TESTS
    if not meanings:
        return None
    rows = [parts.line(term) for term in meanings.items()]
    return Section("terms", "Terms", [], [Table("Words on this page", ["term", "meaning"], rows)])


def _plugins(folder: str, specs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of plug-ins with their first lines."""
    known = registry.names(folder)
    for name in dict.fromkeys(spec.partition(":")[0] for spec in specs):
        if name in known:
            about = registry.summary(folder, name).rstrip(".")
            yield name, f"{about[0].lower()}{about[1:]}" if about[1:2].islower() else about
