"""dialtools: how robust and fair is a model that generates text from dialogues?

Every command is a function here too, imported when it is first used:

    import dialtools

    records = dialtools.read("in.jsonl")
    scored = dialtools.score(records, metric=["rouge2"])
    dialtools.write(scored, "out.jsonl")

Keys that the records call otherwise are named by key={"prediction": "summary"}.
Records are read once, as they are asked for: list(dialtools.read("in.jsonl")) keeps them for a
second use.
"""

__version__ = "0.1.0"

COMMANDS = {
    name: name
    for name in (
        "check",
        "clean",
        "cluster",
        "convert",
        "generate",
        "join",
        "keywords",
        "merge",
        "parse",
        "perturb",
        "report",
        "resegment",
        "score",
        "select",
        "show",
        "swap_names",
        "template",
        "ttest",
    )
}
COMMANDS |= {
    f"train_{what}": f"_train_{what}" for what in ("encoder", "generator", "parser", "scorer")
}
COMMANDS |= {f"names_{what}": f"_names_{what}" for what in ("collect", "count", "check")}
_RECORDS = ("lines", "read", "write")
# parameters of functions
_VALUES = {
    "Reading": "training.recipe",
    "Recipe": "training.recipe",
    "Machine": "training.recipe",
    "Course": "training.recipe",
    "ParserRecipe": "training.recipe",
    "ParserShape": "training.recipe",
    "Grading": "training.recipe",
    "Loading": "models.decoding",
    "Decoding": "models.decoding",
    "Runtime": "models.decoding",
    "Prompting": "models.decoding",
    "Serving": "models.decoding",
}
__all__ = ["__version__", *COMMANDS, *_RECORDS, *_VALUES]


def __getattr__(name: str):  # no Any: start.py is to come before anything that takes time
    from importlib import import_module

    if name in COMMANDS or name in _RECORDS:
        python = import_module("dialtools.pipeline.python_calls")
        found = python.function(name) if name in COMMANDS else python.of_records(name)
        return globals().setdefault(name, found)
    if name in _VALUES:
        python = import_module("dialtools.pipeline.python_calls")
        declared = getattr(import_module(f"dialtools.{_VALUES[name]}"), name)
        return globals().setdefault(name, python.with_help(declared))
    raise AttributeError(f"module 'dialtools' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
