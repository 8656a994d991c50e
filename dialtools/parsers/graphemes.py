"""What people see as one character is a word; no model, every language.

A letter with its marks, a syllable of an Indian script, an emoji of several
code points are one each, as Unicode's extended grapheme clusters; white space
is none.  For languages without spaces where there is no parser, and to count
and compare characters.  A text is one sentence.

Source: Unicode Standard Annex 29, https://unicode.org/reports/tr29.

>>> [token["form"] for token in parse(["क्षि 👩‍👧"], lang="hi")[0]]
['क्षि', '👩‍👧']
"""


from dialtools.languages.scripts import compiled


def parse(texts: list[str], *, lang: str) -> list[list[dict]]:
    """Return the tokens of each text."""
    return [[{"form": found[0], "start": found.start(), "end": found.end(), "sent": 1}
             for found in compiled(r"\X").finditer(text) if not found[0].isspace()] for text in texts]
