"""A causal language model of transformers (GPT-2, Llama, …), by folder or hub name.

It goes on after the record's "context", if there is one, a newline, the dialogue
as "Name: text" lines, or else the "text", and a newline; only what it adds is
the prediction.  Input that is too long loses its beginning: together with
max_new_tokens it must fit into the model's positions.

Searches by beams, or samples; what no option names is as the checkpoint's own
generation settings have it.  no_repeat_ngram_size looks at the output alone:
names and phrases of the prompt may be repeated (transformers counts the prompt).
"""

import functools

from dialtools.generators import _transformers

settings = _transformers.settings
generate = functools.partial(_transformers.generate, "causal")
