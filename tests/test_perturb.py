"""dt-perturb as a whole: families, presets, chains, undo, --require-change, what the history measures, bad input."""

import json
import re
import time
from types import SimpleNamespace

import pytest
import samples
from conftest import ROOT
from table_tests import each_row

import dialtools
from dialtools.plugins import registry
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, history
from dialtools.system import terminal
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.variants import draws, kinds

BOTH = ["typo.case", "dialogue.greeting"]


def shout(record: dict, rng) -> list[list]:
    """Put the first letter of each text into capitals."""
    found = ((pointer, holder["text"][:1]) for pointer, holder in dialogue.utterances(record))
    return [
        [pointer, 0, 1, letter, letter.upper(), "louder"]
        for pointer, letter in found
        if letter.islower()
    ]


def first(made) -> dict:
    return next(iter(made))


def one(text: str, **more: object) -> list[dict]:
    return [{"id": "1", "lang": "en", "text": text} | more]


def test_each_kind_makes_one_variant_and_a_chain_makes_one_of_all():
    records = samples.records(15)
    apart = list(dialtools.perturb(records, kind=BOTH, keep_original=True))
    assert [record.get("variant") for record in apart[:3]] == [
        None,
        "typo.case:1",
        "dialogue.greeting:1",
    ]
    chained = list(dialtools.perturb(records, kind=BOTH, chain=True))
    assert [record["variant"] for record in chained] == ["typo.case:1/dialogue.greeting:1"] * 15


def test_a_chain_makes_what_a_pipe_makes():
    """But for the history, which says which steps belong together."""
    records = samples.records(15)
    chained = list(dialtools.perturb(records, kind=BOTH, chain=True, seed=5))
    piped = list(
        dialtools.perturb(dialtools.perturb(records, kind=BOTH[:1], seed=5), kind=BOTH[1:], seed=5)
    )
    assert [record | {"history": []} for record in chained] == [
        record | {"history": []} for record in piped
    ]
    assert [entry["step"] for entry in chained[0]["history"]] == [[1, 2], [2, 2]]
    assert [
        {key: entry[key] for key in entry if key != "step"} for entry in chained[0]["history"]
    ] == piped[0]["history"]


def test_a_text_that_has_lost_a_token_is_changed_again_and_undone():
    words = (
        ("Go", 0, 2, "VERB", 0),
        (",", 2, 3, "PUNCT", 1),
        ("now", 4, 7, "ADV", 1),
        (".", 7, 8, "PUNCT", 1),
    )
    records = one(
        "Go, now.",
        tokens=[
            {
                "form": form,
                "start": start,
                "end": end,
                "lemma": form,
                "upos": upos,
                "head": head,
                "sent": 1,
            }
            for form, start, end, upos, head in words
        ],
    )
    made = list(
        dialtools.perturb(
            records, kind=["typo.punctuation:rate=1", "typo.whitespace:rate=1"], chain=True
        )
    )
    kept = [(token["form"], token["start"], token["head"]) for token in made[0]["tokens"]]
    assert kept == [("Go", 0, 0), ("now", 2, 1)]
    again = list(dialtools.perturb(made, kind=["typo.case:rate=1"]))
    back = list(dialtools.perturb(dialtools.perturb(again, restore=True), restore=True))
    assert [(record["text"], record["tokens"]) for record in back] == [
        ("Go, now.", records[0]["tokens"])
    ]


def test_what_came_in_the_place_of_several_tokens_has_none_and_the_next_kind_goes_on():
    """By hand: it's is heard as its, which leaves "a" and "cat" of four tokens, and of the other turn none."""

    def turn(*words: tuple[str, int, str, int]) -> dict:
        return {
            "speaker": "A",
            "text": "it's a cat"[: words[-1][1] + len(words[-1][0])],
            "tokens": [
                {
                    "form": form,
                    "start": start,
                    "end": start + len(form),
                    "upos": upos,
                    "lemma": form,
                    "head": head,
                    "sent": 1,
                }
                for form, start, upos, head in words
            ],
        }

    its = ("it", 0, "PRON", 4), ("'s", 2, "AUX", 4)
    record = {
        "id": 1,
        "lang": "en",
        "dialogue": [
            turn(*its, ("a", 5, "DET", 4), ("cat", 7, "NOUN", 0)),
            turn(("it", 0, "PRON", 0), ("'s", 2, "AUX", 1)),
        ],
    }
    heard = first(dialtools.perturb([record], kind=["asr.homophone:rate=1"]))
    assert [said["text"] for said in heard["dialogue"]] == ["its a cat", "its"]
    assert [
        [(token["form"], token["start"], token["head"]) for token in said["tokens"]]
        for said in heard["dialogue"]
    ] == [[("a", 4, 2), ("cat", 6, 0)], []]
    again = first(dialtools.perturb([heard], kind=["variation.inflection:rate=1"]))
    assert [said["text"] for said in again["dialogue"]] == ["its a cats", "its"]
    back = first(dialtools.perturb(dialtools.perturb([again], restore=True), restore=True))
    assert back["dialogue"] == record["dialogue"]


def test_variants_of_a_chain_differ():
    made = list(dialtools.perturb(samples.records(5), kind=BOTH, chain=True, variants=3))
    told = {json.dumps([record["id"], record["dialogue"]]) for record in made}
    assert len(told) == len(made) == 15 and made[2]["variant"] == "typo.case:3/dialogue.greeting:3"


def test_a_family_is_its_members_and_says_what_it_left_out(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "lang": "ko", "text": "안녕 hello"}\n')
    made = shell("dt-perturb -k typo in.jsonl")
    members = kinds.families()["typo"]
    left = [
        name for name in members if "ko" not in kinds.langs(registry.load("perturbations", name))
    ]
    variants = [json.loads(line)["variant"] for line in made.out.splitlines()]
    assert variants == [f"{name}:1" for name in members if name not in left] and left
    assert all(f"1 record without {name}" in made.err for name in left) and made.status == 0
    named = shell(f"dt-perturb -k {left[0]} in.jsonl")
    assert (
        f"in.jsonl:1: {left[0]} is not defined for ko; there are " in named.err
        and named.status == 3
    )
    assert shell(f"dt-perturb -k {left[0]} -q --on-error skip in.jsonl").status == 1


def test_a_family_without_members_in_a_language_is_an_error():
    with pytest.raises(RecordError, match="is not defined for ar; there are en"):
        list(dialtools.perturb(one("مرحبا", lang="ar"), kind=["variation"]))


def test_presets_name_kinds_that_there_are():
    for preset in kinds.PRESETS:
        assert kinds.choose([], preset)
    with pytest.raises(OptionError, match="no preset is called 'papers'; there are paper"):
        kinds.choose([], "papers")


def test_of_a_preset_is_left_out_what_a_record_lacks_the_key_for(monkeypatch):
    """A targeted repetition is like a reference; asked for by its name it is an error where there is none."""
    targeted = "dialogue.repetition:targeted=most"
    monkeypatch.setitem(kinds.PRESETS, "small", ("dialogue.repetition", targeted))
    record = {"id": 1, "lang": "en", "dialogue": "Ann: Where are you?\nBob: At home."}
    with_reference, without = (
        [made["variant"] for made in dialtools.perturb([one], presets="small")]
        for one in (record | {"reference": "Bob is at home."}, record)
    )
    assert len(with_reference) == 2 and without == ["dialogue.repetition:1"]
    (made,) = dialtools.perturb([record], presets="small")
    assert made["history"][-1]["counts"][f"without {targeted}"] == 1
    with pytest.raises(RecordError, match='no "reference"'):
        list(dialtools.perturb([record], kind=[targeted]))


def test_of_a_family_is_left_out_what_a_record_has_no_tokens_for():
    """variation.aave needs features, which these tokens lack; the others do without."""
    record = {
        "id": 1,
        "lang": "en",
        "text": "she is a good friend",
        "tokens": [
            {"form": form, "start": start, "end": start + len(form), "upos": tag, "lemma": form}
            for form, start, tag in (
                ("she", 0, "PRON"),
                ("is", 4, "AUX"),
                ("a", 7, "DET"),
                ("good", 9, "ADJ"),
                ("friend", 14, "NOUN"),
            )
        ],
    }
    for chain in (False, True):
        made = list(dialtools.perturb([record], kind=["variation"], chain=chain))
        # where all is reworded there are no tokens to be lacking anything
        tag, left_out = ([], ["aave", "politeness", "question-tag"])
        if chain:
            tag, left_out = (["question-tag"], ["aave", "politeness"])
        names = ["inflection", "paraphrase", *tag, "spelling", "synonym"]
        assert "/".join(one["variant"] for one in made) == "/".join(
            f"variation.{name}:1" for name in names
        )
        counts = [entry.get("counts") for one in made for entry in one["history"]]
        assert sorted(counts, key=bool) == [
            *[None] * (len(names) - 1),
            {f"without variation.{name}": 1 for name in left_out},
        ]
    with pytest.raises(RecordError, match="variation.aave needs tokens with upos"):
        list(dialtools.perturb([record], kind=["variation.synonym", "variation.aave"]))
    alone, spelt = dialtools.perturb([{**record, "tokens": None}], kind=["variation"])
    assert alone["variant"] == "variation.paraphrase:1"
    assert spelt["variant"] == "variation.spelling:1"
    assert set(alone["history"][0]["counts"]) == {
        f"without variation.{name}"
        for name in ("aave", "inflection", "politeness", "question-tag", "synonym")
    }


def test_of_a_family_is_left_out_what_has_too_few_variants_of_a_record():
    """At rate 1 all that can be contracted is, in one way; of letters that are mistyped there are many."""
    record = {"id": 2, "lang": "en", "text": "I do not know him at all, nor does she know him."}
    made = list(dialtools.perturb([record], kind=["typo"], rate=1.0, variants=2))
    assert not [one for one in made if "contraction" in one["variant"]]
    assert {one["variant"] for one in made} > {"typo.keyboard:1", "typo.keyboard:2"}
    assert made[0]["history"][-1]["counts"]["without typo.contraction"] == 1
    with pytest.raises(RecordError, match="typo.contraction: only 1 of 2 variants can differ"):
        list(
            dialtools.perturb(
                [record], kind=["typo.keyboard", "typo.contraction"], rate=1.0, variants=2
            )
        )
    with pytest.raises(
        RecordError, match="typo.contraction and typo.case:rate=0: only 1 of 2 variants"
    ):
        list(
            dialtools.perturb(
                [record],
                kind=["typo.contraction", "typo.case:rate=0"],
                rate=1.0,
                variants=2,
                chain=True,
            )
        )


@each_row(
    "name, told",
    [
        ("typo.case", "every language; options rate=0.2"),
        ("dialogue.combine", 'every language; needs "dialogue"'),
        ("variation.aave", "en; needs tokens with upos, lemma, feats; options features=…, most=2"),
        (
            "typo.contraction",
            "en, hi, id, ja, jv, zh; options kind=[any]|contract|expand, rate=0.2",
        ),
    ],
)
def test_the_list_tells_what_kinds_need_and_their_options(name: str, told: str):
    assert kinds.about(name) == told


@pytest.mark.parametrize(
    "kind, told",
    [
        ("typo.kyboard", "did you mean typo.keyboard?"),
        ("keyboard", "did you mean typo.keyboard?"),
        ("tipo", "did you mean typo?"),
        ("typo:rate=1", "typo is a family: give options to its members, typo.case"),
        ("typo.case:rat=1", "did you mean rate?"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(shell, kind: str, told: str):
    result = shell(f"dt-perturb -k {kind} < /dev/null")
    assert told in result.err and result.status == 2 and result.err.count("\n") == 1


@pytest.mark.parametrize(
    "options, told",
    [
        ("", "no perturbation given: use -k"),
        ("-k typo.case -k typo.case", "a kind is named twice: typo.case"),
        ("-k typo -k typo.case", "a kind is named twice: typo.case"),
        ("-k typo.case --rate 1.5", "a rate is from 0 to 1"),
        ("-k typo.case --rate nan", "a rate is from 0 to 1"),
        ("-k typo.case:rate=-1", "a rate is from 0 to 1"),
        ("--restore -k typo", "--restore excludes --kind"),
        ("--restore --rate 1", "--restore excludes --rate"),
        ("-k typo --diff --keep-original", "--diff shows changed variants"),
        ("-k exec", "exec: which program?"),
    ],
)
def test_wrong_options_are_usage_errors(shell, options: str, told: str):
    result = shell(f'echo \'{{"id": 1, "lang": "en", "text": "so it is"}}\' | dt-perturb {options}')
    assert told in result.err and result.status == 2 and result.err.count("\n") == 1


def test_the_rate_is_that_of_kinds_which_do_not_say_theirs():
    kind = ["typo.case", "typo.case:rate=0", "dialogue.greeting"]
    loud, quiet, greeted = dialtools.perturb(samples.records(1, ("en",)), kind=kind, rate=1)
    assert "|rate:1|" in loud["history"][0]["signature"] and len(loud["history"][0]["edits"]) > 10
    assert "|rate:0.0|" in quiet["history"][0]["signature"] and not quiet["history"][0]["changed"]
    assert "rate" not in greeted["history"][0]["signature"]


def test_a_program_gets_a_seed_for_each_record_and_variant():
    given = [{"id": number, "lang": "en", "text": "Hi"} for number in (1, 2)]
    program = r"""exec:sed -u -E 's/"Hi"(.*"seed":([0-9]+))/"\2"\1/'"""
    seeds = [made["text"] for made in dialtools.perturb(given, kind=[program], variants=2)]
    assert len({int(seed) for seed in seeds}) == 4
    assert seeds == [made["text"] for made in dialtools.perturb(given, kind=[program], variants=2)]


def test_undo_gives_back_the_input_after_a_chain_and_a_generator(shell, tmp_path):
    records = samples.records(20)
    (tmp_path / "in.jsonl").write_text(samples.lines(records))
    made = shell(
        "dt-perturb -q --chain --variants 2 -k typo.case -k dialogue.greeting -k "
        "dialogue.combine in.jsonl |dt-generate -q -g longest | tee made.jsonl | "
        "dt-perturb --restore -q"
    )
    undone = [json.loads(line) for line in made.out.splitlines()]
    assert made.err == "" and len(undone) == 40
    for number, record in enumerate(undone):
        assert {key: record[key] for key in records[0]} == records[number // 2]
        assert record["prediction"] and [
            entry.get("undoes") for entry in record["history"][-3:]
        ] == [2, 1, 0]
    assert '"dialogue.combine:2"' not in made.out and "/dialogue.combine:2" in made.out


def test_undo_is_of_the_last_run_and_what_was_never_perturbed_stays():
    records = samples.records(4)
    twice = list(
        dialtools.perturb(
            dialtools.perturb(records, kind=["dialogue.greeting"]), kind=["typo.case:rate=1"]
        )
    )
    once = list(dialtools.perturb(twice, restore=True))
    assert all(
        record["dialogue"] != source["dialogue"]
        for record, source in zip(once, records, strict=True)
    )
    back = list(dialtools.perturb(once, restore=True))
    assert [record["dialogue"] for record in back] == [record["dialogue"] for record in records]
    assert list(dialtools.perturb(back, restore=True)) == back
    assert list(dialtools.perturb(records, restore=True)) == records


def test_undo_says_that_there_was_nothing_to_undo(shell):
    result = shell(
        'echo \'{"id": 1, "lang": "en", "text": "so"}\' | tee in.jsonl | dt-perturb --restore'
    )
    assert result.err == "dt-perturb: 1 record, nothing restored: no record holds a perturbation\n"
    assert shell("cat in.jsonl | dt-perturb -q -k typo.case | dt-perturb --restore").err == ""


def test_what_was_changed_later_must_be_undone_first():
    made = list(
        dialtools.swap_names(dialtools.perturb(samples.records(2), kind=["dialogue.greeting"]))
    )
    with pytest.raises(RecordError, match="dt-swap-names changed the record after dt-perturb did"):
        list(dialtools.perturb(made, restore=True))
    restored = list(dialtools.perturb(dialtools.swap_names(made, restore=True), restore=True))
    assert restored[0]["dialogue"] == samples.records(1)[0]["dialogue"]


def test_what_must_change_is_left_out_or_fails(shell, tmp_path):
    records = [
        {"id": number, "lang": "en", "text": text} for number, text in ((1, "so"), (2, "..."))
    ]
    (tmp_path / "in.jsonl").write_text(samples.lines(records))
    line = "dt-perturb -k typo.case:rate=1 in.jsonl"
    assert shell(line).err == "dt-perturb: 2 records, 1 variant unchanged\n"
    skipped = shell(f"{line} --require-change skip --keep-original")
    variants = [json.loads(made).get("variant") for made in skipped.out.splitlines()]
    assert variants == [None, "typo.case%3Arate=1:1", None]
    assert (
        skipped.err == "dt-perturb: 3 records, 1 unchanged variant left out\n"
        and skipped.status == 0
    )
    assert shell(f"{line} --require-change skip --jobs 2 -q").out.count("\n") == 1
    failed = shell(f"{line} --require-change fail")
    assert (
        failed.err
        == "dt-perturb: in.jsonl:2: typo.case:rate=1:1 changes nothing (--require-change fail) (id 2)\n"
    )
    assert failed.status == 3
    for jobs in (1, 2):
        failed = shell(f"{line} --require-change fail --on-error skip --jobs {jobs}")
        assert (
            failed.err.endswith("\ndt-perturb: 1 record, 1 record failed\n") and failed.status == 1
        )
    assert (
        len(list(dialtools.perturb(records, kind=["typo.case:rate=1"], require_change="skip"))) == 1
    )


def test_the_closing_line_counts_what_was_written(shell):
    """What a variant counts is told even where it is left out."""
    line = """echo '{"id": 1, "lang": "ko", "text": "..."}' | dt-perturb -k typo --require-change skip"""
    closing = (
        "1 record without typo.contraction, 1 record without typo.keyboard, "
        "3 unchanged variants left out\n"
    )
    assert shell(f"{line} --jobs 2").err == "dt-perturb: 0 records, " + closing
    assert shell(f"{line} --keep-original").err == "dt-perturb: 1 record, " + closing


def test_a_chain_is_unchanged_where_no_step_changes_anything(shell):
    line = 'echo \'{"id": 1, "lang": "en", "text": "so it is"}\' | dt-perturb --chain -k typo.case:rate='
    assert shell(f"{line}1 -k typo.keyboard:rate=0").err == ""
    assert (
        shell(f"{line}0 -k typo.keyboard:rate=0").err
        == "dt-perturb: 1 record, 1 variant unchanged\n"
    )


def test_side_by_side_shows_all_steps_of_a_chain(shell):
    record = '{"id": 1, "lang": "en", "dialogue": "Ann: so\\nAnn: it is"}'
    result = shell(
        f"echo '{record}' | dt-perturb --diff --chain -k dialogue.combine -k typo.case:rate=1"
    )
    lines = result.out.splitlines()
    assert lines[1].split("|")[1].strip() == "dialogue.combine:1/typo.case:rate=1:1"
    assert [line.split("|")[0].strip() for line in lines[2:4]] == ["[-Ann: so-]", "Ann: [-it is-]"]
    assert lines[3].split("|")[1].lower().split() == ["ann:", "{+so", "it", "is+}"]


@pytest.mark.parametrize(
    "variables, wanted",
    [
        ({}, True),
        ({"TERM": "xterm"}, True),
        ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "0"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_have_them(monkeypatch, variables: dict, wanted: bool):
    """As no-color.org has it: the variable counts where it is not empty, whatever it is."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
    assert terminal.colours() is wanted


def test_notes_and_remarks_stay_in_the_history():
    made = first(dialtools.perturb(one("so"), kind=[shout]))
    assert made["text"] == "So" and made["history"][0]["edits"] == [
        ["/text", 0, 1, "s", "S", "louder"]
    ]
    string = first(dialtools.perturb([{"id": 1, "dialogue": "A: so\nB: no"}], kind=[shout]))
    assert string["history"][0]["edits"] == [
        ["/dialogue", 3, 4, "s", "S", "louder"],
        ["/dialogue", 9, 10, "n", "N", "louder"],
    ]
    assert first(dialtools.perturb([string], restore=True))["dialogue"] == "A: so\nB: no"
    labelled = first(dialtools.perturb([samples.parsed(1, ("en",))[0]], kind=["variation.aave"]))
    assert "synthetic" in labelled["history"][0]["remark"]


@each_row(
    "text, edits, lang, rate, distance",
    [  # by hand
        (
            "see you soon",
            [["/text", 0, 3, "see", "sea"], ["/text", 8, 12, "soon", ""]],
            "en",
            0.6667,
            5,
        ),
        ("明天见", [["/text", 0, 1, "明", "名"]], "zh", 0.3333, 1),
        ("see", [], "en", 0.0, 0),
        ("", [["/text", 0, 0, "", "um"]], "en", None, 2),
    ],
)
def test_how_much_was_changed(text: str, edits: list, lang: str, rate: float, distance: int):
    assert draws.measured({"text": text, "lang": lang}, edits) == {
        "rate": rate,
        "distance": distance,
    }


@each_row(
    "lang, said, rate",
    [("en", ["see you", "soon"], 0.3333), ("zh", ["明天", "见"], 0.3333), ("zh", ["", ""], None)],
)
def test_the_rate_is_of_the_words_or_characters_of_all_turns(
    lang: str, said: list[str], rate: float | None
):
    view = {"lang": lang, "dialogue": [{"speaker": "A", "text": text} for text in said]}
    assert draws.measured(view, [["/dialogue/0/text", 0, 0, "", "x"]])["rate"] == rate


def test_distances_of_long_texts_add_up_as_those_of_short_ones_and_end_where_they_would_take_long():
    long, far = "a" * draws.LONG, draws.FAR
    short = ["/text", 0, 1, "a", "b"]
    assert draws.distance([short, ["/text", 1, 2, long, long + "bc"], short], " ") == 4
    assert draws.distance([["/text", 0, 1, long, long + "b" * far]], " ") == far
    assert draws.distance([short, ["/text", 0, 1, long, long + "b" * (far + 1)]], " ") is None
    assert draws.distance([["/text", 0, 1, "ab", "c"], ["/text", 3, 3, "", "é"]], " ") == 3
    empty = [{"speaker": "A", "text": text} for text in ("a", "", "b")]
    assert draws.distance([["/dialogue", 0, 3, empty, [{"speaker": "A", "text": "a b"}]]], " ") == 0


def test_turns_are_aligned_whatever_the_order_of_the_edits():
    a, b, c = ({"speaker": speaker, "text": "Hi"} for speaker in "ABC")
    edits = [
        ["/dialogue", 2, 3, [a], []],
        ["/dialogue", 0, 1, [a], [b]],
        ["/dialogue", 1, 1, [], [c]],
    ]
    assert draws.alignment(4, edits) == draws.alignment(4, edits[::-1]) == [[0], [2], [], [3]]


def test_variants_that_change_nothing_need_not_differ_whatever_was_changed_before():
    before = first(dialtools.perturb(one("see you"), kind=["typo.case:rate=1"]))
    assert before["text"] != "see you"
    made = list(dialtools.perturb([before], kind=["typo.case:rate=0"], variants=2))
    assert [variant["text"] for variant in made] == [before["text"]] * 2


def test_a_chain_without_as_many_variants_is_an_error_of_the_whole_chain():
    with pytest.raises(
        RecordError, match="^typo.case and typo.contraction and .*: only 1 of 2 variants can differ"
    ):
        list(dialtools.perturb(one("1."), kind=["typo"], chain=True, rate=1, variants=2))


def test_where_the_turns_went_is_told_for_lists_and_strings_alike():
    turns = [
        {"speaker": "A", "text": "one two three four five six"},
        {"speaker": "B", "text": "Hm."},
    ]
    both = [
        {"id": "1", "lang": "en", "dialogue": dialogue}
        for dialogue in (turns, dialogue.text(turns))
    ]
    for kind, wanted, distance in (
        ("dialogue.greeting", [[1], [2]], None),
        ("dialogue.split", [[0, 1], [2]], 0),
    ):
        made = [record["history"][0] for record in dialtools.perturb(both, kind=[kind])]
        assert [entry["turns"] for entry in made] == [wanted, wanted]
        assert made[0]["distance"] == made[1]["distance"] and distance in (
            None,
            made[0]["distance"],
        )


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ({"head": "1"}, '/tokens/0/head is a whole number from 0, here is "1"'),
        ({"feats": {"Number": "Sing"}}, '/tokens/0/feats is a text, here is {"Number": "Sing"}'),
        ({"upos": 1}, "/tokens/0/upos is a text, here is 1"),
    ],
)
def test_tokens_that_are_none_are_an_error(odd: dict, told: str):
    record = {
        "id": 1,
        "text": "hi",
        "tokens": [{"form": "hi", "start": 0, "end": 2, "lemma": None} | odd],
    }
    with pytest.raises(RecordError, match=re.escape(told)):
        list(dialtools.perturb([record], kind=["typo.case"]))


def test_tokens_that_do_not_stand_in_their_text_are_an_error():
    tokens = [{"form": "see", "start": 0, "end": 3}, {"form": "you", "start": 5, "end": 8}]
    with pytest.raises(
        RecordError, match=r'the token "you" does not stand at 5 to 8 of "see you soon"'
    ):
        list(dialtools.perturb(one("see you soon", tokens=tokens), kind=["typo.case"]))
    with pytest.raises(RecordError, match="does not stand at"):
        list(dialtools.perturb(one("see you soon", tokens=tokens[:1] * 2), kind=["typo.case"]))
    turn = {"speaker": "A", "text": "see you soon", "tokens": tokens}
    with pytest.raises(RecordError, match="does not stand at"):
        list(dialtools.perturb([{"id": 1, "lang": "en", "dialogue": [turn]}], kind=["typo.case"]))


def test_tokens_beside_no_text_are_none_of_ours():
    record = {
        "id": 1,
        "lang": "en",
        "dialogue": "Ann: So it is.",
        "tokens": [{"form": "So", "start": 5, "end": 7}],
    }
    (made,) = dialtools.perturb([record], kind=["typo.case:rate=1"])
    assert made["dialogue"] != record["dialogue"] and made["tokens"] == record["tokens"]


def test_what_lacks_annotation_says_which_and_who_makes_it():
    told = "variation.synonym needs tokens with upos, lemma: annotate with dt-parse"
    for tokens in (None, [{"form": "big", "start": 0, "end": 3, "lemma": "big"}]):
        with pytest.raises(RecordError, match=told):
            list(dialtools.perturb(one("big", tokens=tokens), kind=["variation.synonym"]))


HOSTILE = [
    "",
    " ",
    "…",
    "a",
    "A",
    "👨‍👩‍👧",
    "👍🏽👍🏽",
    "e\u0301 e\u0301te\u0301",
    "\u0301",
    "\u200d",
    "שלום לכולם, מה קורה?",
    "مرحبا بكم",
    "see https://example.com/a?b=c and #tag @me x@y.org",
    "def f(x): return {x: [1, 2]}  # isn't it?",
    "我 likes чай و café ﾊﾝｶｸ ＦＵＬＬ",
    "a\u00a0b\u2028c\td\r\ne",
    "\ufeffso",
    "ǅ ß İ ŉ",
    "नि क्षि",
    "1,000.50",
    "don't won't",
]


@each_row("lang", ["en", "zh", "ja", "hi", "id"])
def test_hostile_texts_are_perturbed_undone_or_refused_by_name(lang: str):
    """No kind fails in any other way, whether it is given the texts as turns, as one string or as a text."""
    turns = [{"speaker": f"S{i % 3}", "text": text} for i, text in enumerate(HOSTILE)]
    shapes = [
        {"id": "t", "lang": lang, "dialogue": turns, "reference": "so"},
        {"id": "s", "lang": lang, "dialogue": dialogue.text(turns), "reference": "so"},
        *({"id": f"x{i}", "lang": lang, "text": text} for i, text in enumerate(HOSTILE)),
    ]
    for name in registry.names("perturbations"):
        for record in shapes:
            try:
                made = first(dialtools.perturb([record], kind=[samples.kind(name)]))
            except RecordError as error:
                assert (
                    "dt-parse" in error.reason
                    or "not defined" in error.reason
                    or "dialogue" in error.reason
                ), name
                continue
            except MissingError:
                break  # a library of this kind is not here: on to the next kind
            undone = first(dialtools.perturb([made], restore=True))
            assert {key: undone[key] for key in record} == record, name


@pytest.mark.slow  # and by the clock, so that a busy machine can make it fail
@each_row(
    "said",
    [
        "Well, I don't think that their friend is here: she went to the market with her big brother. ",
        "onewordthatneverends",
        "don'twon't",
    ],
)
@each_row("family", ["typo", "dialogue", "asr", "terms"])
def test_a_turn_of_a_megabyte_takes_a_time_that_grows_with_it_alone(family: str, said: str):
    """Ten times the text takes less than thirty times as long, where quadratic work would take a hundred."""
    for name in kinds.families()[family]:
        taken = []
        for size in (100, 1000):  # of the sentence 9.4 and 94 kB
            turns = [
                {"speaker": "Ann", "text": said * size},
                {"speaker": "Ann", "text": "Bye."},
                {"speaker": "Bob", "text": said * size},
            ]
            start = time.process_time()
            try:
                list(
                    dialtools.perturb(
                        [{"id": "1", "lang": "en", "dialogue": turns}], kind=[name], rate=1
                    )
                )
            except (RecordError, MissingError):
                break
            taken.append(time.process_time() - start)
        else:
            assert taken[1] < 30 * max(taken[0], 0.02), (name, taken)


def test_a_run_is_the_last_entry_or_the_steps_of_a_chain():
    entries = [{"by": "a"}, {"by": "b", "step": [1, 2]}, {"by": "b", "step": [2, 2]}]
    assert (
        history.run({"history": entries}) == entries[1:]
        and history.run({"history": entries[:1]}) == entries[:1]
    )
    assert history.run({}) == history.run({"history": None}) == []


@each_row(
    "edit, told",
    [
        (["/dialogue/0/text", 0, 2, "hi", "a\nBob: c"], '"Ann: a\\nBob: c" reads as another'),
        (["/dialogue/1/speaker", 0, 3, "Bob", "Bob: no"], '"Bob: no: yes" reads as another'),
        (["/dialogue", 2, 2, [], [{"speaker": "A: B", "text": "x"}]], '"A: B: x" reads as another'),
        (
            ["/dialogue", 2, 2, [], [{"speaker": "Ann", "text": "x\nBob: y"}]],
            '"Ann: x\\nBob: y" reads as another',
        ),
        (["/dialogue/0/text", 0, 2, "hi", "a\nb"], ""),
        (["/dialogue/0/text", 0, 2, "hi", "hi\n"], ""),
        (["/dialogue", 2, 2, [], [{"speaker": "Dr. Lee", "text": "10:30"}]], ""),
    ],
)
def test_turns_that_one_string_cannot_hold_are_refused(edit: list, told: str):
    for said in (
        "Ann: hi\nBob: yes",
        [{"speaker": "Ann", "text": "hi"}, {"speaker": "Bob", "text": "yes"}],
    ):
        record = {"id": 1, "lang": "en", "dialogue": said}
        try:
            (made,) = dialtools.perturb([record], kind=[lambda view, rng: [edit]])
        except RecordError as error:
            assert told and told in str(error) and isinstance(said, str)
        else:
            assert made["history"][-1]["changed"] and not (told and isinstance(said, str))


def test_a_line_that_would_begin_a_turn_without_its_space_is_refused():
    """What goes on with a turn may have a time in it, which is told by the space before it; "at10" would speak."""
    record = {"id": 1, "lang": "en", "dialogue": "Ann: See you\nat 10:30"}
    with pytest.raises(RecordError, match="reads as another: a list of turns can hold it"):
        list(dialtools.perturb([record], kind=["typo.whitespace"], rate=1))
    (made,) = dialtools.perturb(
        [record | {"dialogue": dialogue.turns(record)}], kind=["typo.whitespace"], rate=1
    )
    assert made["dialogue"] == [{"speaker": "Ann", "text": "Seeyou\nat10:30"}]


def test_a_space_that_comes_to_stand_behind_the_colon_is_no_other_turn():
    record = {"id": 1, "lang": "en", "dialogue": "Ann:... (well)\nI am here\n\nBob: Yes"}
    (made,) = dialtools.perturb([record], kind=["typo.punctuation"], rate=1)
    assert made["dialogue"] == "Ann: (well)\nI am here\n\nBob: Yes"


def test_a_share_of_the_sources_is_perturbed_exactly(shell):
    """A fifth of 40 is 8; which ones depends on seed and id, not on order, processes or shards."""
    source = ROOT / "examples" / "speaker-names" / "dialogues.jsonl"
    line = f"dt-perturb -k typo.case --share 0.2 -q {source}"
    made = shell(line).out.splitlines()
    given = source.read_text(encoding="utf-8").splitlines()
    assert sum("typo.case:1" in one for one in made) == 8
    assert [json.loads(one) for one in made if "typo.case:1" not in one] == [
        json.loads(one) for one, new in zip(given, made, strict=True) if "typo.case:1" not in new
    ]
    parts = shell(f"for i in 1 2; do {line} --shard $i/2 --jobs 2; done").out.splitlines()
    assert sorted(parts) == sorted(made)
    records = [json.loads(one) for one in reversed(given)]
    [*again] = dialtools.perturb(records, kind=["typo.case"], share=0.2)
    assert {one["id"] for one in again if "variant" in one} == {
        json.loads(one)["id"] for one in made if "typo.case:1" in one
    }
    other = dialtools.perturb(records, kind=["typo.case"], share=0.2, seed=1)
    assert [one["id"] for one in other if "variant" in one] != [
        one["id"] for one in again if "variant" in one
    ]
    with pytest.raises(OptionError, match="share is a number from 0 to 1"):
        list(dialtools.perturb(records, kind=["typo.case"], share=20))


def test_one_speakers_turns_become_what_they_become_anyway():
    (record,) = samples.records(1, ("en",))
    (of_all,) = dialtools.perturb([record], kind=["typo.case:rate=1"])
    (of_ann,) = dialtools.perturb([record], kind=["typo.case:rate=1"], turns="speaker=Ann")
    before, everybody, ann = map(dialogue.turns, (record, of_all, of_ann))
    assert ann == [
        theirs if turn["speaker"] == "Ann" else turn
        for turn, theirs in zip(before, everybody, strict=True)
    ]
    assert before != ann != everybody
    assert "|turns:speaker=Ann|" in of_ann["history"][0]["signature"]
    (restored,) = dialtools.perturb([of_ann], restore=True)
    assert restored["dialogue"] == record["dialogue"]


def test_turns_are_split_or_joined_where_the_speaker_alone_takes_part():
    (record,) = samples.records(1, ("en",))
    for number in range(1, 6):  # of five draws some are of another's turn at first
        for kind in ("dialogue.split", "dialogue.combine"):
            (variant,) = dialtools.perturb([record], kind=[kind], turns="speaker=Bob", seed=number)
            edits = variant["history"][0]["edits"]
            assert edits or kind == "dialogue.split"
            assert all("Ann: " not in edit[3] + edit[4] for edit in edits)


def test_dialogues_without_the_speaker_are_counted(shell, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(samples.lines(samples.records(3, ("en",))), encoding="utf-8")
    done = shell(f"dt-perturb -k typo.case --turns speaker=Eve {path}")
    assert done.err == (
        "dt-perturb: 3 records, 3 records without a turn of Eve, 3 variants unchanged\n"
    )
    for odd in ("Ann", "speaker=", "name=Ann"):
        with pytest.raises(OptionError, match="speaker=NAME is wanted"):
            list(dialtools.perturb(samples.records(1), kind=["typo.case"], turns=odd))


def test_what_changes_the_meaning_is_marked_and_counted():
    opposite = Perturbation(shout, changes_meaning=True)
    record = {"id": "1", "lang": "en", "text": "yes"}
    variants = [
        variant | {"variant": f"shout:{number}", "prediction": "Yes."}
        for number, variant in enumerate(dialtools.perturb([record], kind=[opposite]), 1)
    ]
    assert variants[0]["history"][0]["meaning"] == "changed"
    (unchanged,) = dialtools.perturb([record | {"text": "YES"}], kind=[opposite])
    assert "meaning" not in unchanged["history"][0]
    (result,) = dialtools.score(
        [*variants, variants[0] | {"variant": "shout:2"}], sensitivity=True, metric=["exact"]
    )
    assert result["meaning_changed"] == 2
    assert "2 variants mean something else than the original" in result["note"]
