"""A causal language model of transformers (GPT-2, Llama, …), by folder or hub name.

It continues the record's "context", if any, a newline, the dialogue as "Name:
text" lines, or else the "text", and a newline; only the continuation is the
prediction.  Input that is too long loses its beginning: together with
max_new_tokens it must fit into the model's positions.

Searches by beams, or samples; the checkpoint's own generation settings give
whatever no option names.  no_repeat_ngram_size counts the output alone: names
and phrases of the prompt may recur (transformers counts the prompt).
"""

import functools

from dialtools.generators import _transformers
from dialtools.plugins.generator import Generator

GENERATOR = Generator(
    functools.partial(_transformers.generate, "causal"), settings=_transformers.settings
)
