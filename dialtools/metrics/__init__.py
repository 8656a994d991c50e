"""Metrics, one file each: score(predictions, references, *, options) -> list of numbers.

predictions: list of strings.  references: for each a list of strings.  A score is a number,
or None where the metric leaves a record out, which its counts then tell.
RANGE: (worst, best); infinite, or no RANGE at all, where it has no bound or no direction.
FALLS_SHORT: True where a text against itself may not reach the best.
SYMMETRIC: True where prediction and reference may change places.
WINDOW: how many records it wants at once; of a model, which reads each distinct text
once and the longest first.  More may come, and fewer, and the score of a record is the same.
TEXTS: what the texts are where not any text will do, such as "numbers".
NEEDS: what it works on; ("prediction", "reference") where it says nothing.  Others are in
scoring/columns.py; what is not there is a key of the record.
needs(options) -> the same, where it depends on the options.
REFERENCES: the rule for several references where it has no option `refs`.
APART: max or min, the rule for scores against one subset of them each, where it makes one score of several references.
BY_LANGUAGE: {option: key of language.json}, the default of an option in each language.
An option `lang` gets the language.  Options that dt-score has itself, too, are device, offline,
batch_size, which are no part of signature and label, and precision.

A metric whose value for a data set is not the mean over records also has
statistics(predictions, references, *, options) -> for each prediction a list of numbers, or
{name: count}, which add up; or a list of anything else, which does not,
from_statistics(lists, *, options) -> the value; the options are those of score,
as far as they matter.  CORPUS: {part of the signature: what it is there}.
margin(lists) -> the margin of error of that value at 95 %.
MEAN: what the mean over records is, where it is not what people know by the metric's name.
pairs(predictions, references, *, options) -> for each prediction a list of (true label,
predicted label), of metrics that compare labels.

counts(predictions, references, *, options) -> for each prediction {"truncated": 1, …}, what
is counted beside its score: what comes into the closing line.
COUNTED: those of these names that stand in its results, too.
libraries(options) -> libraries whose version the signature names.
described(options) -> further parts of the signature; None leaves one out.
"""
