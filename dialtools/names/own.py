"""Pools that users bring: lines of names, or tables with a header; and the labels of several pools.

A pool has a label where there are several, or where the user gives one: --pool-file asian=a.tsv.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dialtools.names import orthography, pools
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.records.wellformed import GENDERS
from dialtools.system import files
from dialtools.system.errors import OptionError, show

COLUMNS: tuple[str, ...] = ("name", "gender")  # of a pool that does not name them
TAB = "\t"
DEFAULT = "frequent"
_SEPARATORS = (TAB, ",", ";")
_ALSO = {"sex": "gender"}  # other names of columns
_GENDERS = {"female": "f", "male": "m", "unisex": "u"}
_REMEDY = "; the first line of a table names its columns, such as name,gender,group"


class Pool(NamedTuple):
    """A pool to draw from: one of the languages, by its name, or the rows of a user's own."""

    label: str  # "" of one that needs none
    name: str
    rows: Sequence[dict] | None = None

    @property
    def signed(self) -> dict[str, str | None]:
        """Return what a signature says of the pool."""
        if self.rows is None:
            return {"pool": self.name}
        digits = history.digits(list(self.rows))
        return {"pool": self.label, "file": digits} if self.label else {"pool": f"own-{digits}"}


def chosen(
    pool: str | Sequence[str] | None, pool_file: list[str] | Mapping[str, list[str]] | None
) -> list[Pool]:
    """Return the pools that are asked for, the frequent one by default; OptionError for two of one
    label.

    pool: names of pools of the languages.
    pool_file: the lines of a pool, or those of several under their labels.
    """
    names = list(registry.several(pool or ()))
    made = _of_files(pool_file)
    if not made:
        names = names or [DEFAULT]
    several = len(names) + len(made) > 1
    made = [Pool(name if several else "", name) for name in names] + made
    labels = [orthography.key(one.label) for one in made]
    for one, label in zip(made, labels, strict=True):
        if several and not label:
            raise OptionError("beside another pool a file needs a label: {label: lines}")
        if labels.count(label) > 1:
            raise OptionError(
                f"two pools have the label {show(one.label)}: "
                "--pool-file LABEL=FILE gives one of them another"
            )
    return made


def _of_files(pool_file: list[str] | Mapping[str, list[str]] | None) -> list[Pool]:
    if pool_file is None:
        return []
    given = pool_file if isinstance(pool_file, Mapping) else {"": pool_file}
    return [
        Pool(group, "", rows)
        for label, lines in given.items()
        for group, rows in _groups(label, parse(lines, label or "names")).items()
    ]


def _groups(label: str, rows: list[dict]) -> dict[str, list[dict]]:
    """Return the rows of each group where a column names it, else all under their label."""
    if "group" not in rows[0]:
        return {label: rows}
    found: dict[str, list[dict]] = {}
    for row in rows:
        found.setdefault(row["group"], []).append(row)
    return found


def labelled(given: Sequence[str], alone: bool) -> dict[str, list[str]] | list[str] | None:
    """Return the lines of files, each FILE or LABEL=FILE; under the labels unless there is but one
    file, without any.

    alone: there is no other pool.
    A file without a label has its name as one. OptionError with its name and the line for what is
    no pool.
    """
    found: dict[str, list[str]] = {}
    for spec in given:
        label, path = _split(spec)
        lines = _lines(path, is_labelled=bool(label))
        if not label and alone and len(given) == 1:
            return lines
        label = label or os.path.basename(path).partition(".")[0]
        if label in found:
            raise OptionError(
                f"--pool-file: two files have the label {show(label)}: "
                "LABEL=FILE gives one of them another"
            )
        found[label] = lines
    return found or None


def _split(spec: str) -> tuple[str, str]:
    """Return the label of LABEL=FILE and the file; "" for one whose name alone holds the sign."""
    label, sign, path = spec.partition("=")
    if not sign or "/" in label:
        return "", spec
    if not orthography.is_visible(label) or not path:
        raise OptionError(
            f"--pool-file: LABEL=FILE is wanted, not {show(spec)}; ./{spec} is a file"
        )
    return label, path


def _lines(path: str, is_labelled: bool = False) -> list[str]:
    found = lines(path)
    if is_labelled and "group" in parse(found, path)[0]:
        raise OptionError(
            f"{path}: its groups are labels already: give the file without another one"
        )
    return found


def lines(path: str) -> list[str]:
    """Return the lines of a pool's file; OptionError with its name and the line for what is no
    pool.
    """
    found = files.text(path).split("\n")
    parse(found, path)
    return found


def parse(lines: Iterable[str], place: str = "names") -> list[dict]:
    """Return a pool from the lines of a file: "name" or "name TAB gender" (f, m or u).

    What dt-names counts may follow.  A first line with a cell "name" tells the
    columns, such as name, gender, group, reading and latin, between tabs, commas
    or semicolons; draws are uniform, whatever a weight says.  Empty lines are
    skipped, and so is a name that came before (in the same group).

    place: what the lines are called in an error.
    """
    import unicodedata

    rows: dict[tuple, dict] = {}
    keys, separator = COLUMNS, TAB
    for number, line in enumerate(lines, 1):
        if number == 1 and (named := header(line)):
            keys, separator = named
            continue
        found = [unicodedata.normalize("NFC", cell.strip()) for cell in cells(line, separator)]
        if any(found):
            row = {"name": "", "gender": "", **dict(zip(keys, found, strict=False))}
            row["gender"] = gender(row["gender"])
            first = rows.setdefault((row.get("group"), row["name"]), row)
            problem = _problem(row, first, keys) or _beyond(found, keys)
            if problem:
                raise OptionError(f"{place}: line {number}: {problem}")
    if not rows:
        raise OptionError(f"{place}: no names")
    return list(rows.values())


def header(line: str) -> tuple[tuple[str, ...], str] | None:
    """Return the columns that a first line names, and what stands between its cells; None where it
    names none.

    >>> header("Name;Sex\\n"), header("Wei,M")
    ((('name', 'gender'), ';'), None)
    """
    for separator in _SEPARATORS:
        found = (cell.strip().lower() for cell in cells(line, separator))
        keys = tuple(_ALSO.get(key, key) for key in found)
        if "name" in keys:
            return keys, separator
    return None


def cells(line: str, separator: str = TAB) -> list[str]:
    """Return the cells of a line as they are; those of a CSV may be quoted."""
    import csv

    line = line.rstrip("\r\n")
    found = [line.split(TAB)] if separator == TAB else csv.reader([line], delimiter=separator)
    return [cell for row in found for cell in row]


def gender(cell: str) -> str:
    """Return f, m or u for the gender in a cell, also where it is a word; any other as it is."""
    found = cell.strip().lower()
    return _GENDERS.get(found, found)


def _problem(row: dict, first: dict, keys: Sequence[str]) -> str | None:
    """Return what is wrong with a row of a pool, or None; first: the row that has the same name
    first.
    """
    twice = [key for at, key in enumerate(keys) if key in keys[:at]]
    if twice:
        return f"the header has the column {twice[0]!r} twice"
    if is_of_table(row["name"]):
        return f"a name is wanted, here is {row['name']!r}{_REMEDY}"
    if not pools.is_name(row["name"], letters=2):
        return f"a name of two letters or more, without a colon, is wanted, here is {row['name']!r}"
    if row["gender"] not in GENDERS:
        return f"a gender is f, m or u, here is {row['gender']!r}"
    if row["gender"] != first["gender"]:
        return f"{row['name']} has the gender {first['gender']!r} above, and {row['gender']!r} here"
    if row.get("group") == "":
        return f"no group, where the header has one: {row['name']!r}"
    return None


def is_of_table(name: str) -> bool:
    """Is a name a row of a table whose first line names no columns: Wei,M,asian?"""
    return any(sign in name for sign in ",;{")


def _beyond(found: Sequence[str], keys: Sequence[str]) -> str | None:
    """Return that cells stand beyond the columns of a header, or None."""
    more = beyond(found, keys)
    return f"{more!r} is beyond the columns {', '.join(keys)}" if more else None


def beyond(found: Sequence[str], keys: Sequence[str]) -> str:
    """Return what stands in a row beyond the columns that a header names; "" without a header."""
    return "" if keys is COLUMNS else " ".join(found[len(keys) :]).strip()


def read(rows: Iterable[dict]) -> dict[str, list[str]]:
    """Return {name: [name, reading, Latin form]} of those whose row in a pool of one's own has
    either.
    """
    return {
        row["name"]: [row["name"], row.get("reading", ""), row.get("latin", "")]
        for row in rows
        if row.get("reading") or row.get("latin")
    }
