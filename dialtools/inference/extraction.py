"""Answers in a model's output: text in braces, the first line, or a regular expression's match."""

from collections.abc import Callable

from dialtools.inference import prompts
from dialtools.system.errors import OptionError, RecordError, show

PATIENCE = 10.0  # seconds for one output; some expressions never end
_NAMED = {"braces": r"\{([^{}]*)\}", "first-line": r"^\s*(\S[^\n]*)"}


def extractor(spec: str) -> Callable[[str], str]:
    """Return output -> the stripped answer in it, "" for none.

    spec: braces (the content of the first pair), first-line (the first that is not blank), or a
        regular
        expression of the library regex: the first group of its first match, or all of it without a
            group.

    An expression that takes more than 10 seconds is a RecordError.

    >>> extractor("braces")("Sure: {It rains.} or {Hm}"), extractor("first-line")("\\nYes.\\nNo.")
    ('It rains.', 'Yes.')
    >>> [extractor("Score: ([0-9]+)")("Score: 85 of 100"), extractor("[0-9]+")("none")]
    ['85', '']
    """
    import regex

    try:
        pattern = regex.compile(_NAMED.get(spec, spec))
    except regex.error as error:
        raise OptionError(
            f"extract is {', '.join(_NAMED)} or a regular expression, not {show(spec)}: {error}"
        ) from None

    def extract(output: str) -> str:
        try:
            found = pattern.search(output, timeout=PATIENCE)
        except TimeoutError:
            raise RecordError(
                f"--extract {show(spec)} takes more than {PATIENCE:g} s for an "
                "output: is there a repetition within a repetition?"
            ) from None
        if not found:
            return ""
        answer = found[1] if pattern.groups else found[0]
        return (answer or "").strip()  # a group may have no part in the match

    return extract


def called(spec: str) -> str:
    """Return the name of a spec in signatures, which cannot hold any character of an expression."""
    return spec if spec in _NAMED else f"regex-{prompts.digest(spec)}"
