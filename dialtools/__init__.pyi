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
    on_error: Literal['stop', 'skip', 'keep'] = 'keep',
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield one result for each kind of finding: level, count, first place, example.

    lines: (place, line) pairs, as dialtools.lines yields them, or records, placed by number.
    rename: keys that exchange their names, such as {"summary": "prediction"}.
    note: called with the language that the text looks like.
    languages: a folder of language data to check instead, "" for the one in use.
    on_error: report what is wrong with the rest ("keep"), leave it out ("skip"), or raise
        RecordError for the first ("stop").
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

    note: called for each record or piece that is left out, with "empty", "duplicate" or
        "without a term".
    seen: knows the texts of earlier records, and of this call afterwards.
    urls, mentions, tags, emoji: drop these.
    squeeze: write repeated punctuation and white space once.
    pieces: cut a longer "text" into pieces of at most so many code points.
    terms: leave out texts without any term of this specification.
    duplicates: leave out repeated texts.
    all: all of these steps, with pieces of 130 code points by default.
    overwrite: drop predictions and scores of texts that change; else these are RecordErrors.
    """

def cluster(
    records: Records,
    note: Callable[[Partition], object] = ...,
    *,
    encoder: Text | None = None,
    vectors: Text | None = None,
    of: Text | None = None,
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

    note: told the partition before the first record.
    encoder: sentence encoder, a folder or a hub name; or else:
    vectors: path of a vector that each record brings.
    of: path of the text to read; by default "text", or else all utterances of the dialogue.
    clusters: how many.
    choose: a range of numbers such as "2..50", from which the silhouette chooses.
    summary: yield a result for each cluster instead: its size, the mean distance, and the id of
        the record nearest to its mean.
    centres: of k-means, which Ward then merges; fewer records go to Ward as they are.
    """

def convert(
    *files: Text | PathLike[str],
    source: Text | Callable[..., Any] = 'auto',
    field: Text | Sequence[Text] | Mapping[Text, Text] = (),
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

    files: paths; none, or "-", is standard input.
    source: a format's name, "csv:delimiter=;", a function file -> (place, record) pairs, or "auto".
    field: {"KEY": "PATH"}, other places to take a key's value from; {"KEY:SYSTEM": "PATH"} makes
        a record for each of several systems.  As on the command line, "KEY=PATH" says the same.
    set: {"KEY": "VALUE"}, constants, strings; or "KEY=VALUE".
    raters: the key that names the rater of each row, or "KEY=COLUMN+COLUMN" for columns of raters;
        a text gets one record, with {rater: rating} under each key of ratings.
    next_response: cut dialogues before their last turn, which becomes the reference.
    continuity: cut dialogues after each turn, with the label "goes on" or "ends".
    lines: files of outputs, one a line for each record, "SYSTEM=FILE" or "FILE".
    overwrite: drop predictions and scores of dialogues that are cut, and replace those that come
        by `lines`; else these are RecordErrors.
    format: the name of the format to write.
    offline: open no socket; addresses such as https://… are OptionErrors.
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

    generator: a spec such as "longest:k=3", or a function records -> list of dicts with
        "prediction".
    model: folder or hub name of a model; alone, it chooses the generator that fits.
    endpoint: address of a server that has the model; several are replicas.
    system: the name to write; else the spec as given, or the last part of the model's name.
    overwrite: replace predictions that are there, and drop their scores.
    prompting: what the generator reads, and what of its output is the prediction.
    decoding: how a model searches or draws.
    runtime: how a model is loaded and run.
    serving: how a server is asked.
    requests: yield no records but the server's questions, as lines of a batch file.
    answers: batch file with a server's answers to these, read instead of asking.
    cache: SQLite file of earlier outputs; new ones are added.
    identity_check: how many records, from the first one, are generated again in another batching;
        not with each.
    seed: of samples and shots.

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

    rows: what to join; any dicts, no two of one system for the same key.  A record with rows of
        several systems is yielded once for each.
    note: told each record without a row.
    by: "line" joins the first row with the first record, and so on; there must be as many. Rows of
        several systems come one after the other: rows that name another system begin anew.
    on: the keys that must be equal, paths into records and rows; 7 and "7" are equal. An original
        has no variant.
    overwrite: let a row replace a value that differs.
    inner: leave out records without a row.
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

    label: the value of the class; all other records are the rest.  None: each label in turn, in
        the order of their first records, with the label in the rows.
    by: the key that holds the label.
    number: how many words of a label.
    tok: a tokenizer; None takes the tokens of records, or else the language's own tokenizer.
    weight: bayes, or tfidf, as in text/typical_words.py.
    ngram: words in a term.

    count, elsewhere: occurrences in the class and in the rest.
    """

def merge(
    parts: Sequence[Records],
    names: Sequence[str] = (),
    *,
    order: Records | None = None,
    left_out: bool = False,
    summary: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
    offline: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield the records of all parts as one run over the whole input would have made them.

    parts: what the run of each shard made, in any order; one may be empty.
    names: what to call the parts.
    order: the input of the run; with summary it may be missing, and so may parts, unnoticed.
    left_out: let records of the input be in no part, as after a filter that leaves some out.
    summary: yield only results: of sources those of sensitivity or robustness, of other records
        the means of scores, and corpus scores from the statistics.
    device, batch_size, offline: for the control of sensitivity by a metric with a model.
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


    parser: a spec such as "fugashi" or "stanza:dir=models", "auto", or a function
        (texts, *, language) -> lists of tokens.
    overwrite: parse records again that have tokens.
    pretokenised: keep the tokens of the records, and add the parser's annotation.
    also: further keys whose strings get tokens: "context", "reference", "prediction".
    device: where the model works, such as "cuda", for parsers with such an option.
    offline: open no socket.
    """

def perturb(
    records: Records,
    chosen: ChosenIds | None = None,
    *,
    kind: Text | Callable[..., Any] | Sequence[Text | Callable[..., Any]] = (),
    presets: Literal['paper'] | None = None,
    chain: bool = False,
    rate: float | None = None,
    share: float | None = None,
    variants: int = 1,
    seed: int = 0,
    keep_original: bool = False,
    overwrite: bool = False,
    require_change: Literal['skip', 'fail'] | None = None,
    restore: bool = False,
    paraphraser: str | Callable[..., Any] | None = None,
    paraphrase_prompt: Text | None = None,
    paraphrase_floor: str | None = None,
    encoder: Text | Callable[..., Any] | None = None,
    timeout: float | None = None,
    offline: bool = False,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield variants of each record, one for each kind of perturbation, or the unperturbed records.

    chosen: the share, where somebody has read all records for it.
    kind: specs such as "typo.keyboard:rate=0.1", families such as "typo", or functions
        (record, rng) -> edits.
    presets: the name of a set of kinds: "paper".
    chain: make one variant with all kinds applied in order.
    rate: probability of each word, for kinds with a rate that their spec does not set.
    share: perturb so many of the sources, exactly, and yield the others as they are; for that,
        all records are held in memory.
    variants: how many variants of each kind; they differ from each other.
    keep_original: yield the record itself before its variants.
    overwrite: drop predictions that are there, and their scores; else they are an error.
    require_change: "skip" leaves out unchanged variants, "fail" makes them an error; otherwise
        their history says "changed": false.
    restore: undo the last perturbation, a chain as a whole.
    paraphraser: rewords utterances: plain, light, verbatim, the spec of a generator, or a function
        as in paraphrases.py; None: plain, or light for those that are repeated.
    paraphrase_prompt: file with a template of what the generator reads of each text.
    paraphrase_floor: METRIC=NUMBER, in the unit of dt-score's tables: a paraphrase that scores less
        against its text is none, and the text stays.
    encoder: chooses targeted repetitions: the folder or hub name of a sentence encoder, or a
        function as in similarity.py.
    timeout: seconds that exec waits for an answer of its program; None is 600.
    offline: open no socket.
    """

def report(
    *sources: str | PathLike[str] | Records,
    title: str = 'Report',
    most_sources: int = 10000,
) -> Report:
    """Return the report of files, or of records and results; a notebook shows it.

    Its methods html(), fragment(), save(path), save_pdf(path) and save_pngs(folder) give or write
    the page, a part of another page, and its pictures.

    sources: paths of JSON Lines files, or iterables of records or results.
    title: the heading of the page.
    most_sources: how many sources the numbers are of at most.
    """

def resegment(
    records: Records,
    *,
    unit: Literal['auto', 'word', 'char'] = 'auto',
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield, for each record with a running translation, one record for each of its "segments".

    unit: what is aligned and has a delay: words, characters, or (auto) characters in languages
        without spaces.
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
    by: str | None = None,
    confusion: bool = False,
    lang: str | None = None,
    loading: Loading = ...,
    key: Mapping[str, str] | None = None,
) -> Stream[Record]:
    """Yield each record with its scores added or, if asked, results that sum them up.

    records: records with predictions; or the predictions alone, if the references are given.
    references: one for each prediction, or a list of several.
    metric: specs such as "rouge2" or "chrf:order=4", or functions (predictions, references) ->
        numbers. sensitivity and robustness need a function's RANGE, worst and best: mine.RANGE =
        (0, 1).
    against: compare with "original", "dialogue" or the value under this key, not the reference.
    subsets: compare with the first reference followed by every subset of the others.
    summary: yield only the corpus score of each metric or, where it has none, its mean.
    sensitivity: yield quality and S, R and D of each metric over the variants of each source.
    robustness: yield how far outputs move from the original's, for each kind of perturbation.
    per_source: with sensitivity or robustness, yield one record for each source (and kind, or
        speaker) instead.
    with_original: with sensitivity, count the original as one of the variants.
    by: group results by a key of the records, "kind" of variant, or a part of a signature such as
        "pool", and add the gaps.
    confusion: yield how often each true label goes with each predicted one, for metrics that
        compare labels.
    lang: the language of records without one; None is "en".
    loading: model, device, batch size and precision of metrics whose specs do not say; offline.
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

    reject: called with each record that is left out, and the reason.
    rename: keys that exchange their names in the file of `without`, such as {"nr": "id"}.
    ids: those in the file of `without`, if it was read already.
    terms: a specification, by its name or as a file; a record needs a target and an attribute term.
    terms_group: the group of the target terms: "one" (T1), "two" (T2) or "any"; the attribute
        terms are those of the first group (A1), the stereotypes, with "any" all.
    without: file of records; records with one of their ids are left out.
    explode: first make each output of an n-best list a record of its own.
    drop: leave out "repeats" of the input or of an earlier output, and "bare" outputs without
        letter or digit.
    echo: texts; an output that contains one, in any case, is left out.
    where: an expression of scores that must be true.
    rank: an expression of scores; for each source, or variant, the record with the highest stays.

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
    key: Mapping[str, str] | None = None,
) -> Stream[str]:
    """Yield the lines of text that show sources: original and variants, turn by turn, outputs.

    per_source: records of dt-score --per-source, whose scores take the place of computed ones.
    width: of the lines, in columns.
    colours: mark what changed by colours of terminals, not by [-…-]{+…+}.
    reject: called with the reason for each source that has no score to be chosen by.
    worst, best: the label of a score; the sources with the worst or best come first.
    number: of sources that are shown, of each group; None: 5 with worst or best, else all.
    id: show only the sources of these ids.
    where: show only sources with a record for which this expression of scores is true.
    by: what variants are grouped by: a key, "kind", or a part of a signature such as "pool".
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

    pool: name of a pool of the record's language (frequent, if there is no file), or several; each
        makes a set of variants.
    pool_file: a pool of your own, lines of "name" or "name TAB gender", or of a table whose first
        line names its columns; or several such, {label: lines}.
    map: an explicit map: a dict, JSON or lines of "name TAB new name".
    ids: number the speakers (Speaker1, …) by their first turns, as `pattern` says if given.
    variants: number for each record and pool; no two of a pool have the same names.
    one: rename one speaker at a time, in `variants` variants each.
    person: further people to rename, who do not speak; "introduced" for those whom the text
        introduces.
    guard: phrases that are kept, whatever names they hold.
    gender: keep the gender of names whose gender is known.
    allow_cross_gender: let a map change a gender even if words of the text agree with it.
    roles: rename Agent, A, 客服, Speaker 1 … too.
    keep_original: yield the record itself before its variants.
    overwrite: drop predictions that are there, and their scores; else they are an error.
    seed: seed of the draws; variants of one source that come in draw the same names.
    restore: undo the swap, and map the names back in predictions.
    """

def template(
    tables: Sequence[Sequence[Record]],
    *,
    text: str,
    template: str | Sequence[str] | Mapping[str, str] = (),
) -> Stream[Record]:
    """Yield a record for each combination of a row of each table.

    tables: rows as dicts of strings; the first cell of a row names it in the id.
    text: the template of "text", with slots such as {occupation}; {{ and }} are braces.
    template: {"KEY": "TEMPLATE"}, further keys; or "KEY=TEMPLATE", one or several.
    """

def ttest(
    a: Records,
    b: Records | None = None,
    names: tuple[str, ...] = ...,
    *,
    value: Text | Sequence[Text],
    by: Text | None = None,
    versus: Text | None = None,
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

    a, b: two streams of records to compare, or one stream that `by` divides into groups, or whose
    values are compared with those of `versus`; likert and measures of agreement also take one
    stream alone.
    names: what the streams are called, unless each is of one system of its own.
    value: path of the number to test, such as "scores.rouge2", or "rouge2" for short, or several.
    "bleu" is the corpus score, "statistics.bleu", where the test can compute it, "scores.bleu" the
    sentence scores.
    by: path of the group of a record, such as "system".
    versus: path of a second number of each record, such as a human rating.
    test: spec of a significance test, or a function (a, b, level) -> {"difference": …, "p": …, …};
        None for paired, or for bootstrap where the value is a corpus score.
    level: of the confidence interval, between 0 and 1.
    per: what a number stands for: an id's variants (their mean), a cluster's ids, a record, or, with
    `versus`, a system (its mean over the records that have both values, or its corpus score).
    baseline: the group to compare all others with, instead of all pairs.
    correct: how to correct p for several tests.
    family: which tests are corrected together.
    outliers: "sd:3" drops numbers more than 3 standard deviations (ddof 0) from their group's mean.
    power: add the power to find the effect seen, and the n needed for 80 % power (pairs, or values
    in each of two groups).
    seed: of tests that draw.
    """

def train_encoder(
    command: str = '',
    *,
    model: Text,
    train: Text | Sequence[Text],
    dev: Text | Sequence[Text],
    output_dir: Text,
    pair: Text = 'text,reference',
    target: Text | None = None,
    group: Text | None = None,
    vectors: Text | None = None,
    language: str | None = None,
    course: Course = ...,
    settings: str | Sequence[str] | Mapping[str, object] = (),
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
) -> Stream[Record]:
    """Train an encoder; yield a record of the data, one of the model before training and one for
    each epoch, and one of the best epoch.

    command: the command line, for the model card.
    model: folder or hub name, or "tiny", "tiny:layers=2": random weights.
    train, dev: files of records.
    output_dir: folder for the best encoder.
    pair: paths of two texts, with a comma between them, and of a third that is unlike the first;
        of the first alone with group or vectors.
    target: path of how alike the two are: 0 or 1, or any numbers; None: all pairs are alike.
    group: path of what alike texts share, such as "speaker".
    vectors: path of a vector that each text should have.
    language: of records without one.
    course: loss, epochs, batches, learning rate and the like.
    settings: further arguments of SentenceTransformerTrainingArguments, as "NAME=VALUE" or a mapping.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
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

    command: the command line, for the model card.
    model: folder or hub name, or "tiny", "tiny:kind=causal,layers=2": random weights.
    train, dev: files of records.
    output_dir: folder for the best model.
    objective: specs such as "attention:weight=1", or functions (batch, outputs, model) -> loss.
    vary: how variants of training records are drawn for each epoch: "names:pool=train", "typo".
    variants: how many there are of a record with `vary`, itself included.
    prompting: what the model reads.
    reading: how examples are made of records.
    recipe: epochs, batches, learning rate and the like.
    machine: where and how it runs.
    settings: further arguments of transformers' TrainingArguments, as "NAME=VALUE" or a mapping.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    allow_blind: accept a model that does not read its input; else guards.Blind is raised at the
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

    command: the command line, for the model card.
    train, dev: CoNLL-U files.
    output_dir: folder for the best model.
    model: folder of a parser to start from; its shape is then the parent's.
    language: tag of the parser's language; None for any.
    shape: network, layers and dimensions.
    recipe: epochs, batches, learning rate and the like.
    word_vectors: file of word vectors.
    transformer: folder or hub name of a model whose states represent words.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    offline: open no socket.
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
    cluster: Text = 'cluster',
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

    command: the command line, for the model card.
    note: with folds, called with each record of each training's log.
    model: folder or hub name, another scorer's too, or "tiny", "tiny:kind=causal,layers=2": random
        weights.
    train, dev: files of records.
    output_dir: folder for the best model.
    grading: what the model reads of a record, and what it learns.
    folds: parts of --train, each predicted by a model of the others; no dev then.
    repeats: how often that is done, with other folds each time.
    cluster: path of what records share that stay in one fold; by default those of one id do.
    recipe: epochs, batches, learning rate and the like.
    machine: where and how it runs.
    settings: further arguments of transformers' TrainingArguments, as "NAME=VALUE" or a mapping.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    allow_blind: accept a model that does not read its input; else guards.Blind is raised at the
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

    note: called for each speaker that is left out.
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

    note: called for a lack of tokens.
    pool: count the names of this pool; all that are known in the language where there is neither
        this nor a file.
    pool_file: count these names, lines of "name" or "name TAB gender".
    only: only this group.
    number: names of a group at most.
    """

def names_check(
    rows: Records,
) -> Stream[Record]:
    """Yield what is wrong or odd in a pool.

    rows: as names.pools.unchecked_rows yields them.
    """

def lines(
    paths: Iterable[str | PathLike[str]],
    limit: int | None = None,
) -> Stream[tuple[str, bytes]]:
    """Return pairs ("FILE:LINE", line) of the first `limit` non-blank lines, without BOM."""

def read(
    *paths: str | PathLike[str],
    keys: str | Sequence[str] = (),
    lang: str | None = None,
    limit: int | None = None,
    rename: dict[str, str] | None = None,
    note: Callable[[str], None] = ...,
) -> Stream[Record]:
    """Return the records of JSON Lines files, one after the other; "-" or none: standard input.

    limit: how many records to read; the others: as in `validated`.
    """

def write(
    records: Records,
    path: str | PathLike[str] = '-',
) -> None:
    """Write JSON Lines to standard output, or to a file that appears only when it is complete."""
