"""Views of a record for a generator, and the record's prediction made of their outputs."""

import functools
import os
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from dialtools.inference import extraction, prompts, shots
from dialtools.models import folders, habits
from dialtools.models.decoding import Prompting
from dialtools.plugins import options
from dialtools.records import dialogue, jsonl, validation
from dialtools.system.errors import MissingError, OptionError, RecordError, about, show

Ask = Callable[[dict], list[dict]]
_SUMS = ("input_tokens", "output_tokens")  # of turns: those of the dialogue are the sum
_FLAGS = ("truncated", "unfinished")  # true of a dialogue where true of one of its turns
_TOGETHER = ("prediction", *_SUMS, *_FLAGS)  # facts of a dialogue, not of each turn


FILES = ("prompt", "system_prompt", "shots")  # fields that name one


def trained(given: Prompting, model: str | None) -> Prompting:
    """Return what a model of dt-train was trained to read, unless something is asked for."""
    if model is None or given != Prompting():
        return given
    path = os.path.join(model, habits.FILE)
    prompting = folders.typed(Prompting, habits.of(model).prompting, path)
    options.check(prompting)
    files = {field: name for field in FILES if (name := getattr(prompting, field)) is not None}
    for field, name in files.items():
        if os.path.basename(name) != name:
            raise MissingError(f'{path}: "{field}" is a file in the folder, here is {show(name)}')
    return prompting._replace(**{field: os.path.join(model, name) for field, name in files.items()})


def asker(given: Prompting, seed: int = 0) -> Ask:
    """Return record -> views for a generator: one, or with `each` one for each turn with a text.

    A view is the record with its dialogue as turns, with "prompt" and
    "system_prompt" where a template makes them, and with "turn" and "number"
    (from 0) where it stands for a turn, which is read alone without a template.
    """
    options.check(given)
    fill = prompts.from_file(given.prompt) if given.prompt is not None else None
    lead = prompts.from_file(given.system_prompt) if given.system_prompt is not None else None
    if not fill and (lead or given.shots or given.examples):
        raise OptionError("--system-prompt, --shots and --examples-key are for --prompt")
    if bool(given.shots) != bool(given.shot_count):
        raise OptionError("--shots FILE and --shot-count K belong together")
    pick = shots.picker(jsonl.read(given.shots), given.shot_count, seed) if given.shots else None

    def ask(record: dict) -> list[dict]:
        view = {
            key: value
            for key, value in dialogue.view(record).items()
            if key not in ("prompt", "system_prompt")
        }
        more: dict[str, Any] = {}
        if pick:
            more["shots"] = pick(record)
        if given.examples:
            validation.need(record, given.examples)
            more["examples"] = _texts(record, given.examples)
        if given.each:
            return [{**view, **turn, **texts(record, {**turn, **more})} for turn in _turns(record)]
        return [{**view, **texts(record, more)}]

    def texts(record: dict, names: dict[str, Any]) -> dict[str, str]:
        if not fill:
            return {"prompt": names["turn"]["text"]} if given.each else {}
        filled = {"prompt": fill(record, **names)}
        if lead:
            filled["system_prompt"] = lead(record, **names)
        return filled

    return ask


def naming(ask: Ask, wanted: Callable[[], bool] = lambda: True) -> Ask:
    """Return record -> its views as of `ask`, in which "name_spans" tells of names in what is read.

    wanted: tells, at the first record, whether that is asked at all.
    """
    is_wanted = functools.cache(wanted)

    def asked(record: dict) -> list[dict]:
        if not is_wanted():
            return ask(record)
        from dialtools.names import occurrences

        with about(record):
            pairs = zip(ask(record), ask(prompts.marked(record)), strict=True)
            return [
                {**view, "name_spans": occurrences.followed(prompts.of(view), prompts.of(same))}
                for view, same in pairs
            ]

    return asked


def _turns(record: dict) -> list[dict]:
    found = [
        {"turn": turn, "number": number}
        for number, turn in enumerate(dialogue.turns(record))
        if turn["text"].strip()
    ]
    if not found:
        raise RecordError("no turn with a text", record)
    return found


def _texts(record: dict, key: str) -> list[str]:
    value = [record[key]] if isinstance(record[key], str) else record[key]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise RecordError(
            f'"{key}" must be a text or a list of texts, not {show(record[key])}', record
        )
    return value


def parts(given: Prompting, seed: int) -> dict[str, object]:
    """Return the parts of a signature: digests of files, and the seed if it draws shots."""
    paths = {"prompt": given.prompt, "system_prompt": given.system_prompt, "shots": given.shots}
    named = {name: prompts.digest(prompts.content(path)) for name, path in paths.items() if path}
    return {
        **named,
        "shot_count": given.shot_count or None,
        "shot_seed": seed if given.shots else None,
        "examples": given.examples,
        "extract": extraction.called(given.extract) if given.extract else None,
        "each": given.each,
    }


def answered(
    record: dict,
    views: list[dict],
    made: list[dict],
    extract: Callable[[str], str] | None,
    each: str | None,
) -> dict:
    """Return a record's prediction and the facts for its history, from the outputs for its views.

    "prompt" is a digest of the prompts.  With `extract`, "output" is the model's output,
    and "not_extracted" the number of outputs without an answer, each a prediction of "".
    Turns are joined as "Name: text" lines, one line each; a turn without a text stays.
    """
    outputs = [one["prediction"] for one in made]
    facts = (
        _of_turns(made)
        if each
        else {name: value for name, value in made[0].items() if name != "prediction"}
    )
    if any("prompt" in view for view in views):
        facts["prompt"] = prompts.digest(
            *(view.get(key) for view in views for key in ("system_prompt", "prompt"))
        )
    if extract:
        facts["output"] = outputs if len(outputs) > 1 else outputs[0]
        with about(record):
            outputs = [dialogue.each(output, extract) for output in outputs]
        facts["not_extracted"] = _flat(outputs).count("")
    return {"prediction": _dialogues(record, views, outputs) if each else outputs[0], **facts}


def _of_turns(made: list[dict]) -> dict:
    """Return the facts of the outputs of turns; those that do not add up stand under "turns"."""
    facts: dict[str, Any] = {}
    for name in dict.fromkeys(chain.from_iterable(made)):
        if name in _SUMS:
            numbers = _flat([one.get(name) for one in made])
            facts[name] = None if None in numbers else sum(numbers)  # None: not known
        elif name in _FLAGS:
            facts[name] = any(_flat([one.get(name) for one in made]))
    others = [{name: value for name, value in one.items() if name not in _TOGETHER} for one in made]
    if any(others):
        facts["turns"] = others
    return facts


def _flat(values: list) -> list:
    """Return values as one list, n-best lists flattened."""
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def _dialogues(record: dict, views: list[dict], outputs: list[Any]) -> str | list[str]:
    """Return the outputs of turns as a dialogue, or as several for several outputs of each turn."""
    if isinstance(outputs[0], str):
        return _dialogue(record, views, outputs)
    return [_dialogue(record, views, texts) for texts in zip(*outputs, strict=True)]


def _dialogue(record: dict, views: list[dict], texts: Sequence[str]) -> str:
    """Return the record's dialogue with the texts of its views in place of its turns'."""
    written = {
        view["number"]: " ".join(text.split()) for view, text in zip(views, texts, strict=True)
    }
    return dialogue.text(
        [
            {**turn, "text": written.get(number, turn["text"])}
            for number, turn in enumerate(dialogue.turns(record))
        ]
    )
