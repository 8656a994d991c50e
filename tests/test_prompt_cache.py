"""Prompts that begin alike are read once, and so are those of several beams or samples; the outputs are the same."""

from types import SimpleNamespace
from typing import Any

import pytest

from dialtools.models import engine_torch
from dialtools.models.decoding import Decoding
from dialtools.models.writers import ModelInput, Search

pytest.importorskip("transformers")

SHAPE = {"vocab_size": 60, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 96}
START = tuple(range(3, 35))  # what the prompts share
PROMPTS = [START + rest for rest in [(40, 41), (42, 43, 44, 45, 46), (40, 47, 48), (49,)]]


def network(family: str) -> Any:
    """Return a tiny causal model whose outputs depend on all of their input."""
    import transformers

    transformers.set_seed(3)
    configs = {
        "gpt2": lambda: transformers.GPT2Config(
            vocab_size=60, n_embd=32, n_layer=2, n_head=2, n_positions=96, initializer_range=0.4
        ),
        "llama": lambda: transformers.LlamaConfig(**SHAPE, **HEADS, initializer_range=0.4),
        "bloom": lambda: transformers.BloomConfig(
            vocab_size=60, hidden_size=32, n_layer=2, n_head=2, initializer_range=0.4
        ),
        "mistral": lambda: transformers.MistralConfig(
            **SHAPE, **HEADS, sliding_window=8, initializer_range=0.4
        ),
    }
    model = transformers.AutoModelForCausalLM.from_config(configs[family]()).eval()
    model.generation_config.eos_token_id = 2
    model.generation_config.pad_token_id = 1
    return model


def outputs(model: Any, prompts: list[tuple[int, ...]], decoding: Decoding) -> list[list]:
    tokenizer = SimpleNamespace(pad_token_id=1)
    seeds = tuple(range(decoding.number)) if decoding.sample else ()
    writer = engine_torch.over("causal", tokenizer, model)
    return writer.write([ModelInput(prompt, seeds) for prompt in prompts], Search(decoding))


DECODING = Decoding(beams=1, max_new_tokens=8, no_repeat_ngram_size=0)
ways = pytest.mark.parametrize(
    "decoding, copies",
    [
        (DECODING, 1),
        (DECODING._replace(beams=3, number=2), 3),
        (DECODING._replace(sample=True, number=2), 2),
    ],
    ids=["greedy", "beams", "samples"],
)


@ways
@pytest.mark.parametrize("family", ["gpt2", "llama", "bloom", "mistral"])
def test_outputs_are_those_of_prompts_that_generate_reads_alone(
    torch, family: str, decoding: Decoding, copies: int
):
    """The reference is generate() of transformers for one prompt; for samples, our batches of one."""
    model = network(family)
    together = [[output.ids for output in row] for row in outputs(model, PROMPTS, decoding)]
    for prompt, written in zip(PROMPTS, together, strict=True):
        if decoding.sample:
            [alone] = [[output.ids for output in row] for row in outputs(model, [prompt], decoding)]
            assert written == alone
            continue
        generated = model.generate(
            input_ids=torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            num_beams=decoding.width,
            num_return_sequences=decoding.number,
            max_new_tokens=8,
            do_sample=False,
        )
        expected = [
            [token for token in row if token not in (1, 2)]
            for row in generated[:, len(prompt) :].tolist()
        ]
        assert [[token for token in row if token != 1] for row in written] == expected
    assert len({tuple(row[0]) for row in together}) > 1


@ways
def test_what_prompts_share_is_read_once(torch, decoding: Decoding, copies: int):
    model = network("llama")
    read: list[int] = []
    embedding = model.get_input_embeddings()
    embedding.register_forward_hook(lambda module, given, output: read.append(given[0].numel()))
    outputs(model, PROMPTS, decoding._replace(max_new_tokens=1))
    longest = max(map(len, PROMPTS)) - len(START)
    rest = len(PROMPTS) * longest if copies == 1 else len(PROMPTS) * (longest - 1 + copies)
    assert sum(read) == len(START) + rest
