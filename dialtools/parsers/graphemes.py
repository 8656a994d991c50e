"""Characters as people see them; no model, every language.

A letter with its marks, a syllable of an Indian script, an emoji of several
code points are one token each: Unicode's extended grapheme clusters without
white space.  For languages without spaces or parser, and to count and compare
characters.  A text is one sentence.

Source: Unicode Standard Annex 29, https://unicode.org/reports/tr29.

>>> from dialtools import languages
>>> [token["form"] for token in parse(["क्षि 👩‍👧"], language=languages.get("hi"))[0]]
['क्षि', '👩‍👧']
"""

from dialtools.languages import Language
from dialtools.languages.scripts import compiled
from dialtools.plugins.parser import Parser


def parse(texts: list[str], *, language: Language) -> list[list[dict]]:
    """Return the tokens of each text."""
    return [
        [
            {"form": found[0], "start": found.start(), "end": found.end(), "sent": 1}
            for found in compiled(r"\X").finditer(text)
            if not found[0].isspace()
        ]
        for text in texts
    ]


PARSER = Parser(parse)
