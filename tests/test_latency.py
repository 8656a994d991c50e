"""Latency by hand; parts of a running translation by trying all cuts.

al, laal, dal and atd were compared with the classes of SimulEval 1.1.4 on 20,000 random records: they
are equal to 1e-9.  Talks of dt-resegment --stream were compared with stream_laal.py of FBK-fairseq on 400
random talks, given the same cuts.
"""

import itertools
import random

import pytest
from rapidfuzz.distance import Levenshtein

import dialtools
from dialtools.metrics.latency import al, atd, dal, laal
from dialtools.system.errors import OptionError, RecordError
from dialtools.text.resegmenting import cuts


def words(number: int) -> str:
    return " ".join("w" * number)


# Delays, length of the source, words of the reference; AL, LAAL, DAL.
@pytest.mark.parametrize(
    "delays, source, reference, lags",
    [
        # Wait three: 3 - 0, 4 - 1, 5 - 2, 6 - 3; then the source is over.  DAL: 3, 4, 5, 6, 7, 8 minus
        # 0 to 5.
        ([3, 4, 5, 6, 6, 6], 6, 6, (3, 3, 3)),
        # All at the end: only the first counts.  DAL: 4, 5, 6, 7 minus 0 to 3.
        ([4, 4, 4, 4], 4, 4, (4, 4, 4)),
        # Twice as many as the reference: AL steps by 4/2: 1 - 0, 2 - 2, 3 - 4, 4 - 6; LAAL by 4/4: 1
        # each.
        ([1, 2, 3, 4], 4, 2, (-0.5, 1, 1)),
        # Half as many: AL and LAAL step by 4/4: 2 - 0, 4 - 1; DAL by 4/2: 2 - 0, 4 - 2.
        ([2, 4], 4, 4, (2.5, 2.5, 2)),
        # In milliseconds: steps of 750: 1000, 2000 - 750, 3000 - 1500, of which the last is the end.
        # DAL: 1000 each.
        ([1000, 2000, 3000], 3000, 4, (1250, 1250, 1000)),
        # By leaps: 1, 1 - 1, 4 - 2.  DAL: 1, 2 - 1, 4 - 2, 5 - 3.
        ([1, 1, 4, 4], 4, 4, (1, 1, 1.5)),
        # Of two words, of which the reference has four: 1, 4 - 1.  DAL by steps of 4/2: 1, 4 - 2.
        ([1, 4], 4, 4, (2, 2, 1.5)),
        # The first after the end (with time for computing): AL and LAAL are its delay.  DAL: 5, 5 + 2
        # minus 0, 2.
        ([5, 6], 4, 2, (5, 5, 5)),
    ],
)
def test_lags_by_hand(delays: list, source: float, reference: int, lags: tuple):
    columns = [words(len(delays))], [[words(reference)]], [delays], [source]
    assert (al.score(*columns)[0], laal.score(*columns)[0]) == lags[:2]
    assert dal.score(columns[0], *columns[2:])[0] == pytest.approx(lags[2])


@pytest.mark.parametrize(
    "delays, tokens",
    [
        ([2, 3, 4, 4], 2.0),  # words end at 3, 4, 5, 6, source words at 1, 2, 3, 4
        ([4, 4, 4, 4], 4.0),  # 5 - 1, 6 - 2, 7 - 3, 8 - 4
        # 2 - 1, 3 - 1 as one word had been read; then one was ahead: 5 - 2, 6 - 3
        ([1, 1, 4, 4], 2.25),
        ([0, 1], 1.0),  # nothing had been read: 1 - 0; then 2 - 1
    ],
)
def test_token_delay_by_hand(delays: list, tokens: float):
    assert atd.score([words(len(delays))], [delays]) == [tokens]


def test_token_delay_of_speech():
    """Of SimulEval 1.1.4, without and with computing time; by hand: 1000 - 300, 1000 - 600, 2300 - 900."""
    delays, elapsed = [[1000, 1000, 2300]], [[1200, 1300, 2900]]
    assert atd.score([words(3)], delays, speech=True) == [pytest.approx(2500 / 3)]
    assert atd.score([words(3)], delays, elapsed, speech=True, aware=True) == [pytest.approx(1100)]
    unmeasured = atd.score([words(3)], delays, [[0, 0, 0]], speech=True, aware=True)
    assert unmeasured == [pytest.approx(2500 / 3)]
    # 600 - 300, 10**12 - 600; without a place for each word
    assert atd.score([words(2)], [[600, 10**12]], speech=True) == [(10**12 - 300) / 2]
    assert atd.score(["", "我 们"], [[], [1, 2]], unit="char") == [None, 1]


@pytest.mark.parametrize(
    "metric, change, message",
    [
        ("atd", {"delays": [0.5, 2]}, "else speech="),
        ("atd", {"delays": [640, 1280]}, "up to 1280: milliseconds"),
        ("atd:speech=yes", {"delays": [-5, 2]}, "milliseconds from 0"),
        ("atd", {"delays": [2, 1]}, "shorter than the one before"),
        ("atd:speech=yes,aware=yes", {"elapsed": [1]}, "1 numbers are elapsed, and 2 delays"),
        ("atd:speech=yes,aware=yes", {"elapsed": "1 2"}, '"elapsed" is a list'),
        ("atd:speech=yes,aware=yes", {}, 'no "elapsed"'),
    ],
)
def test_what_has_no_token_delay(metric: str, change: dict, message: str):
    record = {"id": 1, "prediction": "a b", "delays": [1, 2]} | change
    with pytest.raises(RecordError, match=message):
        list(dialtools.score([record], metric=[metric]))


def test_computing_time_is_for_speech():
    with pytest.raises(OptionError, match="aware=yes is for speech=yes"):
        atd.score(["a"], [[1]], [[2]], aware=True)


def test_a_stream_has_streamlaal():
    """The numbers are those of stream_laal.py 2.0: the fifth and sixth word were written at once, the
    sixth before its segment began, and computing took 100, 0, 100, 150, 150, 0, 300, 200 ms.
    """
    talk = {
        "id": "t",
        "prediction": "we go home it rained we stayed there",
        "delays": [900, 900, 1500, 2100, 2600, 2600, 3900, 4400],
        "elapsed": [1000, 1000, 1700, 2450, 3100, 3100, 4700, 5400],
        "segments": [
            {"reference": "we go home", "start": 0, "source_length": 1400},
            {"reference": "it rained", "start": 1600, "source_length": 1000},
            {"reference": "we stayed there", "start": 2700, "source_length": 1500},
        ],
    }
    parts = list(dialtools.resegment([talk], stream=True))
    assert [part["delays"] for part in parts] == [[900, 900, 1500], [500, 1000], [0, 1200, 1700]]
    assert [part["elapsed"] for part in parts] == [
        [1000, 1000, 1600],
        [650, 1150],
        [50, 1500, 1900],
    ]
    for metric, expected in (("laal", 533.3333333333334), ("laal:aware=yes", 636.1111111111111)):
        (result,) = dialtools.score(parts, metric=[metric], summary=True)
        assert result["mean"] == pytest.approx(expected, abs=1e-9)
    (part, *_) = dialtools.resegment([talk | {"elapsed": None}], stream=True)
    assert "elapsed" not in part and "stream:yes" in part["history"][-1]["signature"]
    with pytest.raises(RecordError, match='no "delays", which'):
        list(
            dialtools.resegment(
                [{"id": 1, "prediction": "a", "segments": talk["segments"]}], stream=True
            )
        )


def test_computing_time_of_a_stream_may_decrease():
    """The first word has what computing took since the talk began."""
    columns = ["a b"], [["a b"]], [[900, 400]], [1000]
    assert laal.score(*columns, aware=True) == [pytest.approx((900 + 400 - 500) / 2)]


def test_several_references_and_characters():
    found = al.score(
        ["我们去", "a b"],
        [["我 去了"], ["w x", "w x y z"]],
        [[1, 2, 3], [2, 4]],
        [3, 4],
        unit="char",
    )
    assert found[0] == 1 and found[1] == pytest.approx(((2 + 2) / 2 + (2 + 3) / 2) / 2)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"delays": [1]}, "1 delays for 2 words"),
        ({"delays": [2, 1]}, "shorter than the one before"),
        ({"delays": [1, 3, 2], "prediction": "a b c"}, "shorter than the one before"),
        ({"delays": {"1": 2}}, "of numbers"),
        ({"reference": ["a b", " "]}, "no reference with words"),
        ({"delays": [1, None]}, "list of numbers"),
        ({"delays": "1 2"}, "list of numbers"),
        ({"delays": [True, 2]}, "list of numbers"),
        ({"source_length": 0}, "above 0"),
        ({"source_length": "6"}, "above 0"),
        ({"source_length": None}, 'no "source_length"'),
        ({"reference": ""}, "no reference with words"),
        ({"prediction": "你们", "delays": [1, 2]}, "unit=char"),
        ({"reference": None}, "holds nothing to compare with"),
    ],
)
def test_what_has_no_latency_is_told(change: dict, message: str):
    record = {
        "id": 1,
        "prediction": "a b",
        "reference": "c d",
        "delays": [1, 2],
        "source_length": 2,
    }
    assert next(dialtools.score([record], metric=["al"]))["scores"] == {"al": 1}
    with pytest.raises(RecordError, match=message):
        list(dialtools.score([record | change], metric=["al"]))


def test_the_cuts_are_those_with_the_fewest_changes():
    """All cuts of short texts."""
    rng = random.Random(3)
    for _ in range(400):
        said = rng.choices("abcd", k=rng.randrange(8))
        wanted = [rng.choices("abcd", k=rng.randrange(4)) for _ in range(rng.randint(1, 3))]
        parts = cuts(said, wanted)
        assert [at for part in parts for at in part] == sorted(at for part in parts for at in part)
        assert (parts[0][0], parts[-1][1], len(parts)) == (0, len(said), len(wanted))
        assert all(one[1] == other[0] for one, other in itertools.pairwise(parts))
        best = min(
            changes(said, wanted, list(itertools.pairwise([0, *middle, len(said)])))
            for middle in itertools.combinations_with_replacement(
                range(len(said) + 1), len(wanted) - 1
            )
        )
        assert changes(said, wanted, parts) == best


def changes(said: list[str], wanted: list[list[str]], parts: list[tuple[int, int]]) -> int:
    return sum(
        Levenshtein.distance(said[first:last], own)
        for (first, last), own in zip(parts, wanted, strict=True)
    )


def test_words_that_nobody_said_go_with_the_part_before():
    assert cuts("uh a b um c d er".split(), [["a", "b"], ["c", "d"]]) == [(0, 4), (4, 7)]
    assert cuts(["A", "B"], [[], ["a", "b"], []]) == [(0, 0), (0, 2), (2, 2)]
    assert cuts(["um", "a", "b"], [[], ["a", "b"]]) == [(0, 1), (1, 3)]
    assert cuts([], [["a"], ["b"]]) == [(0, 0), (0, 0)]


def test_a_talk_of_ten_thousand_words_keeps_all_its_words():
    rng = random.Random(1)
    sentences = [
        " ".join(rng.choices(["go", "we", "on", "it", "so", "up"], k=20)) for _ in range(500)
    ]
    heard = " ".join(
        word for sentence in sentences for word in sentence.split() if rng.random() < 0.9
    )
    record = {
        "id": "t",
        "prediction": heard,
        "segments": [{"reference": sentence} for sentence in sentences],
    }
    parts = list(dialtools.resegment([record]))
    assert (
        " ".join(part["prediction"] for part in parts if part["prediction"]) == heard
        and len(parts) == 500
    )


def test_what_was_said_of_the_talk_is_not_said_of_its_parts():
    token = {"form": "go", "start": 0, "end": 2}
    talk = {
        "id": "t",
        "prediction": "go on",
        "prediction_tokens": [token],
        "reference": "Go on",
        "scores": {"x": 1.0},
        "statistics": {"x": [1]},
        "reference_tokens": [token],
        "segments": [{"reference": "Go", "speaker": "A"}, {"reference": "on"}],
    }
    made = [
        {key: value for key, value in part.items() if key not in ("history", "lang")}
        for part in dialtools.resegment([talk])
    ]
    assert made == [
        {"id": "t-1", "cluster": "t", "prediction": "go", "reference": "Go", "speaker": "A"},
        {"id": "t-2", "cluster": "t", "prediction": "on", "reference": "on"},
    ]


def test_delays_of_a_talk_are_numbers():
    talk = {
        "id": 1,
        "prediction": "go on",
        "delays": [True, 2],
        "segments": [{"reference": "Go on", "start": 0}],
    }
    with pytest.raises(RecordError, match=r'"delays" must be a list of numbers, not \[true, 2\]'):
        list(dialtools.resegment([talk]))
