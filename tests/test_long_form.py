"""examples/simultaneous: sentences m to n, alignment latency, the block-wise beam, talks cut while they are heard."""

import json
import random
import re
import runpy
import shutil

import pytest
from conftest import ROOT

import dialtools

HOME = ROOT / "examples" / "simultaneous"
sentences, words, blockwise, lagging = (
    runpy.run_path(str(HOME / f"{name}.py"))
    for name in ("sentences", "words", "blockwise", "lagging")
)


@pytest.mark.parametrize("seed", range(4))
def test_groups_by_length_are_those_of_nltk(seed: int):
    gale_church = pytest.importorskip("nltk.translate.gale_church")
    rng = random.Random(seed)
    references = [rng.randint(5, 60) for _ in range(rng.randint(3, 9))]
    hypotheses = [
        max(1, length + rng.randint(-9, 9)) for length in references if rng.random() < 0.8
    ]
    hypotheses[1:1] = [rng.randint(5, 60)]

    def cost(reference: str, hypothesis: str) -> float:
        return sentences["by_length"](reference.replace(" ", ""), hypothesis.replace(" ", ""))

    texts = [["x" * length for length in side] for side in (references, hypotheses)]
    pairs = {(m, n) for ms, ns in sentences["groups"](*texts, cost) for m in ms for n in ns}
    assert pairs == set(gale_church.align_blocks(references, hypotheses))


def test_a_talk_in_groups_by_words():
    """The second and third sentence were written as one, and one was made up."""
    talk = {
        "id": "t",
        "prediction": "we go home. it rained and we stayed there until ten. thank you very much. the boats leave.",
        "delays": [
            10,
            20,
            30,
            110,
            120,
            130,
            140,
            150,
            160,
            190,
            200,
            210,
            220,
            230,
            240,
            320,
            330,
            340,
        ],
        "segments": [
            {"reference": text, "source_length": 100}
            for text in (
                "we go home.",
                "it rained.",
                "we stayed there until ten.",
                "the boats leave.",
            )
        ],
    }
    made, extra = sentences["records"](talk, sentences["by_words"])
    assert [(one["prediction"], one["reference"]) for one in made] == [
        ("we go home.", "we go home."),
        (
            "it rained and we stayed there until ten. thank you very much.",
            "it rained. we stayed there until ten.",
        ),
        ("the boats leave.", "the boats leave."),
    ]
    assert extra == 0  # two and two are one group
    assert [one["source_length"] for one in made] == [100, 200, 100]
    assert made[1]["delays"] == [10, 20, 30, 40, 50, 60, 90, 100, 110, 120, 130, 140]
    assert made[2]["delays"] == [20, 30, 40]
    talk |= {
        "prediction": "we go home. x y. z w. u v.",
        "delays": [1] * 9,
        "segments": talk["segments"][:1],
    }
    (one,), extra = sentences["records"](talk, sentences["by_words"])
    assert one["prediction"] == talk["prediction"] and extra > 0


def test_a_character_is_a_word_where_there_are_no_spaces():
    """Five characters go with the first reference and four with the second, with their delays."""
    talk = {
        "id": "t",
        "lang": "zh",
        "prediction": "我们回家。下雨了。",
        "delays": [10, 20, 30, 40, 50, 110, 120, 130, 140],
        "segments": [
            {"reference": text, "source_length": 100} for text in ("我们回家。", "下大雨了。")
        ],
    }
    for cost in sentences["by_words"], sentences["by_length"]:
        parts, extra = sentences["records"](talk, cost)
        assert [(part["prediction"], part["delays"]) for part in parts] == [
            ("我们回家。", [10, 20, 30, 40, 50]),
            ("下雨了。", [10, 20, 30, 40]),
        ]
        assert extra == 0
    assert sentences["sentences"]("他说：“好。”我们走了！真的？！走") == [
        "他说：“好。”",
        "我们走了！",
        "真的？！",
        "走",
    ]
    assert sentences["sentences"]("It is 3.5 km. We go.") == ["It is 3.5 km.", "We go."]


@pytest.mark.parametrize(
    "lang, text, prediction, links",
    [
        ("zh", "we go", "我去", "0-0 1-1"),
        ("en", "我去", "we go", "0-0 1-1"),
        ("en", "wir gehen", "we go", "0-0 1-1"),
    ],
)
def test_characters_are_aligned_where_there_are_no_spaces(
    shell, lang: str, text: str, prediction: str, links: str
):
    record = {"id": 1, "lang": lang, "text": text, "ends": [1, 2], "prediction": prediction}
    result = shell(f"python3 words.py <<< '{json.dumps(record)}'", cwd=HOME)
    assert json.loads(result.out)["alignment"] == links, result.err
    record["ends"] = [1] * 20
    assert "20 ends for" in shell(f"python3 words.py <<< '{json.dumps(record)}'", cwd=HOME).err


def test_alignment_latency_by_hand():
    """Words at 900, 1400 and 2100 of source words that ended at 800, 2000 and 1000; the fourth has no link."""
    score = lagging["score"]
    assert score([[900, 1400, 2100, 2200]], [[800, 1000, 2000]], ["0-0 2-1 1-2"]) == [
        pytest.approx((100 - 600 + 1100) / 3)
    ]
    assert score([[900]], [[800]], [""]) == [None]


def test_translations_of_words_are_those_of_model_1(monkeypatch):
    """Koehn 2010, Statistical machine translation, figure 4.4: the table after three rounds."""
    pairs = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book")]
    monkeypatch.setitem(words["learn"].__globals__, "ROUNDS", 3)
    monkeypatch.setitem(words["near"].__globals__, "DIAGONAL", 0.0)
    table = words["learn"]([(source.split(), target.split()) for source, target in pairs])
    for (source, target), p in {
        ("das", "the"): 0.7479,
        ("das", "book"): 0.1208,
        ("das", "house"): 0.1313,
        ("buch", "book"): 0.7479,
    }.items():
        assert table[source, target] == pytest.approx(p, abs=5e-5)


# Tokens 1 to 5 are words and 0 is the end: after nothing comes 1 or 2; the way by 1 repeats itself, that by 2 does not.
PAPER = {
    (): [(1, -0.5), (2, -0.6)],
    (1,): [(1, -0.5), (3, -3.0)],
    (2,): [(4, -0.1), (0, -2.0)],
    (2, 4): [(5, -0.1), (0, -2.0)],
    (2, 4, 5): [(0, -0.1), (5, -3.0)],
}


@pytest.mark.parametrize(
    "stop, last, best",
    [
        # 1 says itself again at once, and the search ends with the best of one token
        ("all", False, [1]),
        # it alone ends, with (-0.5 - 0.5) / 2; the other goes on to its end, with (-0.6 - 0.1 - 0.1 - 0.1) / 4
        ("one", False, [2, 4, 5]),
        # the source has ended: 1 1 may be right, with (-0.5 - 0.5 - 0.1) / 3
        ("all", True, [2, 4, 5]),
    ],
)
def test_a_beam_by_hand(stop: str, last: bool, best: list[int]):
    def following(tokens: list[int]) -> list[tuple[int, float]]:
        return PAPER.get(tuple(tokens), [(0, -0.1), (5, -5.0)])

    found = blockwise["search"](following, [], 0, beams=2, last=last, stop=stop, most=9)
    assert found == best


def test_what_is_written_after_each_block():
    """Of translations 1 2 3, then 1 2 4 5, then the end: agreement, and all but the last two tokens."""
    best = {2: [1, 2, 3], 4: [1, 2, 4, 5], 5: [1, 2, 4, 5, 6]}

    def find(read: list[str], written: list[int], last: bool) -> list[int]:
        return best[len(read)]

    def run(policy: str, cut: bool = False) -> list:
        way = blockwise["steps"](
            ["w"] * 5, find, lambda tokens: "", block=2, policy=policy, n=2, cut=cut
        )
        return list(way)

    assert run("local-agreement") == [(2, []), (4, [1, 2]), (5, [1, 2, 4, 5, 6])]
    assert run("hold-n") == [(2, [1]), (4, [1, 2]), (5, [1, 2, 4, 5, 6])]


@pytest.mark.parametrize("context, asked", [(False, ("ij", [])), (True, ("efghij", [3, 4]))])
def test_a_sentence_end_that_is_written_ends_a_segment(context: bool, asked: tuple):
    """After four words "Yes." is written, after eight "No.": the last two are read alone, or after that one."""
    sentences, seen = {"a": [1, 2], "e": [3, 4], "i": [5]}, []

    def find(read: list[str], written: list[int], last: bool) -> list[int]:
        seen.append(("".join(read), written))
        return [token for word, tokens in sentences.items() if word in read for token in tokens]

    text = {(): "", (1, 2): "Yes.", (3, 4): "No.", (5,): "Oh"}
    way = blockwise["steps"](
        list("abcdefghij"),
        find,
        lambda tokens: text[tuple(tokens)],
        block=2,
        policy="local-agreement",
        n=0,
        cut=True,
        context=context,
    )
    assert [written for _, written in way] == [[], [1, 2], [1, 2], [1, 2, 3, 4], [1, 2, 3, 4, 5]]
    assert seen[-1] == asked


@pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
def test_a_talk_is_cut_at_pauses_and_put_together(shell, tmp_path):
    """Words of 100 ms, a pause of 600 after the second: it is known as one 500 ms after the word."""
    begins = [0, 100, 800, 900]
    talk = {
        "id": "t",
        "lang": "en",
        "target": "de",
        "words": [{"word": f"w{n}", "begin": at, "end": at + 100} for n, at in enumerate(begins)],
        "segments": [{"reference": "A b", "start": 0, "source_length": 200}],
    }
    file = tmp_path / "talks.jsonl"
    file.write_text(json.dumps(talk) + "\n")
    cut = shell(f"jq -c --arg rule pause --argjson size 500 -f segments.jq {file}", cwd=HOME)
    parts = [json.loads(line) for line in cut.out.splitlines()]
    assert [(part["text"], part["ends"], part["known"]) for part in parts] == [
        ("w0 w1", [100, 200], 700),
        ("w2 w3", [900, 1000], 1000),
    ]
    done = [
        {**parts[0], "prediction": "A b", "delays": [1, 2]},
        {**parts[1], "prediction": "c", "delays": [1]},
    ]
    lines = "\n".join(map(json.dumps, done))
    result = shell(
        f"jq -sc --arg name x --slurpfile talks {file} -f talk.jq <<'END'\n{lines}\nEND", cwd=HOME
    )
    made = json.loads(result.out)
    assert (made["prediction"], made["delays"], made["lang"]) == ("A b\nc", [100, 700, 900], "de")


@pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
def test_metrics_agree_with_people_as_far_as_scipy_says(shell, tmp_path):
    """Nine made-up ratings of the three logs, against BLEU and AL of each sentence."""
    stats = pytest.importorskip("scipy.stats")
    human = {"early": [3, 4, 5], "late": [5, 5, 4], "wordy": [1, 2, 2]}
    ratings = tmp_path / "ratings.jsonl"
    ratings.write_text(
        "".join(
            json.dumps({"id": number, "system": system, "human": rating}) + "\n"
            for system, row in human.items()
            for number, rating in enumerate(row)
        )
    )
    line = f"make -s MODEL= OUT={tmp_path} RATINGS={ratings} QUALITY='-m bleu' LATENCY='-m al'"
    result = shell(f"{line} {tmp_path}/people.txt", cwd=HOME)
    assert result.status == 0, result.err
    found = re.findall(
        r"^(bleu|al) +human +(-?[\d.]+)", (tmp_path / "people.txt").read_text(), re.M
    )
    logs = map(json.loads, (tmp_path / "logs.jsonl").read_text().splitlines())
    scored = list(
        dialtools.score([one for one in logs if one["system"] in human], metric=["bleu", "al"])
    )
    rated = [human[one["system"]][one["id"]] for one in scored]
    for metric, r in found:
        values = [one["scores"][metric] for one in scored]
        assert float(r) == pytest.approx(stats.pearsonr(values, rated).statistic, abs=0.00501)
    assert [metric for metric, _ in found] == ["bleu", "al"]
