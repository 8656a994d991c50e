"""The prompt itself, as a model would read it: for inspection and tests.

>>> generate([{"id": 1, "text": "Hi", "context": "What is said?"}, {"prompt": "Say {Hi}."}])
[{'prediction': 'What is said?\\nHi'}, {'prediction': 'Say {Hi}.'}]
"""

from dialtools.inference import prompts
from dialtools.plugins.generator import Generator


def generate(records: list[dict]) -> list[dict]:
    """Return the prompt of each record after its system prompt, or else the dialogue or text."""
    return [
        {"prediction": prompts.joined(prompts.of(record), record.get("system_prompt"))}
        for record in records
    ]


GENERATOR = Generator(generate)
