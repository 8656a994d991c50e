"""Perturbations, one file each: perturb(record, rng, *, options) -> edits.

The record has its dialogue as a list of turns. The edits are those of
records/edits.py, on the unedited record; [] if there is nothing to change. The
sixth item of an edit, if any, is a note on what was done ("zero copula").
`dialogue.language(record)` is the language: ask for it once and pass it on.
`dialogue.utterances(record)` yields the texts, each with its JSON Pointer.

The dotted name of a kind is its path: typo.case is typo/case.py. --rate sets an
option called `rate`. A parameter annotated Callable is no option: the command
passes the function in (paraphrase, similarity).

A file may also define
NEEDS = ("dialogue",)       keys that the record must have; or needs(options) -> keys
RESOURCE = "fillers.tsv"    the table of a language that the kind is defined by: a language
                            without it is refused; without RESOURCE all languages will do
TOKENS = ("upos", "feats")  keys that tokens must have; or annotation(language) -> keys,
                            None if the language needs no tokens
WHOLE = "program"           the option that takes everything after the first ":"
facts(record, edits, *, options)  more for the history: {"remark": "…", "counts": {…}}
settings(**options) -> dict       the options as the signature shows them
"""
