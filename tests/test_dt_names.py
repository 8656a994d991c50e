"""Pools made by dt-names: names found in texts, their uniqueness, the groups, collected speakers, checks."""

from collections import Counter

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.names import collecting, pools
from dialtools.system.errors import RecordError

NAMES = ["Ann", "Anna", "Ann Lee", "D'Arcy", "राम", "李", "李明", "さくら", "민준"]
PIECES = [
    *NAMES,
    "Annie",
    "Lee",
    "रामा",
    "明",
    "a",
    "é",
    "2",
    " ",
    " ",
    ", ",
    "'s",
    "-",
    "_",
    "\n",
    "👋",
    "́",
]


def oracle(text: str) -> list[str]:
    """Return the names in a text, found by one alternation with a boundary for each script."""
    joined = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]"
    letter = rf"(?:(?!{joined})[\p{{L}}\p{{M}}\p{{N}}])"
    one = "|".join(
        rf"(?<!{letter}){regex.escape(name)}(?!{letter})"
        if not regex.match(joined, name)
        else regex.escape(name)
        for name in sorted(NAMES, key=len, reverse=True)
    )
    return regex.findall(rf"(?<![\p{{L}}\p{{N}}][-_])(?:{one})(?![-_][\p{{L}}\p{{N}}])", text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_names_are_found_as_by_one_alternation(text: str):
    assert [name for _, _, name in collecting.finder(NAMES)(text)] == oracle(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_names_stand_where_it_is_said_and_apart(text: str):
    found = list(collecting.finder(NAMES)(text))
    assert all(text[start:end] == name for start, end, name in found)
    assert all(one[1] <= other[0] for one, other in zip(found, found[1:]))


def test_uniqueness_is_that_of_equation_9():
    """By hand: ranks by f_exact Will 1, June 2, Anna 3, Zoe 4; by f_ner Anna 1, June 2, Will 3, Zoe 4."""
    exact = {"Anna": 10, "Will": 50, "June": 20, "Zoe": 0}
    ner = {"Anna": 9, "Will": 1, "June": 4, "Zoe": 0}
    assert collecting.uniqueness(exact, ner) == {"Anna": 2 / 4, "Will": -2 / 4, "June": 0, "Zoe": 0}


def test_equal_counts_share_their_mean_rank():
    """As scipy.stats.rankdata does by default, of the negated counts."""
    stats = pytest.importorskip("scipy.stats")
    counts = {"a": 3, "b": 0, "c": 7, "d": 3, "e": 0, "f": 3, "g": 1}
    assert [collecting.ranks(counts)[name] for name in counts] == list(
        stats.rankdata([-n for n in counts.values()])
    )


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3),
        st.tuples(st.integers(0, 9), st.integers(0, 9)),
        min_size=1,
    )
)
def test_uniqueness_lies_between_minus_one_and_one(counts: dict[str, tuple[int, int]]):
    exact, ner = ({name: pair[at] for name, pair in counts.items()} for at in (0, 1))
    u = collecting.uniqueness(exact, ner)
    assert all(-1 < value < 1 for value in u.values())
    assert collecting.uniqueness(ner, exact) == {name: -value for name, value in u.items()}
    found = collecting.groups(exact, u, 4)
    names = [name for group in found.values() for name in group]
    assert len(names) == len(set(names)) and max(map(len, found.values())) <= 4


def test_groups_are_those_of_the_paper():
    """Of 40 names that occur once, twice, …; those with a count that is a multiple of five are hardly ever persons."""
    exact = {f"n{count:02}": count for count in range(1, 41)} | {"z1": 0, "z2": 0, "z3": 0}
    ner = {name: 0 if count % 5 == 0 else count for name, count in exact.items()}
    u = collecting.uniqueness(exact, ner)
    found = collecting.groups(exact, u, 3)
    assert found["rare"] == ["n01", "n02", "n03"]
    assert found["polysemous"] == ["n40", "n35", "n30"]
    assert found["frequent"] == ["n39", "n38", "n37"]
    assert len(found["unknown"]) == 3 and set(found["unknown"]) == {"z1", "z2", "z3"}
    assert collecting.groups(exact, None, 3) == found | {"frequent": [], "polysemous": []}


def test_groups_do_not_depend_on_the_order_of_names():
    exact = {name: count for count, name in enumerate("abcdefghijklmnopqrst")} | {
        name: 0 for name in "ABCDEFGH"
    }
    backward = dict(reversed(exact.items()))
    assert collecting.groups(exact, None, 4) == collecting.groups(backward, None, 4)
    assert sorted(collecting.groups(exact, None, 4)["unknown"]) != list(
        "ABCD"
    )  # not the first of the alphabet


def test_a_named_entity_decides_before_the_part_of_speech():
    text = "June met Paris"
    tokens = [
        {"form": "June", "start": 0, "end": 4, "upos": "PROPN", "ner": "S-PERSON"},
        {"form": "met", "start": 5, "end": 8, "upos": "VERB"},
        {"form": "Paris", "start": 9, "end": 14, "upos": "PROPN", "ner": "S-GPE"},
    ]
    exact, ner, tagged = collecting.count(
        [{"text": text, "tokens": tokens}, {"text": "June"}], collecting.finder(["June", "Paris"])
    )
    assert (exact, ner, tagged) == (Counter(June=2, Paris=1), Counter(June=1), 1)


def test_python_makes_pools_too():
    records = [
        {"id": 1, "lang": "en", "dialogue": "Ann: Hi Bob\nBob: Hi\nAgent (bot): Hi\n#Person2#: Hi"}
    ]
    left: list[str] = []
    made = list(dialtools.names_collect(records, left.append))
    assert made == [{"name": "Ann", "gender": "f", "n": 1}, {"name": "Bob", "gender": "m", "n": 1}]
    assert left == ["roles left out", "placeholders left out"]
    with pytest.raises(RecordError, match="no polysemous names"):
        list(dialtools.names_count(records, only="polysemous"))


def test_a_collected_pool_is_read_by_what_draws_from_it(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "lang": "en", "dialogue": "Ann: Hi\\nzykotick9: Hi\\nQuinn: Hi"}\n'
    )
    lines = shell("dt-names collect -q in.jsonl").out.splitlines()
    assert [(row["name"], row["gender"]) for row in pools.parse(lines)] == [
        ("Ann", "f"),
        ("Quinn", "u"),
        ("zykotick9", ""),
    ]


@each_row("tag", languages.known())
def test_nothing_is_wrong_with_our_own_pools(tag: str):
    found = {}
    for pool in set(languages.get(tag).tables("names")) - {"given"}:
        before: dict[str, dict] = {}
        for row in languages.get(tag).table(f"names/{pool}"):
            for level, finding, example in pools.faults(row | {"lang": tag}, before):
                if level == "wrong" or pool != "polysemous":
                    found[pool, finding] = example
    assert found == {}


def test_a_label_without_letters_is_no_name_of_a_pool():
    """It would be a new name that cannot be told from an emoji or dots in an output."""
    notes = []
    record = {
        "id": 1,
        "lang": "en",
        "dialogue": [{"speaker": name, "text": "hi"} for name in ("😀", "...", "Ann")],
    }
    assert [row["name"] for row in dialtools.names_collect([record], notes.append)] == ["Ann"]
    assert notes == ["labels without letters left out"] * 2


@each_row(
    "first, second, lang",
    [
        ("Anna", "ANNA", "en"),
        ("O'Neil", "O’Neil", "en"),
        ("Jean-Luc", "Jean‑Luc", "en"),
        ("अनन्त", "अनंत", "hi"),
    ],
)
def test_two_names_that_renaming_takes_for_one_are_wrong_in_a_pool(first, second, lang):
    rows = pools.unchecked_rows(
        [("pool:1", f"{first}\tm".encode()), ("pool:2", f"{second}\tm".encode())], lang
    )
    before: dict[str, dict] = {}
    found = [
        finding
        for row in rows
        for level, finding, _ in pools.faults(row, before)
        if level == "wrong"
    ]
    assert found == ["names that differ in case, encoding or white space only"]


@pytest.mark.parametrize(
    "options, said",
    [
        ("", "dt-names check: no language given: assuming en (--lang)\n"),
        ("-q", ""),
        ("--lang en", ""),
    ],
)
def test_names_of_no_language_are_told(shell, options: str, said: str):
    found = shell(f"echo Ann | dt-names check {options}")
    assert (found.err, found.status) == (said, 0)
