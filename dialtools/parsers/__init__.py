"""Parsers, one file each: parse(texts, *, language, options) -> a list of tokens for each text.

A token is a dict:

form, start, end   text[start:end] == form, in code points; tokens are in order and do not overlap
sent               number of its sentence in the text, from 1
lemma, upos, xpos, feats, head, deprel   as in CoNLL-U, if known; head counts from 1, 0 is the root
ner                tag of a named entity: O, B-PER, I-PER, …
word, part         in a multiword token: see dialtools/records/multiword.py
reading            of Japanese words, in kana

A text without words has no tokens ([]).  Texts are at most as long as
dialtools/parsing/chunks.py says.  A file may also define

annotate(given, *, language, options)   the same for tokenized texts: given has the tokens of each;
                                        all stay and get annotation; see _given.py
versions(*, language, options)          a dict for the signature: versions, models
ready(*, language)                      are library and models installed?  For --parser auto
"""
