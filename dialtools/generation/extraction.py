"""What is taken out of a model's output: the text in braces, the first line, what a regular expression finds."""

from collections.abc import Callable

from dialtools.errors import OptionError, RecordError, show
from dialtools.generation import prompts

PATIENCE = 10.0  # seconds for one output; there are expressions that would look for ever
_NAMED = {"braces": r"\{([^{}]*)\}", "first-line": r"^\s*(\S[^\n]*)"}


def extractor(spec: str) -> Callable[[str], str]:
    """Return output -> the answer in it, without white space around it; "" where there is none.

    spec: braces (what the first pair holds), first-line (the first that is not blank), or a regular
        expression of the library regex: its first group, or where it has none all that it finds first.

    An expression that finds no end in 10 seconds is a RecordError.

    >>> extractor("braces")("Sure: {It rains.} or {It pours.}"), extractor("first-line")("\\n Yes.\\nNo.")
    ('It rains.', 'Yes.')
    >>> extractor("Score: ([0-9]+)")("Score: 85 of 100"), extractor("[0-9]+")("7 of 9"), extractor("[0-9]+")("none")
    ('85', '7', '')
    """
    import regex

    try:
        pattern = regex.compile(_NAMED.get(spec, spec))
    except regex.error as error:
        raise OptionError(f"extract is {', '.join(_NAMED)} or a regular expression, "
                          f"not {show(spec)}: {error}") from None

    def extract(output: str) -> str:
        try:
            found = pattern.search(output, timeout=PATIENCE)
        except TimeoutError:
            raise RecordError(f"--extract {show(spec)} is not done with an output after {PATIENCE:g} s: is there a "
                              "repetition within a repetition?") from None
        if not found:
            return ""
        answer = found[1] if pattern.groups else found[0]
        return (answer or "").strip()  # a group may take no part in what is found

    return extract


def called(spec: str) -> str:
    """Return what a signature calls it; an expression may hold any character, a signature not."""
    return spec if spec in _NAMED else f"regex-{prompts.digest(spec)}"
