"""dt-select: the best of several outputs."""

import json
from pathlib import Path

import pytest

import dialtools
from dialtools.system.errors import OptionError, RecordError

NBEST = {
    "id": 1,
    "lang": "en",
    "text": "It  rains.",
    "scores": {"old": 1},
    "history": [],
    "prediction": [
        "It rains.",
        "Sun.",
        " Sun. ",
        "…!",
        "",
        "Here is a REWRITE: sun",
        "सूरज",
        "Rain.",
    ],
}


def selected(records: list[dict], **options) -> tuple[list, list]:
    told: list = []
    kept = list(
        dialtools.select(
            records, lambda record, why: told.append((record["prediction"], why)), **options
        )
    )
    return kept, told


def scored(*scores: dict, **more) -> list[dict]:
    return [
        {"id": 1, "prediction": f"p{number}", "variant": f"nbest:{number}", "scores": own, **more}
        for number, own in enumerate(scores, 1)
    ]


def test_explode():
    made, _ = selected([NBEST, {"id": 2, "prediction": "one", "scores": {"x": 1}}], explode=True)
    assert [(record["id"], record.get("variant"), record["prediction"]) for record in made] == [
        *((1, f"nbest:{number}", text) for number, text in enumerate(NBEST["prediction"], 1)),
        (2, None, "one"),
    ]
    assert ["scores" in record for record in made] == [False] * 8 + [True]
    [made, _], _ = selected(
        [{"id": 1, "prediction": ["a", "b"], "statistics": {"bleu": [1]}}], explode=True
    )
    assert "statistics" not in made
    [made, _], _ = selected(
        [{"id": 1, "variant": "names:2", "prediction": ["a", "b"]}], explode=True
    )
    assert made["variant"] == "names:2/nbest:1"


def test_each_output_of_a_list_keeps_its_own_tokens():
    def token(text: str) -> dict:
        return {"form": text, "start": 0, "end": len(text)}

    record = {
        "id": 1,
        "prediction": ["one", "two"],
        "prediction_tokens": [[token("one")], [token("two")]],
    }
    made, _ = selected([record], explode=True)
    assert [one["prediction_tokens"] for one in made] == [[token("one")], [token("two")]]
    for others in ([token("one"), token("two")], [[token("one")], token("two")], [[token("one")]]):
        made, _ = selected([{**record, "prediction_tokens": others}], explode=True)
        assert [one["prediction"] for one in made if "prediction_tokens" not in one] == [
            "one",
            "two",
        ]


def test_drop():
    kept, told = selected(
        [NBEST], explode=True, drop=["repeats", "bare"], echo=["here is a rewrite"]
    )
    assert [record["prediction"] for record in kept] == ["Sun.", "सूरज", "Rain."]
    assert told == [
        ("It rains.", "a repeat of the input"),
        (" Sun. ", "a repeat of another output"),
        ("…!", "bare punctuation"),
        ("", "bare punctuation"),
        ("Here is a REWRITE: sun", "an echo of the prompt"),
    ]
    turns = {"id": 1, "dialogue": [{"speaker": "Ann", "text": "Hi"}], "prediction": "Ann:  Hi"}
    assert selected([turns], drop=["repeats"])[1] == [("Ann:  Hi", "a repeat of the input")]
    assert len(selected([{"id": 1, "prediction": "?"}], drop=["repeats"])[0]) == 1
    kept, told = selected([turns, turns], drop=["bare"])
    assert len(kept) == 2 and not told
    with pytest.raises(RecordError, match="explode=True"):
        selected([NBEST], drop=["bare"])


def test_where_and_rank():
    records = scored(
        {"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 1.0}, {"a": 3.0, "b": 1.0}, {"a": 9.0, "b": None}
    )
    kept, told = selected(records, where="a > 1", rank="a + b")
    # the first of equals
    assert [(record["prediction"], "variant" in record) for record in kept] == [("p2", False)]
    assert told == [("p1", "not a > 1"), ("p4", "no score b, for a + b"), ("p3", "not the best")]
    assert kept[0]["history"][-1]["signature"].startswith("select|keep:a > 1|rank:a + b|v:")
    assert [record["prediction"] for record in selected(records, where="a > 1")[0]] == [
        "p2",
        "p3",
        "p4",
    ]
    assert selected(records[3:], rank="b") == ([], [("p4", "no score b, for b")])


def test_the_first_of_outputs_that_rounding_alone_keeps_apart_is_the_best():
    """ROUGE-1 of both is 1/3 by hand, 0.3333333333333333 and 0.33333333333333337 in floating point."""
    outputs = [
        {"id": 1, "variant": f"nbest:{n}", "reference": "a b", "prediction": text}
        for n, text in enumerate(("a c c c", "a b c c c c c c c c"), 1)
    ]
    records = list(dialtools.score(outputs, metric=["rouge1"]))
    assert len({record["scores"]["rouge1"] for record in records}) == 2
    for order in (records, records[::-1]):
        assert selected(order, rank="rouge1")[0][0]["prediction"] == order[0]["prediction"]
        assert len(selected(order, where="rouge1 >= 1/3")[0]) == 2


def test_variants_have_a_best_each_and_stay_variants():
    records = [
        {
            "id": 1,
            "prediction": f"{variant}{number}",
            "variant": f"{variant}nbest:{number}",
            "scores": {"a": -abs(number - 2)},
        }
        for variant in ("", "names:1/", "names:2/")
        for number in (1, 2, 3)
    ]
    kept, told = selected(records, rank="a")
    assert [(record["prediction"], record.get("variant")) for record in kept] == [
        ("2", None),
        ("names:1/2", "names:1"),
        ("names:2/2", "names:2"),
    ]
    assert len(told) == 6
    # those of one variant stand apart
    mixed = sorted(records, key=lambda record: record["variant"][-1])
    assert [record["prediction"] for record in selected(mixed, rank="a")[0]] == [
        "2",
        "names:1/2",
        "names:2/2",
    ]


def test_variants_keep_their_order():
    """Sorted by their names 10 would come before 2; those of one list need not stand together in the input."""
    names = ["names:2", "names:10", "typo.case:1/nbest:1", "names:1", "typo.case:1/nbest:2"]
    made, _ = selected(
        [{"id": 1, "prediction": "It rains.", "variant": name} for name in names], drop=["bare"]
    )
    assert [record["variant"] for record in made] == [*names[:3], names[4], names[3]]


def test_a_label_that_nobody_scored():
    with pytest.raises(
        RecordError, match=r'no score "blue" \(did you mean bleu\?\); the record has bleu'
    ):
        selected(scored({"bleu": 1.0}), where="blue > 1")
    with pytest.raises(RecordError, match='no score "blue"; the record has none'):
        selected(
            [
                {
                    "id": 1,
                    "prediction": "a",
                    "scores": None,
                    "history": [{"by": "x", "signature": "blue"}],
                }
            ],
            where="blue > 1",
        )
    # dt-score leaves out what has no value
    history = [{"by": "dt-score", "signature": {"blue": "…"}}]
    _, told = selected(scored({"bleu": 1.0}, history=history), where="blue > 1")
    assert told == [("p1", "no score blue, for blue > 1")]
    with pytest.raises(OptionError, match="no expression"):
        selected([], where="blue >")
    # as of a variable that is not set
    for option in ({"where": ""}, {"rank": " "}, {"echo": ["Sun", ""]}):
        with pytest.raises(OptionError, match="no expression|'echo' needs a text"):
            selected([], explode=True, **option)
    with pytest.raises(RecordError, match='the score "bleu" must be a number or null, not "60"'):
        selected(scored({"bleu": "60"}), where="bleu > 1")
    with pytest.raises(RecordError, match='the score "bleu" must be a number or null, not NaN'):
        # no other would be better
        selected(scored({"bleu": float("nan")}, {"bleu": 60}), rank="bleu")


def test_without(tmp_path: Path):
    (tmp_path / "done.jsonl").write_text('{"id": 1}\n{"id": "2"}\n')
    made, told = selected(
        [{"id": number, "text": "x", "prediction": "y"} for number in (1, 3, "2")],
        without=str(tmp_path / "done.jsonl"),
    )
    assert [record["id"] for record in made] == [3] and all(
        "history" not in record for record in made
    )
    assert [why for _, why in told] == ["in --without"] * 2


def test_without_ids_that_cannot_be_compared(tmp_path: Path):
    """A table makes strings of ids; a file without ids would leave nothing out but by its line numbers."""
    (tmp_path / "done.jsonl").write_text('{"id": 1}\n{"id": "2"}\n')
    (tmp_path / "no.jsonl").write_text('{"id": 1}\n{"reference": "x"}\n')
    for id, here, there in ((2, "an integer", "a string"), ("1", "a string", "an integer")):
        with pytest.raises(
            RecordError, match=f"'without' has the same id, but it is {here} here and {there} there"
        ):
            selected([{"id": id, "text": "x"}], without=str(tmp_path / "done.jsonl"))
    with pytest.raises(RecordError, match="no.jsonl:2: no \"id\", which 'without' needs"):
        selected([{"id": 1, "text": "x"}], without=str(tmp_path / "no.jsonl"))


def test_an_expression_that_leaves_out_is_said_as_it_was_typed(shell):
    """With its _ as spaces it named no metric, and no file."""
    done = shell(
        """echo '{"id": 1, "prediction": "a", "scores": {"macro_f1": 0}}' | dt-select --where 'macro_f1 > 0'"""
    )
    assert (
        done.err.splitlines()[-1] == "dt-select: 0 records, 1 record left out (1 not macro_f1 > 0)"
    )


def test_what_is_left_out_is_listed(tmp_path: Path, shell):
    dialtools.write([NBEST], tmp_path / "in.jsonl")
    done = shell("dt-select --explode --drop bare --rejected no.jsonl in.jsonl")
    assert done.err == "dt-select: 6 records, 2 records left out (2 bare punctuation)\n"
    assert done.out.count("\n") == 6
    listed = [json.loads(line) for line in (tmp_path / "no.jsonl").read_text().splitlines()]
    assert [(record["variant"], record["rejected"]) for record in listed] == [
        ("nbest:4", "bare punctuation"),
        ("nbest:5", "bare punctuation"),
    ]
