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

from dialtools.metrics import _judge
from dialtools.models import likelihoods
from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError


def score(
    records: list[dict],
    *,
    model: str = "",
    endpoint: str = "",
    prompt: str = "",
    shots: str = "",
    max_new_tokens: int = 16,
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 8,
) -> list[float]:
    """Return the model's score of each record.

    model: folder or hub name of a causal model, or the model's name on the server.
    endpoint: the server's address, such as http://localhost:8000/v1.
    prompt: file of a template.  shots: file of records with "score".
    max_new_tokens: tokens after which an answer is cut.
    """
    if not model:
        raise OptionError("judge: which model? judge:model=PATH, or judge:endpoint=URL,model=NAME")
    fill = _judge.template(prompt, shots)
    own = (
        {"endpoint": endpoint}
        if endpoint
        else {"precision": precision, "device": device, "beams": 1, "no_repeat_ngram_size": 0}
    )
    said = _judge.answers(
        "endpoint" if endpoint else "causal",
        [fill(record) for record in records],
        records,
        model=model,
        max_new_tokens=max_new_tokens,
        offline=offline,
        batch_size=batch_size,
        **own,
    )
    return [_judge.number(facts["prediction"], facts["unfinished"]) for facts in said]


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it on this machine."""
    return () if options["endpoint"] else ("torch", "transformers")


def described(options: dict) -> dict[str, object]:
    """Return digests for the files of prompt and shots; leave out options without effect."""
    unused: dict[str, object] = {"precision": None} if options["endpoint"] else {"endpoint": None}
    return {
        "prompt": _judge.digest(options["prompt"], options["shots"]),
        "shots": "yes" if options["shots"] else "no",
    } | unused


METRIC = Metric(
    score,
    range=(0, 100),
    reaches_best=False,
    window=32,
    needs=("record",),
    libraries=libraries,
    described=described,
)
