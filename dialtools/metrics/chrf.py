"""chrF, the F-score of character 6-grams, from 0 to 100; higher is better.

The mean over records is no corpus chrF: report it as mean sentence chrF.  Of
several references the best counts.  An empty prediction scores 0.

Source: Popovic 2015, https://aclanthology.org/W15-3049, as computed by
sacrebleu (Post 2018, https://aclanthology.org/W18-6319), called here.

>>> [round(value, 2) for value in score(["the cat sat"], [["the cat is here"]])]
[38.43]
"""

from dialtools.errors import OptionError

RANGE = (0, 100)
FIXED = {"words": 0, "space": "no", "eff": "yes", "case": "mixed"}
LIBRARY = "sacrebleu"


def score(predictions: list[str], references: list[list[str]], *, order: int = 6, beta: int = 2) -> list[float]:
    """Return the chrF of each prediction.

    order: longest n-gram, in characters, 1 or more.
    beta: weight of recall, 1 or more; 2 counts it twice as much as precision.
    """
    if order < 1 or beta < 1:
        raise OptionError(f"chrf: order and beta are 1 or more, not {order} and {beta}")
    from sacrebleu.metrics import CHRF

    chrf = CHRF(char_order=order, beta=beta)
    return [chrf.sentence_score(prediction, texts).score
            for prediction, texts in zip(predictions, references, strict=True)]
