"""The texts that a model of dt-train scorer reads of a record, in training and ever after."""

from dialtools.inference import prompts
from dialtools.models import scorers
from dialtools.models.scorers import Manner, Text
from dialtools.records import dialogue, values, wellformed
from dialtools.system.errors import RecordError, show, show_names


def one(record: dict, manner: Manner) -> Text:
    """Return the text or the pair. Raise RecordError where there are several."""
    choices = texts(record, manner)
    if len(choices) != 1:
        raise RecordError(
            f"one text of each kind is read, here are {len(choices)} to choose from", record
        )
    return choices[0]


def texts(record: dict, manner: Manner) -> list[Text]:
    """Return the text or the pair that a scorer reads; several where a key holds several texts.

    Without `of` and `pair` that is what dt-generate reads: the prompt, or else the context and
    the dialogue or the text.  A model with a token for each speaker reads these as labels of turns.
    """
    view = record
    if manner.speakers is not None and (record_turns := turns(record)):
        known = set(manner.speakers)
        view = {**record, "dialogue": []}
        for turn in record_turns:
            token = scorers.token(turn["speaker"] if turn["speaker"] in known else None)
            view["dialogue"].append({"speaker": token, "text": turn["text"]})
    if manner.pair:
        first_texts, second_texts = (_texts(view, path) for path in manner.pair)
        pairs: list[Text] = [(first, second) for first in first_texts for second in second_texts]
    elif manner.of:
        pairs = [(text,) for text in _texts(view, manner.of)]
    else:
        if manner.speakers is not None and record.get("prompt") is not None:
            raise RecordError(
                "the model has a token for each speaker, and a prompt does not tell who "
                "speaks: leave it out",
                view,
            )
        if record.get("prompt") is None:
            turns(view)  # which checks them
        pairs = [(prompts.of(view),)]
    if not manner.profile:
        return pairs
    profiles = _texts(view, manner.profile)
    if len(profiles) != 1:
        raise RecordError(f'"{manner.profile}" must be one text to come first', record)
    [profile] = profiles
    return [
        (f"{profile}\n{text[0]}", text[1]) if len(text) == 2 else (profile, *text) for text in pairs
    ]


def turns(record: dict) -> list[dict]:
    """Return the turns of a record. Raise RecordError for malformed ones.

    A command looks at turns as it reads records only where it always wants a dialogue.
    """
    if problem := wellformed.problem("dialogue", record.get("dialogue")):
        raise RecordError(problem, record)
    return dialogue.turns(record)


def _texts(record: dict, path: str) -> list[str]:
    """Return the texts under a path: one, or a list; the dialogue as lines."""
    if path == "dialogue" and (record_turns := turns(record)):
        return [dialogue.text(record_turns)]
    value, lacking = values.at(record, path)
    if lacking is not None or value is None:
        raise RecordError(f'no "{path}"; the record has {show_names(record)}', record)
    if path == "prediction":
        return [dialogue.best(record)]
    strings = [value] if isinstance(value, str) else value
    if (
        not isinstance(strings, list)
        or not strings
        or not all(isinstance(text, str) for text in strings)
    ):
        raise RecordError(f'"{path}" must be a text, not {show(value)}', record)
    return strings
