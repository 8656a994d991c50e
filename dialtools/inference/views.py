"""Views of a record for a generator, and the record's prediction made of their outputs."""

import functools
import os
from collections.abc import Callable
from itertools import chain
from typing import Any

from dialtools.inference import prompts
from dialtools.models import folders
from dialtools.models.decoding import Prompting
from dialtools.plugins import options
from dialtools.records import dialogue, jsonl, validation, values
from dialtools.system.errors import MissingError, OptionError, RecordError, about, show

Ask = Callable[[dict], list[dict]]
FILES = ("prompt", "system_prompt", "shots")  # fields of Prompting that name one
PATIENCE = 10.0  # seconds to extract an answer from one output; some expressions never end
_ANSWERS = {"braces": r"\{([^{}]*)\}", "first-line": r"^\s*(\S[^\n]*)"}
_SUMS = ("input_tokens", "output_tokens")  # of turns: those of the dialogue are the sum
_FLAGS = ("truncated", "unfinished")  # true of a dialogue where true of one of its turns
_TOGETHER = ("prediction", *_SUMS, *_FLAGS)  # facts of a dialogue, not of each turn


def trained(given: Prompting, model: str | None) -> Prompting:
    """Return what a model of dt-train was trained to read, unless something is asked for."""
    if model is None or given != Prompting():
        return given
    path = os.path.join(model, folders.HABITS)
    prompting = folders.typed(Prompting, folders.habits(model).prompting, path)
    options.check(prompting)
    files = {field: name for field in FILES if (name := getattr(prompting, field)) is not None}
    for field, name in files.items():
        if os.path.basename(name) != name:
            raise MissingError(f'{path}: "{field}" is a file in the folder, here is {show(name)}')
    return prompting._replace(**{field: os.path.join(model, name) for field, name in files.items()})


def parts(given: Prompting, seed: int) -> dict[str, object]:
    """Return the parts of a signature: digests of files, and the seed if it draws shots."""
    paths = {field: path for field in FILES if (path := getattr(given, field))}
    extract = given.extract
    if extract and extract not in _ANSWERS:  # a signature cannot hold any character of it
        extract = f"regex-{prompts.digest(extract)}"
    return {
        **{field: prompts.digest(prompts.content(path)) for field, path in paths.items()},
        "shot_count": given.shot_count or None,
        "shot_seed": seed if given.shots else None,
        "examples": given.examples,
        "extract": extract or None,
        "each": given.each,
    }


def asker(given: Prompting, seed: int = 0) -> Ask:
    """Return record -> views for a generator: one, or with `each` one for each turn with a text.

    A view is the record with its dialogue as turns, with "prompt" and "system_prompt" where a
    template makes them, and with "turn" and "number" (from 0) where it stands for a turn, which is
    read alone without a template.
    """
    options.check(given)
    fill = prompts.from_file(given.prompt) if given.prompt is not None else None
    lead = prompts.from_file(given.system_prompt) if given.system_prompt is not None else None
    if not fill and (lead or given.shots or given.examples):
        raise OptionError("--system-prompt, --shots and --examples are for --prompt")
    if bool(given.shots) != bool(given.shot_count):
        raise OptionError("--shots FILE and --shot-count K belong together")
    pick = None
    if given.shots:
        pick = prompts.shot_picker(jsonl.read(given.shots), given.shot_count, seed)

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
            more["examples"] = values.texts(record, given.examples)
        if not given.each:
            return [{**view, **filled(record, more)}]
        turns = [
            {"turn": turn, "number": number}
            for number, turn in enumerate(dialogue.turns(record))
            if turn["text"].strip()
        ]
        if not turns:
            raise RecordError("no turn with a text", record)
        return [{**view, **turn, **filled(record, {**turn, **more})} for turn in turns]

    def filled(record: dict, names: dict[str, Any]) -> dict[str, str]:
        if not fill:
            return {"prompt": names["turn"]["text"]} if given.each else {}
        texts = {"prompt": fill(record, **names)}
        if lead:
            texts["system_prompt"] = lead(record, **names)
        return texts

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
                {**view, "name_spans": occurrences.followed(prompts.of(view), prompts.of(marked))}
                for view, marked in pairs
            ]

    return asked


def extractor(spec: str) -> Callable[[str], str]:
    """Return output -> the stripped answer in it, "" for none.

    spec: braces (the content of the first pair), first-line (the first that is not blank), or a
        regular expression of the library regex: the first group of its first match, or all of it
        without a group.

    An expression that takes more than 10 seconds is a RecordError.

    >>> extractor("braces")("Sure: {It rains.} or {Hm}"), extractor("first-line")("\\nYes.\\nNo.")
    ('It rains.', 'Yes.')
    >>> [extractor("Score: ([0-9]+)")("Score: 85 of 100"), extractor("[0-9]+")("none")]
    ['85', '']
    """
    import regex

    try:
        pattern = regex.compile(_ANSWERS.get(spec, spec))
    except regex.error as error:
        raise OptionError(
            f"extract is {', '.join(_ANSWERS)} or a regular expression, not {show(spec)}: {error}"
        ) from None

    def extract(output: str) -> str:
        try:
            match = pattern.search(output, timeout=PATIENCE)
        except TimeoutError:
            raise RecordError(
                f"--extract {show(spec)} takes more than {PATIENCE:g} s for an "
                "output: is there a repetition within a repetition?"
            ) from None
        if not match:
            return ""
        answer = match[1] if pattern.groups else match[0]
        return (answer or "").strip()  # a group may have no part in the match

    return extract


def answered(
    record: dict,
    views: list[dict],
    outputs: list[dict],
    extract: Callable[[str], str] | None,
    each: str | None,
) -> dict:
    """Return a record's prediction and the facts for its history, from the outputs for its views.

    "prompt" is a digest of the prompts.  With `extract`, "output" is the model's output, and
    "not_extracted" the number of outputs without an answer, each a prediction of "".  Turns are
    joined as "Name: text" lines, one line each; a turn without a text stays.
    """
    predictions = [output["prediction"] for output in outputs]
    if each:
        facts = _facts_of_turns(outputs)
    else:
        facts = {name: value for name, value in outputs[0].items() if name != "prediction"}
    if any("prompt" in view for view in views):
        facts["prompt"] = prompts.digest(
            *(view.get(key) for view in views for key in ("system_prompt", "prompt"))
        )
    if extract:
        facts["output"] = predictions if len(predictions) > 1 else predictions[0]
        with about(record):
            predictions = [dialogue.each(prediction, extract) for prediction in predictions]
        facts["not_extracted"] = _flat(predictions).count("")

    def as_dialogue(texts: Any) -> str:
        by_number = {
            view["number"]: " ".join(text.split()) for view, text in zip(views, texts, strict=True)
        }
        return dialogue.text(
            [
                {**turn, "text": by_number.get(number, turn["text"])}
                for number, turn in enumerate(dialogue.turns(record))
            ]
        )

    prediction = predictions[0]
    if each and isinstance(prediction, str):
        prediction = as_dialogue(predictions)
    elif each:  # several outputs of each turn
        prediction = list(map(as_dialogue, zip(*predictions, strict=True)))
    return {"prediction": prediction, **facts}


def _facts_of_turns(outputs: list[dict]) -> dict:
    """Return the facts of the outputs of turns; those that do not add up stand under "turns"."""
    facts: dict[str, Any] = {}
    for name in dict.fromkeys(chain.from_iterable(outputs)):
        if name in _SUMS:
            numbers = _flat([output.get(name) for output in outputs])
            facts[name] = None if None in numbers else sum(numbers)  # None: not known
        elif name in _FLAGS:
            facts[name] = any(_flat([output.get(name) for output in outputs]))
    of_each = [
        {name: value for name, value in output.items() if name not in _TOGETHER}
        for output in outputs
    ]
    if any(of_each):
        facts["turns"] = of_each
    return facts


def _flat(parts: list) -> list:
    """Return values as one list, n-best lists flattened."""
    return [item for value in parts for item in (value if isinstance(value, list) else [value])]
