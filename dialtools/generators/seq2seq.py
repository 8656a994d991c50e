"""A sequence-to-sequence model of transformers (BART, T5, Pegasus, …), by folder or hub name.

It reads the record's "context", if any, a newline, and the dialogue
as "Name: text" lines, or else the "text".  Input that is too long loses its end.

Searches by beams, or samples; the checkpoint's own generation settings give
whatever no option names.  Defaults are those of Jia et al. 2023 (Reducing
Sensitivity on Speaker Names): 4 beams, no trigram twice, length penalty 1,
1024 tokens of input.
"""

import functools

from dialtools.generators import _transformers
from dialtools.plugins.generator import Generator

GENERATOR = Generator(
    functools.partial(_transformers.generate, "seq2seq"), settings=_transformers.settings
)
