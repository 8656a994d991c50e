"""Models of transformers for CTranslate2: converted once, checked, and kept for all users.

They are kept in the folder dialtools/ctranslate2 of the user's cache
($XDG_CACHE_HOME, or ~/.cache), under a digest of the model's folder.  A separate
process converts a model (`convert`): making an int8 model spoils the weights that
torch has in memory.
"""

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NamedTuple

from dialtools.models import checkpoints, folders, speakers
from dialtools.system import stable_hash
from dialtools.system.errors import MissingError, need

TOLERANCE = 1e-3  # of states and of logarithms of probabilities; for each unit of those above 1


def converted(model: folders.Checkpoint, precision: str = "float32") -> str:
    """Return the folder of a converted model. Raise MissingError if the conversion fails.

    model: an encoder, a causal or a seq2seq model of transformers.
    precision: of the weights: float32, float16, bfloat16 or int8.

    Two processes may convert the same model at once; the first to finish keeps its result.
    """
    version = need("ctranslate2", "fast").__version__
    source = folders.located(model)
    speakers.refuse(source, "ctranslate2")
    folders.check_weights(source, model.allow_pickle)
    digest = f"{stable_hash.digest(folders.digest(model), precision, version):016x}"
    parent = os.path.join(folders.cache(), "ctranslate2")
    folder = os.path.join(parent, digest)
    if not os.path.isdir(folder):
        try:
            os.makedirs(parent, exist_ok=True)
        except OSError as error:
            reason = f"{error.strerror}; XDG_CACHE_HOME names another place for converted models"
            raise OSError(error.errno, reason, parent) from None
        with TemporaryDirectory(dir=parent, prefix=".", ignore_cleanup_errors=True) as place:
            target = os.path.join(place, "model")
            permissions = {"code": model.trust_remote_code, "pickle": model.allow_pickle}
            allowed = [name for name, is_allowed in permissions.items() if is_allowed]
            _convert_apart(model.name, source, target, precision, *allowed)
            for file in os.scandir(target):
                with open(file.path, "rb") as written:
                    os.fsync(written.fileno())
            try:
                os.rename(target, folder)
            except OSError:
                if not os.path.isdir(folder):  # another process may have been faster
                    raise
    return folder


def configuration(model: folders.Checkpoint) -> Any:
    """Return a model's configuration, its positions limited to the layers' sliding window.

    Beyond the window (Mistral, Gemma, Qwen) CTranslate2 and transformers differ.
    """
    config = checkpoints.load("AutoConfig", model)
    # T5Gemma has one for each side
    for part in (config.get_text_config(), getattr(config, "encoder", config)):
        window = getattr(part, "sliding_window", None)
        if window:
            part.max_position_embeddings = min(part.max_position_embeddings, window)
    return config


def vocabulary(folder: str) -> list[str]:
    """Return the tokens of a converted model that writes: more than its tokenizer knows, or fewer
    (MarianMT).
    """
    [name] = {"shared_vocabulary.json", "target_vocabulary.json", "vocabulary.json"} & set(
        os.listdir(folder)
    )
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def place(name: str) -> dict[str, Any]:
    """Return a device as models of CTranslate2 take it; MissingError unless it is there: auto,
    cpu, cuda, cuda:1 …
    """
    kind, _, number = name.partition(":")
    count = (
        need("ctranslate2", "fast").get_cuda_device_count()
        if kind == "cuda"
        else int(kind == "cpu")
    )
    if name != "auto" and (number or "0") not in map(str, range(count)):
        raise MissingError(f"ctranslate2 has no device {name!r} here; --device cpu always works")
    return {"device": kind, "device_index": int(number or 0)}


def _convert_apart(name: str, *arguments: str) -> None:
    """Call `convert` in a new process, and report its errors in one line."""
    # -c would search the working directory first.
    code = (
        "import sys; sys.path = list(filter(None, sys.path)); "
        "from dialtools.models import ctranslate; ctranslate.convert(*sys.argv[1:])"
    )
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # it may not be installed
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    if done.returncode < 0:
        raise MissingError(
            f"converting {name} for ctranslate2 was stopped by signal "
            f"{-done.returncode}; perhaps memory ran out"
        )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        if "Error: [Errno " in lines[-1]:
            raise OSError(
                f"converting {name} for ctranslate2 into {folders.cache()}: "
                f"{lines[-1].partition('] ')[2]}"
            )
        kind, _, reason = lines[-1].partition(": ")
        # what is missing here, torch lacks, too
        advice = "" if kind.endswith(".MissingError") else "; engine=torch takes it"
        raise MissingError(f"ctranslate2 cannot take {name}: {reason[:300] or kind}{advice}")


class Converted(NamedTuple):
    """A model that is converted: as it is in torch, its tokenizer, and what torch makes of tokens."""

    model: Any
    tokenizer: Any
    outputs: Any


def convert(source: str, target: str, precision: str, *allowed: str) -> None:
    """Write the model in the folder `source` as one of CTranslate2 into a new folder.

    precision: of the weights; one of float32 is made in any case, and compared with transformers.
    allowed: "code" that comes with the model may run; weights may be a "pickle".
    """
    checked = target if precision == "float32" else f"{target}.float32"
    converted_model = _write(source, checked, "float32", allowed)
    distance = _distance(checked, converted_model)
    if not distance <= TOLERANCE:
        raise MissingError(
            f"the result of ctranslate2 for a {type(converted_model.model).__name__} differs by "
            f"{distance:.2g} from that of transformers: engine=torch"
        )
    if precision != "float32":
        _write(source, target, precision, allowed)


def _write(source: str, target: str, precision: str, allowed: tuple[str, ...]) -> Converted:
    """Convert a model into a folder."""
    from ctranslate2.converters import TransformersConverter

    loaded: list[Converted] = []
    converter = TransformersConverter(folders.base(source), trust_remote_code="code" in allowed)

    def load_model(architecture: Any, *args: Any, **options: Any) -> Any:
        tokenizer, model = _network(architecture.__name__, source, allowed)
        rows = model.get_input_embeddings().weight.shape[0]
        # it wants one for each
        tokenizer.add_tokens([f"<unused {number}>" for number in range(len(tokenizer), rows)])
        tokenizer.num_madeup_words = 0  # and would add more to those of M2M-100
        # now: converting takes some models apart
        loaded.append(Converted(model, tokenizer, _by_torch(model, _ids(model, tokenizer))))
        return _as_expected(model, architecture.__name__)

    # Its own loading takes what is pickled, and what weights are lacking it fills at random.
    converter.load_model = load_model
    converter.load_tokenizer = lambda *args, **options: loaded[0].tokenizer
    converter.convert(target, quantization=precision)

    # It needs a token for each role, while calls name the tokens that end a text.  The decoder's
    # first token is part of each call, too, since generation settings may have another one.
    path = os.path.join(target, "config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    for role in ("unk_token", "bos_token", "eos_token"):
        if role in config and config[role] is None:
            config[role] = loaded[0].tokenizer.convert_ids_to_tokens(0)
    if "decoder_start_token" in config:
        config["decoder_start_token"] = None
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file, ensure_ascii=False)
    return loaded[0]


def _network(architecture: str, source: str, allowed: tuple[str, ...]) -> tuple[Any, Any]:
    """Return (tokenizer, model) of the class that the architecture belongs to."""
    ends = {
        "ForConditionalGeneration": "AutoModelForSeq2SeqLM",
        "MTModel": "AutoModelForSeq2SeqLM",
        "LMHeadModel": "AutoModelForCausalLM",
        "ForCausalLM": "AutoModelForCausalLM",
    }
    matches = (name for end, name in ends.items() if architecture.endswith(end))
    class_name = next(matches, "AutoModel")
    checkpoint = folders.Checkpoint(source, True, "code" in allowed, "pickle" in allowed)
    return checkpoints.network(
        class_name, checkpoint, "cpu", "float32", "pooler." if class_name == "AutoModel" else ""
    )


def _as_expected(model: Any, architecture: str) -> Any:
    """Return a model with the attributes that the converter needs and transformers lacks."""
    encoder, config = getattr(getattr(model, "model", None), "encoder", None), model.config
    if encoder is not None:  # BART and its kin: what is built into their classes
        config.normalize_before = hasattr(encoder, "layer_norm")
        config.normalize_embedding = hasattr(encoder, "layernorm_embedding")
    if hasattr(config, "scale_decoder_outputs"):  # T5, which counts as tied in any case
        config.tie_word_embeddings = config.scale_decoder_outputs
    elif config.model_type == "mt5":
        config.tie_word_embeddings = False
    if not hasattr(config, "position_embedding_type"):
        config.position_embedding_type = "absolute"  # there are no others any more
    if architecture.startswith("XLMRoberta"):  # it expects a classifier
        return SimpleNamespace(roberta=model, config=config)
    return model


def _ids(model: Any, tokenizer: Any) -> list[int]:
    """Return tokens from all over the vocabulary; none with a role, such as padding, which may be
    read otherwise.
    """
    rows = model.get_input_embeddings().weight.shape[0]
    step = rows // 32 + 1
    return sorted(set(range(step // 2, rows, step)) - set(tokenizer.all_special_ids))


def _by_torch(model: Any, ids: list[int]) -> Any:
    """Return the last states of an encoder; of a model that writes, the logits of all tokens after
    each.
    """
    import torch

    inputs = torch.tensor([ids])
    with checkpoints.inference():
        if model.config.is_encoder_decoder:
            return model(
                input_ids=inputs, decoder_input_ids=torch.tensor([_begun(model, ids)])
            ).logits[0]
        return model(inputs).logits[0] if _writes(model) else model(inputs).last_hidden_state[0]


def _begun(model: Any, ids: list[int]) -> list[int]:
    """Return what a decoder reads, its first token before the others: MarianMT's reads nothing
    else there.
    """
    start = model.generation_config.decoder_start_token_id
    return ids if start is None else [start, *ids]


def _writes(model: Any) -> bool:
    return "ForCausalLM" in type(model).__name__ or "LMHead" in type(model).__name__


def _distance(folder: str, converted: Converted) -> float:
    """Return the largest difference of what torch and CTranslate2 make of the same; of numbers
    above 1 as a part.
    """
    import ctranslate2
    import numpy
    import torch

    model, tokenizer, expected = converted
    ids = _ids(model, tokenizer)
    tokens = tokenizer.convert_ids_to_tokens(ids)
    if model.config.is_encoder_decoder:
        prefix = tokenizer.convert_ids_to_tokens(_begun(model, ids))
        [result] = ctranslate2.Translator(folder).translate_batch(
            [tokens],
            [prefix],
            beam_size=1,
            min_decoding_length=0,
            max_decoding_length=len(prefix),
            return_logits_vocab=True,
        )
        matrix = numpy.stack([numpy.array(logits) for logits in result.logits[0]])
    elif _writes(model):
        matrix = numpy.array(ctranslate2.Generator(folder).forward_batch([tokens]))[0]
    else:
        states = ctranslate2.Encoder(folder).forward_batch([ids]).last_hidden_state
        matrix = numpy.array(states)[0]
    outputs = torch.tensor(matrix)

    # a MarianMT of CTranslate2 lacks its padding
    if model.config.is_encoder_decoder or _writes(model):
        expected = expected[:, : outputs.shape[1]].log_softmax(-1)
        outputs = outputs.log_softmax(-1)
    return float(((expected - outputs) / expected.abs().clamp(min=1)).abs().max())
