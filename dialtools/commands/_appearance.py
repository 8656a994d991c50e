"""What language the records of a file look like, beside the one that they name."""

from collections.abc import Iterator

from dialtools import languages
from dialtools.languages.evidence import Evidence
from dialtools.records import dialogue

MOST = 20  # languages that are told apart
UNNAMED = 'no "lang"'
OTHER = 'text that looks like another language than its "lang"'


class Appearance:
    """The evidence in the texts of each language that records name, and of those that name none."""

    def __init__(self) -> None:
        self.evidence: dict[str | None, Evidence] = {}
        self.first: dict[str | None, str] = {}
        self.numbers: dict[str | None, int] = {}

    def add(self, place: str, record: dict) -> None:
        """Add a well-formed record."""
        lang = record.get("lang")
        if lang not in self.evidence:
            if len(self.evidence) == MOST:
                return
            self.evidence[lang], self.first[lang], self.numbers[lang] = Evidence(), place, 0
        self.numbers[lang] += 1
        for holder in dialogue.holders(record):
            self.evidence[lang].add(holder["text"])
        for text in dialogue.references(record):
            self.evidence[lang].add(text)

    def said(self) -> Iterator[str]:
        """Yield a sentence for each language that is named, and for none."""
        for lang, evidence in self.evidence.items():
            of = f"of {lang}" if lang else 'without "lang"'
            yield f"language of the records {of}: {evidence.guess()}"

    def findings(self) -> Iterator[dict]:
        """Yield a result for each language that the text of its records does not look like."""
        for lang, evidence in self.evidence.items():
            if not lang or languages.tag(lang) not in languages.known():
                continue
            guess = evidence.guess()
            if guess.lang and guess.lang != languages.tag(lang):
                yield {
                    "level": "odd",
                    "finding": OTHER,
                    "n": self.numbers[lang],
                    "first": self.first[lang],
                    "example": f"{lang}: {guess}",
                }

    def explained(self, result: dict) -> dict:
        """Return a result, with the language that fits if it is that there is none."""
        if result["finding"] != UNNAMED or None not in self.evidence:
            return result
        guess = self.evidence[None].guess()
        remedy = f": --lang {guess.lang}" if guess.lang else ""
        return result | {"example": f"{guess}{remedy}"}
