"""Significance tests, one file each: test(a, b, *, options) -> dict of results."""
