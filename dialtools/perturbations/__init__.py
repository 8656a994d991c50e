"""Perturbations, one file each: perturb(record, rng, *, options) -> edits.

record: with its dialogue as a list of turns.  Edits are those of edits.py, on
the unedited record; none where there was nothing to change.
"""
