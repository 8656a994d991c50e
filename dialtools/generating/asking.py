"""What is asked of a generator for a record, and what its outputs make of the record's prediction."""

from collections.abc import Callable
from typing import Any, Literal

from dialtools import dialogue, files
from dialtools import records as jsonl
from dialtools.errors import OptionError, RecordError, about, show
from dialtools.generating import extraction, prompts, shots

Each = Literal["turn"]
Ask = Callable[[dict], list[dict]]
_OF_ALL = ("prediction", "input_tokens", "output_tokens", "truncated", "unfinished")  # facts of turns that add up


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
        seen = {key: value for key, value in dialogue.view(record).items() if key not in ("prompt", "system_prompt")}
        more: dict[str, Any] = {"shots": pick(record)} if pick else {}
        if examples:
            jsonl.need(record, examples)
            more["examples"] = _texts(record, examples)
        return [_view(seen, place, more, fill, lead, record) for place in (_places(record) if each else [{}])]

    return ask


def _view(seen: dict, place: dict, more: dict, fill: Callable | None, lead: Callable | None, record: dict) -> dict:
    """Return what a generator gets for a record or, where there is a place, for one of its turns."""
    if not fill:
        return {**seen, **place, "prompt": place["turn"]["text"]} if place else seen
    filled = {"prompt": fill(record, **place, **more)}
    return {**seen, **place, **filled, **({"system_prompt": lead(record, **place, **more)} if lead else {})}


def _places(record: dict) -> list[dict]:
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
          examples: str | None, extract: str | None, each: Each | None) -> dict[str, object]:
    """Return what a signature says of all this; files are named by their content."""
    told = {"prompt": prompt, "system_prompt": system_prompt, "shots": shots_file}
    named = {name: prompts.digest(files.text(path)) for name, path in told.items() if path}
    return {**named, "shot_count": shot_count or None, "examples": examples,
            "extract": extraction.called(extract) if extract else None, "each": each}


def answered(record: dict, views: list[dict], made: list[dict], extract: Callable[[str], str] | None) -> dict:
    """Return the prediction of a record and the facts for its history, from what was made of its views.

    "prompt" stands for the prompts.  With `extract`, "output" is what the model wrote,
    and what holds no answer is "", counted as "not_extracted": outputs, not records.
    Turns come together as "Name: text" lines, one line each; one without a text stays so.
    """
    of_turns, outputs = "turn" in views[0], [one["prediction"] for one in made]
    facts = _facts(made, of_turns)
    if any("prompt" in view for view in views):
        facts["prompt"] = prompts.digest(*(view.get(key) for view in views for key in ("system_prompt", "prompt")))
    if extract:
        with about(record):
            taken = [dialogue.each(output, extract) for output in outputs]
        lost = sum(not text for one in taken for text in ([one] if isinstance(one, str) else one))
        facts |= {"output": outputs if len(made) > 1 else outputs[0], **({"not_extracted": lost} if lost else {})}
        outputs = taken
    return {"prediction": _lines(record, views, outputs) if of_turns else outputs[0], **facts}


def _facts(made: list[dict], of_turns: bool) -> dict:
    """Return the facts of all that was made; "turns" are those of each that do not add up, such as "finish"."""
    facts = {name: value for one in made for name, value in one.items() if name != "prediction"}
    if of_turns:
        own = [{name: value for name, value in one.items() if name not in _OF_ALL} for one in made]
        facts = {name: value for name, value in facts.items() if name in _OF_ALL} | ({"turns": own} if any(own) else {})
    for name in ("input_tokens", "output_tokens") if len(made) > 1 else ():
        facts[name] = _sum([one.get(name) for one in made])
    return facts | {name: any(one.get(name) for one in made) for name in ("truncated", "unfinished") if name in facts}


def _sum(values: list) -> int | None:
    """Return the sum of numbers of tokens, those of n-best lists included; None where one is not known."""
    flat = [number for value in values for number in (value if isinstance(value, list) else [value])]
    return None if None in flat else sum(flat)


def _lines(record: dict, views: list[dict], outputs: list[str | list[str]]) -> str | list[str]:
    """Return the outputs as the dialogue that they are; several outputs of each turn make several dialogues."""
    def together(chosen: list[str]) -> str:
        said = {view["number"]: " ".join(text.split()) for view, text in zip(views, chosen, strict=True)}
        return dialogue.text([{**turn, "text": said.get(number, turn["text"])}
                              for number, turn in enumerate(dialogue.turns(record))])

    if isinstance(outputs[0], str):
        return together(outputs)  # type: ignore[arg-type]
    return [together(list(chosen)) for chosen in zip(*outputs, strict=True)]
