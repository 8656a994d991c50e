"""BLEURT, likeness to the reference in a trained model's eyes, from 0 to about 1; higher is better.

The package bleurt of Google Research computes it, with TensorFlow. It is not on PyPI: pip install
git+https://github.com/google-research/bleurt. model is the folder of a checkpoint such as
BLEURT-20, whose scores are from 0 to about 1; older checkpoints have no fixed range. The package
truncates texts that are too long for the checkpoint.

Source: Sellam et al. 2020, https://aclanthology.org/2020.acl-main.704.

>>> score([], [], model="BLEURT-20")
[]
"""

import functools
import importlib
import os
from typing import Any

from dialtools.metrics import _pairs
from dialtools.plugins.metric import Metric
from dialtools.system.errors import MissingError, OptionError

_SOURCE = "git+https://github.com/google-research/bleurt"


def score(
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
        scorer = _loaded(model)
        return scorer.score(
            references=[text for _, text in pairs],
            candidates=[one for one, _ in pairs],
            batch_size=batch_size,
        )

    return _pairs.scores(values, predictions, references, refs)


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    _package()
    return ("BLEURT",)


def _package() -> Any:
    # else TensorFlow tells what processor it has found
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        return importlib.import_module("bleurt.score")
    except ModuleNotFoundError as error:
        if error.name != "bleurt":
            raise
        raise MissingError(f"the library bleurt is not installed: pip install {_SOURCE}") from None


@functools.lru_cache(maxsize=2)
def _loaded(model: str) -> Any:
    package = _package()
    if not os.path.isfile(os.path.join(model, "bleurt_config.json")):
        raise MissingError(f"{model} is no checkpoint of BLEURT: it has no bleurt_config.json")
    try:
        return package.BleurtScorer(model)
    except (AssertionError, OSError, ValueError, KeyError, package.tf.errors.OpError) as error:
        raise MissingError(
            f"the checkpoint {model} of BLEURT cannot be loaded: "
            f"{' '.join(str(error).split())[:300]}"
        ) from error


METRIC = Metric(score, better="higher", window=256, libraries=libraries)
