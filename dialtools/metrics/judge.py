"""A language model's judgement, from 0 to 100; higher is better.

The model is asked for a number. `model` is a causal model, a folder or a hub name, or with
endpoint=URL the model's name on a server that speaks the OpenAI API. Our own prompt asks how well
the prediction says what the (first) reference says; prompt=FILE is a Jinja template that sees the
keys of the record. shots=FILE has records with a "score" as examples before the question
(few-shot); without it there are none (zero-shot). Decoding is greedy.

An answer with no number, with several, or with a number outside 0 to 100 is an error on that
record, never a 0. So are an answer that is cut before its number is known to be the only one, and
a prompt that is too long. A number alone on the first line counts whatever follows it; so does a
number after "Score:", unless other lines have such numbers too. Text before </think> does not
count.

Source: as in Kasahara and Kawahara, "Exploring Automatic Evaluation Methods based on a
Decoder-based LLM for Text Generation", whose prompts differ.

>>> score([], model="some/model")
[]
"""

import functools
import re
from collections.abc import Callable, Sequence

from dialtools.inference import prompts
from dialtools.models.checkpoints import Place
from dialtools.plugins import registry
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.records import jsonl
from dialtools.system.errors import OptionError, RecordError, show

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


@flat
def score(
    records: list[dict],
    *,
    model: str = "",
    endpoint: str = "",
    prompt: str = "",
    shots: str = "",
    max_new_tokens: int = 16,
    place: Place = Place(batch_size=8),
) -> list[float]:
    """Return the model's score of each record.

    model: folder or hub name of a causal model, or the model's name on the server.
    endpoint: the server's address, such as http://localhost:8000/v1.
    prompt: file of a template.  shots: file of records with "score".
    max_new_tokens: tokens after which an answer is cut.
    """
    if not model:
        raise OptionError("judge: which model? judge:model=PATH, or judge:endpoint=URL,model=NAME")
    fill = template(prompt, shots)
    runtime = (
        {"endpoint": endpoint}
        if endpoint
        else {
            "precision": place.precision,
            "device": place.device,
            "batch_size": place.batch_size,
            "beams": 1,
            "no_repeat_ngram_size": 0,
        }
    )
    answers = _answers(
        "endpoint" if endpoint else "causal",
        [fill(record) for record in records],
        records,
        model=model,
        max_new_tokens=max_new_tokens,
        offline=place.offline,
        **runtime,
    )
    return [number(answer["prediction"], answer["unfinished"]) for answer in answers]


def template(path: str, shots: str) -> Callable[[dict], str]:
    """Return a function from a record to its prompt.

    path: the template's file, "" for our own.  shots: a file of JSON Lines, "" for none.
    """
    fill = prompts.from_file(path) if path else prompts.template(PROMPT, "judge")
    return functools.partial(fill, shots=list(jsonl.read(shots)) if shots else [])


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it on this machine."""
    return () if options["endpoint"] else ("torch", "transformers")


def described(options: dict) -> dict[str, object]:
    """Return digests for the files of prompt and shots; leave out options without effect."""
    unused: dict[str, object] = {"precision": None} if options["endpoint"] else {"endpoint": None}
    prompt, shots = options["prompt"], options["shots"]
    return {
        "prompt": prompts.digest(
            prompts.content(prompt) if prompt else PROMPT, prompts.content(shots) if shots else None
        ),
        "shots": "yes" if shots else "no",
    } | unused


def _answers(
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
    answers = list(plugin.call(asked, **options)) if asked else []
    for record, answer in zip(first.values(), answers, strict=True):
        if answer.get("truncated"):
            raise RecordError("the judge cannot read so long a prompt", record)
    known = dict(zip(first, answers, strict=True))
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
    text = _THOUSANDS.sub("", _OF.sub(" ", answer.rpartition("</think>")[2].strip()))
    lines = text.splitlines() or [""]
    first = lines[0]
    is_alone = _ALONE.fullmatch(first) or list(filter(_LABELLED.fullmatch, lines)) == [first]
    if cut and not (is_alone and lines[1:]):
        raise RecordError(f"the judge's answer is cut, give it more max_new_tokens: {show(answer)}")
    numbers = re.findall(_NUMBER, first if is_alone else text)
    if len(numbers) != 1:
        raise RecordError(
            f"the judge's answer has {'more than one' if numbers else 'no'} number: {show(answer)}"
        )
    value = float(numbers[0].replace("−", "-").replace(",", "."))
    if not 0 <= value <= 100:
        raise RecordError(f"the judge's answer is not from 0 to 100: {show(answer)}")
    return value


METRIC = Metric(
    score,
    range=(0, 100),
    reaches_best=False,
    window=32,
    needs=("record",),
    libraries=libraries,
    described=described,
)
