"""The customs of most languages: a name is one whole, and its forms are those of its letters."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from dialtools.languages import Language

QUESTIONS = (
    "full",
    "joined",
    "forms",
    "undeclared",
    "others",
    "givens",
    "gender",
    "shared",
    "is_free",
)
Forms = dict[str, str | None]


def full(name: str, language: Language) -> tuple[str, str]:
    """Return the family name and the given name of a full name without titles, "" for a missing
    one.
    """
    return "", ""


def joined(name: str, language: Language) -> tuple[str, str] | None:
    """Return the family name and the given name of a full name without a space, "" for none.

    None: the tables of family names and given names tell.
    """
    return None


def forms(name: str, new: str, rows: Sequence[dict], language: Language) -> Forms:
    """Return further forms of a name, and what the new name is in each.

    rows: of the two names in the pools.
    """
    return {}


def undeclared(name: str, known: Collection[str], language: Language) -> set[str]:
    """Return parts and short forms of a name that may mean its bearer though nobody says so.

    known: what people in the record are called.
    """
    return set()


def others(forms: Iterable[str], text: str, language: Language) -> Iterator[str]:
    """Yield full names in a text that share only one part with the forms: somebody else's."""
    return iter(())


def givens(name: str, language: Language) -> list[str]:
    """Return what may be the given name within a name."""
    return []


def gender(given: str, language: Language) -> str | None:
    """Return the gender of a given name that is in no pool by itself, None if it is unknown."""
    return None


def shared(name: str, language: Language) -> str:
    """Return the part of a new name that no other new name of a record may share."""
    return name


def is_free(name: str, taken: Collection[str], barred: Collection[str], language: Language) -> bool:
    """Can a name be a new one in a record?

    taken: what stands in the record.  barred: words that are never drawn.
    """
    return name not in taken and name.lower() not in barred
