"""What must not happen in silence while a model is trained: it diverges, or it reads nothing."""

from typing import Any, NamedTuple

from dialtools.models import folders, minibatches
from dialtools.system.errors import DialtoolsError, MissingError, OptionError

_OF_GPU = ("CUDA error", "HIP error", "NCCL", "CUDA driver", "unspecified launch failure")
_OF_DISK = (
    "No space left",
    "File too large",
    "Disk quota",
    "PytorchStreamWriter",
    "unexpected pos",
    "I/O error",
)


class Blind(DialtoolsError):
    """A model was trained that does not read its input; it is kept."""


class Gap(NamedTuple):
    """How much more another record's input must cost a model that reads its input."""

    least: float
    is_share: bool  # of the loss with shuffled inputs; else in nats a token
    outputs: str

    def warnings(self, epoch: dict) -> list[str]:
        """Return what is to be said about the record of an epoch."""
        warnings = []
        if self._is_small(epoch):
            warnings.append(f"epoch {epoch['epoch']}: {self._said(epoch)[0]}")
        if epoch.get("outputs", 0) > 1 and epoch["distinct"] <= 1 / epoch["outputs"]:
            warnings.append(f"epoch {epoch['epoch']}: all {self.outputs} are the same")
        return warnings

    def check(self, best: dict) -> None:
        """Raise Blind for a best epoch whose model does not read its input."""
        if self._is_small(best):
            raise Blind(
                f"the model does not read its input: {self._said(best)[1]}; train longer, on more "
                "data, or with another learning rate (--allow-blind accepts it); the model is kept"
            )

    def _is_small(self, epoch: dict) -> bool:
        if epoch.get("gap") is None:
            return False
        return not epoch["gap"] >= self.least * (epoch["dev_loss_shuffled"] if self.is_share else 1)

    def _said(self, epoch: dict) -> tuple[str, str]:
        """Return the gap in words, of an epoch of many and of the best."""
        so_far = "so far the model does not read its input"
        if self.is_share:
            wrong, right = f"{epoch['dev_loss_shuffled']:.4g}", f"{epoch['dev_loss']:.4g}"
            loss = f"is {wrong}, with the right ones {right}"
            return (
                f"with the inputs of other records the loss {loss}: {so_far}",
                f"with the inputs of other records its loss {loss}",
            )
        worth = f"{epoch['gap']:.3f} nats a token against another record's"
        return (
            f"the right source is worth {worth}: {so_far}",
            f"the right source is worth only {worth} (at least {self.least})",
        )


OF_GENERATOR = Gap(0.05, False, "outputs")
OF_SCORER = Gap(0.01, True, "predictions")


def check_start(model: Any, name: str) -> None:
    """Raise MissingError if a model to start from has weights that are no finite numbers."""
    if part := _damaged(model):
        raise MissingError(f"{name} is damaged: the weights {part} are not all finite numbers")


def check_finite(number: float, what: str, folder: str) -> None:
    """Raise OptionError for what is no finite number; what: "in step 3 the loss"."""
    if not -1e30 < number < 1e30:
        raise _diverged(f"{what} is {number}", folder)


def check_weights(model: Any, epoch: int, folder: str) -> None:
    """Raise OptionError if a model in training has weights that are no finite numbers.

    The last step of an epoch can make such weights, after a loss that was finite.
    """
    if part := _damaged(model):
        raise _diverged(
            f"after epoch {epoch} the weights {part} are not all finite numbers", folder
        )


def _damaged(model: Any) -> str | None:
    """Return the name of the first weights that are not all finite; None if there are none."""
    parameters = model.named_parameters()
    return next((name for name, weights in parameters if not weights.isfinite().all()), None)


def _diverged(what: str, folder: str) -> OptionError:
    return OptionError(
        f"training diverged: {what}; try a lower --learning-rate, a longer --warmup or "
        f"--precision float32.  {kept(folder)}"
    )


def kept(folder: str) -> str:
    """Return what an ended training leaves."""
    if folders.read_json(folder, "config.json") or folders.read_json(folder, folders.ADAPTER):
        return (
            f"{folder} keeps the model of the best epoch before; --resume goes on from the last "
            "whole epoch"
        )
    return f"no epoch was ended, so {folder} holds no model"


def explained(error: Exception, folder: str) -> Exception:
    """Return an error of a training as its user should read it."""
    reason = " ".join(str(error).split())
    if isinstance(error, DialtoolsError):
        return error
    if minibatches.out_of_memory(error):
        return MissingError(
            "not enough memory: use a smaller --batch-tokens or --max-input, "
            "--gradient-checkpointing, --precision bfloat16 or --lora 8.  "
            f"{kept(folder)}"
        )
    if any(sign in reason for sign in _OF_GPU):
        return MissingError(f"the GPU failed or was lost: {reason[:200]}.  {kept(folder)}")
    if any(sign in reason for sign in _OF_DISK):
        return OSError(28, f"cannot write the checkpoint ({reason[:160]}).  {kept(folder)}", folder)
    return error
