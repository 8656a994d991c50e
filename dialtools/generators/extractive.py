"""Texts of the record itself: the prompt (echo), or lines of the dialogue, as simple baselines.

lead gives the first lines, longest the longest and middle those in the middle; echo the prompt after
its system prompt, as a model would read it, or else the dialogue or text: for inspection and tests.

The length of a line is that of the whole as it is written out, "Speaker: text", in code points: a
speaker with a longer name is more likely to be chosen by longest.  With speaker=no labels are left
out of the output and of the length.  Of two lines of one length the earlier comes first.  middle has
as many lines before as after; where that cannot be, one more after.

Sources: LEAD-n, LONGEST-n (the longest utterances in order of length) and MIDDLE-n, baselines of
Gliwa et al. 2019 (SAMSum), https://aclanthology.org/D19-5409; the paper does not say which is the
middle of an even number.  Utterances without text do not count; a dialogue of fewer than k gives all
of them.

>>> turns = [{"speaker": "Ann", "text": text} for text in ("Hi!", "Coming?", "We wait.", "Bye.")]
>>> lead.generate([{"dialogue": turns}])
[{'prediction': 'Ann: Hi!'}]
>>> longest.generate([{"dialogue": turns}], k=2)
[{'prediction': 'Ann: We wait.\\nAnn: Coming?'}]
>>> middle.generate([{"dialogue": turns}])
[{'prediction': 'Ann: Coming?'}]
>>> echo.generate([{"id": 1, "text": "Hi", "context": "What is said?"}, {"prompt": "Say {Hi}."}])
[{'prediction': 'What is said?\\nHi'}, {'prediction': 'Say {Hi}.'}]
"""

from collections.abc import Callable
from functools import partial

from dialtools.inference import prompts
from dialtools.plugins.generator import Generator
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError


def generate(
    choose: Callable[[list[str], int], list[str]],
    records: list[dict],
    *,
    k: int = 1,
    speaker: bool = True,
) -> list[dict]:
    """Return the chosen lines of each record, joined by newlines; "" if no turn has a text.

    choose: takes the lines of all turns with a text, in order, and k.
    k: how many utterances.
    speaker: keep the "Speaker: " in front of each.
    """
    if k < 1:
        raise OptionError(f"k is at least 1, not {k}")
    predictions = []
    for record in records:
        turns = dialogue.turns(record)
        if not turns:
            raise RecordError("a dialogue without turns", record)
        spoken = [turn for turn in turns if turn["text"].strip()]
        lines = [dialogue.text([turn]) if speaker else turn["text"] for turn in spoken]
        predictions.append({"prediction": "\n".join(choose(lines, k))})
    return predictions


def prompt_alone(records: list[dict]) -> list[dict]:
    """Return the prompt of each record after its system prompt, or else the dialogue or text."""
    return [
        {"prediction": prompts.joined(prompts.of(record), record.get("system_prompt"))}
        for record in records
    ]


echo = Generator(
    prompt_alone, summary="The prompt itself, as a model would read it: for inspection and tests."
)
lead = Generator(
    partial(generate, lambda lines, k: lines[:k]),
    needs=("dialogue",),
    summary="The first k utterances of the dialogue, in order.",
)
longest = Generator(
    partial(generate, lambda lines, k: sorted(lines, key=len, reverse=True)[:k]),
    needs=("dialogue",),
    summary="The k longest utterances of the dialogue, longest first.",
)
middle = Generator(
    partial(generate, lambda lines, k: lines[max(0, len(lines) - k) // 2 :][:k]),
    needs=("dialogue",),
    summary="The k utterances in the middle of the dialogue, in order.",
)
