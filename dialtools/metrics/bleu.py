"""Sentence BLEU, from 0 to 100; higher is better.

Up to 4-grams, exponential smoothing, effective order (so that a short text
that equals its reference scores 100).  The mean over records is no corpus
BLEU: report it as mean sentence BLEU.  An empty prediction scores 0.

Source: Papineni et al. 2002, https://aclanthology.org/P02-1040, as computed
by sacrebleu (Post 2018, https://aclanthology.org/W18-6319), called here.

>>> [round(value, 2) for value in score(["the cat sat here"], [["the cat is here"]])]
[35.36]
"""

from typing import Literal

RANGE = (0, 100)
BY_LANGUAGE = {"tok": "bleu_tokenizer"}
REFERENCES = "closest"  # sacrebleu's rule: n-grams of all, length of the closest
FIXED = {"eff": "yes", "smooth": "exp", "case": "mixed"}
LIBRARY = "sacrebleu"

Tokenizer = Literal["13a", "intl", "zh", "char", "none"]  # the others need a library or a download


def score(predictions: list[str], references: list[list[str]], *, tok: Tokenizer = "13a") -> list[float]:
    """Return the BLEU of each prediction; tok is one of sacrebleu's tokenizers that need nothing more."""
    from sacrebleu.metrics import BLEU

    bleu = BLEU(tokenize=tok, effective_order=True)
    return [bleu.sentence_score(prediction, texts).score
            for prediction, texts in zip(predictions, references, strict=True)]
