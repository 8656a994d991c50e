"""Metrics, one file each: score(predictions, references, *, options) -> list of numbers.

predictions: list of strings.  references: for each a list of strings.
RANGE: (worst, best) where the metric is bounded and higher is better.
NEEDS: keys of the record that it needs; ("prediction", "reference") where it says nothing.
REFERENCES: the rule for several references; "max", the best counts, where it says nothing.
FIXED: further parts of its signature.  LIBRARY: whose version the signature names.
BY_LANGUAGE: {option: key of language.json}, the default of an option in each language.
"""
