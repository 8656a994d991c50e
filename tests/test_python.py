"""The commands as functions of Python: records and options that a person in a notebook gives."""

import io
import pickle
import sys
from collections.abc import Callable, Iterable
from functools import partial
from math import nan
from pathlib import Path

import pytest
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.plugins.metric import Metric
from dialtools.system.errors import DialtoolsError, OptionError, RecordError

ANN = {
    "dialogue": [
        {"speaker": "Ann", "text": "Hi Bob, are you well?"},
        {"speaker": "Bob", "text": "Yes, Ann."},
    ]
}


def whole(texts: list[str], language: languages.Language) -> list[list[dict]]:
    return [[{"form": text, "start": 0, "end": len(text)}] for text in texts]


FILTERS: list[Callable] = [
    dialtools.swap_names,
    partial(dialtools.perturb, kind=["typo.case"]),
    partial(dialtools.generate, generator="lead"),
    partial(dialtools.score, metric=["exact"]),
    partial(dialtools.clean, urls=True),
    dialtools.select,
    partial(dialtools.parse, parser=whole),
]


@each_row("function", FILTERS)
def test_records_without_id_and_language_are_taken_as_the_commands_take_them(function: Callable):
    given = [ANN | {"prediction": "Hi", "reference": "Hi"} for _ in "ab"]
    if function in FILTERS[:3]:
        function = partial(function, overwrite=True)
    with pytest.warns(
        UserWarning, match='without "id" are numbered from "1"'
    ):  # as each block of a corpus would be
        assert [(record["id"], record["lang"]) for record in function(given)] == [
            ("1", "en"),
            ("2", "en"),
        ]
    assert "id" not in given[0]


def test_what_is_made_of_records_without_id_and_language_has_what_the_commands_give_it():
    talk = {"prediction": "a b", "segments": [{"reference": "a"}, {"reference": "b"}]}
    assert [part["id"] for part in dialtools.resegment([talk, talk])] == [
        "1-1",
        "1-2",
        "2-1",
        "2-2",
    ]
    assert [row["name"] for row in dialtools.names_collect([ANN])] == ["Ann", "Bob"]


def test_records_without_an_id_are_not_joined_line_by_line():
    one, other = [{"f1": 0.1}, {"f1": 0.3}], [{"f1": 0.2}, {"f1": 0.6}]
    with pytest.raises(RecordError, match='no "id" to join'):
        list(dialtools.ttest(one, other, value="f1"))
    (result,) = dialtools.ttest(one, other, value="f1", test="welch")
    assert result["n"] == 4


@each_row("function", FILTERS)
@each_row(
    "given, told",
    [
        ({"id": [1]}, 'a record is a dict, here is "id"$'),
        (
            [ANN | {"variant": nan}],
            "a variant is a string, here is NaN; of a DataFrame that is given as it is, such cells",
        ),
        ([{1}], r'a record is a dict, here is "\{1\}"'),
        ([ANN | {"id": 1j}], 'an id is a string or an integer, here is "1j"'),
    ],
)
def test_what_is_no_record_is_told(function: Callable, given: object, told: str):
    with pytest.raises(RecordError, match=told):
        list(function(given))


@each_row(
    "call, name",
    [
        *((function, "records") for function in FILTERS),
        (partial(dialtools.merge, summary=True), "parts"),
        (lambda path: dialtools.merge([path], summary=True), "parts"),
        (partial(dialtools.ttest, value="f1"), "a"),
        (lambda path: dialtools.join([ANN], path), "rows"),
        (lambda path: dialtools.show([ANN], per_source=path), "per_source"),
        (dialtools.write, "records"),
    ],
)
@each_row("path", ["in.jsonl", Path("in.jsonl")])
def test_a_path_is_none_of_records(call: Callable, name: str, path: object):
    with pytest.raises(OptionError) as caught:
        list(call(path))
    assert str(caught.value) == (
        f"{name} is a path, 'in.jsonl': dialtools.read('in.jsonl') gives the records of JSON Lines, "
        "dialtools.convert those of other files"
    )


@each_row(
    "call, told",
    [
        (partial(dialtools.score, metric="exact", by=["kind"]), "by is a string or None, not ['"),
        (partial(dialtools.show, by=["kind"]), "by is a string or None, not ['kind']"),
        (partial(dialtools.ttest, value="f1", level="0.9"), "level is a number, not '0.9'"),
        (partial(dialtools.ttest, value="f1", per="turn"), "per is 'id' or 'cluster' or 'record'"),
        (partial(dialtools.swap_names, variants="2"), "variants is a whole number, not '2'"),
        (partial(dialtools.swap_names, seed=True), "seed is a whole number, not True"),
        (
            partial(dialtools.perturb, kind=["typo.case", 3]),
            "kind is a list of strings or functions, not",
        ),
        (
            partial(dialtools.swap_names, pool_file={"a": 1}),
            "pool_file is a string or a list of strings or",
        ),
        (partial(dialtools.perturb, kind={"typo.case": 1}), "kind is a list of strings or func"),
        (partial(dialtools.score, metric=b"exact"), "metric is a list of strings or functions"),
        (partial(dialtools.select, where=0.5), "where is a string or None, not 0.5"),
        (
            partial(dialtools.generate, decoding=dialtools.Decoding(beams="4")),
            "beams is a whole number or None, not '4'",
        ),
        (partial(dialtools.generate, decoding={"beams": 4}), "decoding is a Decoding, not {'bea"),
    ],
)
def test_an_argument_of_another_type_is_told_of_before_anything_is_read(call: Callable, told: str):
    with pytest.raises(OptionError) as caught:
        call([ANN])
    assert str(caught.value).startswith(told)


def test_none_is_no_records():
    with pytest.raises(OptionError, match="records is a list of dicts, not None"):
        dialtools.clean(None, all=True)
    with pytest.raises(OptionError, match="rows is a list of dicts, not None"):
        dialtools.join([ANN], None)


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    options = {"variants": numpy.int64(2), "seed": numpy.int32(1)}
    assert len(list(dialtools.swap_names([ANN | {"id": 1}], **options))) == 2


@each_row(
    "call, told",
    [
        (
            lambda: dialtools.generate([ANN | {"id": 1, "prediction": "a"}], generator="lead"),
            'the record has a "prediction"; overwrite=True replaces it (id 1)',
        ),
        (
            lambda: dialtools.convert("x.csv", field="id"),
            'field={"KEY": "PATH"} is wanted, not \'id\'',
        ),
        (
            lambda: dialtools.convert("x.csv", next_response=True, continuity=True),
            "next_response=True or continuity=True, not both",
        ),
        (
            lambda: dialtools.cluster([{"id": 1, "v": [1]}], vectors="v"),
            "give the number of 'clusters', or choose=\"2..50\"",
        ),
        (
            lambda: dialtools.show([ANN | {"id": 1}], by="pool"),
            "'by': no record has a 'pool'; there are id, lang, kind",
        ),
        (
            lambda: dialtools.clean([{"id": 1, "text": "Привет, как дела?"}], urls=True),
            'no "lang", and its letters are Cyrillic, which en is not written in: "lang": "TAG", '
            "such as ru, uk (id 1)",
        ),
        (
            lambda: dialtools.score(["猫がいます"], ["猫"], metric="exact"),
            'no "lang", and its letters are Japanese, which en is not written in: lang="ja" (id "1")',
        ),
        (
            lambda: dialtools.perturb([{"id": 1, "dialogue": [{"text": "a"}]}], kind="typo"),
            'turn 1 has no "speaker" that is a string: {"text": "a"}; '
            'convert(field={"dialogue.speaker": "KEY"}) takes it from elsewhere (id 1)',
        ),
    ],
)
def test_errors_name_parameters_where_those_of_the_commands_name_options(call, told: str):
    with pytest.raises(DialtoolsError) as caught:
        list(call())
    assert str(caught.value) == told


def test_pairs_may_be_a_dict(tmp_path: Path):
    (tmp_path / "in.jsonl").write_text('{"nr": 7, "talk": "Ann: Hi"}\n')
    options = {"field": {"id": "nr", "dialogue": "talk"}, "set": {"lang": "en"}}
    (record,) = dialtools.convert(tmp_path / "in.jsonl", source="jsonl", **options)
    assert {key: record[key] for key in ("id", "dialogue", "lang")} == {
        "id": 7,
        "dialogue": "Ann: Hi",
        "lang": "en",
    }


def test_functions_can_be_sent_to_another_process():
    """As Ray, Spark and the pools of the standard library do."""
    assert pickle.loads(pickle.dumps(dialtools.score)) is dialtools.score


OF_TURNS: list[Callable] = [  # that look at turns
    dialtools.swap_names,
    partial(dialtools.perturb, kind=["typo.case"]),
    partial(dialtools.clean, urls=True),
    partial(dialtools.keywords, label="a"),
    dialtools.names_collect,
    dialtools.names_count,
    partial(dialtools.parse, parser=whole),
    partial(dialtools.generate, generator="lead", overwrite=True),
    partial(dialtools.select, terms="gender"),
    partial(dialtools.select, drop=["repeats"]),
    partial(dialtools.score, metric=["exact"], against="dialogue"),
    partial(dialtools.score, metric=["exact"], robustness=True),
]


@each_row("function", OF_TURNS)
@each_row(
    "given, told",
    [
        ([{"speaker": "Ann"}], 'turn 1 has no "text" that is a string: {"speaker": "Ann"}'),
        ([{"text": "Hi"}], "turn 1 has no .speaker"),
        ([3], "turn 1 is no object: 3"),
        ("Hi", 'begins without "Name: "'),
    ],
)
def test_malformed_turns_are_told_of_as_by_the_commands(
    function: Callable, given: object, told: str
):
    record = {"id": 1, "dialogue": given, "label": "a", "prediction": "Hi", "reference": "Hi"}
    with pytest.raises(RecordError, match=told):
        list(function([record, record | {"variant": "typo.case:1"}]))


@each_row("command", ["dt-select --drop repeats", "dt-score -m exact --robustness"])
def test_commands_that_want_outputs_refuse_malformed_turns_where_they_look_at_them(shell, command):
    record = '{"id": 1, "lang": "en", "dialogue": [{"speaker": "Ann"}], "prediction": "Hi"}'
    answer = shell(f"echo '{record}' | {command}")
    assert answer.status == 3 and 'input:1: turn 1 has no "text" that is a string' in answer.err


@each_row(
    "function, one",
    [
        (
            partial(dialtools.score, [ANN | {"prediction": "a", "reference": "a"}]),
            {"metric": "exact"},
        ),
        (partial(dialtools.perturb, [ANN]), {"kind": "typo.case"}),
        (partial(dialtools.swap_names, [ANN]), {"guard": "Bob"}),
        (partial(dialtools.swap_names, [{"text": "I saw o B and Bob."}]), {"person": "Bob"}),
        (partial(dialtools.select, [ANN | {"id": 1, "prediction": "lies"}]), {"echo": "slim"}),
        (partial(dialtools.select, [ANN | {"id": 1, "prediction": "lies"}]), {"drop": "bare"}),
        (
            partial(dialtools.template, [[{"name": "Ann"}]], text="{name}"),
            {"template": "tongue=en"},
        ),
        (
            partial(dialtools.parse, [{"text": "a", "reference": "b"}], parser=whole),
            {"also": "reference"},
        ),
    ],
)
def test_one_text_is_a_list_of_it(function: Callable, one: dict):
    """Else it would be one of letters: all outputs with an "i" would be echoes."""
    assert (
        list(function(**one))
        == list(function(**{name: [value] for name, value in one.items()}))
        != []
    )


def like(predictions: list[str], references: list[list[str]]) -> list[float]:
    return [
        1.0 if text in texts else 0.25 for text, texts in zip(predictions, references, strict=True)
    ]


def test_sensitivity_of_a_metric_of_ones_own_needs_its_range():
    """Of the six pairs of a, b and b two are alike, and four change by 1 - 0.25: 4 * 75 / 6."""
    outputs = [
        {"id": 1, "variant": f"names:{n}", "prediction": text, "reference": "a"}
        for n, text in enumerate("abb", 1)
    ]
    with pytest.raises(OptionError, match="no bounded score"):
        list(dialtools.score(outputs, metric=like, sensitivity=True))
    declared = Metric(like, range=(0, 1))
    (result,) = dialtools.score(outputs, metric=declared, sensitivity=True)
    assert (result["S"], result["mean"]) == (50, 50)


@each_row("ids, told", [("1221", "an id that came before"), ("1122", "the same id and variant")])
def test_variants_of_one_source_stand_together(ids: str, told: str):
    """Else source 1 would be two, of a variant each; a shuffled list had no sensitivity, or that of some variants."""
    outputs = [
        {"id": id, "variant": f"names:{n}", "prediction": "a", "reference": "a"}
        for n, id in zip("1123", ids, strict=True)
    ]
    with pytest.raises(RecordError, match=told):
        list(dialtools.score(outputs, metric="exact", sensitivity=True))


@each_row(
    "made, told",
    [
        ([1.0], "gives 1 numbers for 2 predictions"),
        ([1.0, nan], "what is no finite number"),
        (["a", "b"], "what is no finite number"),
        ([1.0, 10**400], "what is no finite number"),
        (1.0, "gives 1.0, no list"),
    ],
)
def test_a_metric_of_ones_own_gives_a_number_for_each_prediction(made: object, told: str):
    def own(predictions: list[str], references: list[list[str]]) -> object:
        return made

    with pytest.raises(OptionError, match=told):
        list(
            dialtools.score([{"prediction": text, "reference": "a"} for text in "ab"], metric=[own])
        )


def test_a_score_without_a_metric_names_some():
    with pytest.raises(OptionError, match="no metric is named; there are accuracy, "):
        list(dialtools.score([], metric=[]))


@each_row("made", ["text", {"output": "text"}, {"prediction": 5}, {"prediction": []}, None])
def test_a_generator_of_ones_own_gives_predictions(made: object):
    def own(records: list[dict]) -> list:
        return [made for _ in records]

    with pytest.raises(OptionError, match='own must return dicts with a "prediction"'):
        list(dialtools.generate([ANN], generator=own))


@each_row("made", [[["/dialogue/9/text", 0, 1, "H", "J"]], [["/text", 0, 1, "H", "J"]], ["H"], 5])
def test_a_kind_of_ones_own_gives_edits_of_the_record(made: object):
    with pytest.raises(
        RecordError, match=r'<lambda> gives no valid edits of the record: .* \(id "1"\)'
    ):
        list(dialtools.perturb([ANN], kind=lambda record, rng: made))


@each_row("function", FILTERS[:2])
def test_no_variants_are_not_none_of_the_records(function: Callable):
    """The commands refuse them, too; nothing would come out, and nothing be said."""
    with pytest.raises(OptionError, match="variants must be 1 or more, not 0"):
        list(function([ANN], variants=0))


@each_row("function", FILTERS[:2])
@each_row("key, value", [("prediction", "Ann met."), ("scores", {"rouge1": 0.9})])
def test_no_variants_are_made_of_what_was_written_or_scored(function: Callable, key, value):
    """A swap renamed predictions, some names of them only, and ROUGE fell with nothing said."""
    record, options = ANN | {"id": 1, "lang": "en"}, {"keep_original": True, "overwrite": True}
    with pytest.raises(RecordError, match=f'the record has "{key}"') as caught:
        list(function([record | {key: value}]))
    assert caught.value.exit_status == 3
    assert list(function([record | {key: value}], **options)) == list(
        function([record], keep_original=True)
    )


def test_a_map_of_names_is_a_dict_or_its_json():
    (swapped,) = dialtools.swap_names([ANN], map={"Ann": "Sue", "Bob": "Tim"})
    assert swapped == next(dialtools.swap_names([ANN], map='{"Ann": "Sue", "Bob": "Tim"}'))
    assert swapped["dialogue"][0] == {"speaker": "Sue", "text": "Hi Tim, are you well?"}


@pytest.mark.parametrize("name", ["in.jsonl", "in.jsonl.gz"])
def test_a_path_is_a_file_as_its_name_is(tmp_path: Path, name: str):
    path = tmp_path / name
    dialtools.write([ANN | {"id": "a"}], path)
    assert list(dialtools.read(path)) == list(dialtools.read(str(path))) == [ANN | {"id": "a"}]
    assert list(dialtools.convert(path, source="jsonl")) == [ANN | {"id": "a"}]


def test_records_are_shown_in_a_notebook(monkeypatch: pytest.MonkeyPatch):
    """Its standard output takes text and has no buffer, as that of ipykernel."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    dialtools.write([{"id": "é"}, {"id": 2}])
    assert sys.stdout.getvalue() == '{"id":"é"}\n{"id":2}\n'  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "given, told",
    [
        ([{"id": 1, "when": 1j}], r"Object of type complex is not JSON serializable \(id 1\)"),
        (["id,text\n"], 'a record is a dict, here is "id,text'),
        ({"id": 1}, 'a record is a dict, here is "id"'),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path: Path, given: Iterable, told: str):
    with pytest.raises(RecordError, match=told):
        dialtools.write(given, tmp_path / "out.jsonl")
    assert not list(tmp_path.iterdir())


OTHERWISE = [
    {"id": 1, "language": "en", "summary": "a b", "gold": "a c"},
    {"id": 2, "language": "en", "summary": "a", "gold": "a"},
]


def test_keys_may_be_called_otherwise():
    """Records come back with their own names, results with ours, as on the command line."""
    key = {"prediction": "summary", "reference": "gold", "lang": "language"}
    scored = list(dialtools.score(OTHERWISE, metric="rouge1", key=key))
    assert [list(record)[:4] for record in scored] == [list(record) for record in OTHERWISE]
    assert [record["scores"] for record in scored] == [{"rouge1": 0.5}, {"rouge1": 1.0}]
    (result,) = dialtools.score(OTHERWISE, metric="rouge1", summary=True, key=key)
    assert (result["lang"], result["mean"]) == ("en", 75.0)
    parts = [scored[:1], scored[1:]]
    assert list(dialtools.merge(parts, order=OTHERWISE, key=key)) == scored


@pytest.mark.parametrize(
    "key, told",
    [
        ({"predicton": "summary"}, "did you mean prediction"),
        ({"prediction": "gold", "reference": "gold"}, "cannot stand for two"),
        ("prediction=summary", "key is a dict or None"),
    ],
)
def test_keys_that_are_named_wrongly_are_told_in_the_words_of_python(key: object, told: str):
    with pytest.raises(OptionError, match=told) as caught:
        dialtools.score(OTHERWISE, metric="rouge1", key=key)
    assert "--key" not in str(caught.value)


@each_row(
    "call, told",
    [
        (partial(dialtools.swap_names, pattern="X{}"), "'pattern' needs ids=True"),
        (partial(dialtools.swap_names, ids=True, map={"Ann": "Sue"}), "'map' and ids=True exclude"),
        (partial(dialtools.swap_names, restore=True, variants=2), "restore=True and 'variants' ex"),
        (partial(dialtools.swap_names, allow_cross_gender=True), "allow_cross_gender=True needs"),
        (partial(dialtools.perturb, restore=True, kind="typo"), "restore=True excludes 'kind'"),
        (partial(dialtools.perturb, restore=True, rate=0.0), "restore=True excludes 'rate'"),
    ],
)
def test_arguments_that_would_have_no_effect_are_told(call: Callable, told: str):
    with pytest.raises(OptionError, match=told):
        list(call([ANN | {"id": 1, "lang": "en"}]))
