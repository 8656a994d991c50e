"""Customs of Hindi: names decline."""

from collections.abc import Sequence

from dialtools.languages import Language
from dialtools.names import pools
from dialtools.names.customs import Customs, Forms


def forms(name: str, new: str, rows: Sequence[dict], language: Language) -> Forms:
    """Return the oblique of a man's name that ends in ā (मुन्ने for मुन्ना)."""
    if not name.endswith("ा") or pools.gender(name, language) == "f":
        return {}
    declined = new.endswith("ा") and pools.gender(new, language) != "f"
    return {name[:-1] + "े": new[:-1] + "े" if declined else new}


CUSTOMS = Customs(forms=forms)
