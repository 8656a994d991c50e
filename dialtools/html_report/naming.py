"""What to call the systems of files: where two files have one under one name, their names, too."""

import os
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator

from dialtools.html_report import recognition
from dialtools.html_report.inputs import File
from dialtools.html_report.material import CHANGE, Material


def names(material: Material) -> dict[tuple[int, str], str]:
    """Return {(number of a file, system): what to call it}, for all that is there."""
    files_of: defaultdict[str, set[int]] = defaultdict(set)
    whose: defaultdict[Hashable, set[int]] = defaultdict(set)
    for system, file, key in _numbers(material):
        files_of[system].add(file)
        whose[system, key].add(file)
    twice: defaultdict[str, set[int]] = defaultdict(set)
    for (system, _), files in whose.items():  # type: ignore[misc]
        if len(files) > 1:
            twice[system] |= files
    found: dict[tuple[int, str], str] = {}
    for system, files in files_of.items():
        told = _told_apart(files if twice[system] else (), material.files)
        found |= {
            (file, system): f"{system} ({told[file]})" if told.get(file) else system
            for file in files
        }
    return found


def _numbers(material: Material) -> Iterator[tuple[str, int, Hashable]]:
    """Yield the system, the file and the identity of each number."""
    rows = material.sample.rows()
    is_measured = any(label != CHANGE for row in rows if row.is_source for label in row.measured)
    for row in rows:
        for label in row.measured:
            if label == CHANGE and is_measured:
                label = f"{CHANGE} {row.file}"  # which is not shown
            yield (
                row.system,
                row.file,
                (
                    row.is_source,
                    label,
                    row.lang,
                    row.group,
                    row.kind,
                    row.id,
                    row.variant,
                    row.position,
                ),
            )
    for kind in recognition.SUMMARIES:
        for result in material.results[kind]:
            if result.get("system"):
                yield (
                    str(result["system"]),
                    result["file"],
                    (
                        kind,
                        result["metric"],
                        result.get("lang"),
                        str(result.get("group")),
                        result.get("kind"),
                        str(result.get("chain")),
                    ),
                )


def _told_apart(numbers: Collection[int], files: list[File]) -> dict[int, str]:
    """Return for each file the parts of its path that not all of them share."""
    paths = {}
    for number in numbers:
        folder = os.path.dirname(files[number].name)
        paths[number] = [*filter(None, folder.split(os.sep)), files[number].stem]
    shared = set.intersection(*map(set, paths.values())) if paths else set()
    told = {
        number: "/".join(part for part in path if part not in shared)
        for number, path in paths.items()
    }
    are_told = len(set(told.values())) == len(told) or "" not in told.values()
    return told if are_told else {number: f"file {number + 1}" for number in told}
