"""Kinds of perturbation: the chosen ones, their languages, and the keys and tokens they need."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language
from dialtools.plugins import registry
from dialtools.records import dialogue, history, tokens
from dialtools.system.errors import OptionError, Unfit, show
from dialtools.text import words
from dialtools.variants import PRESETS


class Kind(NamedTuple):
    """A kind that was chosen by its name, or as one of several."""

    plugin: registry.Plugin
    options: dict  # with the values that they will have
    optional: bool  # left out of a record that lacks what it needs
    langs: tuple[str, ...] | None  # that it is defined for; None: all
    needs: tuple[str, ...]  # the keys that a record must have
    signature: Callable[[str | None, int], str]  # (language, seed) -> how a variant was made
    speaker: str | None = None  # whose turns are varied; None: everybody's, and texts


def families() -> dict[str, list[str]]:
    """Return the names of all kinds by what stands before the dot."""
    families: dict[str, list[str]] = {}
    for name in registry.names("perturbations"):
        if "." in name:
            families.setdefault(name.partition(".")[0], []).append(name)
    return families


def load(spec: str | Callable) -> list[registry.Plugin]:
    """Return the one kind of a spec, or those of a family that keep the meaning and need no option."""
    if not isinstance(spec, str):
        return [registry.load("perturbations", spec)]
    name, _, options = spec.partition(":")
    known = families()
    members = known.get(name)
    if members is None:
        if not registry.is_external(name):
            registry.require_known("perturbations", name, known)
        return [registry.load("perturbations", spec)]
    if options:
        raise OptionError(f"{name} is a family: give options to its members, {', '.join(members)}")
    plugins = [registry.load("perturbations", member) for member in members]
    return [
        plugin
        for plugin in plugins
        if not plugin.declared.changes_meaning and not plugin.declared.required
    ]


def choose(
    specs: Iterable[str | Callable],
    preset: str | None = None,
    rate: float | None = None,
    timeout: float | None = None,
    turns: str | None = None,
    **functions: Callable | None,
) -> list[Kind]:
    """Return the kinds of some specs and of a preset, in their order.

    rate: of the kinds that have a rate and do not say theirs.
    timeout: seconds, for the kinds that run a program.
    turns: "speaker=NAME", whose turns are varied.
    functions: for the kinds that want one of that name.
    """
    key, _, speaker = (turns or "").partition("=")
    if turns is not None and (key != "speaker" or not speaker):
        raise OptionError(f"--turns: speaker=NAME is wanted, not {show(turns)}")
    if rate is not None:
        words.check_rate(rate)
    if preset is not None and preset not in PRESETS:
        raise OptionError(f"no preset is called {preset!r}; there are {', '.join(PRESETS)}")
    named = [
        (plugin, isinstance(spec, str) and spec in families())
        for spec in specs
        for plugin in load(spec)
    ]
    named += [
        (registry.load("perturbations", spec), True) for spec in PRESETS.get(preset or "", ())
    ]
    values = {
        name: value for name, value in (("rate", rate), ("timeout", timeout)) if value is not None
    }
    chosen = [
        _kind(plugin.given(**values), optional, speaker or None, functions)
        for plugin, optional in named
    ]
    labels = [kind.plugin.label for kind in chosen]
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        raise OptionError(f"a kind is named twice: {', '.join(twice)}")
    if not chosen:
        raise OptionError(
            "no perturbation is named; there are " + ", ".join(registry.names("perturbations"))
        )
    return chosen


def _kind(plugin: registry.Plugin, optional: bool, speaker: str | None, functions: dict) -> Kind:
    plugin = plugin.bound(**functions)
    parameters = inspect.signature(plugin.call).parameters
    borrowed = {name: parameters[name].default.__name__ for name in functions if name in parameters}
    options = plugin.defaults()
    lacking = ",".join(f"{name}=…" for name in plugin.declared.required if not options[name])
    if lacking:
        raise OptionError(f"{plugin.name} needs {lacking}: -k {plugin.name}:{lacking}")
    settings = plugin.declared.settings(**options, **borrowed)

    @functools.lru_cache(maxsize=100)
    def signature(lang: str | None, seed: int) -> str:
        return history.signature(
            plugin.name,
            lang=lang,
            **settings,
            turns=speaker and f"speaker={speaker}",
            **plugin.provenance,
            seed=seed,
        )

    defined = tuple(langs(plugin)) if _resource(plugin) else None
    return Kind(plugin, options, optional, defined, plugin.needs(), signature, speaker)


def borrows(kind: Kind, name: str) -> bool:
    """Tell whether a kind wants a function of this name from the command."""
    return name in inspect.signature(kind.plugin.call).parameters


def langs(plugin: registry.Plugin) -> list[str]:
    """Return the tags of the languages that a kind is defined for."""
    resource = _resource(plugin)
    return languages.having(resource) if resource else languages.known()


def _resource(plugin: registry.Plugin) -> str | None:
    """Return the table of a language that a kind needs, or None."""
    options = plugin.defaults()
    if any(getattr(value, "own", None) for value in options.values()):  # a file of the user's
        return None
    resource = plugin.declared.resource
    if callable(resource):
        resource = resource(inspect.signature(plugin.call).parameters["paraphrase"].default)
    return resource.format(**options) or None


def annotation(plugin: registry.Plugin, language: Language) -> tuple[str, ...] | None:
    """Return the keys that a kind needs of a language's tokens; None if it needs no tokens."""
    keys = plugin.declared.tokens
    return keys(language) if callable(keys) else keys


def check(kind: Kind, record: dict, turned: dict) -> None:
    """Raise Unfit unless a kind is defined for a record's language and script, and has its keys.

    turned: the record with a list of turns.
    """
    if kind.langs is not None:
        language = dialogue.language(record)
        reason = ""
        if language.code not in kind.langs:
            reason = f"; there are {', '.join(kind.langs) or 'none'}"
        elif not language.is_written:
            reason = f", only for {language.code} in its own script"
        elif script := language.foreign([holder["text"] for holder in dialogue.holders(turned)]):
            reason = f" in {script}, only in its own script"
        if reason:
            raise Unfit(f"{kind.plugin.name} is not defined for {language.tag}{reason}")
    for key in kind.needs:
        if record.get(key) is None:
            raise Unfit(f'no "{key}", which {kind.plugin.label} needs')


def view(turned: dict) -> dict:
    """Return the record for plug-ins: with turns, and a tag for traditional characters."""
    language = dialogue.language(turned)
    seen = language.seen(holder["text"] for holder in dialogue.holders(turned))
    return turned if seen is language else {**turned, "lang": seen.tag}


def check_tokens(record: dict) -> None:
    """Raise RecordError unless the tokens of a record stand where they say."""
    turns = record.get("dialogue")
    for holder in (*(turns if isinstance(turns, list) else ()), record):
        # else they are of something else
        if holder.get("tokens") and holder.get("text") is not None:
            tokens.require_aligned(holder)


def about(name: str) -> str:
    """Return the line of --list: a kind's languages, needs and options."""
    plugin = registry.load("perturbations", name)
    tags = langs(plugin)
    parts = [", ".join(tags) if _resource(plugin) else "every language"]
    tags_of: dict[tuple[str, ...], list[str]] = {}  # of the languages that need tokens
    for tag in tags:
        keys = annotation(plugin, languages.get(tag))
        if keys is not None:
            tags_of.setdefault(keys, []).append(tag)
    wanted = [f'"{key}"' for key in plugin.needs()]
    for keys, needing in tags_of.items():
        with_keys = f" with {', '.join(keys)}" if keys else ""
        in_langs = f" in {', '.join(needing)}" if needing != tags else ""
        wanted.append(f"tokens{with_keys}{in_langs}")
    if wanted:
        parts.append(f"needs {' and '.join(wanted)}")
    options = plugin.shown()
    if plugin.declared.changes_meaning:
        parts.append("changes the meaning")
    if options:
        parts.append(f"options {', '.join(options)}")
    return "; ".join(parts)
