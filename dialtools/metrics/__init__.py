"""Metrics, one file each: score(predictions, references, *, options) -> list of numbers.

predictions: a list of strings.  references: a list of strings for each prediction.  A score is a
number, or None if the metric leaves a record out, which its counts then report.

Constants
RANGE: (worst, best); infinite, or absent, without a bound or a direction.  Numbers from 0 to 1 are
shown in percent, others as they are; scoring/units.py says how.
BOUNDS: (lowest, highest) of a metric without RANGE. bounds(options) -> the same, if it depends on
the options, or None.
BETTER: "higher" or "lower", of a metric without RANGE.
UNIT: the name of the unit of its numbers, "points" or "raw", if it does not follow from the range.
FALLS_SHORT: True if a text against itself may not reach the best.
SYMMETRIC: True if prediction and reference may change places.
WINDOW: how many records the metric wants at once, for a model, which reads each distinct text once
and the longest first.  It may get more or fewer; the score of a record does not depend on it.
TEXTS: what the texts must be, such as "numbers"; absent for any text.
NEEDS: the columns that the metric reads, by default ("prediction", "reference").
scoring/columns.py lists the others; any other name is a key of the record. needs(options) -> the
same, if it depends on the options.
REFERENCES: the rule for several references, for a metric without the option `refs`.
APART: max or min, how to combine the scores against single subsets of references, for a metric
that makes one score of several references.
BY_LANGUAGE: {option: key of language.json}, the default of an option in each language, such as
{"tok": "words"} for a metric that counts words.
An option `language` gets the Language.  The options device, offline, batch_size (not part of
signature and label) and precision exist in dt-score too.
MEAN: what the mean over records is called, if it is not what people know by the metric's name.

Values of a data set that are not the mean over records
statistics(predictions, references, *, options) -> for each prediction a list of numbers, or
{name: count}, which add up; or a list of anything else, which does not, so that dt-ttest cannot
resample it.
from_statistics(lists, *, options) -> the value; it takes those options of score that matter.  It
gets the statistics of records or sums of them, perhaps floats; names with count 0 are left out.
CORPUS: {part of the signature: its value there}.
CORPUS_BOUNDS: (lowest, highest) of the value, if a record has others.
margin(lists) -> the margin of error of that value at 95 %.
pairs(predictions, references, *, options) -> for each prediction a list of (true label, predicted
label), for metrics that compare labels.

What is reported beside a score
counts(predictions, references, *, options) -> {"truncated": 1, ...} for each prediction, summed in
the closing line.
COUNTED: the names of those counts that stand in results too.
libraries(options) -> the libraries whose versions the signature names.
described(options) -> further parts of the signature; None leaves a part out.
"""
