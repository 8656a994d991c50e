"""Customs of Hindi: names decline."""

from collections.abc import Sequence

from dialtools.names import full_names
from dialtools.names.customs import Customs, Forms
from dialtools.names.lexicon import Lexicon


def forms(name: str, new: str, rows: Sequence[dict], lexicon: Lexicon) -> Forms:
    """Return the oblique of a man's name that ends in ā (मुन्ने for मुन्ना)."""
    if not name.endswith("ा") or full_names.gender(name, lexicon) == "f":
        return {}
    is_declined = new.endswith("ा") and full_names.gender(new, lexicon) != "f"
    return {name[:-1] + "े": new[:-1] + "े" if is_declined else new}


CUSTOMS = Customs(forms=forms)
