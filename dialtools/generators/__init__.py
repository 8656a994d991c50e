"""Generators, one file each: generate(records, *, options) -> dicts with "prediction".

records: with dialogues as lists of turns, and, where the command was given a
template, "prompt", the text to be read instead, and perhaps "system_prompt".
What comes back may be any iterable of as many dicts: what is yielded early is
kept where a later record fails.  A list as "prediction" is an n-best list,
best first.  What else a dict holds (input_tokens, truncated, …) goes
into the record's history; "truncated" and "unfinished" are counted.  "delays"
and "source_length" of output that comes while its source does go into the record.

NEEDS: keys of the record that it needs; ("dialogue|text",) where it says nothing.
settings(**options) -> dict: the options as they take effect, for the signature;
    raises OptionError where they do not go together.  May be missing.

An option called "model" is a model's path or hub name, "window", or else
"batch_size", how many records to give at once; one record is given where there
is neither.
"""
