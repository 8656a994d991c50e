"""A trained parser: its folder, and the sentences, parts of speech and trees that it predicts."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from dialtools.languages.scripts import compiled
from dialtools.parsing import network, vocabulary
from dialtools.parsing.vocabulary import (
    INSIDE,
    SENTENCE,
    SPECIAL,
    SPLIT,
    WORD,
    Tables,
    Vocabulary,
    numbers,
)
from dialtools.system.errors import MissingError, need, show
from dialtools.system.files import open_output

FORMAT = "dialtools parser"
VERSION = 1  # of the files and of the network; no other version is read
CONFIG, VOCABULARY, WEIGHTS, CARD = (
    "config.json",
    "vocabulary.json",
    "model.safetensors",
    "README.md",
)
GROUP = 2000  # words of a batch, at most
CHARACTERS = 20_000  # of a batch, at most
LONGEST = 200  # words of a sentence, about; longer ones are lists or noise
Scores = list[list[float]]
Arcs = dict[int, dict[int, float]]  # node -> {head: score}
_DAMAGE = AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError


class Parse(NamedTuple):
    """The parse of a sentence, an entry for each word."""

    upos: list[str]
    heads: list[int]
    labels: list[str]


class Model(NamedTuple):
    """A network and what belongs to it."""

    network: Any
    vocabulary: Vocabulary
    config: dict  # as `load` and `save` have it
    offline: bool = False  # open no socket for the transformer

    def device(self) -> Any:
        """Return the device of the network."""
        return next(self.network.parameters()).device


def load(folder: str) -> Model:
    """Return the model of a folder; MissingError if there is none that this version can read."""
    config = _json(folder, CONFIG)
    if config.get("format") != FORMAT:
        raise MissingError(f"{folder} holds no parser of dt-train: {CONFIG} has another format")
    if config.get("version") != VERSION:
        raise MissingError(
            f"the parser in {folder} has version {show(config.get('version'))}; "
            f"only version {VERSION} is supported: train it again"
        )
    entries = _json(folder, VOCABULARY)
    safetensors = need("safetensors.torch", "models")
    try:
        counts = {name: len(listed) for name, listed in entries.items()}
        built = network.build(network.Sizes(**config["sizes"]), counts)
        built.load_state_dict(safetensors.load_file(os.path.join(folder, WEIGHTS)))
        digests = hashes(built, entries, config["pieces"])
        if config | digests != digests | config:  # an older model has no hash of its vocabulary
            raise ValueError(f"{CONFIG} has other hashes")
    except FileNotFoundError:
        raise MissingError(f"the parser in {folder} has no weights ({WEIGHTS})") from None
    except damage() as error:
        raise MissingError(
            f"the parser in {folder} is damaged, or mixes files of several models: {summary(error)}"
        ) from error
    return Model(built.eval(), entries, config | digests)


def hashes(built: Any, entries: Vocabulary, pieces: dict[str, str]) -> dict[str, str]:
    """Return the hashes of weights and vocabulary, by which mixed files are detected."""
    weights = hashlib.sha256()
    for name, weight in sorted(built.state_dict().items()):
        weights.update(name.encode() + weight.numpy().tobytes())
    words = json.dumps([entries, sorted(pieces.items())])  # without indent: that is slow
    return {
        "hash": weights.hexdigest(),
        "vocabulary_hash": hashlib.sha256(words.encode()).hexdigest(),
    }


def damage() -> tuple[type[Exception], ...]:
    """Return the errors of files that are damaged or of another network."""
    return (*_DAMAGE, need("safetensors", "models").SafetensorError)


def summary(error: Exception) -> str:
    """Return the last line of an error, where torch says what does not fit, with its type."""
    return f"{type(error).__name__}: {error}".splitlines()[-1].strip()


def _json(folder: str, name: str) -> dict:
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingError(
            f"no parser in {folder}: {name} is missing (dt-train parser makes one)"
        ) from None
    except ValueError as error:
        raise MissingError(f"{path} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise MissingError(f"{path} is not a JSON object")
    return value


def save(folder: str, model: Model, card: bytes) -> None:
    """Write a model; each file appears when it is complete, the settings last."""

    def dumps(value: Any) -> bytes:
        return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()

    safetensors = need("safetensors.torch", "models")
    os.makedirs(folder, exist_ok=True)
    contents = {
        VOCABULARY: dumps(model.vocabulary),
        WEIGHTS: safetensors.save(model.network.state_dict()),
        CARD: card,
        CONFIG: dumps({"format": FORMAT, "version": VERSION, **model.config}),
    }
    for name, content in contents.items():
        with open_output(os.path.join(folder, name)) as file:
            file.write(content)


def parse(model: Model, forms: list[list[str]], upos: list[list[str]] | None = None) -> list[Parse]:
    """Return a tree for each sentence; upos: the parts of speech, predicted if None."""
    parses: dict[int, Parse] = {}
    tables = numbers(model.vocabulary)
    with need("torch", "models").no_grad():
        for group in vocabulary.grouped(list(map(len, forms)), GROUP):
            tags = None if upos is None else [upos[number] for number in group]
            of_group = _batch(model, tables, [forms[number] for number in group], tags)
            parses |= zip(group, of_group, strict=True)
    return [parses[number] for number in range(len(forms))]


def _batch(
    model: Model, tables: Tables, forms: list[list[str]], upos: list[list[str]] | None
) -> list[Parse]:
    """Return the parses of one batch of sentences."""
    net, device = model.network, model.device()
    batch = vocabulary.words(forms, tables)
    if model.config.get("transformer"):
        rows = vocabulary.contextual(model.config["transformer"], forms, model.offline)
        batch["states"] = vocabulary.states(rows)
    batch = {name: tensor.to(device) for name, tensor in batch.items()}
    read = network.read(net, batch, 0)
    if upos is None:
        upos = _likeliest(network.tag(net, read, batch, 0), model.vocabulary["upos"], forms)
    batch["upos"] = vocabulary.upos(upos, tables).to(device)
    arcs, words, heads = network.parse(net, read, batch, 0)
    chosen = [
        best_tree([row[: len(sentence) + 1] for row in rows[1 : len(sentence) + 1]])
        for sentence, rows in zip(forms, arcs.tolist(), strict=True)
    ]
    indexes = vocabulary.table([[0, *row] for row in chosen]).to(device)
    scores = network.label(net, words, heads, indexes)
    labels = _likeliest(scores, model.vocabulary["labels"], forms)
    return [Parse(*parts) for parts in zip(upos, chosen, labels, strict=True)]


def _likeliest(scores: Any, entries: list[str], forms: list[list[str]]) -> list[list[str]]:
    """Return the entry with the highest score for each word.

    scores: (sentences, words with the root, entries).
    """
    best = scores[..., len(SPECIAL) :].argmax(-1) + len(SPECIAL)
    return [
        [entries[number] for number in row[1 : len(sentence) + 1]]
        for sentence, row in zip(forms, best.tolist(), strict=True)
    ]


def best_tree(scores: Scores) -> list[int]:
    """Return the head of each word, 0 for one; [] for no words.

    It is a maximum spanning tree with one root, by Chu-Liu-Edmonds.  Source: McDonald et al. 2005,
    https://aclanthology.org/H05-1066.  A penalty on arcs from the root, larger than all other
    scores can outweigh, leaves one of them.

    scores[d][h]: of the arc from head h to word d (from 0); head 0 is the root, and word d as a
        head is d + 1.

    The first choice of each word below is the other; the second word fits the root better:

    >>> best_tree([[1.0, 0.0, 5.0], [3.0, 6.0, 0.0]])
    [2, 0]
    """
    if not scores:
        return []
    graph = {
        word: {head: score for head, score in enumerate(row) if head != word}
        for word, row in enumerate(scores, 1)
    }
    greedy = [max(arcs, key=arcs.__getitem__) for arcs in graph.values()]
    if greedy.count(0) == 1 and not _circle([-1, *greedy]):
        return greedy
    values = [score for arcs in graph.values() for score in arcs.values()]
    penalty = (max(values) - min(values) + 1) * len(scores)
    for arcs in graph.values():
        arcs[0] -= penalty
    heads = _spanning(graph)
    return [heads[word] for word in range(1, len(scores) + 1)]


def _spanning(graph: Arcs) -> dict[int, int]:
    """Return {node: head} of the best tree of a graph of all nodes but the root 0."""
    heads = {node: max(arcs, key=arcs.__getitem__) for node, arcs in graph.items()}
    circle = _circle([heads.get(node, -1) for node in range(max(graph) + 1)])
    if not circle:
        return heads
    new = max(graph) + 1
    smaller, inward, outward = _contracted(graph, heads, set(circle), new)
    spanning = _spanning(smaller)
    entered, head = inward[spanning.pop(new)]
    heads = {node: heads[node] for node in circle} | {entered: head}
    return heads | {node: outward[node] if head == new else head for node, head in spanning.items()}


def _contracted(
    graph: Arcs, heads: dict[int, int], circle: set[int], new: int
) -> tuple[Arcs, dict[int, tuple[int, int]], dict[int, int]]:
    """Return the graph with a circle as one node, and what arcs into and out of it stand for."""
    inward: dict[int, tuple[int, int]] = {}
    gains: dict[int, float] = {}
    for node in sorted(circle):  # the cost of breaking the circle here
        for head, score in graph[node].items():
            gain = score - graph[node][heads[node]]
            if head not in circle and (head not in gains or gain > gains[head]):
                gains[head], inward[head] = gain, (node, head)
    smaller, outward = {new: gains}, {}
    for node in graph.keys() - circle:
        arcs = {head: score for head, score in graph[node].items() if head not in circle}
        inside = {head: score for head, score in graph[node].items() if head in circle}
        if inside:
            outward[node] = max(inside, key=inside.__getitem__)
            arcs[new] = inside[outward[node]]
        smaller[node] = arcs
    return smaller, inward, outward


def _circle(heads: list[int]) -> list[int]:
    """Return the nodes of a circle, or []; a head of -1 is none."""
    safe = [head < 0 for head in heads]
    for start in range(len(heads)):
        path: list[int] = []
        on_path = set()
        node = start
        while not safe[node] and node not in on_path:
            path.append(node)
            on_path.add(node)
            node = heads[node]
        if node in on_path:
            return path[path.index(node) :]
        for passed in path:
            safe[passed] = True
    return []


def sentences(model: Model, texts: list[str]) -> list[list[list[dict]]]:
    """Return the sentences of each text as lists of tokens; white space always ends a word.

    A token has form, start and end, and in a multiword token also word and part.
    """
    segmented: dict[int, list[list[dict]]] = {}
    tables, pieces = numbers(model.vocabulary), model.config["pieces"]
    places = [place for place, text in enumerate(texts) if text.strip()]
    with need("torch", "models").no_grad():
        for group in vocabulary.grouped([len(texts[place]) for place in places], CHARACTERS):
            chosen = [places[number] for number in group]
            characters = vocabulary.characters([texts[place] for place in chosen], tables)
            scores = network.segment(model.network, characters.to(model.device()))
            for place, ends in zip(chosen, scores.argmax(-1).tolist(), strict=True):
                segmented[place] = list(_sentences(texts[place], ends, pieces))
    return [segmented.get(number, []) for number in range(len(texts))]


def _sentences(text: str, ends: list[int], pieces: dict[str, str]) -> Iterator[list[dict]]:
    """Yield the sentences of a text; ends: what ends at each character.

    Nothing ends inside a grapheme; at the end of a run without white space at least a word ends.
    """
    sentence: list[dict] = []
    for run in re.finditer(r"\S+", text):
        start = run.start()
        parts: list[int] = []  # ends of the parts of a word
        for character in compiled(r"\X").finditer(run[0]):
            end = run.start() + character.end()
            kind = max(ends[end - 1], WORD) if end == run.end() else ends[end - 1]
            if kind == INSIDE:
                continue
            parts.append(end)
            if kind != SPLIT:
                sentence += _tokens(text, start, parts, pieces)
                start, parts = end, []
                if kind == SENTENCE or len(sentence) >= LONGEST:
                    yield sentence
                    sentence = []
    if sentence:
        yield sentence


def _tokens(text: str, start: int, ends: list[int], pieces: dict[str, str]) -> Iterator[dict]:
    """Yield the tokens of a written word; ends: of its parts; pieces: {form: word} of parts."""
    for number, end in enumerate(ends, 1):
        form = text[start:end]
        token: dict = {"form": form, "start": start, "end": end}
        if len(ends) > 1:
            word = pieces.get(form.lower(), form)
            if word != form:
                token["word"] = word
            token["part"] = [number, len(ends)]
        yield token
        start = end
