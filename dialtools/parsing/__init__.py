"""What dt-parse does around a parser: texts and tokens of records, long texts, --parser auto."""
