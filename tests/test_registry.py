"""registry.py: plug-ins are found by their files; specs are checked and converted."""

import inspect
from types import SimpleNamespace
from typing import Literal

import pytest

from dialtools.plugins import options, registry
from dialtools.system.errors import OptionError


def test_names_are_those_of_the_files():
    assert {"typo.case", "dialogue.combine"} <= set(registry.names("perturbations"))
    assert "rouge2" in registry.names("metrics")
    assert not any("__" in name for kind in registry.KINDS for name in registry.names(kind))


@pytest.mark.parametrize(
    "spec, name, options",
    [
        ("rouge2", "rouge2", {}),
        ("chrf:", "chrf", {}),
        ("chrf:order=4", "chrf", {"order": "4"}),
        ("x:a=1,b=c=d", "x", {"a": "1", "b": "c=d"}),
        ("x:path=a:b,e=", "x", {"path": "a:b", "e": ""}),
    ],
)
def test_specs_are_split(spec: str, name: str, options: dict):
    assert registry.split(spec) == (name, options)


@pytest.mark.parametrize("spec", ["chrf:order", "chrf:=4", "chrf:order=4,", "chrf:,order=4"])
def test_specs_of_another_shape_are_refused(spec: str):
    with pytest.raises(OptionError, match="options are written chrf:option=value,option=value"):
        registry.split(spec)


@pytest.mark.parametrize(
    "spec, message",
    [
        (
            "chfr",
            r"no metric is called 'chfr' \(did you mean chrf\?\); there are chrf, .* and [0-9]+ more$",
        ),
        ("chrf:ordr=4", r"chrf has no option 'ordr' \(did you mean order\?\); it has order"),
        ("chrf:order=four", "chrf: order is a whole number, not 'four'"),
        ("exact:x=1", "exact has no option 'x'; it has none"),
        ("", "no metric is called ''"),
        ("__init__", "no metric is called '__init__'"),
        ("../commands/score", "no Python file is at"),
    ],
)
def test_specs_that_fit_nothing_are_refused(spec: str, message: str):
    with pytest.raises(OptionError, match=message):
        registry.load("metrics", spec)


def converted(annotation: object, text: str) -> object:
    parameter = inspect.Parameter("key", inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
    return registry._convert("plugin", {"key": parameter}, "key", text)


@pytest.mark.parametrize(
    "annotation, text, value",
    [
        (int, "-3", -3),
        (float, "1e-3", 0.001),
        (str, "3", "3"),
        (bool, "Yes", True),
        (bool, "0", False),
        (int | None, "3", 3),
        (float | str, "half", "half"),
        (float | str, "0.5", 0.5),
        (Literal["first", "last"], "last", "last"),
    ],
)
def test_values_are_converted_by_the_annotation(annotation: object, text: str, value: object):
    given = converted(annotation, text)
    assert (type(given), given) == (type(value), value)


@pytest.mark.parametrize(
    "annotation, text, message",
    [
        (int, "3.5", "plugin: key is a whole number, not '3.5'"),
        (bool, "maybe", "plugin: key is yes or no, not 'maybe'"),
        (
            Literal["first", "last"],
            "frist",
            "plugin: key is first or last, not 'frist' (did you mean first?)",
        ),
        (int | None, "", "plugin: key is a whole number, not ''"),
    ],
)
def test_values_that_do_not_convert_are_refused(annotation: object, text: str, message: str):
    with pytest.raises(OptionError) as caught:
        converted(annotation, text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "value, annotation, in_a_call, in_a_file",
    [
        (3, float, True, True),
        (True, int, False, False),
        (1e31, float | None, True, False),
        (float("nan"), float, True, False),
        (10**400, float, True, False),
        ("a", list[str], True, False),
        (["a", 1], list[str], False, False),
        ([{"a": 1}], list[dict], True, True),
        ("b", Literal["a"], False, False),
        ({}, dict[str, int], True, True),
    ],
)
def test_values_fit_annotations(value, annotation, in_a_call: bool, in_a_file: bool):
    assert options.fits(value, annotation) == in_a_call
    assert options.fits(value, annotation, of_file=True) == in_a_file


def test_options_are_bound_and_told():
    plugin = registry.load("metrics", "chrf:order=4")
    assert (plugin.label, plugin.name, plugin.options) == ("chrf:order=4", "chrf", {"order": 4})
    assert plugin.defaults()["order"] == 4 and plugin.defaults()["beta"] == 2
    assert plugin.declared.range == (0, 100) and plugin.is_ours


def test_options_are_shown_with_the_values_that_they_may_have():
    """ROUGE reads Chinese by characters: its tokenizer is the language's, and "lang" is what dt-score gives."""
    assert registry.load("metrics", "rouge1").shown() == [
        "tok=…",
        "stem=no",
        "refs=[max]|mean",
        "backend=[…]|rouge_score",
    ]
    assert registry.load("metrics", "bertscore").shown()[:3] == [
        "model=…",
        "layer=…",
        "value=[f]|p|r",
    ]
    assert registry.load("parsers", "jieba").shown() == []


def test_a_function_is_a_plugin():
    def mine(predictions: list[str], references: list[list[str]]) -> list[float]:
        return [1.0 for _ in predictions]

    plugin = registry.load("metrics", mine)
    assert (plugin.label, plugin.is_ours, plugin.defaults()) == ("mine", False, {})
    assert plugin.call(["a", "b"], [["a"], ["b"]]) == [1.0, 1.0]


def test_a_plugin_is_read_without_being_imported(tmp_path, monkeypatch):
    (tmp_path / "metrics" / "family").mkdir(parents=True)
    declared = "METRIC = Metric(score)\n"
    for name, text in (
        ("__init__", '"""No plug-in."""\n'),
        ("family/__init__", '"""No plug-in."""\n'),
        ("one", f'# coding\n"""One line, here.\n\nMore."""\nimport nothing\n{declared}'),
        ("family/two", f'r"""return \\n."""\n{declared}'),
    ):
        (tmp_path / "metrics" / f"{name}.py").write_text(text)
    monkeypatch.setattr(registry, "_HOME", tmp_path)
    monkeypatch.setattr(registry, "names", registry.names.__wrapped__)
    assert registry.names("metrics") == ("family.two", "one")
    assert registry.summary("metrics", "one") == "One line, here."
    assert registry.summary("metrics", "family.two") == "return \\n."


def test_the_user_is_told_of_a_spec_before_any_input_is_read(shell):
    result = shell("dt-score -m chfr no-such-file")
    assert (result.out, result.status) == ("", 2)
    assert "did you mean chrf?" in result.err and result.err.count("\n") == 1


def test_a_broken_plugin_is_no_absent_one(monkeypatch):
    def fails(name: str) -> SimpleNamespace:
        raise ModuleNotFoundError("No module named 'x'", name="x")

    monkeypatch.setattr(registry.importlib, "import_module", fails)
    with pytest.raises(ModuleNotFoundError):
        registry.load("metrics", "exact:")


@pytest.mark.parametrize("kind", registry.KINDS)
def test_what_a_file_is_said_to_declare_it_does(kind: str):
    for field in registry._class(kind).__dataclass_fields__:
        declared = {name: registry.load(kind, name).declared for name in registry.names(kind)}
        values = {name: getattr(value, field) for name, value in declared.items()}
        if field in ("counts", "pairs", "recognise", "write", "annotate", "requests"):
            assert registry.declaring(kind, field) == [name for name in values if values[name]]
