"""What a line of a file is: a record, a record of a source, a result, a step of a training."""

from dialtools.system.errors import RecordError, show_names

RECORD, SOURCE, EPOCH = "records", "per-source records", "training log lines"
SENSITIVITY, ROBUSTNESS, QUALITY = "sensitivity results", "robustness results", "means"
SUMMARIES = (QUALITY, SENSITIVITY, ROBUSTNESS)
GAP, TEST, CONFUSION, FINDING = "gaps", "tests", "confusions", "findings"
OTHER = "other results"
# Keys that a line of each kind has; the first kind that fits counts.
_RESULTS = (
    (TEST, ("test", "value", "verdict")),
    (CONFUSION, ("metric", "true", "predicted")),
    (GAP, ("metric", "gap", "highest")),
    (ROBUSTNESS, ("metric", "consistency")),
    (SENSITIVITY, ("metric", "S")),
    (QUALITY, ("metric", "mean")),
    (FINDING, ("level", "finding")),
    (EPOCH, ("epoch",)),
    (EPOCH, ("best",)),
    (OTHER, ("cluster_label", "n")),
    (OTHER, ("term", "weight")),
    (OTHER, ("signature",)),
)
_OF_SOURCES = ("S:", "consistency:")  # how labels of scores of a source begin
_OF_RECORDS = ("dialogue", "text", "prediction", "reference", "context", "scores", "history")
# what a training says first: the sizes of its data, the recipe
_OF_TRAINING = ("recipe", "weights", "train", "parameters")


def kind(line: dict, place: str | None = None) -> str:
    """Return what a line is.  Raise RecordError for what no command of dialtools writes.

    >>> kind({"metric": "rouge2", "S": 3.2}), kind({"id": 1, "scores": {"S:rouge2": 3.2}})
    ('sensitivity results', 'per-source records')
    """
    scores = line.get("scores")
    if isinstance(scores, dict) and any(name.startswith(_OF_SOURCES) for name in scores):
        return SOURCE
    if not any(key in line for key in _OF_RECORDS):
        for name, keys in _RESULTS:
            if all(key in line for key in keys):
                return name
        if "id" not in line and any(key in line for key in _OF_TRAINING):
            return EPOCH
    if "id" in line or any(key in line for key in _OF_RECORDS):
        return RECORD
    raise RecordError(
        f"this is nothing that dialtools writes as JSON Lines; it has {show_names(line)}",
        place=place,
    )
