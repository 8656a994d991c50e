"""What was varied between the records of one source, in words."""

from collections.abc import Iterable, Mapping, Sequence

from dialtools.html_report import commandlines, material, recognition
from dialtools.html_report.material import CHANGE, Chain, Material
from dialtools.plugins import registry
from dialtools.records import history

MOST = 6  # kinds that a sentence names
_OF_NAMES = {
    "names": "the names of the speakers",
    "one": "the name of one speaker at a time",
    "ids": "the names of the speakers, replaced by numbers",
    "map": "the names of the speakers, replaced by given ones",
}


def of_chain(chain: Chain) -> list[str]:
    """Return the kinds of variants that the steps of a chain made.

    >>> of_chain((("dt-swap-names", "names|lang:en|pool:rare"), ("dt-perturb", "typo.case|seed:1")))
    ['names', 'typo.case']
    """
    return [
        signature.partition("|")[0]
        for by, signature in chain
        if commandlines.makes_variants(by, signature)
    ]


def of_files(held: Material) -> dict[int, list[str]]:
    """Return the kinds of variants in each file, by its number."""
    found: dict[int, dict[str, None]] = {number: {} for number in range(len(held.files))}
    for chain, numbers in held.chains.items():
        for number in numbers:
            found[number] |= dict.fromkeys(of_chain(chain))
    for rows in held.sample.held.values():
        for row in rows:
            found[row.file] |= dict.fromkeys(parts(row.kind))
            if row.group and not found[row.file]:
                found[row.file]["names"] = None  # which alone have pools
    return {number: list(kinds) for number, kinds in found.items()}


def of_sensitivity(held: Material, in_files: Mapping[int, Sequence[str]]) -> list[str]:
    """Return the kinds of variants whose outputs S compares.

    in_files: those in each file.
    """
    found: dict[str, None] = {}
    rows = [row for own in held.sample.held.values() for row in own if row.is_source]
    labels = {label for row in rows for label in row.measured if label[:2] == "S:"}
    has_summary = any("S" in result for result in held.results[recognition.SENSITIVITY])
    # our own change of outputs is shown only where nobody measured S
    compared = labels or (set() if has_summary else {CHANGE})
    for row in rows:
        if compared & row.measured.keys():
            found |= dict.fromkeys(parts(row.kind) or in_files[row.file])
    for result in held.results[recognition.SENSITIVITY]:
        found |= dict.fromkeys(of_result(result))
    return list(found)


def parts(kind: str) -> list[str]:
    """Return the kinds that are one together, without pools of names and options.

    >>> parts("names.rare/typo.case:rate=0.5")
    ['names', 'typo.case']
    """
    every = (history.typed(one).partition(":")[0] for one in kind.split("/") if one)
    return [
        next((name for name in _OF_NAMES if one.startswith(f"{name}.")), one)
        for one in every
        if one.strip("*") and one != "all"
    ]


def of_result(result: Mapping) -> list[str]:
    """Return the kinds of variants that the records of a result had."""
    given = result.get("varied")
    return list(given) if given else of_chain(tuple(material.steps(dict(result))))


def named(kinds: Iterable[str]) -> str:
    """Return kinds for a sentence, such as what a system is sensitive to.

    >>> named(["names", "typo.case", "names"])
    'names and typo.case'
    """
    names = ["names" if kind in _OF_NAMES else kind for kind in kinds]
    *first, last = list(dict.fromkeys(names))[:MOST] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def explained(kind: str) -> str:
    """Return what a kind of variation is; "" of one of the user's own.

    >>> explained("dialogue.greeting")
    'begin the dialogue with a greeting'
    """
    if kind in _OF_NAMES:
        return _OF_NAMES[kind]
    if kind not in registry.names("perturbations"):
        return ""
    found = registry.summary("perturbations", kind)
    return f"{found[0].lower()}{found[1:].rstrip('.')}"


def sentence(kinds: Sequence[str], pools: Iterable[str]) -> str:
    """Return what was varied as a sentence; "" for nothing.

    >>> sentence(["names"], ["rare", "frequent"])
    'What was varied: the names of the speakers (frequent, rare).'
    """
    drawn = ", ".join(sorted(pools))
    said = []
    for kind in kinds[:MOST]:
        about = explained(kind)
        if kind in _OF_NAMES:
            said.append(f"{about} ({drawn})" if drawn else about)
        else:
            said.append(f"{kind} ({about})" if about else kind)
    if len(kinds) > MOST:
        said.append(f"{len(kinds) - MOST} more, which the terms explain")
    return f"What was varied: {'; '.join(said)}." if said else ""
