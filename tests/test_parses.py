"""UAS, LAS, CLAS and UPOS; expected numbers by hand, from a paper, or by looking at every way to match words.

All four were compared with the counts of conll18_ud_eval.py 1.2 on 26 treebank files of Universal Dependencies
(60 sentences of each; heads, relations and tags changed at random, words split, joined and shared): they are equal.
"""

import itertools
import json
import random

import pytest

import dialtools
from dialtools.evaluation import scorer as scorers
from dialtools.metrics import _alignment, attachment
from dialtools.metrics.attachment import las, uas
from dialtools.records import edits
from dialtools.system.errors import RecordError


def tokens(written: str) -> list[dict]:
    """Return tokens: words between spaces; abc=a,b,c is a token of several words."""
    found = []
    for token in written.split():
        surface, _, words = token.partition("=")
        own = words.split(",") if words else [surface]
        cuts = [*range(len(own)), len(surface)]
        for number, word in enumerate(own, 1):
            form = surface[cuts[number - 1] : cuts[number]]
            found.append(
                {"form": form, "head": 0, "deprel": "root", "word": word}
                | ({"part": [number, len(own)]} if len(own) > 1 else {})
            )
    return found


# How many words match: by the description of the shared task, section 5.1; each by hand.
@pytest.mark.parametrize(
    "gold, system, matches",
    [
        ("a b c", "a b c", 3),
        ("abc", "a b c", 0),
        ("abc d", "a b c d", 1),
        ("a bc d", "a b c d", 2),
        ("abc=a,b,c", "a b c", 3),
        ("a bc=b,c d", "a b c d", 4),
        ("abcd=a,b,c,d", "ab=a,b cd=c,d", 4),
        ("abc=a,b,c de=d,e", "a bcd=b,c,d e", 5),
        ("a bc=b,c d", "a b cd", 2),
        ("ab=a,b cd=bc,d", "a bc d", 2),
        ("du=de,le pain", "du pain", 1),
        ("du=De,Le", "du=de,la", 1),
    ],
)
def test_words_that_match(gold: str, system: str, matches: int):
    one, other = (_alignment.words(tokens(text)) for text in (gold, system))
    found = _alignment.matched(one, other)
    assert len(found) == matches == len(_alignment.matched(other, one))
    assert (
        found == sorted(found)
        and len({g for g, _ in found}) == len({s for _, s in found}) == matches
    )


def test_without_shared_tokens_words_match_where_their_characters_are_the_same():
    """By looking at every pair of words."""
    rng = random.Random(1)
    for _ in range(300):
        cut = [[n for n in range(1, 9) if rng.random() < 0.5] for _ in range(2)]
        spans = [list(itertools.pairwise([0, *own, 9])) for own in cut]
        gold, system = (
            _alignment.words([{"form": "abcdefghi"[a:b]} for a, b in own]) for own in spans
        )
        wanted = [
            (g, s)
            for g, one in enumerate(spans[0])
            for s, other in enumerate(spans[1])
            if one == other
        ]
        assert _alignment.matched(gold, system) == wanted


def said(*words: tuple) -> dict:
    """Return a text with tokens: (form, head, relation)."""
    found, end = [], -1
    for form, head, deprel in words:
        start, end = end + 1, end + 1 + len(form)
        found.append({"form": form, "start": start, "end": end, "head": head, "deprel": deprel})
    return {"text": " ".join(token["form"] for token in found), "tokens": found}


GOLD = said(
    ("She", 2, "nsubj"),
    ("saw", 0, "root"),
    ("the", 4, "det"),
    ("old", 5, "amod:x"),
    ("dog", 2, "obj"),
)


def test_scores_by_hand():
    other = said(
        ("She", 2, "obj"),
        ("saw", 0, "root"),
        ("the", 5, "det"),
        ("old", 5, "amod:y"),
        ("dog", 2, "obj"),
    )
    assert uas.score([[other]], [[GOLD]]) == [4 / 5]  # not the
    assert las.score([[other]], [[GOLD]]) == [3 / 5]  # nor She
    assert las.score([[other]], [[GOLD]], subtypes=True) == [2 / 5]  # nor old
    joined = said(("She", 2, "nsubj"), ("saw", 0, "root"), ("the", 4, "det"), ("olddog", 2, "obj"))
    assert uas.corpus.statistics([[joined]], [[GOLD]]) == [
        [2, 5, 4]
    ]  # the head of "the" is a word that gold does not have
    assert uas.score([[joined]], [[GOLD]]) == [2 * 2 / 9]
    lower = said(("She", 2, "nsubj"), ("saw", 4, "obj"), ("the", 2, "det"), ("olddog", 0, "root"))
    assert uas.corpus.statistics([[lower]], [[GOLD]]) == [
        [1, 5, 4]
    ]  # She; what has a head that gold lacks is no root


def test_what_has_no_word():
    empty = {"text": "", "tokens": []}
    assert uas.score([[empty]], [[empty]]) == [1] and uas.score([[empty]], [[GOLD]]) == [0]
    assert uas.corpus.margin([]) == uas.corpus.margin([[0, 0, 4]]) == 0
    with pytest.raises(
        RecordError, match="uas: the record has 1 turns, what it is compared with has 2"
    ):
        uas.score([[GOLD]], [[GOLD, GOLD]])


def test_sentences_of_a_turn_have_heads_of_their_own():
    both = said(("Go", 0, "root"), ("now", 1, "advmod"), ("Stop", 0, "root"), ("here", 1, "advmod"))
    for token, sent in zip(both["tokens"], (1, 1, 2, 2), strict=True):
        token["sent"] = sent
    whole = said(
        ("Go", 0, "root"), ("now", 1, "advmod"), ("Stop", 1, "root"), ("here", 3, "advmod")
    )
    assert uas.score([[whole]], [[both]]) == [3 / 4]


@pytest.mark.parametrize(
    "share, margin",
    [
        (75.87, 2.21),
        (68.97, 2.39),
        (84.80, 1.85),
        (78.10, 2.14),
        (77.27, 2.16),
        (85.84, 1.80),
        (62.97, 2.49),
    ],
)
def test_the_margin_of_error_of_the_paper(share: float, margin: float):
    """Table 3 of "Cross-lingual Transfer Learning for Javanese Dependency Parsing", for a tenth of 14,343 words."""
    found = 100 * attachment.margin([[share / 100 * 1440, 1440, 1440]])
    assert found == pytest.approx(margin, abs=0.0101)


def test_after_a_typo_or_a_filler_words_are_matched_in_order():
    def matches(one: str, other: str) -> list[tuple[int, int]]:
        return _alignment.matched(
            *(_alignment.words([{"form": word} for word in text.split()]) for text in (one, other))
        )

    assert matches("I like it", "I liek it") == [(0, 0), (1, 1), (2, 2)]
    assert matches("I like it", "um I um liek it") == [(0, 1), (1, 3), (2, 4)]
    assert matches("cats sat here", "cat sat here") == [(0, 0), (1, 1), (2, 2)]
    assert matches("the big dog", "dog") == [(2, 0)]
    assert matches("a big dog", "a large dog") == [(0, 0), (1, 1), (2, 2)]
    assert matches("do not go", "not going") == [(1, 0), (2, 1)]
    assert matches("", "a b") == []
    assert matches("a very big cat", "a bigger cat") == [(0, 0), (2, 1), (3, 2)]
    assert matches("a bigger cat", "a very big cat") == [(0, 0), (1, 2), (2, 3)]
    assert matches("then walking over there now", "walked overs thereto") == [
        (1, 0),
        (2, 1),
        (3, 2),
    ]


RECORD = {"id": "a", **GOLD, "gold": GOLD["tokens"]}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"gold": None}, '"gold" beside "tokens" is a list of tokens'),
        ({"gold": [1]}, "is a list of tokens"),
        ({"gold": [token | {"start": 1e308} for token in GOLD["tokens"]]}, "is a list of tokens"),
        (
            {"gold": [{"form": "No", "head": 0}]},
            "^the tokens and what they are compared with are of different texts",
        ),
        (
            {"tokens": [token | {"head": 9} for token in GOLD["tokens"]]},
            "its sentence does not have",
        ),
        ({"tokens": None}, "of different texts"),
        (
            {"tokens": [token | {"head": [2]} for token in GOLD["tokens"]]},
            "/tokens/0/head is a whole number",
        ),
        (
            {"tokens": [token | {"sent": {}} for token in GOLD["tokens"]]},
            "/tokens/0/sent is a whole number",
        ),
        (
            {"gold": [token | {"part": "x"} for token in GOLD["tokens"]]},
            "a head and a sent that are numbers",
        ),
        (
            {"gold": [token | {"part": ["a", "b"]} for token in GOLD["tokens"]]},
            "a head and a sent that are numbers",
        ),
        (
            {"gold": [{**token, "head": None} for token in GOLD["tokens"]]},
            "the tokens to compare with lack head",
        ),
        (
            {"tokens": [{**token, "deprel": None} for token in GOLD["tokens"]]},
            "las needs tokens with head, deprel",
        ),
        ({"gold": [{**token, "deprel": 7} for token in GOLD["tokens"]]}, '"deprel" is a string'),
    ],
)
def test_what_cannot_be_compared_is_told(change: dict, message: str):
    with pytest.raises(RecordError, match=message) as error:
        list(dialtools.score([RECORD | change], metric=["las"]))
    assert error.value.record["id"] == "a"


@pytest.mark.parametrize(
    "edit",
    [
        ["/text", 0, 0, "", "Uh, "],
        ["/text", 0, 7, "She saw", "Uh"],
        ["/text", 0, len(GOLD["text"]), GOLD["text"], "Uh"],
    ],
)
def test_a_text_with_words_that_have_no_token_is_not_scored(edit: list):
    """They would count as none that are wrong: of the words that were put in, the system has none."""
    original = {"id": "a", **GOLD}
    variant = edits.apply(original, [edit])[0] | {"variant": "x:1"}
    with pytest.raises(
        RecordError, match=r'las: "Uh" of "Uh.*" has no token: dt-parse after dt-perturb'
    ):
        list(dialtools.score([original, variant], metric=["las:against=original"]))


def test_turns_are_compared_one_by_one():
    turn = {"speaker": "A", "text": GOLD["text"], "tokens": GOLD["tokens"], "gold": GOLD["tokens"]}
    other = turn | {"tokens": [token | {"head": 0} for token in GOLD["tokens"]]}
    (scored,) = dialtools.score([{"id": 1, "dialogue": [turn, other]}], metric=["uas"])
    assert scored["scores"] == {"uas": 6 / 10}
    with pytest.raises(
        RecordError, match="^the tokens of turn 2 and what they are compared with are of"
    ):
        list(
            dialtools.score(
                [{"id": 1, "dialogue": [turn, other | {"gold": [{"form": "No"}]}]}], metric=["uas"]
            )
        )


@pytest.mark.parametrize("jobs", [1, 2])
def test_sentences_of_a_treebank_that_no_record_has_are_counted(jobs: int, shell, tmp_path):
    """Of the system that has most of them; nothing is said where one has all."""
    words = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\trains\train\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "gold.conllu").write_text(
        "".join(f"# sent_id = {name}\n# text = It rains\n{words}" for name in "abc")
    )
    score = f"dt-score -m uas -m las --against gold.conllu --summary --jobs {jobs}"
    few = shell(f"dt-convert --from conllu gold.conllu -q | head -1 | {score}")
    assert few.err == "dt-score: 2 of 3 sentences of gold.conllu were compared with no record\n"
    both = shell(
        'dt-convert --from conllu gold.conllu -q | jq -c \'., select(.id == "b") + {system: "s"}\' | '
        f"{score}"
    )
    assert both.err == "" and [json.loads(line)["n"] for line in both.out.splitlines()] == [
        3,
        3,
        1,
        1,
    ]
    confused = shell(
        "dt-convert --from conllu gold.conllu -q | head -1 | "
        f"dt-score -m las --against gold.conllu --confusion --jobs {jobs}"
    )
    assert confused.err == few.err and len(confused.out.splitlines()) == 2


def test_a_treebank_is_told_by_what_it_holds(tmp_path):
    """Corrected between a run and its --resume, or between two parts, it was taken for the same."""
    for folder, head in ("a", 0), ("b", 1):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "gold.conllu").write_text(
            f"1\tIt\tit\tPRON\t_\t_\t{head}\troot\t_\t_\n\n"
        )
    one, other = [
        scorers.of(f"las:against={tmp_path / folder}/gold.conllu", "en").signature()
        for folder in "ab"
    ]
    assert one.replace(f"{tmp_path}/a", "") != other.replace(f"{tmp_path}/b", "")


def test_merged_signatures_tell_the_treebank_of_the_run(shell, tmp_path):
    """It may have been edited, or be on another machine, when the parts are merged."""
    words = "1\tIt\tit\tPRON\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "gold.conllu").write_text(
        "".join(f"# sent_id = {name}\n# text = It\n{words}" for name in "abcde")
    )
    score = "dt-score -m las -m upos --against gold.conllu"
    assert shell("dt-convert --from conllu --lang en gold.conllu -o in").status == 0
    whole = shell(f"{score} --summary in").out
    for number in (1, 2):
        assert shell(f"{score} --shard {number}/2 in -o part{number}").status == 0
    (tmp_path / "gold.conllu").write_text(f"# text = It\n{words}")
    assert shell("dt-merge --order in part1 part2 --summary").out == whole
    (tmp_path / "gold.conllu").unlink()
    merged = shell("dt-merge --order in part1 part2 --summary")
    assert (merged.out, merged.status) == (whole, 0) and "|against:gold.conllu-" in whole
