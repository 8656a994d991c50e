"""Commands that make records again, told from the signatures in their history.

A command is given only where it says all that a signature does: options that are not known, files
of the user's own and other versions give none, and the signature of a perturbation, a simple
generator or a metric is computed anew from the command and compared.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from dialtools import __version__, languages
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import bind
from dialtools.html_report import recognition
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.system.errors import DialtoolsError
from dialtools.variants import kinds

_OPTIONS = {"num_return": "number"}  # of dt-generate that signatures call otherwise
_OF_MODELS = (
    "model",
    "engine",
    "window",
    "batch_size",
    "batch_tokens",
    "beams",
    "no_repeat_ngram_size",
    "length_penalty",
    "stop_at_beams",
    "renormalize",
    "repetition_penalty",
    "max_input",
    "truncate",
    "max_new_tokens",
    "min_new_tokens",
    "stop",
    "num_return",
    "sample",
    "temperature",
    "top_k",
    "top_p",
    "seed",
    "exact",
    "src_lang",
    "tgt_lang",
    "precision",
)
_OF_NAMES = {"lang", "pool", "gender", "seed", "also", "guard", "roles"}
BY = "by "  # before the key of groups, among the kinds of lines
# {(kind of the lines, have they S?): options of dt-score}
_MODES = {
    (recognition.RECORD, False): (),
    (recognition.QUALITY, False): ("--summary",),
    (recognition.SOURCE, True): ("--sensitivity", "--per-source"),
    (recognition.SOURCE, False): ("--robustness", "--per-source"),
    (recognition.SENSITIVITY, True): ("--sensitivity",),
    (recognition.ROBUSTNESS, False): ("--robustness",),
}
_OF_SUMMARIES = ("refs", "sd", "ci", "seed", "control", "original")


class Step(NamedTuple):
    """A filter as its signatures tell it; several of one run that makes several kinds of variants.

    variants: how many variants of each kind it made.
    keeps: did it keep the originals?
    labels: {signature: label of the metric}, of dt-score.
    kinds: what lines it wrote.
    """

    by: str
    signatures: Sequence[str]
    variants: int | None = None
    keeps: bool = False
    labels: Mapping[str, str] = {}
    kinds: frozenset[str] = frozenset()


def makes_variants(by: str, signature: str) -> bool:
    """Return whether a step made variants of records."""
    name = signature.partition("|")[0]
    return (
        by == "dt-swap-names"
        and name in ("names", "one", "ids", "map")
        or by == "dt-perturb"
        and name != "undo"
    )


def pipe(steps: Sequence[Step]) -> str:
    """Return the commands of steps as one pipe; "" if one of them cannot be told exactly."""
    found = []
    for step in steps:
        made = None
        if step.by in _COMMANDS and all(map(_is_of_now, step.signatures)):
            with suppress(DialtoolsError, ImportError, LookupError, TypeError, ValueError):
                made = _COMMANDS[step.by](step)
        if made is None:
            return ""
        found.append(shlex.join([step.by, *made]))
    return " |\n".join(found)


def _is_of_now(signature: str) -> bool:
    """Was a step made by this version, with no language data of the user's own?"""
    parts = history.parts(signature)
    return parts.get("v") == __version__ and "resources" not in parts


def _swapped(step: Step) -> list[str] | None:
    """Return the arguments of dt-swap-names."""
    name, _, _ = step.signatures[0].partition("|")
    parts = _parts(step.signatures[0])
    if name == "restore":
        return ["--restore"]
    if name == "ids" and set(parts) <= {"lang", "template"}:
        return ["--ids", *_given("--pattern", parts.get("template")), *_kept(step)]
    if name not in ("names", "one") or not set(parts) <= _OF_NAMES or step.variants is None:
        return None
    pools = list(dict.fromkeys(_parts(one)["pool"] for one in step.signatures))
    if any(re.fullmatch(r"own-[0-9a-f]{16}", pool) for pool in pools):
        return None
    made = ["--one"] if name == "one" else []
    made += [word for pool in pools for word in ("--pool", pool)]
    for option, key in (("--person", "also"), ("--guard", "guard")):
        made += [word for value in _several(parts.get(key)) for word in (option, value)]
    made += ["--no-gender"] if parts.get("gender") == "no" else []
    made += ["--roles"] if parts.get("roles") == "yes" else []
    return [*made, *_drawn(step, parts["seed"])]


def _perturbed(step: Step) -> list[str] | None:
    """Return the arguments of dt-perturb."""
    if step.signatures[0].startswith("undo|"):
        return ["--restore"]
    seed = history.parts(step.signatures[0])["seed"]
    specs = dict.fromkeys(_perturbation(one) for one in step.signatures)
    if None in specs or step.variants is None:
        return None
    return [*(word for spec in specs for word in ("-k", str(spec))), *_drawn(step, seed)]


def _perturbation(signature: str) -> str | None:
    """Return the spec of a kind, if it is one that gives the signature."""
    lang = history.parts(signature).get("lang")
    seed = int(history.parts(signature)["seed"])
    return _spec(
        signature, lambda spec: kinds.choose([spec])[0].signature(lang, seed), ("lang", "seed")
    )


def _generated(step: Step) -> list[str] | None:
    """Return the arguments of dt-generate."""
    name, parts = step.signatures[0].partition("|")[0], _parts(step.signatures[0])
    if name not in ("seq2seq", "causal"):
        spec = _spec(step.signatures[0], _generator, ())
        return None if spec is None else ["-g", spec]
    if not set(parts) <= {*_OF_MODELS}:
        return None
    made = [] if "model" in parts else ["-g", name]
    for key, value in parts.items():
        option = f"--{_OPTIONS.get(key, key).replace('_', '-')}"
        values = _several(value) if key == "stop" else [value]
        made += [word for one in values for word in (option, one)] if value != "yes" else [option]
    return None if "no" in parts.values() else made


def _generator(spec: str) -> str:
    """Return the signature of a generator that reads no model."""
    plugin = registry.load("generators", spec)
    settings = plugin.declared.settings
    return history.signature(plugin.name, **settings(**plugin.defaults()))


def _scored(step: Step) -> list[str] | None:
    """Return the arguments of dt-score."""
    signatures = step.signatures
    labels = [step.labels[signature] for signature in signatures]
    if not all(map(_is_metric, signatures, labels)):
        return None
    found = [history.parts(signature) for signature in signatures]
    by = {kind.removeprefix(BY) for kind in step.kinds if kind.startswith(BY)}
    kinds_of = {kind for kind in step.kinds if not kind.startswith(BY)}
    if len(by) > 1 or len(kinds_of) != 1 or "level" in found[0]:
        return None
    made = list(_MODES[kinds_of.pop(), "sd" in found[0]])
    made += ["--with-original"] if found[0].get("original") == "yes" else []
    made += [word for key in by for word in ("--by", key)]
    return [*made, *(word for label in dict.fromkeys(labels) for word in ("-m", label))]


def _is_metric(signature: str, label: str) -> bool:
    """Return whether a label alone gives a signature, but for what summaries add to it."""
    parts = history.parts(signature)
    own = bind(Metric(label), languages.get(parts["lang"])).signature()
    extra = {key for key in parts if key in _OF_SUMMARIES} - {*history.parts(own)}
    rest = {key: value for key, value in parts.items() if key not in extra}
    return {**history.parts(own), "refs": ""} == {**rest, "refs": ""}


def _spec(signature: str, sign: Callable[[str], str], aside: Sequence[str]) -> str | None:
    """Return the shortest spec of a plug-in that gives a signature; None if there is none.

    sign: gives the signature of a spec.
    aside: parts that are no options.
    """
    name = signature.partition("|")[0]
    own, default = history.parts(signature), history.parts(sign(name))
    options = [
        f"{key}={_plain(value)}"
        for key, value in own.items()
        if key not in aside and default.get(key) != value
    ]
    spec = f"{name}:{','.join(options)}" if options else name
    return spec if sign(spec) == signature else None


def _drawn(step: Step, seed: str) -> list[str]:
    return ["--variants", str(step.variants), "--seed", seed, *_kept(step)]


def _kept(step: Step) -> list[str]:
    return ["--keep-original"] if step.keeps else []


def _given(option: str, value: str | None) -> list[str]:
    return [] if value is None else [option, value]


def _parts(signature: str) -> dict[str, str]:
    """Return the parts of a signature that are options, as they were given."""
    return {
        key: value.replace("%7C", "|")
        for key, value in history.parts(signature).items()
        if key not in ("v", "resources")
    }


def _several(value: str | None) -> list[str]:
    """Return the texts of a list in a signature."""
    return [one.replace("%2C", ",") for one in value.split(",")] if value else []


def _plain(value: str) -> str:
    return value.replace("%7C", "|")


_COMMANDS: dict[str, Callable[[Step], list[str] | None]] = {
    "dt-swap-names": _swapped,
    "dt-perturb": _perturbed,
    "dt-generate": _generated,
    "dt-score": _scored,
}
