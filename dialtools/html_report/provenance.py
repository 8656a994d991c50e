"""The section on how a report was made: steps, signatures, versions, files, and a line to cite."""

import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from platform import python_version
from typing import NamedTuple

from dialtools import __version__
from dialtools.html_report import inputs
from dialtools.html_report.material import Material
from dialtools.html_report.variations import makes_variants
from dialtools.records import history
from dialtools.system.errors import need

MOST_CHAINS = 12
MOST_SIGNATURES = 40
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

Step = tuple[str, str]


class Run(NamedTuple):
    """The steps that lines went through, and the files they are in.

    steps: (command, its signatures), several where one run made several kinds of variants.
    """

    steps: Sequence[tuple[str, Sequence[str]]]
    files: Sequence[str]


@dataclass(frozen=True)
class _Chain:
    """Steps as they are in histories, with what is known of the lines that have them.

    steps: of each step those of several runs, first those of one run.
    number: of lines.
    """

    steps: Sequence[Sequence[Step]]
    files: frozenset[int]
    kinds: frozenset[str]
    number: int

    @property
    def runs(self) -> list[tuple[str, str]]:
        """What is the same in the steps of one run."""
        return [(step[0][0], _of_run(*step[0])) for step in self.steps]

    def __add__(self, chain: "_Chain") -> "_Chain":
        """Return two chains of the same commands as one."""
        steps = [
            list(dict.fromkeys((*step, *more)))
            for step, more in zip(self.steps, chain.steps, strict=True)
        ]
        kinds, number = self.kinds | chain.kinds, self.number + chain.number
        return _Chain(steps, self.files | chain.files, kinds, number)


class ReadFile(NamedTuple):
    """A file that was read."""

    name: str
    lines: str
    size: str
    hash: str


class Making(NamedTuple):
    """How a report was made; about: what lines all files have together."""

    runs: Sequence[Run]
    left: int
    signatures: Sequence[str]
    more: int
    commands: Sequence[str]
    versions: str
    files: Sequence[ReadFile]
    citation: str
    about: str


def making(held: Material) -> Making:
    """Return how a report and what it shows were made."""
    chains = _in_runs(_without_originals(_of_files(held)))
    merged = _merged(chains, lambda chain: (str(chain.steps), chain.kinds))
    runs = []
    for chain in sorted(merged, key=lambda chain: -chain.number):
        steps = []
        for step in chain.steps:
            signatures = [part for _, signature in step for part in signature.split("; ")]
            steps.append((step[0][0], _alike(signatures)))
        runs.append(Run(steps, [held.files[number].name for number in sorted(chain.files)]))

    results = [result for of_kind in held.results.values() for result in of_kind]
    signatures = _alike([str(result["signature"]) for result in results if result.get("signature")])
    commands = (result["command"] for result in results if isinstance(result.get("command"), str))
    files = [
        ReadFile(
            file.name,
            inputs.counted(file.lines),
            f"{os.path.getsize(file.path):,} bytes",
            inputs.hashed(file),
        )
        for file in held.files
    ]
    libraries = [f"{name} {need(name, 'report').__version__}" for name in ("jinja2", "matplotlib")]
    versions = [f"dialtools {__version__}", f"Python {python_version()}", *libraries]
    return Making(
        runs[:MOST_CHAINS],
        max(len(runs) - MOST_CHAINS, 0) + (held.left_chains > 0),
        signatures[:MOST_SIGNATURES],
        max(len(signatures) - MOST_SIGNATURES, 0),
        list(dict.fromkeys(commands)),
        ", ".join(versions),
        files,
        _citation(held),
        inputs.counted(sum((file.lines for file in held.files), Counter())),
    )


def _merged(chains: Iterable[_Chain], key: Callable[[_Chain], Hashable]) -> list[_Chain]:
    """Return chains, those with the same key as one."""
    merged: dict[Hashable, _Chain] = {}
    for chain in chains:
        alike = key(chain)
        merged[alike] = merged[alike] + chain if alike in merged else chain
    return list(merged.values())


def _of_files(held: Material) -> list[_Chain]:
    """Return the chains of each file; those that differ in what varied, or in the metric, or in
    language, tokenizer or references alone, are one.
    """
    chains = [
        _Chain(
            [[step] for step in steps],
            frozenset([file]),
            frozenset(held.kinds[steps, file]),
            number,
        )
        for steps, numbers in held.chains.items()
        for file, number in numbers.items()
        if steps
    ]

    def without_record(chain: _Chain) -> Hashable:
        steps = [(by, _OF_RECORDS.sub("", signature)) for ((by, signature),) in chain.steps]
        return (chain.files, *steps)

    return _merged(
        _merged(chains, without_record), lambda chain: (*chain.runs, chain.files, chain.kinds)
    )


def _of_run(by: str, signature: str) -> str:
    """Return what is the same in the signatures of one run."""
    if makes_variants(by, signature):
        name = signature.partition("|")[0] if by == "dt-swap-names" else ""
        parts = history.parts(signature)
        return "|".join(
            [
                name,
                *(
                    f"{key}:{value}"
                    for key, value in parts.items()
                    if key == "seed" or name and key not in ("pool", "lang")
                ),
            ]
        )
    return "" if by == "dt-score" else _OF_RECORDS.sub("", signature)


def _without_originals(chains: Sequence[_Chain]) -> list[_Chain]:
    """Return chains without those of originals that stand beside their variants."""
    kept = list(chains)
    for chain in chains:
        if any(makes_variants(*part) for step in chain.steps for part in step):
            continue
        beside = [
            number
            for number, longer in enumerate(kept)
            if longer is not chain
            and chain.files <= longer.files
            and _of_originals(longer) == chain.runs
        ]
        for number in beside:
            kept[number] = replace(kept[number], number=kept[number].number + chain.number)
        if beside:
            kept.remove(chain)
    return kept


def _of_originals(chain: _Chain) -> list[tuple[str, str]]:
    """Return the steps of a chain without those that variants alone have."""
    if not any(makes_variants(*step[0]) for step in chain.steps):
        return []
    return [
        run
        for step, run in zip(chain.steps, chain.runs, strict=True)
        if not makes_variants(*step[0]) and not step[0][1].startswith(("restore|", "undo|"))
    ]


def _in_runs(chains: Sequence[_Chain]) -> list[_Chain]:
    """Return chains without those that others continue; these get their files."""
    kept = dict(enumerate(chains))
    for number in sorted(kept, key=lambda number: len(kept[number].steps)):
        chain = kept[number]  # perhaps with the files of shorter ones
        continuing = [
            place
            for place, longer in kept.items()
            if len(longer.steps) > len(chain.steps)
            and longer.runs[: len(chain.steps)] == chain.runs
            and {*map(tuple, longer.steps[0])} <= {*map(tuple, chain.steps[0])}
            and inputs.TEST not in longer.kinds
        ]
        for place in continuing:
            longer = kept[place]
            kept[place] = replace(
                longer, files=longer.files | chain.files, number=longer.number + chain.number
            )
        if continuing:
            del kept[number]
    return list(kept.values())


def _alike(signatures: Sequence[str]) -> list[str]:
    """Return signatures, those that differ in language, tokenizer or references alone as one."""
    alike: dict[str, list[str]] = {}
    for signature in signatures:
        alike.setdefault(_OF_RECORDS.sub("", signature), []).append(signature)
    together = []
    for first, *more in alike.values():
        values: dict[str, dict[str, None]] = {}
        for signature in (first, *more):
            for name, value in _OF_RECORDS.findall(signature):
                values.setdefault(name, {})[value] = None
        pieces = _OF_RECORDS.split(first)  # text, name, value, text, …
        for place in range(1, len(pieces), 3):
            pieces[place : place + 2] = f"|{pieces[place]}:", ",".join(values[pieces[place]])
        together.append("".join(pieces))
    return together


def _citation(held: Material) -> str:
    kinds = {kind for file in held.files for kind in file.lines}
    labels = {label for row in held.sample.rows() for label in row.measured}
    cited = []
    if inputs.SENSITIVITY in kinds or any(label.startswith("S:") for label in labels):
        cited.append(f"S, R and D: {_NAMES}")
    if inputs.ROBUSTNESS in kinds or any(label.startswith("consistency:") for label in labels):
        cited.append(f"consistency, saliency and faithfulness: {_VARIATIONS}")
    return ". ".join([f"Measured with dialtools {__version__}", *cited]) + "."
