"""Words between white space; no model, every language.

For tokenized texts and for trying things out: punctuation stays with its word,
and a word has nothing but its place.  A text is one sentence.

>>> from dialtools import languages
>>> [tokens] = parse(["Sugeng  enjing!"], language=languages.get("jv"))
>>> [(token["form"], token["start"]) for token in tokens]
[('Sugeng', 0), ('enjing!', 8)]
"""

import re

from dialtools.languages import Language
from dialtools.plugins.parser import Parser


def parse(texts: list[str], *, language: Language) -> list[list[dict]]:
    """Return the tokens of each text."""
    return [
        [
            {"form": found[0], "start": found.start(), "end": found.end(), "sent": 1}
            for found in re.finditer(r"\S+", text)
        ]
        for text in texts
    ]


PARSER = Parser(parse)
