"""The texts that a model of dt-train scorer reads of a record, in training and ever after."""

from dialtools.evaluation.compared_texts import DIALOGUE, PREDICTION
from dialtools.inference import prompts
from dialtools.models import scorers
from dialtools.models.scorers import Manner, Text
from dialtools.records import dialogue, values, wellformed
from dialtools.system.errors import RecordError, show, show_names


def texts(record: dict, manner: Manner) -> list[Text]:
    """Return the text or the pair that a scorer reads; several where a key holds several texts.

    Without `of` and `pair` that is what dt-generate reads: the prompt, or else the context and
    the dialogue or the text.
    """
    seen = _with_tokens(record, manner.speakers)
    if manner.pair:
        first, second = (_texts(seen, path) for path in manner.pair)
        found: list[Text] = [(one, other) for one in first for other in second]
    elif manner.of:
        found = [(text,) for text in _texts(seen, manner.of)]
    else:
        found = [(_whole(seen, manner),)]
    if not manner.profile:
        return found
    profiles = _texts(seen, manner.profile)
    if len(profiles) != 1:
        raise RecordError(f'"{manner.profile}" must be one text to come first', record)
    [profile] = profiles
    return [
        (f"{profile}\n{text[0]}", text[1]) if len(text) == 2 else (profile, *text) for text in found
    ]


def one(record: dict, manner: Manner) -> Text:
    """Return the text or the pair. Raise RecordError where there are several."""
    found = texts(record, manner)
    if len(found) != 1:
        raise RecordError(
            f"one text of each kind is read, here are {len(found)} to choose from", record
        )
    return found[0]


def turns(record: dict) -> list[dict]:
    """Return the turns of a record. Raise RecordError for malformed ones.

    A command looks at turns as it reads records only where it always wants a dialogue.
    """
    if problem := wellformed.problem(DIALOGUE, record.get(DIALOGUE)):
        raise RecordError(problem, record)
    return dialogue.turns(record)


def _whole(record: dict, manner: Manner) -> str:
    if manner.speakers is not None and record.get("prompt") is not None:
        raise RecordError(
            "the model has a token for each speaker, and a prompt does not tell who "
            "speaks: leave it out",
            record,
        )
    if record.get("prompt") is None:
        turns(record)  # which checks them
    return prompts.of(record)


def _with_tokens(record: dict, speakers: list[str] | None) -> dict:
    """Return the record with tokens as labels of its turns, if the model has any."""
    if speakers is None:
        return record
    known = set(speakers)
    said = [
        {
            "speaker": scorers.token(turn["speaker"] if turn["speaker"] in known else None),
            "text": turn["text"],
        }
        for turn in turns(record)
    ]
    return {**record, "dialogue": said} if said else record


def _texts(record: dict, path: str) -> list[str]:
    """Return the texts under a path: one, or a list; the dialogue as lines."""
    if path == DIALOGUE and (found := turns(record)):
        return [dialogue.text(found)]
    value, lacking = values.at(record, path)
    if lacking is not None or value is None:
        raise RecordError(f'no "{path}"; the record has {show_names(record)}', record)
    if path == PREDICTION:
        return [dialogue.best(record)]
    strings = [value] if isinstance(value, str) else value
    if (
        not isinstance(strings, list)
        or not strings
        or not all(isinstance(text, str) for text in strings)
    ):
        raise RecordError(f'"{path}" must be a text, not {show(value)}', record)
    return strings
