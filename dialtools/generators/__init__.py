"""Generators, one file each: generate(records, *, options) -> dicts with "prediction".

records: with dialogues as lists of turns, and, where the command was given a
template, "prompt", the text to be read instead, and perhaps "system_prompt".
The result is any iterable of as many dicts: those yielded before a record fails
are kept.  A list as "prediction" is an n-best list, best first.  Other facts
(input_tokens, truncated, …) go into the record's history; "truncated" and
"unfinished" are counted.  "delays" and "source_length" of simultaneous translation
go into the record.

NEEDS: keys of the record that it needs; by default ("dialogue|text",).  needs(options) -> the
same, if it depends on the options.
settings(**options) -> dict: the options as they take effect, for the signature;
    raises OptionError if they exclude each other.  Optional.

A parameter "arrived" gets a function, or None: a generator that has outputs before it can yield
them in order calls it with {place among the records: output}, in any thread, so that they are kept.

An option "model" is a model's path or hub name; "window", or else "batch_size", is
the number of records to pass at once, by default one.  A parameter that is a value
(Decoding, Runtime, …) offers its fields as options (see options.flat).
"""
