"""Nouns for people swapped in Spanish, French, Italian and German, and the words that agree."""

import pytest
from conftest import ROOT
from short_sentences import parsed
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.system.errors import RecordError

# written by hand
ROWS = [
    line.split("\t")[:4]
    for line in (ROOT / "tests" / "data" / "genders.tsv").read_text("utf-8").splitlines()[1:]
]
WITH_TABLE = languages.having("genders.tsv")


def swapped(record: dict, direction: str = "forth") -> dict:
    [variant] = dialtools.perturb([record], kind=f"terms.swap:direction={direction}")
    [restored] = dialtools.perturb([variant], restore=True)
    assert {key: restored[key] for key in record} == record
    return variant


@each_row("lang, direction, written, expected", ROWS)
def test_articles_adjectives_and_participles_follow(
    lang: str, direction: str, written: str, expected: str
):
    record = parsed(written, lang)
    variant = swapped(record, direction)
    assert variant["text"] == expected
    texts = [edit for edit in variant["history"][0]["edits"] if edit[0] == "/text"]
    notes = {edit[5] for edit in texts if len(edit) > 5}
    assert notes <= {"agrees", "by the word before", "by the next word"}


def test_a_german_adjective_without_a_known_determiner_is_uncertain():
    """jede alte Frau is jeder alte Mann, but manche alte Frau may be mancher alte or alter Mann."""
    record = parsed(
        "manche/manch/DET.NFS>3:det alte/alt/ADJ.NFS>3:amod Frau//NOUN.NFS>0:root", "de"
    )
    variant = swapped(record)
    assert variant["text"] == "mancher alte Mann"
    counts = variant["history"][0]["counts"]
    assert counts == {"words that agreed with a swapped term and stay": 1}


def test_curly_apostrophes_and_capitals_are_kept():
    record = parsed("L’/le/DET.FS>2:det +AMIE/amie/NOUN.FS>0:root", "fr")
    assert swapped(record)["text"] == "L’AMI"
    record = parsed("LA/le/DET.FS>2:det MÈRE//NOUN.FS>0:root", "fr")
    assert swapped(record)["text"] == "LE PÈRE"


def test_what_cannot_follow_is_counted():
    """Plurals in -che may be those of -co or of -ca; without heads nothing is known."""
    record = parsed(
        "le/il/DET.FP>2:det amiche/amica/NOUN.FP>0:root poliche/polico/ADJ.FP>2:amod", "it"
    )
    entry = swapped(record)["history"][0]
    assert entry["counts"] == {"words that agreed with a swapped term and stay": 1}
    plain = {"id": 1, "lang": "it", "text": "la cara madre"}
    variant = swapped(plain)
    assert variant["text"] == "la cara padre"
    assert [*variant["history"][0]["counts"].values()] == [1]
    # nor does the article before an adjective that is in the table
    assert swapped({"id": 1, "lang": "es", "text": "una buena amiga"})["text"] == "una buena amigo"


def test_a_participle_with_avoir_and_a_joined_subject_leave_the_predicate():
    record = parsed(
        "les/le/DET.FP>2:det filles/fille/NOUN.FP>5:nsubj et//CCONJ>4:cc Bob//PROPN>2:conj "
        "partis/partir/VERB.MP>0:root sont/être/AUX>5:aux",
        "fr",
    )
    assert swapped(record)["text"] == "les garçons et Bob partis sont"


@pytest.mark.parametrize("lang", WITH_TABLE)
def test_every_direction_has_a_plan_and_words_of_other_genders_stay(lang: str):
    for direction in ("forth", "back", "both"):
        assert swapped({"id": 1, "lang": lang, "text": "…"}, direction)["text"] == "…"


def test_pairs_of_french_daughters_and_wives_are_told_by_the_word_before():
    text = "Ma fille, la fille, mes filles, sa femme, une femme"
    expected = "Mon fils, le garçon, mes fils, son mari, un homme"
    assert swapped({"id": 1, "lang": "fr", "text": text})["text"] == expected


@each_row(
    "lang, direction, text, expected",
    [
        ("fr", "forth", "L'amie de la mère parle à la tante", "L'ami du père parle à l'oncle"),
        ("fr", "back", "au roi, mon ami, le héros", "à la reine, mon amie, le héros"),
        ("it", "forth", "La mia  amica; alla signora Rossi", "Il mio  amico; al signor Rossi"),
        ("it", "back", "lo studente, del suo amico", "la studentessa, della sua amica"),
        ("es", "forth", "De la madre a la hija, para madre", "Del padre al hijo, para padre"),
        ("es", "back", "del padre\nal hijo", "de la madre\na la hija"),
    ],
)
def test_without_tokens_an_article_right_before_the_noun_follows(
    lang: str, direction: str, text: str, expected: str
):
    assert swapped({"id": 1, "lang": lang, "text": text}, direction)["text"] == expected


def test_german_needs_tokens_as_articles_depend_on_a_case():
    with pytest.raises(RecordError, match="needs tokens with upos, feats, head"):
        swapped({"id": 1, "lang": "de", "text": "die Frau"}, "forth")
