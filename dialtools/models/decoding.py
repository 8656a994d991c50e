"""Options of models and servers, each declared once: prompts, decoding, loading, running, asking."""

from typing import Annotated, Literal, NamedTuple

from dialtools.plugins.options import Option

Engine = Literal["torch", "ctranslate2", "vllm"]
Precision = Literal["auto", "float32", "bfloat16", "float16", "int8"]
Side = Literal["left", "right", "error"]
Api = Literal["chat", "completions"]

# options of training, too
MaxInput = Annotated[
    int, Option("Most tokens of input (1024, or the model's limit); longer input is cut.", 1, "N")
]
Truncate = Annotated[
    Side | None, Option("Side on which longer input is cut (right; left for a causal model).")
]
SourceLanguage = Annotated[
    str,
    Option('Language of the input, by the model\'s own code (its code for "lang").', None, "CODE"),
]
Offline = Annotated[bool, Option("Open no socket: use only models that are on this machine.")]
TrustRemoteCode = Annotated[bool, Option("Run code that comes with the model.")]
AllowPickle = Annotated[
    bool,
    Option(
        "Read pickled weights (*.bin) of a model without safetensors. Such a file can run code "
        "when it is read: allow it only for a model whose maker you trust."
    ),
]


class Decoding(NamedTuple):
    """Options of searching or sampling; a checkpoint's generation settings give all others."""

    beams: Annotated[int | None, Option("Width of the search (4; sampling has 1).", 1, "N")] = None
    no_repeat_ngram_size: Annotated[
        int, Option("Forbid n-grams of N tokens to recur in an output; 0 allows all (3).", 0, "N")
    ] = 3
    length_penalty: Annotated[
        float, Option("Above 0 favours longer outputs, below 0 shorter ones (1.0).", None, "X")
    ] = 1.0
    stop_at_beams: Annotated[
        bool, Option("End a search as soon as one output for each beam has ended (early stopping).")
    ] = False
    renormalize: Annotated[
        bool, Option("Renormalize the probabilities of a search after forbidding tokens.")
    ] = False
    repetition_penalty: Annotated[
        float | None,
        Option("Above 1, tokens of the output become less likely to recur.", 1e-4, "X"),
    ] = None
    max_input: MaxInput = 1024
    truncate: Truncate = None
    max_new_tokens: Annotated[int, Option("Most tokens of an output (128).", 1, "N")] = 128
    min_new_tokens: Annotated[int | None, Option("Fewest tokens of an output.", 0, "N")] = None
    stop: Annotated[
        str,
        Option("End an output before TEXT, or before any of a JSON list of texts.", None, "TEXT"),
    ] = ""
    number: Annotated[
        int, Option("Outputs for each record, as a list if N > 1 (1).", 1, "N", ("-n", "--number"))
    ] = 1
    src_lang: SourceLanguage = ""
    tgt_lang: Annotated[
        str, Option("Language of the output, by the model's own code.", None, "CODE")
    ] = ""
    sample: Annotated[bool, Option("Sample each token; else the best output is searched for.")] = (
        False
    )
    temperature: Annotated[
        float, Option("Sampling: below 1 favours likely tokens (1.0).", 0.0, "X")
    ] = 1.0
    top_k: Annotated[
        int, Option("Sampling: only the N likeliest tokens; 0 for all (0).", 0, "N")
    ] = 0
    top_p: Annotated[
        float,
        Option(
            "Sampling: only the likeliest tokens that reach probability X together (1.0).",
            1e-4,
            "X",
        ),
    ] = 1.0

    logprobs: Annotated[
        bool, Option('Add "logprobs", the log-probability of each token of an output.')
    ] = False

    @property
    def width(self) -> int:
        """Return the number of beams."""
        return self.beams or (1 if self.sample else 4)


class Runtime(NamedTuple):
    """Options of loading and running a model."""

    engine: Annotated[Engine, Option("Library that runs the model (torch).")] = "torch"
    window: Annotated[
        int,
        Option(
            "Records sorted into batches by length and written together, also "
            "with exact=yes (64); a killed run loses the last window.",
            1,
            "N",
        ),
    ] = 64
    batch_size: Annotated[int, Option("Records that a model reads at once (8).", 1, "N")] = 8
    batch_tokens: Annotated[
        int, Option("Tokens of input that a model reads at once, with padding (8192).", 1, "N")
    ] = 8192
    exact: Annotated[
        bool,
        Option(
            "Read record by record, in float32 and deterministically; no output "
            "depends on other records."
        ),
    ] = False
    precision: Annotated[
        Precision,
        Option(
            "Numbers that the model computes with; auto is bfloat16 on a GPU that has it, else "
            "float32; int8 is for ctranslate2."
        ),
    ] = "auto"
    device: Annotated[
        str,
        Option(
            "cpu, cuda, cuda:1, mps … (cuda if present, else cpu); several, as "
            "0,1, get a process each.",
            None,
            "NAME",
        ),
    ] = "auto"
    offline: Offline = False
    trust_remote_code: TrustRemoteCode = False
    allow_pickle: AllowPickle = False


class Prompting(NamedTuple):
    """Options of prompts, and of the prediction extracted from an output."""

    prompt: Annotated[
        str | None,
        Option("Template (Jinja) of the model's input; the record fills it.", None, "FILE"),
    ] = None
    system_prompt: Annotated[
        str | None, Option("Template of the system prompt before it.", None, "FILE")
    ] = None
    shots: Annotated[
        str | None,
        Option(
            'Records from which each prompt gets some "shots"; never the record itself or one '
            "of its cluster.",
            None,
            "FILE",
        ),
    ] = None
    shot_count: Annotated[int, Option("Number of shots.", 0, "K")] = 0
    examples: Annotated[
        str | None,
        Option(
            'Key whose text or texts the prompt gets as "examples".',
            None,
            "KEY",
        ),
    ] = None
    each: Annotated[
        Literal["turn"] | None, Option("Ask for every turn; the prediction is a dialogue.")
    ] = None
    extract: Annotated[
        str | None,
        Option(
            "Take the prediction out of the output: braces, first-line, or a "
            "regular expression (its first group).",
            None,
            "WHAT",
        ),
    ] = None


class Serving(NamedTuple):
    """Options of asking a server."""

    api: Annotated[Api, Option("Interface of the server (chat).")] = "chat"
    concurrency: Annotated[int, Option("Simultaneous requests (8).", 1, "N")] = 8
    timeout: Annotated[
        float,
        Option(
            "Seconds to wait for an answer (120; of a program 600).", 0.001, "SECONDS", most=1e6
        ),
    ] = 120.0
    retries: Annotated[int, Option("Retries when a server is busy or unreachable (4).", 0, "N")] = 4
    patience: Annotated[
        float,
        Option(
            "Most seconds that a request waits in all for a server that is busy and says until when "
            "(600); these are no retries.",
            0.0,
            "SECONDS",
            most=1e6,
        ),
    ] = 600.0
    rate: Annotated[str, Option("Most requests in a time: N/s, N/min or N/h.", None, "N/UNIT")] = ""
    price: Annotated[
        str,
        Option(
            "Prices of a million tokens of input and of output, which the closing line sums up.",
            None,
            "IN/OUT",
        ),
    ] = ""
    body: Annotated[
        str, Option("Further fields of a request; null leaves one out.", None, "JSON")
    ] = "{}"


class Loading(NamedTuple):
    """Options of metrics with models or programs whose specs do not say them."""

    model: Annotated[
        str | None,
        Option(
            "Model of the metrics that need one, a folder or a hub name; like model=… in each that "
            "names none.",
            None,
            "MODEL",
        ),
    ] = None
    device: Annotated[
        str | None,
        Option(
            "Where models run: cpu, cuda, cuda:1, mps … (default: cuda if there is one, else cpu).",
            None,
            "NAME",
        ),
    ] = None
    offline: Offline = False
    batch_size: Annotated[int | None, Option("Texts that a model reads at once.", 1, "N")] = None
    precision: Annotated[
        Literal["float32", "bfloat16", "float16"] | None,
        Option(
            "Numbers that models work with (default: float32); like precision=… in each metric with "
            "a model."
        ),
    ] = None
    timeout: Annotated[
        float | None,
        Option("Seconds that exec waits for each answer of its program (600).", 0.001, "SECONDS"),
    ] = None
