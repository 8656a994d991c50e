"""The section on how a report was made: steps, signatures, versions, files, and a line to cite."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from platform import python_version
from typing import NamedTuple

from dialtools import __version__
from dialtools.html_report import commandlines, inputs, recognition
from dialtools.html_report.material import Material
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
    """The steps that lines went through, the files they are in, and the commands that do it.

    steps: (command, its signatures), several where one run made several kinds of variants.
    commands: a pipe; "" where it cannot be told.
    """

    steps: Sequence[tuple[str, Sequence[str]]]
    files: Sequence[str]
    commands: str


class _Chain(NamedTuple):
    """Steps as they are in histories, with what is known of the lines that have them."""

    steps: Sequence[Sequence[Step]]  # of each step those of several runs, first those of one run
    files: frozenset[int]
    kinds: frozenset[str]
    variants: Sequence[int]
    number: int
    keeps: bool = False


class Given(NamedTuple):
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
    files: Sequence[Given]
    citation: str
    about: str


def making(held: Material) -> Making:
    """Return how a report and what it shows were made."""
    chains = _as_one(_in_runs(_absorbed(_joined(_chains(held)))))
    runs = [_run(chain, held) for chain in sorted(chains, key=lambda chain: -chain.number)]
    results = [result for own in held.results.values() for result in own]
    signatures = _alike([str(result["signature"]) for result in results if result.get("signature")])
    commands = list(
        dict.fromkeys(
            str(result["command"]) for result in results if isinstance(result.get("command"), str)
        )
    )
    left = max(len(runs) - MOST_CHAINS, 0) + (held.left_chains > 0)
    return Making(
        runs[:MOST_CHAINS],
        left,
        signatures[:MOST_SIGNATURES],
        max(len(signatures) - MOST_SIGNATURES, 0),
        commands,
        _versions(),
        [_given(file) for file in held.files],
        _citation(held),
        inputs.counted(sum((file.lines for file in held.files), Counter())),
    )


def _chains(held: Material) -> list[_Chain]:
    """Return the chains of each file; those that differ in language, tokenizer or references alone
    are one."""
    found: dict[tuple, _Chain] = {}
    for steps, numbers in held.chains.items():
        for file, number in numbers.items() if steps else ():
            own = _Chain(
                [[step] for step in steps],
                frozenset([file]),
                frozenset(held.kinds[steps, file]),
                held.variants.get((steps, file), []),
                number,
            )
            alike = [(by, _OF_RECORDS.sub("", signature)) for by, signature in steps]
            key = file, *alike
            found[key] = _both(found[key], own) if key in found else own
    return list(found.values())


def _as_one(chains: Sequence[_Chain]) -> list[_Chain]:
    """Return chains of several files that are the same as one."""
    found: dict[tuple, _Chain] = {}
    for chain in chains:
        key = str(chain.steps), chain.kinds, tuple(chain.variants), chain.keeps
        found[key] = _both(found[key], chain) if key in found else chain
    return list(found.values())


def _both(one: _Chain, other: _Chain) -> _Chain:
    """Return two chains of the same commands as one."""
    steps = [
        list(dict.fromkeys((*own, *more))) for own, more in zip(one.steps, other.steps, strict=True)
    ]
    variants = [max(pair) for pair in zip_longest(one.variants, other.variants, fillvalue=0)]
    return _Chain(
        steps,
        one.files | other.files,
        one.kinds | other.kinds,
        variants,
        one.number + other.number,
        one.keeps or other.keeps,
    )


def _joined(chains: Sequence[_Chain]) -> list[_Chain]:
    """Return chains of the same files that differ in what varied, or in the metric, as one."""
    found: dict[tuple, _Chain] = {}
    for chain in chains:
        steps = tuple((own[0][0], _of_run(*own[0])) for own in chain.steps)
        key = steps, chain.files, chain.kinds, tuple(chain.variants)
        found[key] = _both(found[key], chain) if key in found else chain
    return list(found.values())


def _of_run(by: str, signature: str) -> str:
    """Return what is the same in the signatures of one run."""
    if commandlines.makes_variants(by, signature):
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


def _absorbed(chains: Sequence[_Chain]) -> list[_Chain]:
    """Return chains without those of originals that stand beside their variants."""
    left = list(chains)
    for chain in chains:
        if any(commandlines.makes_variants(*step) for own in chain.steps for step in own):
            continue
        wholes = [
            own
            for own in left
            if own is not chain and chain.files <= own.files and _of_originals(own) == _names(chain)
        ]
        for whole in wholes:
            left[left.index(whole)] = whole._replace(keeps=True, number=whole.number + chain.number)
        if wholes:
            left.remove(chain)
    return left


def _names(chain: _Chain) -> list[tuple[str, str]]:
    return [(own[0][0], _of_run(*own[0])) for own in chain.steps]


def _of_originals(chain: _Chain) -> list[tuple[str, str]]:
    """Return the steps of a chain without those that variants alone have."""
    is_varied = any(commandlines.makes_variants(*own[0]) for own in chain.steps)
    return [
        (own[0][0], _of_run(*own[0]))
        for own in chain.steps
        if is_varied
        and not commandlines.makes_variants(*own[0])
        and not own[0][1].startswith(("restore|", "undo|"))
    ]


def _in_runs(chains: Sequence[_Chain]) -> list[_Chain]:
    """Return chains without those that others continue; these get their files."""
    left = dict(enumerate(chains))
    for at in sorted(left, key=lambda at: len(left[at].steps)):
        chain = left[at]  # perhaps with the files of shorter ones
        longer = [
            place
            for place, own in left.items()
            if len(own.steps) > len(chain.steps)
            and _names(own)[: len(chain.steps)] == _names(chain)
            and {*map(tuple, own.steps[0])} <= {*map(tuple, chain.steps[0])}
            and recognition.TEST not in own.kinds
        ]
        for place in longer:
            own = left[place]
            left[place] = own._replace(
                files=own.files | chain.files,
                variants=own.variants or chain.variants,
                keeps=own.keeps or chain.keeps,
                number=own.number + chain.number,
            )
        if longer:
            del left[at]
    return list(left.values())


def _run(chain: _Chain, held: Material) -> Run:
    variants, steps = list(chain.variants), []
    for own in chain.steps:
        by = own[0][0]
        signatures = [one for _, signature in own for one in signature.split("; ")]
        makes = commandlines.makes_variants(*own[0])
        number = (variants.pop(0) if variants else None) if makes else None
        steps.append(
            commandlines.Step(
                by, signatures, number, chain.keeps and makes, held.labels, chain.kinds
            )
        )
    shown = [(step.by, _alike(step.signatures)) for step in steps]
    return Run(
        shown,
        [held.files[at].name for at in sorted(chain.files)],
        commandlines.pipe(steps) if not variants else "",
    )


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
