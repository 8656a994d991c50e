"""The prompt itself, as a model would read it: to look at, and for tests.

>>> generate([{"id": 1, "text": "Hi", "context": "What is said?"}, {"id": 2, "prompt": "Say {Hi}."}])
[{'prediction': 'What is said?\\nHi'}, {'prediction': 'Say {Hi}.'}]
"""

from dialtools.generation import prompts


def generate(records: list[dict]) -> list[dict]:
    """Return the prompt of each record, after its system prompt; without a template the dialogue or text."""
    return [{"prediction": prompts.joined(prompts.of(record), record.get("system_prompt"))} for record in records]
