"""The data of every language: complete, clean, and its source on record."""

import json
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
import regex
from sacrebleu.metrics.bleu import BLEU
from table_tests import each_row

from dialtools import languages
from dialtools.languages import checking, schema
from dialtools.text import tokenizers

HOME = Path(languages.__file__).parent
TAGS = languages.known()
NAME_COLUMNS = ["name", "gender", "reading", "latin"]
PHRASE_COLUMNS = ["kind", "setting", "text", "formality"]
SCRIPTS = {
    "Latn": r"\p{Latin}",
    "Hani": r"\p{Han}\p{Hiragana}\p{Katakana}",
    "Deva": r"\p{Devanagari}",
    "Hang": r"\p{Hangul}",
    "Arab": r"\p{Arabic}",
}
# kana; pinyin, family and given name apart
READINGS = {"ja": r"\p{Hiragana}+", "zh": r"\p{Lu}\p{Ll}* \p{Lu}\p{Ll}+"}
SIZES = {
    "rare": (100, 100, 0),
    "unknown": (0, 0, 200),
    "polysemous": (90, 90, 20),
    "white": (20, 20, 10),
    "hispanic": (20, 20, 10),
    "asian": (20, 20, 10),
    "black": (31, 12, 4),
}  # of English: female, male, unisex
per_language = pytest.mark.parametrize("tag", TAGS)
WORDS = {"given", "polysemous"}  # pools that may hold words of the language


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")


def rows(path: Path) -> list[dict]:
    tag, *parts = path.relative_to(HOME).with_suffix("").parts
    return languages.get(tag).table("/".join(parts))


def pools(tag: str) -> list[Path]:
    """Return the files of names of a language, which every language has."""
    found = sorted([*HOME.glob(f"{tag}/names/*.tsv"), *HOME.glob(f"{tag}/groups/*.tsv")])
    assert found
    return found


def label(path: Path) -> str:
    return path.relative_to(HOME).as_posix()


def test_files_are_in_shape_and_their_sources_on_record():
    assert [
        (path, *problem) for path, found in checking.problems(checking.HOME) for problem in found
    ] == []


def test_required_keys_are_those_that_all_languages_have():
    shared = set(languages.get(TAGS[0]).facts).intersection(
        *(languages.get(tag).facts for tag in TAGS)
    )
    assert set(schema.REQUIRED) <= shared
    assert not shared - set(schema.REQUIRED), "add them to schema.REQUIRED"


def test_every_key_and_every_file_is_described_and_nothing_else():
    told = [line.split("|")[1] for line in lines(HOME / "README.md") if line.startswith("| `")]
    paths = [label(path).partition("/")[2] for path in HOME.rglob("*/*.[jt]*")]
    files = {
        regex.sub(
            "^(names|groups)/.*", r"\1/POOL.tsv", regex.sub("^terms/.*", "terms/NAME.tsv", path)
        )
        for path in paths
    }
    keys = set().union(*(languages.get(tag).facts for tag in TAGS))
    assert {name for cell in told for name in regex.findall("`(.+?)`", cell)} == keys | files - {
        "language.json"
    }


@per_language
def test_a_language_says_what_commands_ask_of_it(tag):
    known = languages.get(tag).facts
    assert tokenizers.named(known["tokenizer"])(known["name"]) and tokenizers.named(known["words"])(
        known["name"]
    )
    assert known["bleu_tokenizer"] in BLEU.TOKENIZERS
    assert known["speaker"].format(n=1) != known["speaker"].format(n=2)
    assert known["script"] in SCRIPTS and known["space"] in ("", " ")
    assert [role for role in known["roles"] if role not in (role.lower(), role.upper())] == []
    assert len(set(known["roles"])) == len(known["roles"])


@per_language
def test_names_are_written_as_the_language_is_and_belong_to_one_gender(tag):
    script = languages.get(tag).facts["script"]
    letters = SCRIPTS[script]
    for path in pools(tag):
        names = [row["name"] for row in rows(path)]
        assert lines(path)[0].split("\t") == NAME_COLUMNS, path
        assert names == sorted(set(names)), path
        # 光 is a name, A is none
        more = "*" if script == "Hani" and path.stem in WORDS else "+"
        name_of = regex.compile(rf"[{letters}][{letters}\p{{M}}]{more}")
        assert [name for name in names if not name_of.fullmatch(name)] == []
        assert {row["gender"] for row in rows(path)} <= {"f", "m", "u"}, path


@per_language
def test_readings_and_latin_spellings_stand_where_the_script_needs_them(tag):
    reading = READINGS.get(tag, "")
    latin = "" if languages.get(tag).facts["script"] == "Latn" else r"[A-Z][a-z]+( [A-Z][a-z]+)?"
    for path in pools(tag):
        assert [row for row in rows(path) if not regex.fullmatch(reading, row["reading"])] == []
        assert [row for row in rows(path) if not regex.fullmatch(latin, row["latin"])] == []


def test_latin_spellings_of_pinyin_are_the_reading_without_its_tones():
    def plain(text: str) -> str:
        bare = regex.sub(r"[\u0300\u0301\u0304\u030c]", "", unicodedata.normalize("NFD", text))
        return unicodedata.normalize("NFC", bare).replace("ü", "yu")  # as in passports: Lyu

    found = [
        row
        for pool in languages.get("zh").tables("names")
        for row in languages.get("zh").table(f"names/{pool}")
    ]
    assert [row for row in found if plain(row["reading"]) != row["latin"]] == []


def test_latin_spellings_of_hangul_are_those_of_the_revised_romanization():
    """As a name is written: syllable by syllable, without assimilation; the tables are those of the 2000 standard."""
    first = "g kk n d tt r m b pp s ss - j jj ch k t p h".replace("-", "").split(" ")
    middle = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()
    last = ["", *"k k k n n n t l l l l l l l l m p p t t ng t t k t p t".split()]

    def spelled(name: str) -> str:
        codes = [ord(letter) - 0xAC00 for letter in name]
        return "".join(
            first[code // 588] + middle[code % 588 // 28] + last[code % 28] for code in codes
        ).capitalize()

    found = [
        row
        for pool in languages.get("ko").tables("names")
        for row in languages.get("ko").table(f"names/{pool}")
    ]
    assert found and [row for row in found if spelled(row["name"]) != row["latin"]] == []


@per_language
def test_every_language_has_frequent_and_unisex_names(tag):
    genders = Counter(row["gender"] for row in languages.get(tag).table("names/frequent"))
    assert set(genders) == {"f", "m"}
    assert genders["f"] == genders["m"] >= (80 if tag == "jv" else 100)
    unisex = [row["gender"] for row in languages.get(tag).table("names/unisex")]
    assert set(unisex) == {"u"} and len(unisex) >= 20


@per_language
def test_no_name_equals_a_function_word_and_none_a_word_but_where_it_says_so(tag):
    known = languages.get(tag).facts
    function_words = {word.lower() for word in known["function_words"]}
    for path in pools(tag):
        names = {row["name"].lower() for row in rows(path)}
        # Will is somebody's name, but nobody gets it
        assert path.stem == "given" or not names & function_words, path
        assert path.stem in WORDS or not names & languages.get(tag).words, path
        if path.stem == "polysemous":
            assert names <= languages.get(tag).words | set(known["capitalised"])


@per_language
def test_a_name_has_the_same_gender_in_all_pools(tag):
    genders: dict[str, dict[str, str]] = {}
    for pool in languages.get(tag).tables("names"):
        for row in languages.get(tag).table(f"names/{pool}"):
            genders.setdefault(row["name"], {})[pool] = row["gender"]
    assert {name: found for name, found in genders.items() if len(set(found.values())) > 1} == {}


def test_pools_of_english_have_the_sizes_that_their_sources_tell():
    genders = {
        pool: Counter(row["gender"] for row in languages.get("en").table(f"names/{pool}"))
        for pool in SIZES
    }
    assert {pool: (found["f"], found["m"], found["u"]) for pool, found in genders.items()} == SIZES


def test_groups_do_not_overlap():
    names = {
        pool: {row["name"] for row in languages.get("en").table(f"names/{pool}")} for pool in SIZES
    }
    races = [names[pool] for pool in ("white", "hispanic", "asian", "black")]
    assert len(set().union(*races)) == sum(map(len, races))
    frequent = {row["name"] for row in languages.get("en").table("names/frequent")}
    given = {row["name"] for row in languages.get("en").table("names/given")}
    assert (
        not names["rare"] & (frequent | given | names["polysemous"])
        and not frequent & names["polysemous"]
    )


def test_unknown_names_are_what_the_rule_in_the_sources_makes_and_nobodys():
    names = [row["name"].lower() for row in languages.get("en").table("names/unknown")]
    assert [
        name
        for name in names
        if not regex.fullmatch(r"([bdfghjklmnprstvz][aeiou]){3}[lnr]?", name)
        or len({name[0], name[2], name[4]}) < 3
    ] == []
    elsewhere = {
        cell.lower()
        for tag in TAGS
        for path in pools(tag)
        if path.stem != "unknown"
        for row in rows(path)
        for cell in (row["name"], row["latin"])
    }
    assert not elsewhere & set(names)
    assert not set().union(*(languages.get(tag).words for tag in TAGS)) & set(names)


@each_row("path", sorted(HOME.glob("*/*.txt")))
def test_words_are_lower_case_and_sorted(path):
    words = lines(path)[:-1]
    assert words == sorted(set(words))
    assert [word for word in words if not regex.fullmatch(r"[\p{Ll}\p{Lo}\p{M}]+", word)] == []


def test_words_tell_what_is_mostly_a_word_from_what_is_mostly_a_name():
    assert {"will", "mark", "may", "rose", "hope", "answer", "the"} <= languages.get("en").words
    assert not {"anna", "bob", "mike", "james"} & languages.get("en").words
    assert {"bagus", "indah"} <= languages.get("id").words and {
        "slamet",
        "untung",
    } <= languages.get("jv").words


@per_language
def test_endings_and_beginnings_of_names_fit_together(tag):
    classes, endings = (
        languages.get(tag).facts.get("endings", {}),
        languages.get(tag).table("endings"),
    )
    assert bool(classes) == bool(endings)
    assert all(set(row) == {*classes, "use"} for row in endings)
    assert {row["use"] for row in endings} <= {"", "person", "call", "is", "plural"}
    assert not classes or regex.search([*classes.values()][-1], "any name at all")
    for row in languages.get(tag).table("beginnings"):
        assert (
            regex.compile(row["before"])
            and row["gender"] in ("", "f", "m")
            and row["made"] in ("", "yes")
        )
        assert not row["word"].endswith("'") and row["word"] != row["changed"]
        assert (row["word"] + row["changed"]).islower()
    phrases = [row["phrase"] for row in languages.get(tag).table("guards")]
    assert phrases == sorted(phrase.lower() for phrase in phrases)


def test_genders_of_names_that_everybody_knows():
    known = {row["name"]: row["gender"] for row in languages.get("en").table("names/given")}
    assert {name: known[name] for name in ("Amanda", "Jack", "Taylor", "Casey")} == {
        "Amanda": "f",
        "Jack": "m",
        "Taylor": "u",
        "Casey": "u",
    }
    british = {"Kirsty": "f", "Hamish": "m", "Philippa": "f", "Siobhan": "f", "Niall": "m"}
    assert {name: known.get(name) for name in british} == british and "Babyboy" not in known
    shared = {row["name"]: row["gender"] for row in languages.get("en").table("names/frequent")}
    assert {name: known[name] for name in shared} == shared


@each_row("path", sorted(HOME.glob("*/phrases.tsv")))
def test_phrases_offer_four_wordings_of_each_kind_in_each_formality(path):
    found = rows(path)
    assert list(found[0]) == PHRASE_COLUMNS
    kinds = Counter((row["kind"], row["setting"], row["formality"]) for row in found)
    among_friends = {(kind, "friends") for kind in ("greeting", "closing")}
    anywhere = {
        (kind, "any")
        for kind in ("repeat", "again", "reworded", "wait", "acknowledge", "thanks", "backchannel")
    }
    assert set(kinds) == {
        (*kind, formality)
        for kind in among_friends | anywhere
        for formality in ("formal", "casual")
    } | {("greeting", "support", "formal"), ("closing", "support", "formal")}
    assert min(kinds.values()) >= 4
    letters = SCRIPTS[languages.get(path.parent.name).facts["script"]]
    said = [row["text"].removesuffix("{text}") for row in found]
    assert [
        row["text"]
        for row in found
        if ("{text}" in row["text"]) != (row["kind"] in ("again", "reworded"))
    ] == []
    assert [
        text for text in said if not regex.fullmatch(rf"[{letters}\p{{M}}\p{{P}}ー ]+", text)
    ] == []


@each_row("path", sorted(HOME.glob("*/formality.tsv")))
def test_a_cue_is_of_one_formality_and_in_lower_case(path):
    found = rows(path)
    cues = [row["cue"] for row in found]
    assert cues == sorted(set(cues)) and cues == [cue.lower() for cue in cues]
    assert {row["formality"] for row in found} == {"formal", "casual"}
    assert path.with_name("phrases.tsv").exists(), "whose wordings are chosen by it"


@each_row("path", sorted(HOME.glob("*/paraphrases.tsv")))
def test_paraphrases_say_something_else_and_nothing_twice(path):
    found = rows(path)
    assert [row["wording"] for row in found] == sorted({row["wording"] for row in found})
    assert [
        row
        for row in found
        if row["wording"] in ("", row["paraphrase"].lower()) or not row["paraphrase"]
    ] == []
    assert [row for row in found if row["wording"] != row["wording"].lower()] == []
    assert all(regex.compile(row[column]) for row in found for column in ("before", "after"))


@each_row("path", sorted(HOME.glob("*/fillers.tsv")))
def test_there_are_two_fillers_or_more_for_each_place(path):
    """So that one can be chosen that does not stand there already."""
    for formality in ("formal", "casual"):
        found = Counter(
            row["before"] for row in rows(path) if row.get("formality", "") in ("", formality)
        )
        assert set(found) == {"start", "comma", "word"} and min(found.values()) >= 2


@per_language
def test_gendered_roles_are_pairs_and_tell_a_gender_unless_they_are_anybody_s(tag):
    language = languages.get(tag)
    pairs = language.facts["gendered_roles"]
    anybody = {*language.facts["roles"], *languages.get("en").facts["roles"]}
    women, men = zip(*pairs, strict=True)
    assert (
        not {*women} & {*men} and not {*women} & anybody and len({*map(tuple, pairs)}) == len(pairs)
    )
    for pair in pairs:
        assert all(
            role and role == role.lower() and language.is_role(role.title()) for role in pair
        )
        told = [language.gender_of_role(role) for role in pair]
        assert told == ["f", None if pair[1] in anybody else "m"]


@each_row(
    "tag, labels",
    [
        (
            "en",
            "Mother Father Mom Dad Daughter Son Sis Bro Wife Husband "
            "Girlfriend Boyfriend Wifey Hubby Ms Mr Mrs. Mr.",
        ),
        (
            "de",
            "Mutter Vater Mama Papa Tochter Sohn Schwester Bruder Ehefrau "
            "Ehemann Oma Opa Frau Herr",
        ),
        (
            "es",
            "Madre Padre Mamá Papá Hija Hijo Hermana Hermano Esposa Esposo Novia Novio Sra. Sr.",
        ),
        ("fr", "Mère Père Maman Papa Fille Fils Sœur Frère Femme Mari Copine Copain Mme M."),
        (
            "it",
            "Madre Padre Mamma Papà Figlia Figlio Sorella Fratello Moglie "
            "Marito Fidanzata Fidanzato Sig.ra Sig.",
        ),
        ("hi", "माता पिता मम्मी पापा बेटी बेटा बहन भाई पत्नी पति गर्लफ्रेंड बॉयफ्रेंड श्रीमती श्री"),
        ("id", "Ibu Ayah Mama Papa Istri Suami Nenek Kakek Bu Pak"),
        ("jv", "Ibu Bapak Budhe Pakdhe Mbak Mas Bu Pak"),
        ("ja", "母 父 ママ パパ 娘 息子 お姉ちゃん お兄ちゃん 妻 夫 彼女 彼氏"),
        ("ko", "어머니 아버지 엄마 아빠 딸 아들 여동생 남동생 아내 남편 여자친구 남자친구"),
        ("zh", "母亲 父亲 妈妈 爸爸 女儿 儿子 姐姐 哥哥 老婆 老公 女朋友 男朋友 女朋友 男朋友"),
    ],
)
def test_kin_and_couples_are_roles_of_a_gender_each(tag, labels):
    """Son and Mr are labels of SAMSum and other chats."""
    language = languages.get(tag)
    assert [language.gender_of_role(label) for label in labels.split()] == ["f", "m"] * (
        len(labels.split()) // 2
    )
    assert all(map(language.is_role, labels.split()))


def test_titles_alone_are_roles_and_korean_has_people_called_son():
    assert languages.get("en").is_role("Dr.") and languages.get("en").gender_of_role("Dr.") is None
    assert languages.get("en").is_role("Son") and not languages.get("ko").is_role("Son")


def test_agents_are_roles():
    for tag in TAGS:
        assert set(languages.get(tag).facts.get("agents", ())) <= languages.get(tag).roles


@each_row("path", sorted(HOME.glob("*/keyboard.json")))
def test_keyboards_have_four_rows_and_no_key_twice(path):
    known = json.loads(path.read_text(encoding="utf-8"))
    assert len(known["rows"]) == len(known["offsets"]) == 4
    assert known["offsets"] == sorted(known["offsets"])
    keys = "".join(known["rows"])
    assert len(set(keys)) == len(keys)
    letters = SCRIPTS[
        "Latn" if path.parent.name == "zh" else languages.get(path.parent.name).facts["script"]
    ]  # pinyin
    assert len(regex.findall(rf"[{letters}\p{{M}}]", keys)) >= 26
