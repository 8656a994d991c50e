"""How people are called in a language: a file for each language that has customs of its own.

A file is called by the code of its language and ends with the value CUSTOMS.
"""

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dialtools.languages import Language

Forms = dict[str, str | None]


@dataclass(frozen=True)
class Customs:
    """What a language does with names that most languages do not; None for each thing that it
    does as they do: a name is one whole, and its forms are those of its letters.

    The last argument of each function is the lexicon, what the language knows of names.

    family_and_given: name -> the family name and the given name of a full name without titles, ""
        for a missing one.
    joined: name -> the same of a full name without a space; None: the tables of family names and
        given names tell.
    forms: name, new name, the rows of both in the pools -> further forms of a name, and what the
        new name is in each.
    undeclared: name, what people in the record are called -> parts and short forms of a name that
        may mean its bearer though nobody says so.
    namesakes: forms, text -> full names in a text that share only one part with the forms:
        somebody else's.
    possible_given: name -> what may be the given name within a name.
    gender: given name -> the gender of a given name that is in no pool by itself, None if it is
        unknown.
    shared: name -> the part of a new name that no other new name of a record may share.
    is_free: name, what stands in the record, words that are never drawn -> whether a name can be a
        new one.
    """

    family_and_given: Callable[..., tuple[str, str]] | None = None
    joined: Callable[..., tuple[str, str]] | None = None
    forms: Callable[..., Forms] | None = None
    undeclared: Callable[..., set[str]] | None = None
    namesakes: Callable[..., Iterator[str]] | None = None
    possible_given: Callable[..., list[str]] | None = None
    gender: Callable[..., str | None] | None = None
    shared: Callable[..., str] | None = None
    is_free: Callable[..., bool] | None = None


def of(language: Language) -> Customs:
    """Return the customs of a language."""
    if not os.path.isfile(os.path.join(os.path.dirname(__file__), f"{language.code}.py")):
        return Customs()
    return importlib.import_module(f"{__name__}.{language.code}").CUSTOMS
