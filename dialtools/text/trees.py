"""Patterns of many words that branch letter by letter, fast however many there are."""

import re
from collections.abc import Callable, Iterable


def tree(
    forms: Iterable[str], after: Callable[[str], str] = lambda last: "", last: str = ""
) -> str:
    """Return a pattern of the longest of some forms; (?!) where there are none.

    after: last letter of a form -> what there must be behind it.
    last: the letter before.

    >>> tree(["do", "don't", "did"])
    "d(?:o(?:n't|)|id)"
    """
    heads: dict[str, list[str]] = {}
    for form in forms:
        heads.setdefault(form[:1], []).append(form[1:])
    may_end = heads.pop("", None) is not None
    parts = [re.escape(head) + tree(rest, after, head) for head, rest in heads.items()]
    if may_end:
        parts.append(after(last))
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})" if parts else "(?!)"
