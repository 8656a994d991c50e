"""dt-generate -g causal:engine=vllm: what vLLM is asked for, and what is made of its answers.

vLLM itself runs on GPUs alone.  In its place stands a model of the same two
classes that writes by plain transformers, one prompt at a time.
"""

import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import tiny_models
from flat_options import generate

from dialtools.models import writers
from dialtools.system.errors import MissingError, OptionError

RECORDS = [
    {"id": number, "lang": "en", "text": text}
    for number, text in enumerate([*tiny_models.TEXTS[:4], tiny_models.TEXTS[1]])
]
GREEDY = {"beams": 1, "no_repeat_ngram_size": 0, "max_new_tokens": 12}
# Names that SamplingParams of vLLM 0.33.0 has; another would be a TypeError there, as a value out of range an error.
PARAMETERS = {
    "n",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "seed",
    "stop",
    "stop_token_ids",
    "bad_words",
    "include_stop_str_in_output",
    "ignore_eos",
    "max_tokens",
    "min_tokens",
    "logprobs",
    "prompt_logprobs",
    "detokenize",
    "skip_special_tokens",
    "spaces_between_special_tokens",
    "structured_outputs",
    "allowed_token_ids",
    "logit_bias",
    "extra_args",
}


class VLLMError(Exception):
    """What the true one's errors are; it is no ValueError, as its errors once were."""


class LLM:
    """What vLLM calls a model; notes what it is asked for."""

    asked: list[dict] = []
    made: list[dict] = []
    error: type[Exception] = VLLMError

    def __init__(
        self,
        model: str,
        *,
        dtype: str = "auto",
        seed: int = 0,
        trust_remote_code: bool = False,
        load_format: str = "auto",
    ):  # of the names that the true one takes, those that are asked for
        import transformers

        logging.getLogger("vllm.engine").warning("as the true one, it says this and that")
        assert dtype in ("auto", "float16", "bfloat16", "float32") and load_format in (
            "auto",
            "safetensors",
        )
        self.made.append(
            {"model": model, "load_format": load_format, "trust_remote_code": trust_remote_code}
        )
        self.network = transformers.AutoModelForCausalLM.from_pretrained(model).eval()
        self.words = transformers.AutoTokenizer.from_pretrained(model)

    def generate(
        self,
        prompts: list[dict],
        sampling_params: list[dict] | None = None,
        *,
        use_tqdm: bool = True,
    ) -> list:
        """Return an answer for each prompt."""
        params = sampling_params or []
        assert not use_tqdm and len(prompts) == len(params)
        if max(len(prompt["prompt_token_ids"]) for prompt in prompts) > 60:
            raise self.error(
                "The decoder prompt (length 61) is longer than\nthe maximum model length of 60."
            )
        self.asked.extend(params)
        return [
            SimpleNamespace(outputs=[self._written(prompt["prompt_token_ids"], own)])
            for prompt, own in zip(prompts, params, strict=True)
        ]

    def _written(self, ids: list[int], own: dict) -> SimpleNamespace:
        import torch

        torch.manual_seed(own["seed"] or 0)
        out = self.network.generate(
            torch.tensor([ids]),
            max_new_tokens=own["max_tokens"],
            do_sample=own["temperature"] > 0,
            eos_token_id=own["stop_token_ids"],
            pad_token_id=0,
            stop_strings=own["stop"],
            tokenizer=self.words,
        )
        new = out[0, len(ids) :].tolist()
        ended = new[-1] in own["stop_token_ids"] or len(new) < own["max_tokens"]
        steps = None
        if own["logprobs"] == 0:  # of the token itself and no others
            logits = self.network(out).logits[0, len(ids) - 1 : -1].detach().log_softmax(-1)
            values = [float(row[token]) for row, token in zip(logits, new, strict=True)]
            steps = [{t: SimpleNamespace(logprob=v)} for t, v in zip(new, values, strict=True)]
        reason = "stop" if ended else "length"
        return SimpleNamespace(token_ids=tuple(new), finish_reason=reason, logprobs=steps)


def parameters(**given: Any) -> dict:
    """Stand for SamplingParams."""
    assert set(given) <= PARAMETERS
    assert (
        given.get("top_k", -1) == -1 or given["top_k"] > 0
    )  # "all" was -1 alone in earlier versions
    assert (
        0 <= given["temperature"] <= 2
        and 0 < given.get("top_p", 1.0) <= 1
        and given["repetition_penalty"] > 0
    )
    assert 0 <= given["min_tokens"] <= given["max_tokens"] and given["max_tokens"] >= 1
    assert given["seed"] is None or 0 <= given["seed"] < 2**63  # -1 would be none at all
    assert all(given["stop"] or ()) and all(
        isinstance(token, int) for token in given["stop_token_ids"]
    )
    return given


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("transformers")
    library = ModuleType("vllm")
    library.LLM, library.SamplingParams = LLM, parameters  # type: ignore[attr-defined]
    library.exceptions = SimpleNamespace(VLLMError=VLLMError)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", library)
    for name in ("VLLM_CONFIGURE_LOGGING", "VLLM_NO_USAGE_STATS", "VLLM_ENABLE_V1_MULTIPROCESSING"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(LLM, "asked", [])
    monkeypatch.setattr(LLM, "made", [])
    words = tiny_models.tokenizer(["<end>"], None)
    writers.writer.cache_clear()
    yield tiny_models.save(tmp_path / "gpt2", tiny_models.gpt2(words), words)
    writers.writer.cache_clear()


def outputs(model: str, **options: Any) -> list[tuple]:
    made = generate(RECORDS, model=model, **{**GREEDY, **options})
    return [
        (
            record["prediction"],
            *(record["history"][0][name] for name in ("output_tokens", "unfinished", "finish")),
        )
        for record in made
    ]


def test_the_best_tokens_are_those_of_torch(model: str):
    expected = outputs(model)
    assert outputs(model, engine="vllm") == expected
    assert len(LLM.asked) == 4  # the fifth text is the second
    stop = expected[0][0][3:5]
    assert outputs(model, engine="vllm", stop=stop) == outputs(model, stop=stop)


def test_log_probabilities_are_those_of_torch(model: str):
    by_engine = [
        generate(RECORDS, generator="causal", model=model, engine=engine, logprobs=True, **GREEDY)
        for engine in ("torch", "vllm")
    ]
    for first, second in zip(*by_engine, strict=True):
        assert [token for token, _ in first["logprobs"]] == [t for t, _ in second["logprobs"]]
        expected = pytest.approx([value for _, value in first["logprobs"]], abs=1e-4)
        assert [value for _, value in second["logprobs"]] == expected


def test_each_sample_has_its_seed(model: str):
    sampling = {"engine": "vllm", "sample": True, "number": 3, "top_p": 0.9, **GREEDY}
    made = list(generate(RECORDS, model=model, **sampling))
    assert len({own["seed"] for own in LLM.asked}) == 15 == len(LLM.asked)
    assert all(len(record["prediction"]) == 3 for record in made)
    assert "|engine:vllm|" in made[0]["history"][0]["signature"]
    assert list(generate(RECORDS[::-1], model=model, **sampling))[::-1] == made


def test_weights_are_read_from_safetensors(model: str):
    outputs(model, engine="vllm")
    assert (LLM.made[0]["load_format"], LLM.made[0]["trust_remote_code"]) == ("safetensors", False)


def test_it_is_to_say_nothing_on_standard_output_and_to_nobody_else(
    model: str, caplog: pytest.LogCaptureFixture
):
    outputs(model, engine="vllm")
    assert not caplog.records
    assert (os.environ["VLLM_CONFIGURE_LOGGING"], os.environ["VLLM_NO_USAGE_STATS"]) == ("0", "1")


def test_it_is_to_run_in_this_process(model: str):
    """So its batches are the same each time, and a reader who leaves ends all of it."""
    outputs(model, engine="vllm")
    assert os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] == "0"


@pytest.mark.parametrize(
    "own, message",
    [
        ({"suppress_tokens": [7]}, "have a suppress_tokens, which vllm does not know"),
        ({"min_length": 9}, "have a min_length"),
        ({"forced_eos_token_id": 0}, "force the end"),
    ],
)
def test_settings_of_a_model_that_it_does_not_know(model: str, own: dict, message: str):
    """transformers does as they say; left out in silence, the texts would be others."""
    path = Path(model, "generation_config.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | own))
    with pytest.raises(OptionError, match=message):
        outputs(model, engine="vllm")
    if own == {"min_length": 9}:
        assert len(outputs(model, engine="vllm", min_new_tokens=0)) == len(RECORDS)


def test_the_least_tokens_by_a_models_own_settings(model: str):
    path = Path(model, "generation_config.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"min_new_tokens": 7}))
    outputs(model, engine="vllm")
    outputs(model, engine="vllm", min_new_tokens=2)
    assert [own["min_tokens"] for own in LLM.asked] == [7] * 4 + [2] * 4


@pytest.mark.parametrize("error", [VLLMError, ValueError])
def test_what_it_refuses_is_one_line(
    model: str, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
):
    monkeypatch.setattr(LLM, "error", error)
    with pytest.raises(
        OptionError, match=r"^vllm refuses: The decoder prompt \(length 61\) is longer than the max"
    ):
        list(
            generate(
                [{"id": 1, "lang": "en", "text": "long " * 40}],
                model=model,
                engine="vllm",
                **GREEDY,
            )
        )


def test_a_gpu_without_enough_memory_is_one_line(model: str, monkeypatch: pytest.MonkeyPatch):
    """The message is torch's; any other RuntimeError is one of vLLM, and told as it is."""

    def fail(*given: object, **more: object) -> list:
        raise RuntimeError(said)

    monkeypatch.setattr(LLM, "generate", fail)
    for said, kind, told in (
        ("CUDA out of memory. Tried to allocate 2.00 GiB.", MissingError, "a smaller .?window"),
        ("Engine core is dead", RuntimeError, "is dead"),
    ):
        with pytest.raises(kind, match=told):
            outputs(model, engine="vllm")


@pytest.mark.parametrize(
    "given, message",
    [
        ({"device": "cuda:1", "precision": "float32"}, "choose it by CUDA_VISIBLE_DEVICES"),
        ({"sample": True, "temperature": 0.001}, "from 0.01 to 2"),
        ({"sample": True, "temperature": 3.0}, "from 0.01 to 2"),
        ({"device": "cpu"}, "runs on cuda"),
        ({"precision": "int8"}, "runs on cuda"),
        ({"generator": "seq2seq"}, "causal models"),
    ],
)
def test_what_it_cannot_run(model: str, given: dict, message: str):
    with pytest.raises(OptionError, match=message):
        outputs(model, engine="vllm", **given)
