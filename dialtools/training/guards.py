"""What must not happen in silence: data that cannot be learned, a model that reads nothing."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from dialtools.models import folders, minibatches
from dialtools.system.errors import DialtoolsError, MissingError, OptionError, show

NEAR = 0.05  # nats: a smaller gap between right and shuffled sources says nothing
LITTLE = 0.01  # share of the loss with shuffled inputs: the same for a scorer
COMMON = 0.01  # share of the letters from which on a script is one of the data's
LOST = 0.5  # share of a script's letters that a vocabulary may lack


class Blind(DialtoolsError):
    """A model was trained that does not read its input; it is kept."""


def check_apart(
    train: Sequence[dict], dev: Sequence[dict], numbered: set[str], read: Callable[[dict], Hashable]
) -> list[str]:
    """Return a warning if some records to choose by have the texts of records to learn from.

    Raise OptionError if all have, or if they share ids.

    read: record -> its texts and its target.
    numbered: "train", "dev": the files in which some record got its id by its number, so that ids
    say nothing.
    """
    if not dev or not train:
        raise OptionError(f"--{'train' if not train else 'dev'}: no records")
    texts = set(map(read, train))
    same = [record for record in dev if read(record) in texts]
    if len(same) == len(dev):
        raise OptionError(
            "--dev has only records of --train: the best epoch would be the one that "
            "knows them best by heart; split the data first"
        )
    told = (
        [
            f"--dev: {len(same)} of {len(dev)} records have the texts and the target of records "
            "of --train: they favour an epoch that knows these by heart"
        ]
        if same
        else []
    )
    if numbered:
        return told
    ids = {(type(record["id"]), record["id"]) for record in train}
    shared = [record for record in dev if (type(record["id"]), record["id"]) in ids]
    if shared:
        known = sum(read(record) in texts for record in shared)
        raise OptionError(
            f"--dev shares {len(shared)} ids with --train, such as {show(shared[0]['id'])} "
            f"({known} with the same texts): take these records out of one of them, or if they "
            "are others, rename them: jq -c '.id = \"dev-\\(.id)\"'"
        )
    return told


def check_script(tokenizer: Any, texts: Iterable[str], name: str) -> None:
    """Raise OptionError if the vocabulary lacks the letters of a script of the texts."""
    if tokenizer.unk_token_id is None:
        return
    letters = Counter(letter for text in texts for letter in text if letter.isalpha())
    scripts: dict[str, Counter] = {}
    for letter, number in letters.items():
        script = unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
        scripts.setdefault(script, Counter())[letter] += number
    for script, own in scripts.items():
        if own.total() < COMMON * letters.total():
            continue
        lost = sum(
            number
            for letter, number in own.items()
            if tokenizer.unk_token_id in tokenizer(letter)["input_ids"]
        )
        if lost > LOST * own.total():
            example = ", ".join(letter for letter, _ in own.most_common(3))
            raise OptionError(
                f"the vocabulary of {name} lacks the script of the data: {lost / own.total():.0%} "
                f"of its {script} letters ({example} …) are unknown; take a model of the language"
            )


def reads(epoch: dict) -> bool:
    """Return whether a generator reads its input: another's costs more than NEAR."""
    return epoch.get("gap") is None or epoch["gap"] >= NEAR


def scorer_reads(epoch: dict) -> bool:
    """Return whether a scorer reads its input: another's costs more than LITTLE of the loss."""
    return epoch.get("gap") is None or epoch["gap"] >= LITTLE * epoch["dev_loss_shuffled"]


def warnings_of_scorer(epoch: dict) -> list[str]:
    """Return what is to be said about an epoch of a scorer."""
    found = []
    if not scorer_reads(epoch):
        found.append(
            f"epoch {epoch['epoch']}: with the inputs of other records the loss is "
            f"{epoch['dev_loss_shuffled']:.4g}, with the right ones "
            f"{epoch['dev_loss']:.4g}: so far the model does not read its input"
        )
    if epoch["outputs"] > 1 and epoch["distinct"] <= 1 / epoch["outputs"]:
        found.append(f"epoch {epoch['epoch']}: all predictions are the same")
    return found


def check_scorer_reads(best: dict) -> None:
    """Raise Blind for a best epoch of a scorer that does not read its input."""
    if not scorer_reads(best):
        raise Blind(
            f"the model does not read its input: with the inputs of other records its loss "
            f"is {best['dev_loss_shuffled']:.4g}, with the right ones "
            f"{best['dev_loss']:.4g}; train longer, on more data, or with another learning "
            "rate (--allow-blind accepts it); the model is kept"
        )


def warnings(epoch: dict) -> list[str]:
    """Return what is to be said about an epoch."""
    found = []
    if not reads(epoch):
        found.append(
            f"epoch {epoch['epoch']}: the right source is worth {epoch['gap']:.3f} nats a "
            "token against another record's: so far the model does not read its input"
        )
    if epoch.get("outputs", 0) > 1 and epoch["distinct"] <= 1 / epoch["outputs"]:
        found.append(f"epoch {epoch['epoch']}: all outputs are the same")
    return found


def check_reads(best: dict) -> None:
    """Raise Blind for a best epoch whose model does not read its input."""
    if not reads(best):
        raise Blind(
            f"the model does not read its input: the right source is worth only "
            f"{best['gap']:.3f} nats a token against another record's (at least {NEAR}); "
            "train longer, on more data, or with another learning rate (--allow-blind "
            "accepts it); the model is kept"
        )


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
    best = folders.said(folder, "config.json") or folders.said(folder, folders.ADAPTER)
    return (
        f"{folder} keeps the model of the best epoch before; --resume goes on from the last "
        "whole epoch"
        if best
        else f"no epoch was ended, so {folder} holds no model"
    )


def explained(error: Exception, folder: str) -> Exception:
    """Return an error of a training as its user should read it."""
    said = " ".join(str(error).split())
    if isinstance(error, DialtoolsError):
        return error
    if minibatches.out_of_memory(error):
        return MissingError(
            "not enough memory: use a smaller --batch-tokens or --max-input, "
            "--gradient-checkpointing, --precision bfloat16 or --lora 8.  "
            f"{kept(folder)}"
        )
    if any(
        sign in said
        for sign in ("CUDA error", "HIP error", "NCCL", "CUDA driver", "unspecified launch failure")
    ):
        return MissingError(f"the GPU failed or was lost: {said[:200]}.  {kept(folder)}")
    if any(
        sign in said
        for sign in (
            "No space left",
            "File too large",
            "Disk quota",
            "PytorchStreamWriter",
            "unexpected pos",
            "I/O error",
        )
    ):
        return OSError(28, f"cannot write the checkpoint ({said[:160]}).  {kept(folder)}", folder)
    return error
