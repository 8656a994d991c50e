"""Pools of names to draw from: those of the languages, and those that users bring.

A user's pool is lines of names, or a table with a header; it has a label where there are several,
or where the user gives one: --pool-file asian=a.tsv.
A fault is a triple (level, finding, example). Wrong is what dt-swap-names refuses, never draws, or
would take for another name; odd is what can be drawn, but makes some mentions uncertain.
"""

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language
from dialtools.languages.scripts import compiled
from dialtools.names import forms
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.records.wellformed import GENDERS
from dialtools.system import files
from dialtools.system.errors import OptionError, RecordError, among, nearest, show

DEFAULT = "frequent"
_TAB = "\t"
_COLUMN_NAMES = {"sex": "gender"}  # other names of columns
_GENDER_NAMES = {"female": "f", "male": "m", "unisex": "u"}
Fault = tuple[str, str, str]


def named(pool: str, language: Language) -> list[dict]:
    """Return the rows of a pool of a language: dicts with at least "name" and "gender"."""
    rows = language.table(f"names/{pool}") or language.table(f"groups/{pool}")
    if not rows:
        of_language = of(language)
        is_elsewhere = any(pool in of(languages.get(tag)) for tag in languages.known())
        error = RecordError if is_elsewhere else OptionError
        raise error(
            f"no pool {pool!r} for the language {language.tag!r}{nearest(pool, of_language)}; "
            f"there are {among(pool, of_language) or 'none'}; --pool-file reads one of your own"
        )
    return rows


def of(language: Language) -> list[str]:
    """Return the names of all pools of a language; groups are drawn from, and tell no genders."""
    return sorted([*language.pools, *language.tables("groups")])


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

    @property
    def readings(self) -> dict[str, list[str]]:
        """Return {name: [name, reading, Latin form]} of those whose row in a user's pool has
        either.
        """
        return {
            row["name"]: [row["name"], row.get("reading", ""), row.get("latin", "")]
            for row in self.rows or ()
            if row.get("reading") or row.get("latin")
        }


def of_user(pool: str | list[str], label: str = "") -> list[dict]:
    """Return the rows of a user's pool: a file, by its path, or its lines."""
    if isinstance(pool, str):
        return parse(files.text(pool).split("\n"), pool)
    return parse(pool, label or "names")


def chosen(
    pool: str | Sequence[str] | None,
    pool_file: str | list[str] | Mapping[str, str | list[str]] | None,
) -> list[Pool]:
    """Return the pools that are asked for, the frequent one by default; OptionError for two of one
    label.

    pool: names of pools of the languages.
    pool_file: the path, or the lines, of a pool, or those of several under their labels.
    """
    names = list(registry.several(pool or ()))
    lines_of = pool_file if isinstance(pool_file, Mapping) else {"": pool_file or []}
    users = []
    for label, lines in lines_of.items() if pool_file is not None else ():
        groups: dict[str, list[dict]] = {}  # where a column names them, else all under the label
        for row in of_user(lines, label):
            groups.setdefault(row.get("group", label), []).append(row)
        users += [Pool(group, "", rows) for group, rows in groups.items()]
    if not users:
        names = names or [DEFAULT]
    several = len(names) + len(users) > 1
    wanted = [Pool(name if several else "", name) for name in names] + users
    labels = [forms.key(wanted_pool.label) for wanted_pool in wanted]
    for wanted_pool, label in zip(wanted, labels, strict=True):
        if several and not label:
            raise OptionError("beside another pool a file needs a label: {label: lines}")
        if labels.count(label) > 1:
            raise OptionError(
                f"two pools have the label {show(wanted_pool.label)}: "
                "--pool-file LABEL=FILE gives one of them another"
            )
    return wanted


def labelled(specs: Sequence[str], alone: bool) -> dict[str, list[str]] | list[str] | None:
    """Return the lines of files, each FILE or LABEL=FILE; under the labels unless there is but one
    file, without any.

    alone: there is no other pool.
    A file without a label has its name as one. OptionError with its name and the line for what is
    no pool.
    """
    lines_of: dict[str, list[str]] = {}
    for spec in specs:
        label, sign, path = spec.partition("=")
        if not sign or "/" in label:  # the name of a file may hold the sign
            label, path = "", spec
        elif not forms.is_visible(label) or not path:
            raise OptionError(
                f"--pool-file: LABEL=FILE is wanted, not {show(spec)}; ./{spec} is a file"
            )
        file_lines = lines(path)
        if label and "group" in parse(file_lines, path)[0]:
            raise OptionError(
                f"{path}: its groups are labels already: give the file without another one"
            )
        if not label and alone and len(specs) == 1:
            return file_lines
        label = label or os.path.basename(path).partition(".")[0]
        if label in lines_of:
            raise OptionError(
                f"--pool-file: two files have the label {show(label)}: "
                "LABEL=FILE gives one of them another"
            )
        lines_of[label] = file_lines
    return lines_of or None


def lines(path: str) -> list[str]:
    """Return the lines of a pool's file; OptionError with its name and the line for what is no
    pool.
    """
    file_lines = files.text(path).split("\n")
    parse(file_lines, path)
    return file_lines


class Columns(NamedTuple):
    """The columns of a pool, and what stands between the cells of a line."""

    names: tuple[str, ...] = ("name", "gender")
    separator: str = _TAB
    in_header: bool = False  # the first line of the pool names them

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line as they are; those of a CSV may be quoted."""
        import csv

        line = line.rstrip("\r\n")
        if self.separator == _TAB:
            return line.split(_TAB)
        return [cell for row in csv.reader([line], delimiter=self.separator) for cell in row]

    def row(self, cells: Iterable[str]) -> dict[str, str]:
        """Return cells by their columns, with a name and a gender in any case."""
        return {"name": "", "gender": "", **dict(zip(self.names, cells, strict=False))}

    def beyond(self, cells: Sequence[str]) -> str:
        """Return what stands in a row beyond the columns that a header names; "" without a header."""
        return " ".join(cells[len(self.names) :]).strip() if self.in_header else ""


def header(line: str) -> Columns | None:
    """Return the columns that a first line names, None where it names none.

    >>> header("Name;Sex\\n"), header("Wei,M")
    (Columns(names=('name', 'gender'), separator=';', in_header=True), None)
    """
    for separator in (_TAB, ",", ";"):
        cells = (cell.strip().lower() for cell in Columns(separator=separator).cells(line))
        names = tuple(_COLUMN_NAMES.get(cell, cell) for cell in cells)
        if "name" in names:
            return Columns(names, separator, True)
    return None


def parse(lines: Iterable[str], place: str = "names") -> list[dict]:
    """Return a pool from the lines of a file: "name" or "name TAB gender" (f, m or u).

    What dt-names counts may follow.  A first line with a cell "name" tells the
    columns, such as name, gender, group, reading and latin, between tabs, commas
    or semicolons; draws are uniform, whatever a weight says.  Empty lines are
    skipped, and so is a name that came before (in the same group).

    place: what the lines are called in an error.
    """
    rows: dict[tuple, dict] = {}
    columns = Columns()
    for number, line in enumerate(lines, 1):
        if number == 1 and (named := header(line)):
            columns = named
            continue
        cells = [unicodedata.normalize("NFC", cell.strip()) for cell in columns.cells(line)]
        if any(cells):
            row = columns.row(cells)
            row["gender"] = _gender(row["gender"])
            first = rows.setdefault((row.get("group"), row["name"]), row)
            problem = _problem(row, first, columns)
            if not problem and (beyond := columns.beyond(cells)):
                problem = f"{beyond!r} is beyond the columns {', '.join(columns.names)}"
            if problem:
                raise OptionError(f"{place}: line {number}: {problem}")
    if not rows:
        raise OptionError(f"{place}: no names")
    return list(rows.values())


def _gender(cell: str) -> str:
    """Return f, m or u for the gender in a cell, also where it is a word; any other as it is."""
    gender = cell.strip().lower()
    return _GENDER_NAMES.get(gender, gender)


def _is_of_table(name: str) -> bool:
    """Is a name a row of a table whose first line names no columns: Wei,M,asian?"""
    return any(sign in name for sign in ",;{")


def _problem(row: dict, first: dict, columns: Columns) -> str | None:
    """Return what is wrong with a row of a pool, or None; first: the row that has the same name
    first.
    """
    name, gender = row["name"], row["gender"]
    twice = next(
        (column for n, column in enumerate(columns.names) if column in columns.names[:n]), None
    )
    if twice:
        return f"the header has the column {twice!r} twice"
    if _is_of_table(name):
        return (
            f"a name is wanted, here is {name!r}; "
            "the first line of a table names its columns, such as name,gender,group"
        )
    if not forms.is_new_name(name, letters=2):
        return f"a name of two letters or more, without a colon, is wanted, here is {name!r}"
    if gender not in GENDERS:
        return f"a gender is f, m or u, here is {gender!r}"
    if gender != first["gender"]:
        return f"{name} has the gender {first['gender']!r} above, and {gender!r} here"
    if row.get("group") == "":
        return f"no group, where the header has one: {name!r}"
    return None


def unchecked_rows(lines: Iterable[tuple[str, bytes]], lang: str) -> Iterator[dict]:
    """Yield a dict for each line of a pool: name, gender, language, place; "bytes" instead of a
    name that is not UTF-8.

    "beyond" is what stands beyond the columns.
    """
    columns = Columns()
    for place, line in lines:
        try:
            text = line.decode()
        except UnicodeDecodeError:
            yield {"bytes": line, "lang": lang, "place": place}
            continue
        if place.endswith(":1") and (named := header(text)):
            columns = named
        else:
            cells = columns.cells(text)
            beyond = columns.beyond(cells)
            yield {**columns.row(cells), "beyond": beyond, "lang": lang, "place": place}


def faults(row: dict, before: dict[str, dict]) -> Iterator[Fault]:
    """Yield what is wrong or odd with a row of a pool, as `unchecked_rows` yields it.

    before: the rows that came before, by what their names have in common; gets this one.
    """
    name, gender = row.get("name"), row.get("gender", "")
    if name is None:
        yield "wrong", "a line that is not UTF-8", show(repr(row.get("bytes")))
        return
    if not name.strip():
        yield "wrong", "a line without a name", show(gender)
        return
    if row.get("beyond"):
        yield "wrong", "cells beyond the columns that the first line names", show(row["beyond"])
    if _is_of_table(name):
        yield "wrong", "a row of a table whose first line names no columns", show(name)
        return
    if _gender(gender) not in GENDERS:
        yield "wrong", "a gender that is not f, m or u", f"{name}: {show(gender)}"
    if not gender.strip():
        yield "odd", "a name without a gender", show(name)
    first = before.setdefault(f"{row.get('group', '')}\t{forms.key(name)}", row)
    if first["name"] != name:
        pair = f"{show(first['name'])}, {show(name)}"
        yield "wrong", "names that differ in case, encoding or white space only", pair
    elif first.get("gender", "") != gender:
        pair = f"{name}: {show(first.get('gender', ''))}, {show(gender)}"
        yield "wrong", "a name with two genders", pair
    elif first is not row:
        yield "wrong", "a name that is there twice", show(name)
    yield from _faults_of_name(name, languages.get(row["lang"]))


def faults_of_all(rows: Iterable[dict]) -> Iterator[Fault]:
    """Yield that there are no names, or few of a gender, if a pool tells genders at all."""
    genders = Counter(_gender(row["gender"]) for row in rows)
    if not genders:
        yield "wrong", "no names", ""
    elif (genders["f"] or genders["m"]) and min(genders["f"], genders["m"]) < 10:
        yield "odd", "few names of a gender", f"{genders['f']} f, {genders['m']} m"


def _faults_of_name(name: str, language: Language) -> Iterator[Fault]:
    """Yield what is wrong or odd with the characters of a name, and what it means besides."""
    if compiled(r"\p{Cc}|\ufeff|\ufffd").search(name):
        yield "wrong", "a control character, or one that was not decoded", show(name)
    if name != " ".join(name.split()):
        yield "wrong", "white space that is doubled, or around the name", show(name)
    if compiled(r"\p{Latin}\p{M}*\.?").fullmatch(name.strip()):
        yield "wrong", "a name of one letter", show(name)
    if not unicodedata.is_normalized("NFC", name):
        yield "odd", "a name that is not in Unicode's composed form (NFC)", show(name)
    if compiled(r"[^\p{L}\p{M} .'’·・‧\u200c\u200d-]").search(name):
        yield "odd", "digits or signs in a name", show(name)

    facts, lower = language.facts, name.strip().lower()
    if lower in {word.lower() for word in facts["function_words"]}:
        yield "wrong", "a function word, which is never drawn", show(name)
    elif lower in language.words or lower in facts["capitalised"]:
        yield "odd", "a word of the language, too", show(name)
    if language.is_role(name):
        yield "odd", "a role, or a letter that stands for somebody", show(name)
    if compiled(rf"[^{language.letters}\P{{L}}]").search(name):
        yield "odd", f"letters that are not of the script of {language.code}", show(name)
