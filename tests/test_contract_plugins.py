"""What holds for every plug-in of every kind, and for all generators, formats, parsers and tests; none is listed."""

import json
import math
import traceback
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from importlib import import_module
from inspect import getdoc, isfunction, signature
from io import BytesIO
from pathlib import Path

import pytest
import samples
import subcommands
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from dialtools import languages
from dialtools.conversion import items
from dialtools.pipeline import cli
from dialtools.plugins import registry
from dialtools.records import dialogue
from dialtools.system.errors import MissingError, OptionError, RecordError

PLUGINS = [(kind, name) for kind in registry.KINDS for name in registry.names(kind)]
of_each_kind = pytest.mark.parametrize("kind", registry.KINDS)


def of(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", registry.names(kind))


def test_there_are_plugins_of_each_kind():
    assert all(registry.names(kind) for kind in registry.KINDS)


@of_each_kind
def test_plugins_are_documented(kind: str):
    for name in registry.names(kind):
        plugin = registry.load(kind, name)
        module = import_module(f"dialtools.{kind}.{registry.file_of(kind, name)}")
        first, _, more = (module.__doc__ or "").partition("\n")
        assert registry.summary(kind, name) == (plugin.declared.summary or first), name
        is_one_sentence = first.endswith((".", "?")) and len(first) <= 100
        assert is_one_sentence and (not more or more.startswith("\n")), (
            f"{name}: a line of the manual page"
        )
        work = plugin.call.func
        assert getdoc(work.func if isinstance(work, partial) else work), name
        assert Path(module.__file__).read_text(encoding="utf-8").count("\n") <= 300, name


@of_each_kind
def test_the_options_of_plugins_can_be_typed(kind: str):
    """Each has a default, and an annotation that makes a value of what was typed."""
    for name in registry.names(kind):
        plugin = registry.load(kind, name)
        whole = getattr(plugin.declared, "whole_spec", "")
        if whole:
            assert registry.load(kind, f"{name}:a b=c,d").options == {whole: "a b=c,d"}
            continue
        for key, parameter in registry._parameters(plugin.call.func).items():
            if key in ("lang", "language", "rng"):
                continue  # what the command gives
            assert parameter.annotation is not parameter.empty, (name, key)
            default = parameter.default
            is_switch = isinstance(default, bool)
            text = {True: "yes", False: "no"}[default] if is_switch else str(default)
            if default not in (parameter.empty, None) and "," not in text:
                assert registry.load(kind, f"{name}:{key}={text}").options == {key: default}
        with pytest.raises(OptionError):
            registry.load(kind, f"{name}:no_such_option=1")


def test_every_kind_can_be_chosen_in_some_command():
    commands = [
        import_module(f"dialtools.commands.{name}").main for name in registry.names("commands")
    ]
    commands += [
        part for name in registry.names("commands") for part in subcommands.of(name).values()
    ]
    kinds = {
        param.type.kind
        for command in commands
        for param in command.params
        if isinstance(param.type, cli.PluginType)
    }
    assert kinds == set(registry.KINDS)


def test_a_plugin_knows_no_command_and_no_other_plugin():
    for kind, name in PLUGINS:
        text = (
            ROOT.joinpath("dialtools", kind, *registry.file_of(kind, name).split("."))
            .with_suffix(".py")
            .read_text(encoding="utf-8")
        )
        lines = [line for line in text.splitlines() if "import" in line.split()]
        assert not any(word in line for line in lines for word in ("commands", "cli", "click")), (
            kind,
            name,
        )
        siblings = [
            line
            for line in lines
            if f"dialtools.{kind}" in line
            and f"dialtools.{kind}._" not in line
            and not line.partition(" import ")[2].startswith("_")
        ]
        assert not siblings, (kind, name)


def plain(name: str) -> Callable:
    """Return a generator that needs no model."""
    plugin = registry.load("generators", f"{name}:cat" if name == "exec" else name)
    if "model" in plugin.defaults():
        pytest.skip("needs a model")
    return plugin.call


@of("generators")
def test_a_generator_writes_one_prediction_a_record(name: str):
    generate = plain(name)
    records = [dialogue.view(record) for record in samples.records(15)]
    before = deepcopy(records)
    made = generate(records)
    assert records == before
    assert len(made) == len(records)
    assert all(
        isinstance(facts["prediction"], str) and facts["prediction"].strip() for facts in made
    )
    assert made == [generate([record])[0] for record in records], "a batch makes no difference"
    assert generate([]) == []


@of("generators")
def test_a_generator_finds_nothing_to_say_about_nothing(name: str):
    generate = plain(name)
    if registry.load("generators", name).declared.needs != ("dialogue",):
        pytest.skip("it says what it reads")
    empty = [
        {"id": "1", "lang": "en", "dialogue": [{"speaker": "A", "text": text}]}
        for text in ("", " ")
    ]
    assert [facts["prediction"].strip() for facts in generate(empty)] == ["", ""]
    with pytest.raises(RecordError, match="without turns"):
        generate([{"id": "1", "lang": "en", "dialogue": []}])


@of("formats")
def test_a_format_reads_nothing_from_nothing(name: str):
    plugin = registry.load("formats", name)
    if not plugin.declared.of_files:
        pytest.skip("reads no file")
    assert list(plugin.call(BytesIO(b""))) == []
    assert not plugin.declared.recognise or plugin.declared.recognise(b"") is False


@of("formats")
@given(
    st.binary(max_size=60)
    | st.text(st.sampled_from('{}[]",:\t\n1a \ufeff'), max_size=40).map(str.encode)
)
def test_a_format_reads_rubbish_or_says_what_is_wrong(name: str, data: bytes):
    """A library's error becomes such a sentence; one of our own code would be hidden in it."""
    plugin = registry.load("formats", name)
    if not plugin.declared.of_files:
        pytest.skip("reads no file")
    assert not plugin.declared.recognise or plugin.declared.recognise(data) in (True, False)
    try:
        found = [item for _, item in items.placed("x", plugin.call(BytesIO(data)))]
    except RecordError as error:
        found = [error]
        if error.__cause__:
            *_, raised = traceback.extract_tb(error.__cause__.__traceback__)
            assert str(ROOT / "dialtools") not in raised.filename, raised
    for item in found:
        assert isinstance(item, dict) or item.reason and "\n" not in item.reason


@of("formats")
def test_what_a_format_writes_it_reads(name: str):
    plugin = registry.load("formats", name)
    write = plugin.declared.write
    if write is None:
        pytest.skip("is only read")
    records = [record | {"reference": record["reference"][0]} for record in samples.records(12)]
    try:
        text = "".join(write(iter(records)))
    except RecordError as error:
        pytest.skip(f"not for any record: {error.reason}")
    assert text.endswith("\n")
    found = [
        item if isinstance(item, dict) else item[1] for item in plugin.call(BytesIO(text.encode()))
    ]
    assert [record["id"] for record in found] == [record["id"] for record in records]
    assert [_said(record) for record in found] == [_said(record) for record in records]


def _said(record: dict) -> list[tuple[str, str]]:
    return [(turn["speaker"], turn["text"]) for turn in dialogue.turns(record)]


def parsing(name: str, lang: str) -> Callable:
    """Return text -> tokens of a parser, if it and its model are there and know the language."""
    plugin = registry.load("parsers", name)
    language = languages.get(lang)
    try:
        # an empty text loads no library
        plugin.call([samples.TURNS[lang][0][1]], language=language)
    except MissingError as error:
        pytest.skip(str(error))
    except RecordError as error:
        pytest.skip(f"not for {lang}: {error.reason}")
    return lambda texts: plugin.call(texts, language=language)


@of("parsers")
@pytest.mark.parametrize("lang", samples.TURNS)
def test_a_parser_says_where_its_tokens_stand(name: str, lang: str):
    parse = parsing(name, lang)
    texts = [text for _, text in samples.TURNS[lang]]
    found = parse(texts)
    assert parse(["", " "]) == [[], []] and parse([]) == []
    for text, tokens in zip(texts, found, strict=True):
        assert tokens and all(
            text[token["start"] : token["end"]] == token["form"] != "" for token in tokens
        )
        assert all(one["end"] <= other["start"] for one, other in zip(tokens, tokens[1:]))
        assert {token["sent"] for token in tokens} == set(range(1, tokens[-1]["sent"] + 1))
    assert found == [parse([text])[0] for text in texts], "a batch makes no difference"


NUMBERS = st.lists(
    st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=2, max_size=12
)


@of("hypothesis_tests")
@given(NUMBERS, NUMBERS)
def test_a_test_answers_whatever_the_numbers(name: str, a: list[float], b: list[float]):
    """No NaN, p from 0 to 1, the same the other way round with the sign turned; without an answer, a reason."""
    plugin = registry.load("hypothesis_tests", "tost:margin=1" if name == "tost" else name).given(
        resamples=200
    )
    if plugin.declared.paired:
        a, b = a[: len(b)], b[: len(a)]
    plugin = plugin.bound(clusters=[place // 2 for place in range(len(a))])
    arity = plugin.declared.takes
    pairs = list(zip(a, b))
    columns = {
        "one": (a,),
        "two": (a, b),
        "many": ([a, b, b],),
        "raters": (pairs,),
        "against": (*zip(*pairs), b[::-1]),
    }[arity]
    turned = {"two": columns[::-1], "against": (*columns[1::-1], columns[-1])}.get(arity, columns)
    one, other = plugin.call(*columns, 0.95), plugin.call(*turned, 0.95)
    json.dumps(one, allow_nan=False)
    if one.get("p") is None:
        assert arity == "one" or arity == "raters" or (one["reason"] and other["p"] is None)
        assert one.get("effect") is not None or arity == "one" or one["reason"]
        return
    assert 0 <= one["p"] <= 1
    if "resamples" not in plugin.defaults():
        assert math.isclose(one["p"], other["p"], rel_tol=1e-6, abs_tol=1e-12)
    if one["difference"] is not None:
        assert math.isclose(one["difference"], -other["difference"], rel_tol=1e-9, abs_tol=1e-9)
    if one["ci"] and "resamples" not in plugin.defaults():
        low, high = one["ci"]
        assert low <= one["difference"] <= high


@of_each_kind
def test_the_functions_of_plugins_take_options_by_name_only(kind: str):
    for name in registry.names(kind):
        function = registry.load(kind, name).call.func
        parameters = signature(function).parameters.values() if isfunction(function) else ()
        positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert all(p.default is p.empty for p in positional), name
