"""Parsers, one file each: parse(texts, *, lang, options) -> for each text a list of tokens.

A token is a dict:

form, start, end   text[start:end] == form, in code points; tokens stand in order and do not overlap
sent               number of its sentence in the text, from 1
lemma, upos, xpos, feats, head, deprel   as in CoNLL-U, where the parser knows; head counts from 1, 0 is the root
word, part         in a multiword token: see dialtools/converting/multiword.py
reading            of Japanese words, in kana

A text without words has no tokens ([]).  Each file also defines
versions(*, lang, options), a dict of what the signature says of the parser.
"""
