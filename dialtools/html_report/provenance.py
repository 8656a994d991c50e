"""How records were made: what was varied between them, in words; steps, signatures, versions and
files of a report, and a line to cite.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from platform import python_version
from typing import NamedTuple

from dialtools import __version__
from dialtools.comparison.verdicts import listed
from dialtools.html_report import input_lines, material
from dialtools.html_report.material import Material
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.system.errors import need
from dialtools.system.files import sha256

MOST_KINDS = 6  # that a sentence names
MOST_RUNS = 12
MOST_SIGNATURES = 40
_OF_NAMES = {
    "names": "the names of the speakers",
    "one": "the name of one speaker at a time",
    "ids": "the names of the speakers, replaced by numbers",
    "map": "the names of the speakers, replaced by given ones",
}
# what differs between the records of one run
_OF_RECORDS = re.compile(r"\|(lang|tok|refs):([^|;]*)")
_NAMES = (
    "Qi Jia, Haifeng Tang and Kenny Q. Zhu. Reducing Sensitivity on Speaker Names for Text "
    "Generation from Dialogues. Findings of ACL 2023"
)
_VARIATIONS = (
    "Evaluating Robustness of Open Dialogue Summarization Models in the Presence of "
    "Naturally Occurring Variations"
)

Step = tuple[str, str]  # (command, signature)


def makes_variants(by: str, signature: str) -> bool:
    """Return whether a step made variants of records."""
    name = signature.partition("|")[0]
    return by == "dt-swap-names" and name in _OF_NAMES or by == "dt-perturb" and name != "undo"


def of_chain(chain: Iterable[Step]) -> list[str]:
    """Return the kinds of variants that the steps of a chain made.

    >>> of_chain((("dt-swap-names", "names|lang:en|pool:rare"), ("dt-perturb", "typo.case|seed:1")))
    ['names', 'typo.case']
    """
    return [signature.partition("|")[0] for by, signature in chain if makes_variants(by, signature)]


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
    return list(result.get("varied") or of_chain(material.steps(dict(result))))


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
    summaries = held.results[input_lines.SENSITIVITY]
    rows = [row for rows in held.sample.held.values() for row in rows if row.is_source]
    for row in rows:
        if any(label[:2] == "S:" for label in row.measured):
            kinds |= dict.fromkeys(kinds_of(row.kind) or in_files[row.file])
    for result in summaries:
        kinds |= dict.fromkeys(of_result(result))
    return list(kinds)


def named(kinds: Iterable[str]) -> str:
    """Return kinds for a sentence, such as what a system is sensitive to.

    >>> named(["names", "typo.case", "names"])
    'names and typo.case'
    """
    names = ["names" if kind in _OF_NAMES else kind for kind in kinds]
    return listed(list(dict.fromkeys(names))[:MOST_KINDS])


def explained(kind: str) -> str:
    """Return what a kind of variation is; "" of one of the user's own.

    >>> explained("dialogue.greeting")
    'begin the dialogue with a greeting'
    """
    about = (about for _, about in plugins_explained("perturbations", [kind]))
    return _OF_NAMES.get(kind) or next(about, "")


def plugins_explained(folder: str, specs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of plug-ins with their first lines."""
    known = registry.names(folder)
    for name in dict.fromkeys(spec.partition(":")[0] for spec in specs):
        if name in known:
            about = registry.summary(folder, name).rstrip(".")
            yield name, f"{about[0].lower()}{about[1:]}" if about[1:2].islower() else about


def sentence(kinds: Sequence[str], pools: Iterable[str]) -> str:
    """Return what was varied as a sentence; "" for nothing.

    >>> sentence(["names"], ["rare", "frequent"])
    'What was varied: the names of the speakers (frequent, rare).'
    """
    drawn = ", ".join(sorted(pools))
    changes = []
    for kind in kinds[:MOST_KINDS]:
        about = explained(kind)
        head, inside = (about, drawn) if kind in _OF_NAMES else (kind, about)
        changes.append(f"{head} ({inside})" if inside else head)
    if len(kinds) > MOST_KINDS:
        changes.append(f"{len(kinds) - MOST_KINDS} more, which the terms explain")
    return f"What was varied: {'; '.join(changes)}." if changes else ""


class StepsOfFiles(NamedTuple):
    """The steps that lines went through, and the files they are in.

    steps: (command, its signatures), several where one run made several kinds of variants.
    """

    steps: Sequence[tuple[str, Sequence[str]]]
    files: Sequence[str]


class ReadFile(NamedTuple):
    """A file that was read."""

    name: str
    lines: str
    size: str
    hash: str


class Making(NamedTuple):
    """How a report was made; about: what lines all files have together.

    left_runs, left_signatures: how many are not shown.
    """

    runs: Sequence[StepsOfFiles]
    left_runs: int
    signatures: Sequence[str]
    left_signatures: int
    commands: Sequence[str]
    versions: str
    files: Sequence[ReadFile]
    citation: str
    about: str


@dataclass(frozen=True)
class _Lines:
    """Lines that went through the same steps.

    steps: of each step those of several runs, first those of one run.
    number: of lines.
    """

    steps: Sequence[Sequence[Step]]
    files: frozenset[int]
    kinds: frozenset[str]
    number: int

    @property
    def runs(self) -> list[Step]:
        """What is the same in the steps of one run."""
        runs = []
        for (by, signature), *_ in self.steps:
            if makes_variants(by, signature):
                name = signature.partition("|")[0] if by == "dt-swap-names" else ""
                same = [
                    f"{key}:{value}"
                    for key, value in history.parts(signature).items()
                    if key == "seed" or name and key not in ("pool", "lang")
                ]
                signature = "|".join([name, *same])
            else:
                signature = "" if by == "dt-score" else _OF_RECORDS.sub("", signature)
            runs.append((by, signature))
        return runs

    @property
    def runs_of_originals(self) -> list[Step]:
        """What is the same, without the steps that variants alone have; [] of no variants."""
        if not any(makes_variants(*step[0]) for step in self.steps):
            return []
        return [
            run
            for step, run in zip(self.steps, self.runs, strict=True)
            if not makes_variants(*step[0]) and not step[0][1].startswith(("restore|", "undo|"))
        ]


def making(held: Material) -> Making:
    """Return how a report and what it shows were made."""
    runs = []
    for lines in sorted(_lines(held), key=lambda lines: -lines.number):
        steps = []
        for step in lines.steps:
            signatures = [part for _, signature in step for part in signature.split("; ")]
            steps.append((step[0][0], _alike(signatures)))
        names = [held.files[number].name for number in sorted(lines.files)]
        runs.append(StepsOfFiles(steps, names))

    results = [result for of_kind in held.results.values() for result in of_kind]
    signatures = _alike([str(result["signature"]) for result in results if result.get("signature")])
    commands = (result["command"] for result in results if isinstance(result.get("command"), str))
    files = [
        ReadFile(
            file.name,
            input_lines.counted(file.lines),
            f"{os.path.getsize(file.path):,} bytes",
            sha256(file.path),
        )
        for file in held.files
    ]
    libraries = [f"{name} {need(name, 'report').__version__}" for name in ("jinja2", "matplotlib")]
    versions = [f"dialtools {__version__}", f"Python {python_version()}", *libraries]

    kinds = {kind for file in held.files for kind in file.lines}
    labels = {label for row in held.sample.rows() for label in row.measured}
    cited = [f"Measured with dialtools {__version__}"]
    if input_lines.SENSITIVITY in kinds or any(label.startswith("S:") for label in labels):
        cited.append(f"S, R and D: {_NAMES}")
    if input_lines.ROBUSTNESS in kinds or any(label.startswith("consistency:") for label in labels):
        cited.append(f"consistency, saliency and faithfulness: {_VARIATIONS}")
    return Making(
        runs[:MOST_RUNS],
        max(len(runs) - MOST_RUNS, 0) + (held.left_chains > 0),
        signatures[:MOST_SIGNATURES],
        max(len(signatures) - MOST_SIGNATURES, 0),
        list(dict.fromkeys(commands)),
        ", ".join(versions),
        files,
        ". ".join(cited) + ".",
        input_lines.counted(sum((file.lines for file in held.files), Counter())),
    )


def _lines(held: Material) -> list[_Lines]:
    """Return the lines of files by their steps; those that differ in what varied, or in the metric,
    or in language, tokenizer or references alone, are one, and so are those of originals and of
    shorter chains with those that continue them.
    """
    chains = [
        _Lines(
            [[step] for step in steps],
            frozenset([file]),
            frozenset(held.kinds[steps, file]),
            number,
        )
        for steps, numbers in held.chains.items()
        for file, number in numbers.items()
        if steps
    ]

    def are_originals(lines: _Lines, longer: _Lines) -> bool:
        return (
            not any(makes_variants(*part) for step in lines.steps for part in step)
            and lines.files <= longer.files
            and longer.runs_of_originals == lines.runs
        )

    def are_continued(lines: _Lines, longer: _Lines) -> bool:
        return (
            len(longer.steps) > len(lines.steps)
            and longer.runs[: len(lines.steps)] == lines.runs
            and {*map(tuple, longer.steps[0])} <= {*map(tuple, lines.steps[0])}
            and input_lines.TEST not in longer.kinds
        )

    chains = _merged(
        chains,
        lambda lines: (
            lines.files,
            *((by, _OF_RECORDS.sub("", signature)) for ((by, signature),) in lines.steps),
        ),
    )
    chains = _merged(chains, lambda lines: (*lines.runs, lines.files, lines.kinds))
    for is_part in (are_originals, are_continued):
        chains = _folded(chains, is_part)
    return _merged(chains, lambda lines: (str(lines.steps), lines.kinds))


def _merged(chains: Iterable[_Lines], key: Callable[[_Lines], Hashable]) -> list[_Lines]:
    """Return lines, those with the same key, which have the same commands, as one."""
    merged: dict[Hashable, _Lines] = {}
    for lines in chains:
        first = merged.get(key(lines))
        if first:
            steps = [
                list(dict.fromkeys((*step, *more)))
                for step, more in zip(first.steps, lines.steps, strict=True)
            ]
            files, kinds = first.files | lines.files, first.kinds | lines.kinds
            merged[key(lines)] = _Lines(steps, files, kinds, first.number + lines.number)
        else:
            merged[key(lines)] = lines
    return list(merged.values())


def _folded(chains: Sequence[_Lines], is_part: Callable[[_Lines, _Lines], bool]) -> list[_Lines]:
    """Return lines without those that are a part of others, which get their files and number."""
    kept = dict(enumerate(chains))
    for number in sorted(kept, key=lambda number: len(kept[number].steps)):
        lines = kept[number]  # perhaps with the files of shorter ones
        wholes = [
            place for place, longer in kept.items() if place != number and is_part(lines, longer)
        ]
        for place in wholes:
            whole = kept[place]
            kept[place] = replace(
                whole, files=whole.files | lines.files, number=whole.number + lines.number
            )
        if wholes:
            del kept[number]
    return list(kept.values())


def _alike(signatures: Sequence[str]) -> list[str]:
    """Return signatures, those that differ in language, tokenizer or references alone as one."""
    alike: dict[str, list[str]] = {}
    for signature in signatures:
        alike.setdefault(_OF_RECORDS.sub("", signature), []).append(signature)
    together = []
    for same in alike.values():
        values: dict[str, dict[str, None]] = {}
        for signature in same:
            for name, value in _OF_RECORDS.findall(signature):
                values.setdefault(name, {})[value] = None

        def joined(part: re.Match, values: dict[str, dict[str, None]] = values) -> str:
            return f"|{part[1]}:{','.join(values[part[1]])}"

        together.append(_OF_RECORDS.sub(joined, same[0]))
    return together
