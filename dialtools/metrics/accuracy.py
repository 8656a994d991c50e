"""Accuracy of labels, 1 where prediction and reference are alike, from 0 to 1; higher is better.

White space around a label does not matter, case does.  The mean over records
is the accuracy of a data set.  A record whose references have no majority is
left out with refs=majority: it has no score, and is counted as undecided.

Source: as in "Modeling collaborative dialogue in Minecraft with
action-utterance model"; equal to scikit-learn's accuracy_score.

>>> score(["UTT", "ACT"], [["UTT"], ["UTT"]])
[1.0, 0.0]
>>> score(["good", "good"], [["good", "bad", "good"], ["good", "bad"]], refs="majority")
[1.0, None]
"""

from dialtools.metrics import _labels

RANGE = (0, 1)
SYMMETRIC = True


def score(predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max") -> list[float | None]:
    """Return 1.0 or 0.0 for each prediction.

    refs: of several references any will do (max), or what most of them say is the true one (majority).
    """
    return _labels.agreement(predictions, references, refs)


def counts(predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max") -> list[dict[str, int]]:
    """Return of each record whether it is left out, as undecided."""
    return _labels.undecided(pairs(predictions, references, refs=refs))


def pairs(predictions: list[str], references: list[list[str]], *,
          refs: _labels.Refs = "max") -> list[list[_labels.Pair]]:
    """Return the true and the predicted label of each record."""
    return _labels.pairs(predictions, references, refs)
