"""Generators, one file each: generate(records, *, options) -> list of dicts with "prediction".

records: with dialogues as lists of turns.  What else a dict holds (input_tokens,
truncated, …) goes into the record's history.
"""
