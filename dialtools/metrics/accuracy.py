"""Accuracy of labels, 1 where prediction and reference are alike, from 0 to 1; higher is better.

Case counts; white space around a label does not, nor how much stands within it. The mean over
records is the accuracy of a data set. With refs=majority, a record whose references have no
majority gets no score and is counted as undecided.

Source: as in "Modeling collaborative dialogue in Minecraft with action-utterance model"; equal to
scikit-learn's accuracy_score.

>>> score(["UTT", "ACT"], [["UTT"], ["UTT"]])
[1.0, 0.0]
>>> score(["good", "good"], [["good", "bad", "good"], ["good", "bad"]], refs="majority")
[1.0, None]
"""

from dialtools.metrics import _labels
from dialtools.plugins.metric import Metric

counts = _labels.left_out


def score(
    predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max"
) -> list[float | None]:
    """Return 1.0 or 0.0 for each prediction.

    refs: any of several references may match (max), or the label of most of them must (majority).
    """
    return _labels.agreement(predictions, references, refs)


METRIC = Metric(score, range=(0, 1), symmetric=True, pairs=_labels.pairs, counts=counts)
