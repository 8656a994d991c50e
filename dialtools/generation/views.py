"""What is asked of a generator for a record, and what its outputs make of the record's prediction."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Literal

from dialtools.errors import OptionError, RecordError, about, show
from dialtools.generation import extraction, prompts, shots
from dialtools.records import dialogue, jsonl

Each = Literal["turn"]
Ask = Callable[[dict], list[dict]]
_SUMS = ("input_tokens", "output_tokens")  # of turns: those of the dialogue are the sum
_FLAGS = ("truncated", "unfinished")  # what is true of a dialogue where it is of one of its turns
_TOGETHER = ("prediction", *_SUMS, *_FLAGS)  # what is said of a dialogue, and not of each turn


def asker(*, prompt: str | None = None, system_prompt: str | None = None, shots_file: str | None = None,
          shot_count: int = 0, examples: str | None = None, each: Each | None = None, seed: int = 0) -> Ask:
    """Return record -> what generators get for it: one view, or with `each` one for each turn that has a text.

    A view is the record with its dialogue as turns, with "prompt" and
    "system_prompt" where a template makes them, and with "turn" and "number"
    (from 0) where it stands for a turn, which is read alone without a template.
    """
    fill = prompts.from_file(prompt) if prompt is not None else None
    lead = prompts.from_file(system_prompt) if system_prompt is not None else None
    if not fill and (lead or shots_file or examples):
        raise OptionError("--system-prompt, --shots and --examples-key are for --prompt")
    if bool(shots_file) != bool(shot_count):
        raise OptionError("--shots FILE and --shot-count K belong together")
    pick = shots.picker(jsonl.read(shots_file), shot_count, seed) if shots_file else None

    def ask(record: dict) -> list[dict]:
        view = {key: value for key, value in dialogue.view(record).items() if key not in ("prompt", "system_prompt")}
        more: dict[str, Any] = {}
        if pick:
            more["shots"] = pick(record)
        if examples:
            jsonl.need(record, examples)
            more["examples"] = _texts(record, examples)
        if each:
            return [{**view, **turn, **texts(record, {**turn, **more})} for turn in _turns(record)]
        return [{**view, **texts(record, more)}]

    def texts(record: dict, names: dict[str, Any]) -> dict[str, str]:
        if not fill:
            return {"prompt": names["turn"]["text"]} if each else {}
        filled = {"prompt": fill(record, **names)}
        if lead:
            filled["system_prompt"] = lead(record, **names)
        return filled

    return ask


def _turns(record: dict) -> list[dict]:
    found = [{"turn": turn, "number": number} for number, turn in enumerate(dialogue.turns(record))
             if turn["text"].strip()]
    if not found:
        raise RecordError("no turn with a text", record)
    return found


def _texts(record: dict, key: str) -> list[str]:
    value = [record[key]] if isinstance(record[key], str) else record[key]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise RecordError(f'"{key}" is a text or a list of texts, here is {show(record[key])}', record)
    return value


def parts(*, prompt: str | None, system_prompt: str | None, shots_file: str | None, shot_count: int,
          examples: str | None, extract: str | None, each: Each | None, seed: int) -> dict[str, object]:
    """Return what a signature says of all this; files are named by their content, and the seed where it draws shots."""
    told = {"prompt": prompt, "system_prompt": system_prompt, "shots": shots_file}
    named = {name: prompts.digest(prompts.content(path)) for name, path in told.items() if path}
    return {**named, "shot_count": shot_count or None, "shot_seed": seed if shots_file else None,
            "examples": examples, "extract": extraction.called(extract) if extract else None, "each": each}


def answered(record: dict, views: list[dict], made: list[dict], extract: Callable[[str], str] | None,
             each: Each | None) -> dict:
    """Return the prediction of a record and the facts for its history, from what was made of its views.

    "prompt" stands for the prompts.  With `extract`, "output" is what the model wrote,
    and "not_extracted" is how many outputs hold no answer, each a prediction of "".
    Turns come together as "Name: text" lines, one line each; one without a text stays so.
    """
    outputs = [one["prediction"] for one in made]
    facts = _of_turns(made) if each else {name: value for name, value in made[0].items() if name != "prediction"}
    if any("prompt" in view for view in views):
        facts["prompt"] = prompts.digest(*(view.get(key) for view in views for key in ("system_prompt", "prompt")))
    if extract:
        facts["output"] = outputs if len(outputs) > 1 else outputs[0]
        with about(record):
            outputs = [dialogue.each(output, extract) for output in outputs]
        facts["not_extracted"] = _flat(outputs).count("")
    return {"prediction": _dialogues(record, views, outputs) if each else outputs[0], **facts}


def _of_turns(made: list[dict]) -> dict:
    """Return what is known of the outputs of turns together; what does not add up, as "finish", under "turns"."""
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
    """Return values, and those in n-best lists, as one list."""
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def _dialogues(record: dict, views: list[dict], outputs: list[Any]) -> str | list[str]:
    """Return the outputs as the dialogue that they are; several outputs of each turn make several dialogues."""
    if isinstance(outputs[0], str):
        return _dialogue(record, views, outputs)
    return [_dialogue(record, views, texts) for texts in zip(*outputs, strict=True)]


def _dialogue(record: dict, views: list[dict], texts: Sequence[str]) -> str:
    """Return the record's dialogue with these texts, one of each view, as those of its turns."""
    written = {view["number"]: " ".join(text.split()) for view, text in zip(views, texts, strict=True)}
    return dialogue.text([{**turn, "text": written.get(number, turn["text"])}
                          for number, turn in enumerate(dialogue.turns(record))])
