"""What dt-parse does around a parser: texts and tokens of records, long texts, --parser auto."""

AUTO = "auto"  # in the place of a parser: the best one that is installed for each language
ALSO = ("context", "reference", "prediction")  # keys whose strings dt-parse can parse, too
