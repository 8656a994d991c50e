"""Kinds of perturbation: which are chosen, where each is defined, what it needs of a record."""

import inspect
from collections.abc import Callable, Iterable
from typing import NamedTuple

from dialtools import languages, registry, tokens
from dialtools.wording import words
from dialtools import records as jsonl
from dialtools.errors import OptionError, RecordError

# "paper": those of Evaluating Robustness of Open Dialogue Summarization Models in the Presence of Naturally
# Occurring Variations, section 3 and appendix A.4; of its speech errors the fillers and the disfluencies are two.
PRESETS = {"paper": (
    "typo.punctuation", "typo.whitespace", "typo.case", "typo.contraction", "typo.keyboard", "grammar.determiner",
    "grammar.agreement", "variation.synonym", "variation.inflection", "variation.aave", "asr.homophone", "asr.filler",
    "asr.disfluency", "dialogue.repetition", "dialogue.repetition:targeted=most",
    "dialogue.repetition:targeted=least", "dialogue.delay", "dialogue.greeting", "dialogue.closing", "dialogue.split",
    "dialogue.combine")}


class Kind(NamedTuple):
    """A kind that was chosen by its name, or as one of several."""

    plugin: registry.Plugin
    options: dict  # with the values that they will have, and the names of functions that are passed in
    optional: bool = False  # left out where it is not defined for a language
    needs: tuple[str, ...] = ()  # the keys that a record must have


def families() -> dict[str, list[str]]:
    """Return the names of all kinds by what stands before the dot."""
    found: dict[str, list[str]] = {}
    for name in registry.names("perturbations"):
        if "." in name:
            found.setdefault(name.partition(".")[0], []).append(name)
    return found


def load(spec: str | Callable) -> list[registry.Plugin]:
    """Return the one kind of a spec, or the kinds of a family."""
    if callable(spec):
        return [registry.load("perturbations", spec)]
    name, _, options = spec.partition(":")
    known = families()
    members = known.get(name)
    if not members:
        registry.check("perturbations", name, known)
    if members and options:
        raise OptionError(f"{name} is a family: options are those of its members, {', '.join(members)}")
    return [registry.load("perturbations", member) for member in members or [spec]]


def choose(specs: Iterable[str | Callable], preset: str | None = None, rate: float | None = None,
           **functions: Callable | None) -> list[Kind]:
    """Return the kinds of some specs and of a preset, in their order.

    rate: of the kinds that have a rate and do not say theirs.
    functions: for the kinds that want one of that name.
    """
    if rate is not None:
        words.check_rate(rate)
    if preset is not None and preset not in PRESETS:
        raise OptionError(f"no preset is called {preset!r}; there are {', '.join(PRESETS)}")
    named = [(plugin, plugin.label != spec and not callable(spec)) for spec in specs for plugin in load(spec)]
    named += [(registry.load("perturbations", spec), True) for spec in PRESETS.get(preset or "", ())]
    chosen = [_kind(plugin, optional, rate, functions) for plugin, optional in named]
    labels = [kind.plugin.label for kind in chosen]
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        raise OptionError(f"a kind is there twice: {', '.join(twice)}")
    if not chosen:
        raise OptionError("no kind of perturbation is named; there are " + ", ".join(registry.names("perturbations")))
    return chosen


def _kind(plugin: registry.Plugin, optional: bool, rate: float | None, functions: dict) -> Kind:
    plugin = (plugin if rate is None else plugin.given(rate=rate)).bound(**functions)
    parameters = inspect.signature(plugin.call).parameters
    borrowed = {name: parameters[name].default.__name__ for name in functions if name in parameters}
    return Kind(plugin, plugin.constant("settings", dict)(**plugin.defaults(), **borrowed), optional, needs(plugin))


def langs(plugin: registry.Plugin) -> list[str]:
    """Return the tags of the languages that a kind is defined for."""
    resource = _resource(plugin)
    return languages.having(resource) if resource else languages.known()


def _resource(plugin: registry.Plugin) -> str | None:
    """Return the file that a kind needs in a language's folder; None where it needs none, or brings its own."""
    options = plugin.defaults()
    own = any(getattr(value, "own", None) for value in options.values())
    return None if own else plugin.constant("RESOURCE", "").format(**options) or None


def is_defined(plugin: registry.Plugin, lang: str) -> bool:
    """Is a kind defined for a language?  One that needs no data of the language is, for any."""
    return not _resource(plugin) or languages.tag(lang) in langs(plugin)


def among(chosen: list[Kind], lang: str) -> tuple[list[Kind], list[str]]:
    """Return the kinds to apply in a language, and the names of those that are left out.

    RecordError for one that was chosen by its own name and is not defined, or where none is.
    """
    fitting = [kind for kind in chosen if is_defined(kind.plugin, lang)]
    left = [kind for kind in chosen if kind not in fitting]
    for kind in left:
        if not kind.optional or not fitting:
            raise RecordError(f"{kind.plugin.name} is not defined for {lang}; there are "
                              f"{', '.join(langs(kind.plugin)) or 'none'}")
    return fitting, [kind.plugin.name for kind in left]


def fitting(chosen: list[Kind], record: dict) -> tuple[list[Kind], list[str]]:
    """Return the kinds that a record has the keys for, and the labels of the optional ones that it has not.

    Where it has them for none, all are returned, and `check` says what is missing.
    """
    left = [kind for kind in chosen if kind.optional and any(record.get(key) is None for key in kind.needs)]
    rest = [kind for kind in chosen if kind not in left] if left else chosen
    return (rest, [kind.plugin.label for kind in left]) if rest else (chosen, [])


def needs(plugin: registry.Plugin) -> tuple[str, ...]:
    """Return the keys of a record that a kind needs with its options."""
    needs = plugin.constant("needs", None)
    return needs(plugin.defaults()) if needs else plugin.constant("NEEDS", ())


def check(kinds: Iterable[Kind], record: dict) -> None:
    """Raise RecordError unless a record has what the kinds need, and tokens that stand where they say."""
    for key in dict.fromkeys(key for kind in kinds for key in kind.needs):
        jsonl.check(record, key)
    turns = record.get("dialogue")
    for holder in (*(turns if isinstance(turns, list) else ()), record):
        if holder.get("tokens"):
            tokens.check(holder)


def about(name: str) -> str:
    """Return in which languages a kind is defined, and what it needs, for a list of them."""
    plugin = registry.load("perturbations", name)
    where = ", ".join(langs(plugin)) if _resource(plugin) else "every language"
    wanted = [f'"{key}"' for key in needs(plugin)]
    wanted += [f"tokens with {', '.join(plugin.constant('TOKENS', ()))}"] if plugin.constant("TOKENS", ()) else []
    return where + (f"; needs {' and '.join(wanted)}" if wanted else "")
