"""Customs of Arabic: and, to, with and the like are written together with a name (ودانة, لسامي)."""

from collections.abc import Sequence

from dialtools.names.customs import Customs, Forms
from dialtools.names.lexicon import Lexicon

_PREFIXES = ("", "و", "ف", "ب", "ل", "ك", "ول", "وب", "فل", "وك")
_PLAIN = str.maketrans("أإآة", "اااه")  # as many people write in chats


def forms(name: str, new: str, rows: Sequence[dict], lexicon: Lexicon) -> Forms:
    """Return a name with each prefix, and as people write it without hamza and dots.

    A form that is a word or another name (وسام of سام) is found and left.
    """
    if " " in name or name.isascii():
        return {}
    written = {name: new, name.translate(_PLAIN): new.translate(_PLAIN)}
    derived = {
        _joined(prefix, form): _joined(prefix, to)
        for form, to in written.items()
        for prefix in _PREFIXES
    }
    return {
        form: None if form in lexicon.words or lexicon.row(form) else to
        for form, to in derived.items()
        if form != name
    }


def _joined(prefix: str, name: str) -> str:
    """Return a name with a prefix; ل before ال becomes لل.

    >>> _joined("ل", "الحسن"), _joined("و", "الحسن")
    ('للحسن', 'والحسن')
    """
    is_doubled = prefix.endswith("ل") and name.startswith("ال")
    return prefix + (name[1:] if is_doubled else name)


CUSTOMS = Customs(forms=forms)
