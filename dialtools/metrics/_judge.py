"""What judge asks a model for, a number from 0 to 100, and how it reads the answer.

The prompt is a template (see generation/prompts.py). It sees the record and, as "shots", the
records of a file, each with its "score".
"""

import functools
import re
from collections.abc import Callable, Sequence

from dialtools.inference import prompts
from dialtools.plugins import registry
from dialtools.records import jsonl
from dialtools.system.errors import RecordError, show

Template = Callable[..., str]

PROMPT = """\
How well does the candidate say what the reference says? Answer with one number from 0 \
(nothing of it) to 100 (all of
it and nothing else), and no other word.
{% for shot in shots %}

Reference: {{ shot.reference | best }}
Candidate: {{ shot.prediction | best }}
Score: {{ shot.score }}
{% endfor %}

Reference: {{ reference | best }}
Candidate: {{ prediction | best }}
Score:"""

_OF = re.compile(r"(?:/|out of)\s*100\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# None within a word or a name (#Person1#, COVID-19), none that counts texts (2nd, 第2).
_NUMBER = r"(?<![A-Za-z\d第])(?<![A-Za-z][-−])[-−]?\d+(?:[.,]\d+)?(?!\d|st\b|nd\b|rd\b|th\b|番)"
_ALONE = re.compile(rf"[\W_]*{_NUMBER}[\W_分点점]*")
_LABELLED = re.compile(rf"[\W_]*[^\W\d_]+[\W_]*[:=：]{_ALONE.pattern}")


def template(path: str, shots: str) -> Callable[[dict], str]:
    """Return a function from a record to its prompt.

    path: the template's file, "" for our own.  shots: a file of JSON Lines, "" for none.
    """
    fill = prompts.from_file(path) if path else prompts.template(PROMPT, "judge")
    return functools.partial(fill, shots=list(jsonl.read(shots)) if shots else [])


def digest(path: str, shots: str) -> str:
    """Return a prompt's digest, for the signature."""
    return prompts.digest(
        prompts.content(path) if path else PROMPT, prompts.content(shots) if shots else None
    )


def answers(
    generator: str, texts: Sequence[str], records: Sequence[dict], **options: object
) -> list[dict]:
    """Return a generator's answer to each prompt; equal prompts are asked once.

    Raise RecordError for a record whose prompt is too long for the generator.
    """
    plugin = registry.load("generators", generator)
    settings = plugin.defaults() | options
    # an error of the options comes before any question
    plugin.declared.settings(**settings)
    first = {text: record for text, record in reversed(list(zip(texts, records, strict=True)))}
    asked = [{"id": record["id"], "prompt": text} for text, record in first.items()]
    made = list(plugin.call(asked, **options)) if asked else []
    for (text, record), facts in zip(first.items(), made, strict=True):
        if facts.get("truncated"):
            raise RecordError("the judge cannot read so long a prompt", record)
    known = dict(zip(first, made, strict=True))
    return [known[text] for text in texts]


def number(answer: str, cut: bool = False) -> float:
    """Return the number from 0 to 100 in an answer. Raise RecordError for none or several.

    cut: the answer was cut off.

    A number alone in the first line counts whatever follows it (a model that was taught no end
    goes on), one after "Score:" unless other lines have such numbers, too; else there is no other
    one, and nothing is cut.  "85/100" and "85 out of 100" are 85, "7,5" is 7.5, "1,000" too much.
    What a model thinks before it answers, up to </think>, is left out.

    >>> number("Score: 85/100\\nThe 2 texts differ."), number("7,5")
    (85.0, 7.5)
    """
    said = _THOUSANDS.sub("", _OF.sub(" ", answer.rpartition("</think>")[2].strip()))
    lines = said.splitlines() or [""]
    first = lines[0]
    alone = _ALONE.fullmatch(first) or list(filter(_LABELLED.fullmatch, lines)) == [first]
    if cut and not (alone and lines[1:]):
        raise RecordError(f"the judge's answer is cut, give it more max_new_tokens: {show(answer)}")
    found = re.findall(_NUMBER, first if alone else said)
    if len(found) != 1:
        raise RecordError(
            f"the judge's answer has {'more than one' if found else 'no'} number: {show(answer)}"
        )
    value = float(found[0].replace("−", "-").replace(",", "."))
    if not 0 <= value <= 100:
        raise RecordError(f"the judge's answer is not from 0 to 100: {show(answer)}")
    return value
