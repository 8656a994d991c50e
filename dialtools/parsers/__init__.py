"""Parsers, one file each: parse(texts, *, lang, options) -> for each text a list of tokens.

A token is a dict:

form, start, end   text[start:end] == form, in code points; tokens stand in order and do not overlap
sent               number of its sentence in the text, from 1
lemma, upos, xpos, feats, head, deprel   as in CoNLL-U, where the parser knows; head counts from 1, 0 is the root
ner                of named entities: O, B-PER, I-PER, …
word, part         in a multiword token: see dialtools/records/multiword.py
reading            of Japanese words, in kana

A text without words has no tokens ([]).  Texts are never longer than
dialtools/annotation/chunks.py says.  A file may also define

annotate(given, *, lang, options)   the same for texts whose words are known: given holds the tokens of each, of which
                                    all stay and get what the parser knows; see _given.py
versions(*, lang, options)          a dict of what the signature says of the parser
ready(*, lang)                      is all there that it needs for a language?  For --parser auto
"""
