"""Metrics that packages bring with models of their own: BLEURT and COMET.

bleurt is likeness to the reference in a trained model's eyes.  The package bleurt of Google Research
computes it, with TensorFlow.  It is not on PyPI: pip install
git+https://github.com/google-research/bleurt.  model is the folder of a checkpoint such as BLEURT-20, whose
scores are from 0 to about 1; older checkpoints have no fixed range.  The package truncates texts that are
too long for the checkpoint.

comet is the quality of a translation as a trained model sees it.  The package unbabel-comet computes it.
Its model reads the source, the translation and, unless reference=no, the reference.  Models of 2022 and
later score from 0 to 1; older ones have no fixed range.  Checkpoints are pickled, not safetensors: load only
those that you trust.  Version 2.2 of the package needs transformers 4, numpy 1 and an environment of its
own; dialtools runs there as well.  A model that also marks errors (XCOMET) leaves them in the record,
under "error_spans" and the label: of each its text, where it starts and ends in the prediction, its
severity (minor, major, critical) and the model's confidence.  Of several references the best one's count.

Sources: bleurt: Sellam et al. 2020, https://aclanthology.org/2020.acl-main.704.  comet: Rei et al. 2020,
https://aclanthology.org/2020.emnlp-main.213; its errors: Guerreiro et al. 2024,
https://aclanthology.org/2024.tacl-1.54.

>>> bleurt.score([], [], model="BLEURT-20"), comet.score([], [], [], model="Unbabel/wmt22-comet-da")
([], [])
"""

import functools
import importlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pickle import UnpicklingError
from typing import Any, NamedTuple

from dialtools.metrics import _pairs
from dialtools.models import checkpoints
from dialtools.plugins.metric import Explained, Metric
from dialtools.system.errors import MissingError, OptionError, RecordError, show


def score_bleurt(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    refs: _pairs.Rule = "max",
    batch_size: int = 16,
) -> list[float]:
    """Return the BLEURT of each prediction.

    model: folder of a checkpoint.
    refs: take the best of several references (max), or their mean.
    """
    if not model:
        raise OptionError(
            "bleurt: which model? bleurt:model=FOLDER, a checkpoint such as BLEURT-20"
        )

    def values(pairs: list[_pairs.Pair]) -> list[float]:
        return _bleurt(model).score(
            references=[text for _, text in pairs],
            candidates=[prediction for prediction, _ in pairs],
            batch_size=batch_size,
        )

    return _pairs.scores(values, predictions, references, refs)


def bleurt_libraries(options: dict) -> tuple[str, ...]:
    """Return the library that computes it. Raise MissingError if it is not there."""
    _bleurt_package()
    return ("BLEURT",)


def _bleurt_package() -> Any:
    # else TensorFlow tells what processor it has found
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return _imported("bleurt", "bleurt.score", "git+https://github.com/google-research/bleurt")


@functools.lru_cache(maxsize=2)
def _bleurt(model: str) -> Any:
    package = _bleurt_package()
    if not os.path.isfile(os.path.join(model, "bleurt_config.json")):
        raise MissingError(f"{model} is no checkpoint of BLEURT: it has no bleurt_config.json")
    try:
        return package.BleurtScorer(model)
    except (AssertionError, OSError, ValueError, KeyError, package.tf.errors.OpError) as error:
        raise _damaged("BLEURT", model, error) from error


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that comet reads."""
    return (options["source"], "prediction", *(["reference"] if options["reference"] else []))


def explain_comet(
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
) -> list[Explained]:
    """Return the COMET of each prediction, with the errors that the model marks in it.

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
    rows = _judged(
        sources,
        predictions,
        *references,
        model=model,
        source=source,
        reference=reference,
        place=(device, offline, batch_size),
    )
    explained = []
    for row in rows:
        best = max(row, key=lambda judgement: judgement.score)
        mean = sum(judgement.score for judgement in row) / len(row)
        explained.append(Explained(best.score if refs == "max" else mean, best.errors))
    return explained


@functools.wraps(explain_comet)
def score_comet(*columns: list, **options: Any) -> list[float | None]:
    """Return the COMET of each prediction; columns and options as those of explain_comet."""
    return [explained.score for explained in explain_comet(*columns, **options)]


class _Judgement(NamedTuple):
    """What a model of COMET says of a translation; errors: None of a model that marks none."""

    score: float
    errors: list[dict] | None


def _judged(
    sources: list[str],
    predictions: list[str],
    *references: list[list[str]],
    model: str,
    source: str,
    reference: bool,
    place: tuple[str, bool, int],
) -> list[list[_Judgement]]:
    """Return the judgements of each prediction, one for each reference, or one without them.

    place: device, offline, batch_size.
    """
    for text in sources:
        if not isinstance(text, str):
            raise RecordError(
                f'"{source}" is a string, where it is the source of a translation, '
                f"here is {show(text)}"
            )
    rows = [
        [(original, translation, text) for text in texts]
        for original, translation, texts in zip(
            sources,
            predictions,
            references[0] if reference else [[""]] * len(predictions),
            strict=True,
        )
    ]
    known = _pairs.of_distinct(
        lambda triples: _judgements(model, reference, place, triples),
        chain.from_iterable(rows),
    )
    return [[known[triple] for triple in row] for row in rows]


def _judgements(
    model: str,
    reference: bool,
    place: tuple[str, bool, int],
    triples: list[tuple[str, str, str]],
) -> list[_Judgement]:
    device, offline, batch_size = place
    kind, _, number = checkpoints.device_of(device).partition(":")
    with checkpoints.hushed(offline), _silent():
        network = _comet(model, offline)
        segments = network.hparams.get("input_segments", ["ref"])
        is_blind = type(network).__name__ == "ReferencelessRegression" or "ref" not in segments
        if reference and is_blind:
            raise OptionError(f"comet: {model} reads no reference: reference=no")
        if not reference and network.requires_references():
            raise OptionError(f"comet: {model} reads a reference: leave out reference=no")
        names = ("src", "mt", "ref") if reference else ("src", "mt")
        predicted = network.predict(
            [dict(zip(names, triple, strict=False)) for triple in triples],
            batch_size=batch_size,
            gpus=int(kind != "cpu"),
            num_workers=0,
            devices=[int(number)] if number else None,
            progress_bar=False,
        )
    errors = getattr(getattr(predicted, "metadata", None), "error_spans", None)
    return [
        _Judgement(float(score), marked)
        for score, marked in zip(
            predicted.scores, errors or [None] * len(predicted.scores), strict=True
        )
    ]


@contextmanager
def _silent() -> Iterator[None]:
    """Let libraries log only errors: COMET and Lightning log their work, and advertise."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


@functools.lru_cache(maxsize=2)
def _comet(model: str, offline: bool) -> Any:
    package = _imported("comet", "comet", "unbabel-comet")
    path = model
    if not os.path.isfile(model):
        try:
            # an old name, of what is not on the hub: that is downloaded in any case
            if offline and "/" not in model:
                raise KeyError(model)
            path = package.download_model(model, local_files_only=offline)
        except (KeyError, OSError, ValueError):
            raise MissingError(
                f"no checkpoint {model} of COMET: neither a file, nor a model that can be got"
            ) from None

    above = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    if not os.path.isfile(os.path.join(above, "hparams.yaml")):
        raise MissingError(
            f"{model} is no checkpoint of COMET: there is no hparams.yaml in the "
            "folder above its own"
        )
    try:
        return package.load_from_checkpoint(path, local_files_only=offline)
    except (
        OSError,
        RuntimeError,
        ValueError,
        LookupError,
        TypeError,
        EOFError,
        UnpicklingError,
    ) as error:
        raise _damaged("COMET", model, error) from error


def _imported(library: str, module: str, source: str) -> Any:
    """Return a module of a library. Raise MissingError, with what pip installs, if it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        reason = f"the library {library} is not installed: pip install {source}"
        raise MissingError(reason) from None


def _damaged(metric: str, model: str, error: Exception) -> MissingError:
    reason = " ".join(str(error).split())[:300]
    return MissingError(f"the checkpoint {model} of {metric} cannot be loaded: {reason}")


bleurt = Metric(
    score_bleurt,
    better="higher",
    window=256,
    libraries=bleurt_libraries,
    summary="BLEURT, likeness to the reference in a trained model's eyes, from 0 to about 1; higher is better.",
)
comet = Metric(
    score_comet,
    better="higher",
    window=256,
    needs=needs,
    explain=explain_comet,
    kept="error_spans",
    libraries=("unbabel-comet",),
    summary="COMET, quality of a translation as a trained model sees it, from 0 to about 1; higher is better.",
)
