"""The section on how a report was made: steps, signatures, versions, files, and a line to cite."""

import os
import re
from collections.abc import Mapping, Sequence
from platform import python_version
from typing import NamedTuple

from dialtools import __version__
from dialtools.errors import need
from dialtools.pages import inputs, recognition
from dialtools.pages.material import Material

MOST_CHAINS = 12
MOST_SIGNATURES = 40
# what differs between the records of one run
_OF_RECORDS = re.compile(r"\|(lang|tok|refs):([^|;]*)")
_NAMES = ("Qi Jia, Haifeng Tang and Kenny Q. Zhu. Reducing Sensitivity on Speaker Names for Text "
          "Generation from Dialogues. Findings of ACL 2023")
_VARIATIONS = ("Evaluating Robustness of Open Dialogue Summarization Models in the Presence of "
               "Naturally Occurring Variations")

Step = tuple[str, str]


class Chain(NamedTuple):
    """The steps that records went through, how many they are, and the files they are in."""

    steps: Sequence[Step]
    number: int
    files: Sequence[str]


class Given(NamedTuple):
    """A file that was read."""

    name: str
    lines: str
    size: str
    hash: str


class Making(NamedTuple):
    """How a report was made."""

    chains: Sequence[Chain]
    left: int
    signatures: Sequence[str]
    commands: Sequence[str]
    versions: str
    files: Sequence[Given]
    citation: str


def making(held: Material) -> Making:
    """Return how a report and what it shows were made."""
    merged = _merged(held.chains)
    chains = [Chain(_joined(own), number, [held.files[at].name for at in sorted(files)])
              for own, number, files in merged]
    chains.sort(key=lambda chain: -chain.number)
    results = [result for own in held.results.values() for result in own]
    signatures = _alike([str(result["signature"]) for result in results
                         if result.get("signature")])
    commands = list(dict.fromkeys(str(result["command"]) for result in results
                                  if isinstance(result.get("command"), str)))
    left = max(len(chains) - MOST_CHAINS, 0) + (held.left_chains > 0)
    return Making(chains[:MOST_CHAINS], left, signatures[:MOST_SIGNATURES], commands, _versions(),
                  [_given(file) for file in held.files], _citation(held))


def _merged(chains: Mapping[tuple[Step, ...], Mapping[int, int]]
            ) -> list[tuple[list[tuple[Step, ...]], int, set[int]]]:
    """Return chains that differ in language, tokenizer or references alone as one each."""
    found: dict[tuple, tuple[list, int, set[int]]] = {}
    for chain, numbers in chains.items():
        if not chain:
            continue
        alike = tuple((by, _OF_RECORDS.sub("", signature)) for by, signature in chain)
        own, number, files = found.get(alike, ([], 0, set()))
        found[alike] = [*own, chain], number + sum(numbers.values()), files | {*numbers}
    return list(found.values())


def _joined(chains: Sequence[tuple[Step, ...]]) -> list[Step]:
    """Return the steps of chains that differ in few parts, which have all their values."""
    return [(steps[0][0], _together([signature for _, signature in steps]))
            for steps in zip(*chains, strict=True)]


def _alike(signatures: Sequence[str]) -> list[str]:
    """Return signatures, those that differ in language, tokenizer or references alone as one."""
    found: dict[str, list[str]] = {}
    for signature in signatures:
        found.setdefault(_OF_RECORDS.sub("", signature), []).append(signature)
    return [_together(own) for own in found.values()]


def _together(signatures: Sequence[str]) -> str:
    values: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for key, value in _OF_RECORDS.findall(signature):
            values.setdefault(key, {})[value] = None
    return _OF_RECORDS.sub(lambda part: f"|{part[1]}:{','.join(values[part[1]])}", signatures[0])


def _versions() -> str:
    names = ("jinja2", "matplotlib")
    libraries = [f"{name} {need(name, 'report').__version__}" for name in names]
    return ", ".join([f"dialtools {__version__}", f"Python {python_version()}", *libraries])


def _given(file: inputs.File) -> Given:
    size = f"{os.path.getsize(file.path):,} bytes"
    return Given(file.name, file.about, size, inputs.hashed(file))


def _citation(held: Material) -> str:
    kinds = {kind for file in held.files for kind in file.lines}
    labels = {label for row in held.sample.rows() for label in row.measured}
    cited = []
    if recognition.SENSITIVITY in kinds or any(label.startswith("S:") for label in labels):
        cited.append(f"S, R and D: {_NAMES}")
    if recognition.ROBUSTNESS in kinds or any(label.startswith("consistency:") for label in labels):
        cited.append(f"consistency, saliency and faithfulness: {_VARIATIONS}")
    return ". ".join([f"Measured with dialtools {__version__}", *cited]) + "."
