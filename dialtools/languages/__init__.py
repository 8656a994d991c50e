"""What is known of each language: a folder each, data only, and one object made of it.

`get(tag)` returns the object. README.md in this folder explains each key of language.json and each
table; SOURCES.tsv says where each fact comes from.
"""

from dialtools.languages.language import Language, get, once_per_language
from dialtools.languages.resources import code as tag
from dialtools.languages.resources import digest, having, known, own

__all__ = ["Language", "digest", "get", "having", "known", "once_per_language", "own", "tag"]
