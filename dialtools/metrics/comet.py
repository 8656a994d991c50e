"""COMET, quality of a translation as a trained model sees it, from 0 to about 1; higher is better.

The package unbabel-comet computes it. Its model reads the source, the translation and, unless
reference=no, the reference. Models of 2022 and later score from 0 to 1; older ones have no fixed
range. Checkpoints are pickled, not safetensors: load only those that you trust. Version 2.2 of the
package needs transformers 4, numpy 1 and an environment of its own; dialtools runs there as well.

Source: Rei et al. 2020, https://aclanthology.org/2020.emnlp-main.213.

>>> score([], [], [], model="Unbabel/wmt22-comet-da")
[]
"""

import functools
import importlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pickle import UnpicklingError
from typing import Any

from dialtools.metrics import _pairs
from dialtools.models import checkpoints, devices
from dialtools.plugins.metric import Metric
from dialtools.system.errors import MissingError, OptionError, RecordError, show


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that the metric reads."""
    return (options["source"], "prediction", *(["reference"] if options["reference"] else []))


def score(
    sources: list[str],
    predictions: list[str],
    *references: list[list[str]],
    model: str = "",
    source: str = "text",
    reference: bool = True,
    refs: _pairs.Rule = "max",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 16,
) -> list[float]:
    """Return the COMET of each prediction.

    references: a column of lists of references, unless reference=no.
    model: hub name, such as Unbabel/wmt22-comet-da, or path of a checkpoint file.
    source: key of the source text.
    reference: does the model read a reference?  no is for quality estimation.
    refs: take the best of several references (max), or their mean.
    """
    if not model:
        raise OptionError(
            "comet: which model? comet:model=Unbabel/wmt22-comet-da, or the path of a checkpoint"
        )
    for text in sources:
        if not isinstance(text, str):
            raise RecordError(
                f'"{source}" is a string, where it is the source of a translation, '
                f"here is {show(text)}"
            )
    texts = references[0] if reference else [[""]] * len(predictions)
    rows = [
        [(original, translation, text) for text in own]
        for original, translation, own in zip(sources, predictions, texts, strict=True)
    ]
    names = ("src", "mt", "ref") if reference else ("src", "mt")
    triples = list(dict.fromkeys(chain.from_iterable(rows)))
    data = [dict(zip(names, triple, strict=False)) for triple in triples]
    known = dict(
        zip(triples, _values(data, model, reference, device, offline, batch_size), strict=True)
    )
    found = [[known[triple] for triple in row] for row in rows]
    return [max(values) if refs == "max" else sum(values) / len(values) for values in found]


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    return ("unbabel-comet",)


def _values(
    data: list[dict], model: str, reference: bool, device: str, offline: bool, batch_size: int
) -> list[float]:
    """Return the package's scores of sources, translations and references."""
    if not data:
        return []
    place, _, number = devices.device_of(device).partition(":")
    with checkpoints.hushed(offline), _silent():
        loaded = _loaded(model, offline)
        _require_kind(loaded, model, reference)
        found = loaded.predict(
            data,
            batch_size=batch_size,
            gpus=int(place != "cpu"),
            num_workers=0,
            devices=[int(number)] if number else None,
            progress_bar=False,
        )
    return list(map(float, found.scores))


@contextmanager
def _silent() -> Iterator[None]:
    """Let libraries log only errors: COMET and Lightning log their work, and advertise."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _require_kind(loaded: Any, model: str, reference: bool) -> None:
    """Raise OptionError unless the model reads references as asked."""
    segments = loaded.hparams.get("input_segments", ["ref"])
    if reference and ("ref" not in segments or type(loaded).__name__ == "ReferencelessRegression"):
        raise OptionError(f"comet: {model} reads no reference: reference=no")
    if not reference and loaded.requires_references():
        raise OptionError(f"comet: {model} reads a reference: leave out reference=no")


@functools.lru_cache(maxsize=2)
def _loaded(model: str, offline: bool) -> Any:
    try:
        comet = importlib.import_module("comet")
    except ModuleNotFoundError as error:
        if error.name != "comet":
            raise
        reason = "the library comet is not installed: pip install unbabel-comet"
        raise MissingError(reason) from None
    path = _path(comet, model, offline)
    if not os.path.isfile(
        os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(path))), "hparams.yaml")
    ):
        raise MissingError(
            f"{model} is no checkpoint of COMET: there is no hparams.yaml in the "
            "folder above its own"
        )
    try:
        return comet.load_from_checkpoint(path, local_files_only=offline)
    except (
        OSError,
        RuntimeError,
        ValueError,
        LookupError,
        TypeError,
        EOFError,
        UnpicklingError,
    ) as error:
        raise MissingError(
            f"the checkpoint {model} of COMET cannot be loaded: "
            f"{' '.join(str(error).split())[:300]}"
        ) from error


def _path(comet: Any, model: str, offline: bool) -> str:
    """Return the path of a checkpoint, downloaded if necessary."""
    if os.path.isfile(model):
        return model
    try:
        # an old name, of what is not on the hub: that is downloaded in any case
        if offline and "/" not in model:
            raise KeyError(model)
        return comet.download_model(model, local_files_only=offline)
    except (KeyError, OSError, ValueError):
        raise MissingError(
            f"no checkpoint {model} of COMET: neither a file, nor a model that can be got"
        ) from None


METRIC = Metric(score, better="higher", window=256, needs=needs, libraries=libraries)
