"""How a model writes: the search or the draw, and how the model is run; each option declared once."""

from typing import Annotated, Literal, NamedTuple

from dialtools.options import Option

Engine = Literal["torch", "ctranslate2", "vllm"]
Precision = Literal["auto", "float32", "bfloat16", "float16", "int8"]
Side = Literal["left", "right", "error"]


class Decoding(NamedTuple):
    """How texts are searched for or drawn.

    What is not named here is as the checkpoint's own generation settings have it.
    """

    beams: Annotated[int | None, Option("Width of the search (4; sampling has 1).", 1, "N")] = None
    no_repeat_ngram_size: Annotated[int, Option(
        "No N tokens come twice in an output; 0 allows all (3).", 0, "N")] = 3
    length_penalty: Annotated[float, Option(
        "Above 0 longer beams win, below 0 shorter ones (1.0).", None, "X")] = 1.0
    early_stopping: Annotated[bool, Option("End a search when as many outputs as beams have ended.")] = False
    renormalize: Annotated[bool, Option(
        "Where tokens are forbidden, let the others' probabilities sum to 1 in a search.")] = False
    repetition_penalty: Annotated[float | None, Option(
        "Above 1 tokens of the output are less likely to come again.", 1e-4, "X")] = None
    max_input: Annotated[int, Option(
        "Tokens after which the input is cut (1024, or what the model can take).", 1, "N")] = 1024
    truncate: Annotated[Side | None, Option(
        "Where longer input is cut (right; left for a causal model).")] = None
    max_new_tokens: Annotated[int, Option("Tokens after which an output is cut (128).", 1, "N")] = 128
    min_new_tokens: Annotated[int | None, Option("Least number of tokens in an output.", 0, "N")] = None
    stop: Annotated[str, Option(
        "End an output before TEXT, or before any of a JSON list of texts.", None, "TEXT")] = ""
    num_return: Annotated[int, Option(
        "Outputs for each record, as a list if N > 1 (1).", 1, "N", ("-n", "--num-return"))] = 1
    src_lang: Annotated[str, Option(
        'Language of the input, as a multilingual model calls it (its code for "lang").', None, "CODE")] = ""
    tgt_lang: Annotated[str, Option("Language of the output.", None, "CODE")] = ""
    sample: Annotated[bool, Option("Draw each token, instead of searching for the best output.")] = False
    temperature: Annotated[float, Option("Sampling: below 1 likely tokens get likelier (1.0).", 0.0, "X")] = 1.0
    top_k: Annotated[int, Option("Sampling: only the N likeliest tokens; 0 is all (0).", 0, "N")] = 0
    top_p: Annotated[float, Option(
        "Sampling: only the likeliest tokens, up to X of the probability (1.0).", 1e-4, "X")] = 1.0

    @property
    def width(self) -> int:
        """Return the number of beams."""
        return self.beams or (1 if self.sample else 4)


class Runtime(NamedTuple):
    """How a model is loaded and run."""

    engine: Annotated[Engine, Option("Library that runs the model (torch).")] = "torch"
    window: Annotated[int, Option(
        "Records that are put into batches by length, and written together, also with --exact (64); a run that is "
        "killed loses the last ones.", 1, "N")] = 64
    batch_size: Annotated[int, Option("Records that a model reads at once (8).", 1, "N")] = 8
    batch_tokens: Annotated[int, Option(
        "Tokens of input that a model reads at once, with padding (8192).", 1, "N")] = 8192
    exact: Annotated[bool, Option(
        "Record by record, float32, deterministic: no output depends on other records.")] = False
    precision: Annotated[Precision, Option(
        "Numbers that the model computes with (auto: bfloat16 on a GPU that has it, else float32; int8 is for "
        "ctranslate2).")] = "auto"
    device: Annotated[str, Option(
        "cpu, cuda, cuda:1, mps … (cuda where there is one, else cpu); several, as 0,1, get a process each.", None,
        "NAME", ("--device", "--devices"))] = "auto"
    offline: Annotated[bool, Option("Open no socket: use only models that are on this machine.")] = False
    trust_remote_code: Annotated[bool, Option("Run code that comes with the model.")] = False
    allow_pickle: Annotated[bool, Option(
        "Read pickled weights (*.bin) where a model has none in safetensors. Such a file can hold code that runs when "
        "it is read: allow it only for a model whose maker you trust.")] = False
