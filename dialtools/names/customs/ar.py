"""Customs of Arabic: and, to, with and the like are written together with a name (ودانة, لسامي)."""

from collections.abc import Iterator, Sequence
from itertools import chain

from dialtools.languages import Language
from dialtools.names import pools
from dialtools.names.customs import Customs, Forms

_PREFIXES = ("و", "ف", "ب", "ل", "ك", "ول", "وب", "فل", "وك")
_PLAIN = str.maketrans("أإآة", "اااه")  # as many people write in chats


def forms(name: str, new: str, rows: Sequence[dict], language: Language) -> Forms:
    """Return a name with each prefix, and as people write it without hamza and dots.

    A form that is a word or another name (وسام of سام) is found and left.
    """
    if " " in name or name.isascii():
        return {}
    written = {name: new, name.translate(_PLAIN): new.translate(_PLAIN)}
    prefixed = map(_prefixed, written, written.values())
    derived = {
        form: to
        for form, to in chain(written.items(), chain.from_iterable(prefixed))
        if form != name
    }
    return {
        form: None if form in language.words or pools.row(form, language) else to
        for form, to in derived.items()
    }


def _prefixed(name: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield a name with each prefix, and the new one with the same; ل before ال becomes لل."""
    for prefix in _PREFIXES:
        yield _joined(prefix, name), _joined(prefix, new)


def _joined(prefix: str, name: str) -> str:
    """Return a name with a prefix.

    >>> _joined("ل", "الحسن"), _joined("و", "الحسن")
    ('للحسن', 'والحسن')
    """
    is_doubled = prefix.endswith("ل") and name.startswith("ال")
    return prefix + (name[1:] if is_doubled else name)


CUSTOMS = Customs(forms=forms)
