"""Metrics, one file each: score(predictions, references, *, options) -> list of numbers.

predictions: list of strings.  references: for each a list of strings.
RANGE: (worst, best); infinite, or no RANGE at all, where it has no bound or no direction.
FALLS_SHORT: True where a text against itself may not reach the best.
SYMMETRIC: True where prediction and reference may change places.
WINDOW: how many records it wants at once; of a model, which reads each distinct text
once and the longest first.  More may come, and fewer, and the score of a record is the same.
NEEDS: keys of the record that it needs; ("prediction", "reference") where it says nothing.
needs(options) -> the same, where it depends on the options.
REFERENCES: the rule for several references where it has no option `refs`.
BY_LANGUAGE: {option: key of language.json}, the default of an option in each language.
An option `lang` gets the language.  Options that dt-score has itself, too, are device, offline,
batch_size, which are no part of signature and label, and precision.

A metric whose value for a data set is not the mean over records also has
statistics(predictions, references, *, options) -> a list for each prediction,
from_statistics(lists, *, options) -> the value; the options are those of score,
as far as they matter.  CORPUS: {part of the signature: what it is there}.

counts(predictions, references, *, options) -> for each prediction {"truncated": 1, …}, what
is counted beside its score: what comes into the closing line.
libraries(options) -> libraries whose version the signature names.
described(options) -> further parts of the signature; None leaves one out.
"""
