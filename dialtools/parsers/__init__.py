"""Parsers, one file each: parse(texts, *, lang, options) -> for each text a list of tokens."""
