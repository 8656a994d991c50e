"""Perturbations, one file each: perturb(record, rng, *, options) -> edits.

record: with its dialogue as a list of turns.  Edits are those of edits.py, on
the unedited record; none where there was nothing to change.  A sixth item of an
edit is a note that says what was done ("zero copula").

A file may define
NEEDS = ("dialogue",)      what the record must hold; or needs(options) -> such keys, where options matter
RESOURCE = "fillers.tsv"   the file without which the kind is not defined for a language; none: for all of them
TOKENS = ("upos", "feats") what the tokens must have, if it cannot do without any; or annotation(language) -> the same,
                           where languages differ; None where it can do without
facts(record, edits, *, options)  what the history says besides: {"remark": "synthetic, …", "counts": {…}}
WHOLE = "program"          the option that all of a spec is, whatever stands after the first ":"

settings(**options) -> dict  the options that matter, for the signature; functions by name

An option called `rate` is what --rate sets; one annotated Callable is no option,
but a function that the command passes in (paraphrase, similarity).
"""
