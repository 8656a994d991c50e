"""What runs on a GPU, without one: decisions that are faked, and tensors on "meta", torch's device without memory.

On "meta" all goes well until numbers are fetched.  torch lets some operations there have tensors of the CPU, which on
a GPU would fail: together() does not.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import tiny_models
from tiny_models import TEXTS

from dialtools.models import (
    checkpoints,
    classifiers,
    ctranslate,
    encoders,
    engine_torch,
    likelihoods,
    minibatches,
)
from dialtools.system.errors import MissingError, OptionError

WHERE = checkpoints.Place(device="meta")


@pytest.fixture(scope="module")
def folder(torch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tiny_models.folder(tmp_path_factory.mktemp("devices"))
    words = tiny_models.tokenizer([*tiny_models.SPECIAL, "<mask>"])
    words.mask_token = "<mask>"
    for name, model in (
        ("bert", tiny_models.bert(words)),
        ("masked", tiny_models.masked(words)),
        ("labels", tiny_models.classifier(words, ["yes", "no"])),
    ):
        tiny_models.save(place / name, model, words)
    return place


def together():
    """Return a mode of torch in which all tensors of an operation are on one device, single numbers aside."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Together(TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            leaves = tree_leaves((args, kwargs or {}))
            places = {
                leaf.device.type for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.dim()
            }
            assert len(places) < 2 or operation is torch.ops.aten.copy_.default, (
                f"{operation} has tensors on {places}"
            )
            return operation(*args, **kwargs or {})

    return Together()


@pytest.mark.parametrize(
    "ask",
    [
        lambda folder: encoders.encoder(f"{folder}/bert", WHERE).read(TEXTS),
        lambda folder: likelihoods.written(f"{folder}/bart", TEXTS, TEXTS[::-1], WHERE),
        lambda folder: likelihoods.written(f"{folder}/t5", TEXTS, TEXTS[::-1], WHERE),
        lambda folder: likelihoods.causal(f"{folder}/gpt2", TEXTS, WHERE),
        lambda folder: likelihoods.masked(f"{folder}/masked", TEXTS, WHERE),
        lambda folder: classifiers.probabilities(
            f"{folder}/labels", [(text, "Hi") for text in TEXTS], "yes", WHERE
        ),
    ],
)
def test_all_tensors_are_where_the_model_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable
):
    import torch

    monkeypatch.setattr(checkpoints, "device_of", lambda name: name)  # it would refuse "meta"
    monkeypatch.setattr(likelihoods, "_is_causal", lambda model: True)  # that fetches numbers
    monkeypatch.setattr(
        torch.Tensor, "__bool__", lambda self: False, raising=False
    )  # is there no padding?
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        with together():
            ask(folder)


@pytest.mark.parametrize(
    "place, precision",
    [("cuda", "bfloat16"), ("cuda:1", "float32"), ("cpu", "float32"), ("mps", "float32")],
)
def test_bfloat16_is_for_gpus_that_have_it(
    torch, monkeypatch: pytest.MonkeyPatch, place: str, precision: str
):
    """Those of capability 8.0 (Ampere) and later; a T4 has 7.5, and torch says that bfloat16 is supported there."""
    monkeypatch.setattr(checkpoints, "device_of", lambda name: name)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    monkeypatch.setattr(
        torch.cuda, "get_device_capability", {"cuda": (8, 0), "cuda:1": (7, 5)}.__getitem__
    )
    assert checkpoints.precision_of("auto", place) == precision
    assert checkpoints.precision_of("float16", place) == "float16"


@pytest.mark.parametrize(
    "message",
    [
        "CUDA out of memory. Tried to allocate 2.00 GiB.",
        "MPS backend out of memory (MPS allocated: 9.05 GB)",
        "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "CUDA failed with error out of memory",
    ],
)
def test_memory_that_runs_out(torch, message: str):
    for kind in (RuntimeError, torch.cuda.OutOfMemoryError):

        def small(rows: list[int]) -> list[int]:
            if len(rows) > 2 or 5 in rows:
                raise kind(message)
            return rows

        room, lines = minibatches.Room(), list[str]()
        rows = room.halved([1, 2, 3, 4, 5, 6], lambda row: 10, small, lines.append)
        assert rows == [1, 2, 3, 4, None, 6]
        assert lines == [
            "memory ran out for 6 inputs of up to 10 tokens: from here on batch_tokens=30",
            "memory ran out for 3 inputs of up to 10 tokens: from here on batch_tokens=15",
        ]
        with pytest.raises(MissingError, match="not enough memory"), checkpoints.inference():
            raise kind(message)


def test_other_errors_of_a_model_stay_what_they_are(torch):
    for run in (checkpoints.inference, lambda: engine_torch._deterministic(True)):
        with pytest.raises(RuntimeError, match="size mismatch"), run():
            raise RuntimeError("size mismatch")
        assert not torch.are_deterministic_algorithms_enabled()


def test_a_kernel_that_is_not_deterministic(torch):
    with pytest.raises(
        OptionError,
        match="^exact=yes: .*: histc_cuda does not have a deterministic implementation, but",
    ):
        with engine_torch._deterministic(True):
            raise RuntimeError(
                "histc_cuda does not have a deterministic implementation, but you set 'torch.use_"
                "deterministic_algorithms(True)'. You can turn off determinism just for this operation"
            )


def test_exact_sums_up_probabilities_on_the_cpu(torch):
    """CUDA has no deterministic cumsum of floats, which top_p needs."""

    class Far(SimpleNamespace):
        device = "cpu"

        def cpu(self):
            return self.tensor

    ids, scores = Far(tensor=torch.tensor([[1]])), Far(tensor=torch.tensor([[3.0, 1.0, 0.0]]))
    step = engine_torch.draws(1.0, 0, 0.5, [1], engine_torch.on_cpu)[1]
    assert step(ids, scores).tolist() == [[3.0, float("-inf"), float("-inf")]]


def test_devices_of_ctranslate2(monkeypatch: pytest.MonkeyPatch):
    library = SimpleNamespace(get_cuda_device_count=lambda: 2)
    monkeypatch.setattr(ctranslate, "need", lambda *names: library)
    assert [ctranslate.place(name) for name in ("auto", "cpu", "cpu:0", "cuda", "cuda:1")] == [
        {"device": "auto", "device_index": 0},
        *[{"device": "cpu", "device_index": 0}] * 2,
        {"device": "cuda", "device_index": 0},
        {"device": "cuda", "device_index": 1},
    ]
    for name in ("cuda:2", "mps", "cuda:x", "cpu:1", ""):
        with pytest.raises(MissingError, match=f"no device '{name}' here"):
            ctranslate.place(name)
