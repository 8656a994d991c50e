"""dialtools: how robust and fair is a model that generates text from dialogues?"""

# Written by man/mkman.py from the functions; a test compares them.

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

from dialtools.pipeline.streams import Stream as Stream
from dialtools.records.frames import DataFrame as DataFrame
from dialtools.clustering.partition import Partition as Partition
from dialtools.html_report.page import Report as Report
from dialtools.models.decoding import Decoding as Decoding, Loading as Loading, Prompting as Prompting, Runtime as Runtime, Serving as Serving
from dialtools.system.stable_hash import ChosenIds as ChosenIds, Seen as Seen
from dialtools.training.recipe import Course as Course, Grading as Grading, Machine as Machine, ParserRecipe as ParserRecipe, ParserShape as ParserShape, Reading as Reading, Recipe as Recipe

Record: TypeAlias = dict[str, Any]
Records: TypeAlias = Iterable[Record] | DataFrame
Text: TypeAlias = str | PathLike[str]

__version__: str
COMMANDS: dict[str, str]
_RECORDS: tuple[str, ...]
_VALUES: dict[str, str]

def check(
    lines: Iterable[tuple[str, bytes]] | Records = (),
    rename: dict[str, str] | None = None,
    note: Callable[[str], None] = ...,
    *,
    languages: Text | None = None,
    expect: str | Sequence[str] = (),
    pass_rate: float = 100.0,
    on_error: Literal['stop', 'skip', 'keep'] = 'keep',
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield one result for each kind of finding, or one for each expectation and kind of variation.

    A finding has its level, count, first place and an example.

    lines: Iterable[tuple[str, bytes]] | Iterable[dict] = ()
        (place, line) pairs, as dialtools.lines yields them, or records, placed by number.
    rename: dict[str, str] | None = None
        keys that exchange their names, such as {"summary": "prediction"}.
    note: Callable[[str], None] = …
        called with the language that the text looks like.
    languages: str | None = None
        a folder of language data to check instead, "" for the one in use.
    expect: Sequence[str] = ()
        what is expected of scored variants or of results instead: "invariant: exact > 0.9",
        "drop: f1 < -0.1", "S:rouge2 < 20".
    pass_rate: float = 100.0
        percent of the records of each kind that must be as expected.
    on_error: Literal['stop', 'skip', 'keep'] = 'keep'
        report what is wrong with the rest ("keep"), leave it out ("skip"), or raise
        RecordError for the first ("stop"); with expect the first is raised, unless "skip".
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.

    level: "wrong" if other commands refuse it, else "odd".
    """

def clean(
    records: Records,
    note: Callable[[str], None] = ...,
    seen: Seen | None = None,
    *,
    urls: bool = False,
    mentions: bool = False,
    tags: bool = False,
    emoji: bool = False,
    squeeze: bool = False,
    pieces: int | None = None,
    terms: str | None = None,
    duplicates: bool = False,
    all: bool = False,
    overwrite: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the records with clean texts; some are left out or cut into several.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    note: Callable[[str], None] = …
        called for each record or piece that is left out, with "empty", "duplicate" or
        "without a term".
    seen: Seen | None = None
        knows the texts of earlier records, and of this call afterwards.
    urls: bool = False
    mentions: bool = False
    tags: bool = False
    emoji: bool = False
        drop these.
    squeeze: bool = False
        write repeated punctuation and white space once.
    pieces: int | None = None
        cut a longer "text" into pieces of at most so many code points.
    terms: str | None = None
        leave out texts without any term of this specification.
    duplicates: bool = False
        leave out repeated texts.
    all: bool = False
        all of these steps, with pieces of 130 code points by default.
    overwrite: bool = False
        drop predictions and scores of texts that change; else these are RecordErrors.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def cluster(
    records: Records,
    note: Callable[[Partition], object] = ...,
    *,
    encoder: Text | None = None,
    vectors: str | None = None,
    of: str | None = None,
    clusters: int | None = None,
    choose: str | None = None,
    centres: int = 2000,
    device: str | None = None,
    batch_size: int = 32,
    seed: int = 0,
    offline: bool = False,
    summary: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the records, each with "cluster_label" (from 1, the largest cluster first) and
    "cluster_distance" (1 minus the cosine with the cluster's mean, from 0 to 2).

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    note: Callable[['Partition'], object] = …
        told the partition before the first record.
    encoder: str | None = None
        sentence encoder, a folder or a hub name; or else:
    vectors: str | None = None
        path of a vector that each record brings.
    of: str | None = None
        path of the text to read; by default "text", or else all utterances of the dialogue.
    clusters: int | None = None
        how many.
    choose: str | None = None
        a range of numbers such as "2..50", from which the silhouette chooses.
    centres: int = 2000
        of k-means, which Ward then merges; fewer records go to Ward as they are.
    device: str | None = None
        where the encoder runs: auto, cpu, cuda, …
    batch_size: int = 32
        texts that the encoder reads at once.
    seed: int = 0
        seed of all random choices.
    offline: bool = False
        open no socket: use only models that are on this machine.
    summary: bool = False
        yield a result for each cluster instead: its size, the mean distance, and the id of
        the record nearest to its mean.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def convert(
    *files: Text | PathLike[str],
    source: Text | Callable[..., Any] = 'auto',
    field: str | Sequence[str] | Mapping[str, str] = (),
    set: str | Sequence[str] | Mapping[str, str] = (),
    raters: str | Sequence[str] = (),
    next_response: bool = False,
    continuity: bool = False,
    lines: Text | Sequence[Text] = (),
    overwrite: bool = False,
    format: Text | None = None,
    offline: bool = False,
) -> Stream[Any]:
    """Yield the records of data files, or the lines (strings) of one file in a format.

    *files: str | PathLike[str]
        paths; none, or "-", is standard input.
    source: str | Callable = 'auto'
        a format's name, "csv:delimiter=;", a function file -> (place, record) pairs, or "auto".
    field: Iterable[str] | Mapping[str, str] = ()
        {"KEY": "PATH"}, other places to take a key's value from; {"KEY:SYSTEM": "PATH"} makes
        a record for each of several systems.  As on the command line, "KEY=PATH" says the same.
    set: Iterable[str] | Mapping[str, str] = ()
        {"KEY": "VALUE"}, constants, strings; or "KEY=VALUE".
    raters: Iterable[str] = ()
        the key that names the rater of each row, or "KEY=COLUMN+COLUMN" for columns of raters;
        a text gets one record, with {rater: rating} under each key of ratings.
    next_response: bool = False
        cut dialogues before their last turn, which becomes the reference.
    continuity: bool = False
        cut dialogues after each turn, with the label "goes on" or "ends".
    lines: Iterable[str] = ()
        files of outputs, one a line for each record, "SYSTEM=FILE" or "FILE".
    overwrite: bool = False
        drop predictions and scores of dialogues that are cut, and replace those that come
        by `lines`; else these are RecordErrors.
    format: str | None = None
        the name of the format to write.
    offline: bool = False
        open no socket; addresses such as https://… are OptionErrors.
    """

def generate(
    records: Records,
    *,
    generator: Text | Callable[..., Any] | None = None,
    model: Text | None = None,
    endpoint: str | Sequence[str] = (),
    system: str | None = None,
    overwrite: bool = False,
    prompting: Prompting = ...,
    decoding: Decoding = ...,
    runtime: Runtime = ...,
    serving: Serving = ...,
    requests: bool = False,
    answers: Text | None = None,
    cache: Text | None = None,
    identity_check: int | None = None,
    seed: int = 0,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield each record with a "prediction" and the name of the "system" that made it.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    generator: str | Callable | None = None
        a spec such as "longest:k=3", or a function records -> list of dicts with
        "prediction".
    model: str | None = None
        folder or hub name of a model; alone, it chooses the generator that fits.
    endpoint: str | Sequence[str] = ()
        address of a server that has the model; several are replicas.
    system: str | None = None
        the name to write; else the spec as given, or the last part of the model's name.
    overwrite: bool = False
        replace predictions that are there, and drop their scores.
    prompting: Prompting = Prompting()
        what the generator reads, and what of its output is the prediction.
    decoding: Decoding = Decoding()
        how a model searches or draws.
    runtime: Runtime = Runtime()
        how a model is loaded and run.
    serving: Serving = Serving()
        how a server is asked.
    requests: bool = False
        yield no records but the server's questions, as lines of a batch file.
    answers: str | None = None
        batch file with a server's answers to these, read instead of asking.
    cache: str | None = None
        SQLite file of earlier outputs; new ones are added.
    identity_check: int | None = None
        how many records, from the first one, are generated again in another batching;
        not with each.
    seed: int = 0
        of samples and shots.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.

    An option that the generator does not have is an OptionError where it is not the default.
    """

def join(
    records: Records,
    rows: Records,
    note: Callable[[Record], object] | None = None,
    *,
    by: Literal['key', 'line'] = 'key',
    on: str | Sequence[str] = ...,
    overwrite: bool = False,
    inner: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the records, each with the keys of the row that has the same id and variant.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    rows: Iterable[Mapping]
        what to join; any dicts, no two of one system for the same key.  A record with rows of
        several systems is yielded once for each.
    note: Callable[[dict], object] | None = None
        told each record without a row.
    by: Literal['key', 'line'] = 'key'
        "line" joins the first row with the first record, and so on; there must be as many. Rows of
        several systems come one after the other: rows that name another system begin anew.
    on: Sequence[str] = ('id', 'variant')
        the keys that must be equal, paths into records and rows; 7 and "7" are equal. An original
        has no variant.
    overwrite: bool = False
        let a row replace a value that differs.
    inner: bool = False
        leave out records without a row.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def keywords(
    records: Records,
    *,
    label: str | None = None,
    by: str = 'label',
    number: int = 20,
    tok: str | None = None,
    weight: Literal['bayes', 'tfidf'] = 'bayes',
    ngram: int = 1,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the words most typical of a label, the strongest first: term, weight, count, elsewhere.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    label: str | None = None
        the value of the class; all other records are the rest.  None: each label in turn, in
        the order of their first records, with the label in the rows.
    by: str = 'label'
        the key that holds the label.
    number: int = 20
        how many words of a label.
    tok: str | None = None
        a tokenizer; None takes the tokens of records, or else the language's own tokenizer.
    weight: Literal['bayes', 'tfidf'] = 'bayes'
        bayes, or tfidf, as in text/typical_words.py.
    ngram: int = 1
        words in a term.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.

    count, elsewhere: occurrences in the class and in the rest.
    """

def merge(
    parts: Sequence[Records],
    names: Sequence[str] = (),
    *,
    order: Records | None = None,
    left_out: bool = False,
    summary: bool = False,
    all_pairs: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
    offline: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the records of all parts as one run over the whole input would have made them.

    parts: Sequence[Iterable[dict]]
        what the run of each shard made, in any order; one may be empty.
    names: Sequence[str] = ()
        what to call the parts.
    order: Iterable[dict] | None = None
        the input of the run; with summary it may be missing, and so may parts, unnoticed.
    left_out: bool = False
        let records of the input be in no part, as after a filter that leaves some out.
    summary: bool = False
        yield only results: of sources those of sensitivity or robustness, of other records
        the means of scores, and corpus scores from the statistics.
    all_pairs: bool = False
        compute the control of sensitivity over all pairs of sources, not a sample.
    device: str | None = None
    batch_size: int | None = None
    offline: bool = False
        for the control of sensitivity by a metric with a model.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def parse(
    records: Records,
    *,
    parser: Text | Callable[..., Any],
    overwrite: bool = False,
    pretokenised: bool = False,
    also: Literal['context', 'reference', 'prediction'] | Sequence[Literal['context', 'reference', 'prediction']] = (),
    device: str | None = None,
    offline: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield each record with "tokens" in every turn and beside its "text".

    A dialogue that is a string becomes a list of turns.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    parser: str | Callable
        a spec such as "fugashi" or "stanza:dir=models", "auto", or a function
        (texts, *, language) -> lists of tokens.
    overwrite: bool = False
        parse records again that have tokens.
    pretokenised: bool = False
        keep the tokens of the records, and add the parser's annotation.
    also: Iterable[str] = ()
        further keys whose strings get tokens: "context", "reference", "prediction".
    device: str | None = None
        where the model works, such as "cuda", for parsers with such an option.
    offline: bool = False
        open no socket.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def perturb(
    records: Records,
    chosen: ChosenIds | None = None,
    *,
    kind: Text | Callable[..., Any] | Sequence[Text | Callable[..., Any]] = (),
    presets: Literal['paper'] | None = None,
    chain: bool = False,
    rate: float | None = None,
    turns: str | None = None,
    share: float | None = None,
    variants: int = 1,
    seed: int = 0,
    keep_original: bool = False,
    overwrite: bool = False,
    require_change: Literal['skip', 'fail'] | None = None,
    restore: bool = False,
    only: str | None = None,
    worst: int | None = None,
    by: str | Callable[..., Any] | None = None,
    generator: str | Callable[..., Any] | None = None,
    rounds: int = 1,
    prompt: Text | None = None,
    cache: Text | None = None,
    paraphraser: str | Callable[..., Any] | None = None,
    paraphrase_prompt: Text | None = None,
    paraphrase_floor: str | None = None,
    encoder: Text | Callable[..., Any] | None = None,
    timeout: float | None = None,
    offline: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield variants of each record, one for each kind of perturbation, or the unperturbed records.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    chosen: ChosenIds | None = None
        the share, where somebody has read all records for it.
    kind: Iterable[str | Callable] = ()
        specs such as "typo.keyboard:rate=0.1", families such as "typo", or functions
        (record, rng) -> edits.
    presets: str | None = None
        the name of a set of kinds: "paper".
    chain: bool = False
        make one variant with all kinds applied in order.
    rate: float | None = None
        probability of each word, for kinds with a rate that their spec does not set.
    turns: str | None = None
        "speaker=NAME": vary that speaker's turns alone.
    share: float | None = None
        perturb so many of the sources, exactly, and yield the others as they are; for that,
        all records are held in memory.
    variants: int = 1
        how many variants of each kind; they differ from each other.
    seed: int = 0
        seed of all random choices.
    keep_original: bool = False
        yield the record itself before its variants.
    overwrite: bool = False
        drop predictions that are there, and their scores; else they are an error.
    require_change: str | None = None
        "skip" leaves out unchanged variants, "fail" makes them an error; otherwise
        their history says "changed": false.
    restore: bool = False
        undo the last perturbation, a chain as a whole.
    only: str | None = None
        with restore, undo all perturbations of this kind or family instead, and no others.
    worst: int | None = None
        draw so many variants of each kind, and yield the one that moves the output most.
    by: str | Callable | None = None
        the metric that compares the output for a variant with that for the original.
    generator: str | Callable | None = None
        of these outputs: a spec, or a function as in dialtools.generate.
    rounds: int = 1
        how often, each time from the variant that was the worst, at the most.
    prompt: str | None = None
        file with a template of what the generator reads.
    cache: str | None = None
        SQLite file of outputs, as that of dialtools.generate.
    paraphraser: str | Callable | None = None
        rewords utterances: plain, light, verbatim, the spec of a generator, or a function
        as in paraphrases.py; None: plain, or light for those that are repeated.
    paraphrase_prompt: str | None = None
        file with a template of what the generator reads of each text; that of
        variation.back-translation also has source and target.
    paraphrase_floor: str | None = None
        METRIC=NUMBER, in the unit of dt-score's tables: a paraphrase that scores less
        against its text is none, and the text stays.
    encoder: str | Callable | None = None
        chooses targeted repetitions: the folder or hub name of a sentence encoder, or a
        function as in similarity.py.
    timeout: float | None = None
        seconds that exec waits for an answer of its program; None is 600.
    offline: bool = False
        open no socket.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def report(
    *sources: str | PathLike[str] | Records,
    title: str = 'Report',
    most_sources: int = 10000,
) -> Report:
    """Return the report of files, or of records and results; a notebook shows it.

    Its methods html(), fragment(), save(path), save_pdf(path) and save_pngs(folder) give or write
    the page, a part of another page, and its pictures.

    *sources: str | PathLike[str] | Iterable[dict]
        paths of JSON Lines files, or iterables of records or results.
    title: str = 'Report'
        the heading of the page.
    most_sources: int = 10000
        how many sources the numbers are of at most.
    """

def resegment(
    records: Records,
    *,
    unit: Literal['auto', 'word', 'char'] = 'auto',
    stream: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield, for each record with a running translation, one record for each of its "segments".

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    unit: Literal['auto', 'word', 'char'] = 'auto'
        what is aligned and has a delay: words, characters, or (auto) characters in languages
        without spaces.
    stream: bool = False
        delays as StreamLAAL counts them.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def score(
    records: Records | Iterable[str | list[str]],
    references: Iterable[str | list[str]] | None = None,
    *,
    metric: Text | Callable[..., Any] | Sequence[Text | Callable[..., Any]],
    against: str | None = None,
    subsets: bool = False,
    summary: bool = False,
    sensitivity: bool = False,
    robustness: bool = False,
    per_source: bool = False,
    with_original: bool = False,
    all_pairs: bool = False,
    by: str | None = None,
    confusion: bool = False,
    lang: str | None = None,
    loading: Loading = ...,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield each record with its scores added or, if asked, results that sum them up.

    records: Iterable[dict] | Iterable[str | list[str]]
        records with predictions; or the predictions alone, if the references are given.
    references: Iterable[str | list[str]] | None = None
        one for each prediction, or a list of several.
    metric: list[str | Callable]
        specs such as "rouge2" or "chrf:order=4", or functions (predictions, references) ->
        numbers. sensitivity and robustness need a function's RANGE, worst and best: mine.RANGE =
        (0, 1).
    against: str | None = None
        compare with "original", "dialogue" or the value under this key, not the reference.
    subsets: bool = False
        compare with the first reference followed by every subset of the others.
    summary: bool = False
        yield only the corpus score of each metric or, where it has none, its mean.
    sensitivity: bool = False
        yield quality and S, R and D of each metric over the variants of each source.
    robustness: bool = False
        yield how far outputs move from the original's, for each kind of perturbation.
    per_source: bool = False
        with sensitivity or robustness, yield one record for each source (and kind, or
        speaker) instead.
    with_original: bool = False
        with sensitivity, count the original as one of the variants.
    all_pairs: bool = False
        with sensitivity, compute the control over all pairs of sources, not a sample.
    by: str | None = None
        group results by a key of the records, "kind" of variant, or a part of a signature such as
        "pool", and add the gaps.
    confusion: bool = False
        yield how often each true label goes with each predicted one, for metrics that
        compare labels.
    lang: str | None = None
        the language of records without one; None is "en".
    loading: Loading = Loading()
        model, device, batch size and precision of metrics whose specs do not say; offline.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def select(
    records: Records,
    reject: Callable[[Record, str], None] = ...,
    rename: dict[str, str] | None = None,
    ids: set | None = None,
    *,
    terms: str | None = None,
    terms_group: Literal['one', 'two', 'any'] = 'one',
    without: Text | None = None,
    explode: bool = False,
    drop: Literal['repeats', 'bare'] | Sequence[Literal['repeats', 'bare']] = (),
    echo: str | Sequence[str] = (),
    where: str | None = None,
    rank: str | None = None,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the records that hold certain terms, or the selected outputs for each source.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    reject: Callable[[dict, str], None] = …
        called with each record that is left out, and the reason.
    rename: dict[str, str] | None = None
        keys that exchange their names in the file of `without`, such as {"nr": "id"}.
    ids: set | None = None
        those in the file of `without`, if it was read already.
    terms: str | None = None
        a specification, by its name or as a file; a record needs a target and an attribute term.
    terms_group: Literal['one', 'two', 'any'] = 'one'
        the group of the target terms: "one" (T1), "two" (T2) or "any"; the attribute
        terms are those of the first group (A1), the stereotypes, with "any" all.
    without: str | None = None
        file of records; records with one of their ids are left out.
    explode: bool = False
        first make each output of an n-best list a record of its own.
    drop: Sequence[Literal['repeats', 'bare']] = ()
        leave out "repeats" of the input or of an earlier output, and "bare" outputs without
        letter or digit.
    echo: Sequence[str] = ()
        texts; an output that contains one, in any case, is left out.
    where: str | None = None
        an expression of scores that must be true.
    rank: str | None = None
        an expression of scores; for each source, or variant, the record with the highest stays.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.

    The history has the terms, as "target" and "attribute".
    """

def show(
    records: Records,
    per_source: Records | None = None,
    width: int = 80,
    colours: bool = False,
    reject: Callable[[str], object] = ...,
    *,
    worst: str | None = None,
    best: str | None = None,
    number: int | None = None,
    id: str | int | Sequence[str | int] = (),
    where: str | None = None,
    by: str | None = None,
    patch: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[str]:
    """Yield the lines of text that show sources: original and variants, turn by turn, outputs.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    per_source: Iterable[dict] | None = None
        records of score(per_source=True), whose scores take the place of computed ones.
    width: int = 80
        of the lines, in columns.
    colours: bool = False
        mark what changed by colours of terminals, not by [-…-]{+…+}.
    reject: Callable[[str], object] = …
        called with the reason for each source that has no score to be chosen by.
    worst: str | None = None
    best: str | None = None
        the label of a score; the sources with the worst or best come first.
    number: int | None = None
        of sources that are shown, of each group; None: 5 with worst or best, else all.
    id: str | int | Sequence[str | int] = ()
        show only the sources of these ids.
    where: str | None = None
        show only sources with a record for which this expression of scores is true.
    by: str | None = None
        what variants are grouped by: a key, "kind", or a part of a signature such as "pool".
    patch: bool = False
        yield a patch of the sources, which writes a file for each original and variant.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def swap_names(
    records: Records,
    *,
    pool: str | Sequence[str] | None = None,
    pool_file: Text | Sequence[Text] | Mapping[Text, Text | Sequence[Text]] | None = None,
    map: Text | Record | None = None,
    ids: bool = False,
    pattern: str | None = None,
    variants: int = 1,
    one: bool = False,
    person: str | Sequence[str] = (),
    guard: str | Sequence[str] = (),
    gender: bool = True,
    allow_cross_gender: bool = False,
    roles: bool = False,
    keep_original: bool = False,
    overwrite: bool = False,
    seed: int = 0,
    restore: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield variants of each record whose speakers have other names, or the records as they were
    before.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    pool: str | Sequence[str] | None = None
        name of a pool of the record's language (frequent, if there is no file), or several; each
        makes a set of variants.
    pool_file: str | list[str] | Mapping[str, str | list[str]] | None = None
        a pool of your own: a file of lines "name" or "name TAB gender", or of a table whose
        first line names its columns; or a list of these lines; or several such, {label: file}.
    map: str | dict | None = None
        an explicit map: a dict, JSON or lines of "name TAB new name".
    ids: bool = False
        number the speakers (Speaker1, …) by their first turns, as `pattern` says if given.
    pattern: str | None = None
        pattern of the names of ids=True, such as "P{n}".
    variants: int = 1
        number for each record and pool; no two of a pool have the same names.
    one: bool = False
        rename one speaker at a time, in `variants` variants each.
    person: tuple[str, ...] = ()
        further people to rename, who do not speak; "introduced" for those whom the text
        introduces.
    guard: tuple[str, ...] = ()
        phrases that are kept, whatever names they hold.
    gender: bool = True
        keep the gender of names whose gender is known.
    allow_cross_gender: bool = False
        let a map change a gender even if words of the text agree with it.
    roles: bool = False
        rename Agent, A, 客服, Speaker 1 … too.
    keep_original: bool = False
        yield the record itself before its variants.
    overwrite: bool = False
        drop predictions that are there, and their scores; else they are an error.
    seed: int = 0
        seed of the draws; variants of one source that come in draw the same names.
    restore: bool = False
        undo the swap, and map the names back in predictions.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def template(
    tables: Sequence[Sequence[Record]],
    *,
    text: str,
    template: str | Sequence[str] | Mapping[str, str] = (),
) -> Stream[Record]:
    """Yield a record for each combination of a row of each table.

    tables: Sequence[Sequence[dict]]
        rows as dicts of strings; the first cell of a row names it in the id.
    text: str
        the template of "text", with slots such as {occupation}; {{ and }} are braces.
    template: Iterable[str] | Mapping[str, str] = ()
        {"KEY": "TEMPLATE"}, further keys; or "KEY=TEMPLATE", one or several.
    """

def ttest(
    a: Records,
    b: Records | None = None,
    names: tuple[str, ...] = ...,
    *,
    value: str | Sequence[str],
    by: str | None = None,
    versus: str | None = None,
    test: Text | Callable[..., Any] | None = None,
    level: float = 0.95,
    per: Literal['id', 'cluster', 'record', 'system'] = 'id',
    baseline: str | None = None,
    correct: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
    family: Literal['all', 'value', 'pair'] = 'all',
    outliers: str | None = None,
    power: bool = False,
    seed: int = 0,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the result of each comparison; nothing if there are no records.

    a: Iterable[dict]
    b: Iterable[dict] | None = None
        two streams of records to compare, or one stream that `by` divides into groups, or whose
        values are compared with those of `versus`; likert and measures of agreement also take one
        stream alone.
    names: tuple[str, ...] = ('a', 'b')
        what the streams are called, unless each is of one system of its own.
    value: str | Sequence[str]
        path of the number to test, such as "scores.rouge2", or "rouge2" for short, or several.
        "bleu" is the corpus score, "statistics.bleu", where the test can compute it, "scores.bleu" the
        sentence scores.
    by: str | None = None
        path of the group of a record, such as "system"; with `versus`, each group is tested.
    versus: str | None = None
        path of a second number of each record, such as a human rating.
    test: str | Callable | None = None
        spec of a significance test, or a function (a, b, level) -> {"difference": …, "p": …, …};
        None for paired, or for bootstrap where the value is a corpus score.
    level: float = 0.95
        of the confidence interval, between 0 and 1.
    per: Literal['id', 'cluster', 'record', 'system'] = 'id'
        what a number stands for: an id's variants (their mean), a cluster's ids, a record, or, with
        `versus`, a system (its mean over the records that have both values, or its corpus score).
    baseline: str | None = None
        the group to compare all others with, instead of all pairs.
    correct: str = 'holm'
        how to correct p for several tests.
    family: Literal['all', 'value', 'pair'] = 'all'
        which tests are corrected together.
    outliers: str | None = None
        "sd:3" drops numbers more than 3 standard deviations (ddof 0) from their group's mean.
    power: bool = False
        add the power to find the effect seen, and the n needed for 80 % power (pairs, or values
        in each of two groups).
    seed: int = 0
        of tests that draw.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def train_encoder(
    command: str = '',
    *,
    model: Text,
    train: Text | Sequence[Text],
    dev: Text | Sequence[Text],
    output_dir: Text,
    pair: str = 'text,reference',
    target: str | None = None,
    group: str | None = None,
    vectors: str | None = None,
    language: str | None = None,
    course: Course = ...,
    settings: str | Sequence[str] | Mapping[str, object] = (),
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
) -> Stream[Record]:
    """Train an encoder; yield a record of the data, one of the model before training and one for
    each epoch, and one of the best epoch.

    command: str = ''
        the command line, for the model card.
    model: str
        folder or hub name, or "tiny", "tiny:layers=2": random weights.
    train: Iterable[str]
    dev: Iterable[str]
        files of records.
    output_dir: str
        folder for the best encoder.
    pair: str = 'text,reference'
        paths of two texts, with a comma between them, and of a third that is unlike the first;
        of the first alone with group or vectors.
    target: str | None = None
        path of how alike the two are: 0 or 1, or any numbers; None: all pairs are alike.
    group: str | None = None
        path of what alike texts share, such as "speaker".
    vectors: str | None = None
        path of a vector that each text should have.
    language: str | None = None
        of records without one.
    course: Course = Course()
        loss, epochs, batches, learning rate and the like.
    settings: Iterable[str] | Mapping[str, object] = ()
        further arguments of SentenceTransformerTrainingArguments, as "NAME=VALUE" or a mapping.
    seed: int = 0
        seed of all random choices.
    go_on: bool = False
        continue an interrupted run with the same settings.
    overwrite: bool = False
        train again although output_dir has a model.
    """

def train_generator(
    command: str = '',
    *,
    model: Text,
    train: Text | Sequence[Text],
    dev: Text | Sequence[Text],
    output_dir: Text,
    objective: Text | Callable[..., Any] | Sequence[Text | Callable[..., Any]] = (),
    vary: str | Callable[..., Any] | Sequence[str | Callable[..., Any]] = (),
    variants: int = 2,
    prompting: Prompting = ...,
    reading: Reading = ...,
    recipe: Recipe = ...,
    machine: Machine = ...,
    settings: str | Sequence[str] | Mapping[str, object] = (),
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
    allow_blind: bool = False,
) -> Stream[Record]:
    """Train a model; yield a record of the data, one for each epoch, and one of the best epoch.

    command: str = ''
        the command line, for the model card.
    model: str
        folder or hub name, or "tiny", "tiny:kind=causal,layers=2": random weights.
    train: Iterable[str]
    dev: Iterable[str]
        files of records.
    output_dir: str
        folder for the best model.
    objective: Iterable[str | Callable] = ()
        specs such as "attention:weight=1", or functions (batch, outputs, model) -> loss.
    vary: Iterable[str | Callable] = ()
        how variants of training records are drawn for each epoch: "names:pool=train", "typo".
    variants: int = 2
        how many there are of a record with `vary`, itself included.
    prompting: Prompting = Prompting()
        what the model reads.
    reading: Reading = Reading()
        how examples are made of records.
    recipe: Recipe = Recipe()
        epochs, batches, learning rate and the like.
    machine: Machine = Machine()
        where and how it runs.
    settings: Iterable[str] | Mapping[str, object] = ()
        further arguments of transformers' TrainingArguments, as "NAME=VALUE" or a mapping.
    seed: int = 0
        seed of all random choices.
    go_on: bool = False
        continue an interrupted run with the same settings.
    overwrite: bool = False
        train again although output_dir has a model.
    allow_blind: bool = False
        accept a model that does not read its input; else guards.Blind is raised at the
        end.

    Started several times by accelerate launch or torchrun, only the first process yields records.
    """

def train_parser(
    command: str = '',
    *,
    train: Text | Sequence[Text],
    dev: Text | Sequence[Text],
    output_dir: Text,
    model: Text | None = None,
    language: str | None = None,
    shape: ParserShape = ...,
    recipe: ParserRecipe = ...,
    word_vectors: Text | None = None,
    transformer: Text | None = None,
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
    offline: bool = False,
) -> Stream[Record]:
    """Train a parser; yield a record of the data, one for each epoch, and one of the best epoch.

    command: str = ''
        the command line, for the model card.
    train: Iterable[str]
    dev: Iterable[str]
        CoNLL-U files.
    output_dir: str
        folder for the best model.
    model: str | None = None
        folder of a parser to start from; its shape is then the parent's.
    language: str | None = None
        tag of the parser's language; None for any.
    shape: ParserShape = ParserShape()
        network, layers and dimensions.
    recipe: ParserRecipe = ParserRecipe()
        epochs, batches, learning rate and the like.
    word_vectors: str | None = None
        file of word vectors.
    transformer: str | None = None
        folder or hub name of a model whose states represent words.
    seed: int = 0
        seed of all random choices.
    go_on: bool = False
        continue an interrupted run with the same settings.
    overwrite: bool = False
        train again although output_dir has a model.
    offline: bool = False
        open no socket.
    """

def train_scorer(
    command: str = '',
    note: Callable[[Record], object] = ...,
    *,
    model: Text,
    train: Text | Sequence[Text],
    dev: Text | Sequence[Text] = (),
    output_dir: Text,
    grading: Grading = ...,
    folds: int | None = None,
    repeats: int = 1,
    cluster: str = 'cluster',
    recipe: Recipe = ...,
    machine: Machine = ...,
    settings: str | Sequence[str] | Mapping[str, object] = (),
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
    allow_blind: bool = False,
) -> Stream[Record]:
    """Train a scorer; yield a record of the data, one for each epoch, and one of the best epoch.
    With folds, yield the records with predictions of models that have not seen them.

    command: str = ''
        the command line, for the model card.
    note: Callable[[dict], object] = …
        with folds, called with each record of each training's log.
    model: str
        folder or hub name, another scorer's too, or "tiny", "tiny:kind=causal,layers=2": random
        weights.
    train: Iterable[str]
    dev: Iterable[str] = ()
        files of records.
    output_dir: str
        folder for the best model.
    grading: Grading = Grading()
        what the model reads of a record, and what it learns.
    folds: int | None = None
        parts of 'train', each predicted by a model of the others; no dev then.
    repeats: int = 1
        how often that is done, with other folds each time.
    cluster: str = 'cluster'
        path of what records share that stay in one fold; by default those of one id do.
    recipe: Recipe = Recipe()
        epochs, batches, learning rate and the like.
    machine: Machine = Machine()
        where and how it runs.
    settings: Iterable[str] | Mapping[str, object] = ()
        further arguments of transformers' TrainingArguments, as "NAME=VALUE" or a mapping.
    seed: int = 0
        seed of all random choices.
    go_on: bool = False
        continue an interrupted run with the same settings.
    overwrite: bool = False
        train again although output_dir has a model.
    allow_blind: bool = False
        accept a model that does not read its input; else guards.Blind is raised at the
        end.

    Started several times by accelerate launch or torchrun, only the first process yields records.
    """

def names_collect(
    records: Records,
    note: Callable[[str], None] = ...,
    *,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the speakers of dialogues, the most frequent first: name, gender, number of dialogues.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    note: Callable[[str], None] = …
        called for each speaker that is left out.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def names_count(
    records: Records,
    note: Callable[[str], None] = ...,
    *,
    pool: str | None = None,
    pool_file: Text | Sequence[Text] | None = None,
    only: Literal['frequent', 'polysemous', 'rare', 'unknown'] | None = None,
    number: int = 200,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield names with their counts in dialogues or texts, group by group.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    note: Callable[[str], None] = …
        called for a lack of tokens.
    pool: str | None = None
        count the names of this pool; all that are known in the language where there is neither
        this nor a file.
    pool_file: str | list[str] | None = None
        count these names: a file, or a list, of lines "name" or "name TAB gender".
    only: str | None = None
        only this group.
    number: int = 200
        names of a group at most.
    key: Mapping[str, str] | None = None
        what the input calls keys of ours, such as {"prediction": "summary"}.
    """

def names_check(
    pool: str | Iterable[str] | Iterable[tuple[str, bytes]],
    *,
    lang: str | None = None,
) -> Stream[Record]:
    """Yield what is wrong or odd in a pool.

    pool: str | Iterable[str] | Iterable[tuple[str, bytes]]
        a file of lines "name" or "name TAB gender", or of a table whose first line names its
        columns; or these lines, or (place, line) pairs, as dialtools.lines yields them.
    lang: str | None = None
        the language of the names; None is "en".
    """

def lines(
    paths: Iterable[str | PathLike[str]],
    limit: int | None = None,
) -> Stream[tuple[str, bytes]]:
    """Return pairs ("FILE:LINE", line) of the non-blank lines of files, without BOM.

    paths: Iterable[str | PathLike[str]]
        files, one after the other; "-" or none: standard input.
    limit: int | None = None
        how many lines to read.
    """

def read(
    *paths: str | PathLike[str],
    keys: str | Sequence[str] = (),
    lang: str | None = None,
    limit: int | None = None,
    rename: dict[str, str] | None = None,
    note: Callable[[str], None] = ...,
) -> Stream[Record]:
    """Return the records of JSON Lines files, one after the other; "-" or none: standard input.

    *paths: str | PathLike[str]
        files, which may end in .gz or .zst, or addresses.
    keys: Iterable[str] = ()
        what every record must have; "dialogue|text" wants one of the two.
    lang: str | None = None
        the language of records that name none; None leaves them as they are.
    limit: int | None = None
        how many records to read.
    rename: dict[str, str] | None = None
        keys that exchange their names, such as {"summary": "prediction"}.
    note: Callable[[str], None] = …
        called with "id" or "lang" for each record that lacked it.
    """

def write(
    records: Records,
    path: str | PathLike[str] = '-',
) -> None:
    """Write JSON Lines to standard output, or to a file that appears only when it is complete.

    records: Iterable[dict]
        records, or a table of them: of pandas, polars, pyarrow or datasets.
    path: str | PathLike[str] = '-'
        "-" is standard output; what ends in .gz or .zst is packed.
    """
