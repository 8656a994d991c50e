"""Annotated sentences in a short form, so that a test shows them in a line.

A word is form/lemma/UPOS.CODE>head:relation; lemma, code and head may be left
out, and the lemma is then the form in lower case.  + before a form joins it to
the word before.  Codes stand for features of English verbs and negations.
"""

from dialtools.plugins import registry
from dialtools.records import edits

CODES = {
    "": "",
    "P": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "S": "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "D": "Mood=Ind|Tense=Past|VerbForm=Fin",
    "N": "Tense=Past|VerbForm=Part",
    "G": "Tense=Pres|VerbForm=Part",
    "I": "VerbForm=Inf",
    "M": "Mood=Imp|VerbForm=Fin",
    "W": "VerbForm=Fin",
    "NEG": "Polarity=Neg",
    "PL": "Number=Plur",
    "FS": "Gender=Fem|Number=Sing",
    "MS": "Gender=Masc|Number=Sing",
    "FP": "Gender=Fem|Number=Plur",
    "MP": "Gender=Masc|Number=Plur",
    "NFS": "Case=Nom|Gender=Fem|Number=Sing",
    "NMS": "Case=Nom|Gender=Masc|Number=Sing",
    "AFS": "Case=Acc|Gender=Fem|Number=Sing",
    "AMS": "Case=Acc|Gender=Masc|Number=Sing",
    "DFS": "Case=Dat|Gender=Fem|Number=Sing",
    "DMS": "Case=Dat|Gender=Masc|Number=Sing",
    "GFS": "Case=Gen|Gender=Fem|Number=Sing",
    "GMS": "Case=Gen|Gender=Masc|Number=Sing",
    "NFSD": "Case=Nom|Definite=Def|Gender=Fem|Number=Sing|PronType=Art",
    "NFSI": "Case=Nom|Definite=Ind|Gender=Fem|Number=Sing|PronType=Art",
    "NMSI": "Case=Nom|Definite=Ind|Gender=Masc|Number=Sing|PronType=Art",
    "NFSR": "Case=Nom|Gender=Fem|Number=Sing|PronType=Rel",
    "FSN": "Gender=Fem|Number=Sing|Tense=Past|VerbForm=Part",
    "MSN": "Gender=Masc|Number=Sing|Tense=Past|VerbForm=Part",
    "CMP": "Degree=Cmp",
    "SUP": "Degree=Sup",
    "REL": "PronType=Rel",
    "ART": "Definite=Def|PronType=Art",
    "POSS": "Poss=Yes|PronType=Prs",
}


def parsed(written: str, lang: str = "en") -> dict:
    """Return a record with the text and the tokens of a sentence in short form."""
    text, tokens = "", []
    for word in written.split():
        joined, word = word.startswith("+"), word.removeprefix("+")
        form, lemma, tag = word.split("/")
        tag, _, tree = tag.partition(">")
        upos, _, code = tag.partition(".")
        head, _, relation = tree.partition(":")
        text += "" if joined or not text else " "
        token = {
            "form": form,
            "start": len(text),
            "end": len(text) + len(form),
            "lemma": lemma or form.lower(),
            "upos": upos,
            "feats": CODES[code],
            "sent": 1,
        }
        tokens.append(token | ({"head": int(head), "deprel": relation} if tree else {}))
        text += form
    return {"id": "1", "lang": lang, "text": text, "tokens": tokens}


class Highest:
    """Draws 0 for every rate, and of every choice the first."""

    def random(self) -> float:
        return 0.0

    def choice(self, options):
        return options[0]

    def sample(self, options, count: int) -> list:
        return list(options)[:count]


def changed(record: dict, kind: str) -> str:
    """Return the text of a record after a perturbation that changes all that it can."""
    plugin = registry.load("perturbations", kind)
    return edits.apply(record, plugin.call(record, Highest()))[0]["text"]
