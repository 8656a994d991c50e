"""The network: scores of heads, labels, parts of speech and ends of words and sentences.

It is a torch.nn.ModuleDict of standard parts; the functions here combine them.
A batch is a dict of tensors, made by vocabulary.py, whose words begin with the root.

Source: Dozat and Manning 2017, https://arxiv.org/abs/1611.01734 (biaffine
scores), and Ahmad et al. 2019, https://aclanthology.org/N19-1253 (encoder with
self-attention).  Departures: words are spelled by character n-grams, as in
fastText (https://arxiv.org/abs/1607.04606); the tagger has one layer of its own
on the same words; a small convolution over characters finds words and sentences.
"""

from typing import Any, NamedTuple

from dialtools.parsing.vocabulary import GRAMS, PADDING
from dialtools.system.errors import need


class Sizes(NamedTuple):
    """The architecture of a network, mostly numbers of dimensions."""

    encoder: str = "bilstm"  # or "attention"
    layers: int = 2
    hidden: int = 200  # each direction
    dropout: float = 0.33
    word: int = 64
    spelling: int = 80
    upos: int = 50
    arc: int = 200
    label: int = 64
    segmenter: int = 40
    heads: int = 4  # of the self-attention
    vectors: int = 0  # of words; 0 for none
    transformer: int = 0  # likewise


def build(sizes: Sizes, counts: dict[str, int]) -> Any:
    """Return a network with random weights; counts: {table: number of rows}."""
    nn = need("torch", "models").nn
    width, hidden = sizes.hidden * 2, sizes.hidden
    read, segmenter = sizes.word + sizes.spelling, sizes.segmenter
    parts = {
        "words": nn.Embedding(counts["words"], sizes.word, PADDING),
        "grams": nn.EmbeddingBag(GRAMS, sizes.spelling, mode="sum"),
        "upos": nn.Embedding(counts["upos"], sizes.upos, PADDING),
        "tagger": _ways(nn, read, hidden // 2),
        "tags": nn.Linear(hidden, counts["upos"]),
        "encoder": _encoder(nn, sizes, read + sizes.upos),
        "arc_word": nn.Linear(width, sizes.arc),
        "arc_head": nn.Linear(width, sizes.arc),
        "arc": nn.Linear(sizes.arc + 1, sizes.arc, bias=False),
        "label_word": nn.Linear(width, sizes.label),
        "label_head": nn.Linear(width, sizes.label),
        "label": nn.Linear(sizes.label + 1, counts["labels"] * (sizes.label + 1), bias=False),
        "segmenter": nn.ModuleDict(  # convolutions, which see 9 characters on each side
            {
                "characters": nn.Embedding(counts["characters"], segmenter // 2, PADDING),
                "first": nn.Conv1d(segmenter // 2, segmenter, kernel_size=7, padding=3),
                "second": nn.Conv1d(segmenter, segmenter, kernel_size=7, padding=3),
                "ends": nn.Conv1d(segmenter, 4, kernel_size=7, padding=3),
            }
        ),
    }
    if sizes.vectors:
        parts["vectors"] = nn.Embedding(counts["vectors"], sizes.vectors).requires_grad_(False)
        parts["from_vectors"] = nn.Linear(sizes.vectors, sizes.word)
    if sizes.transformer:
        parts["from_transformer"] = nn.Linear(sizes.transformer, sizes.word)
    network = nn.ModuleDict(parts)
    nn.init.zeros_(network["arc"].weight)
    nn.init.zeros_(network["label"].weight)
    return network


def _encoder(nn: Any, sizes: Sizes, read: int) -> Any:
    if sizes.encoder == "bilstm":
        inputs = [read] + [2 * sizes.hidden] * (sizes.layers - 1)
        return nn.ModuleList(_ways(nn, size, sizes.hidden) for size in inputs)
    width = 2 * sizes.hidden
    layers = [
        nn.TransformerEncoderLayer(
            width, sizes.heads, 2 * width, sizes.dropout / 2, batch_first=True, norm_first=True
        )
        for _ in range(sizes.layers)
    ]
    return nn.ModuleList([nn.Linear(read, width), *layers, nn.LayerNorm(width)])


def _ways(nn: Any, size: int, hidden: int) -> Any:
    """Return two LSTMs, one for each direction."""
    return nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for _ in range(2))


def read(network: Any, batch: dict[str, Any], dropout: float) -> Any:
    """Return the representation of each word out of context, (sentences, words, dim)."""
    import torch

    spelled = network["grams"](batch["grams"], batch["starts"]) / batch["roots"]
    words = network["words"](batch["words"])
    if "vectors" in network:
        words = words + network["from_vectors"](network["vectors"](batch["vectors"]))
    if "from_transformer" in network:
        words = words + network["from_transformer"](batch["states"])
    words = torch.cat([words, spelled[batch["forms"]]], -1)
    return _locked(words, dropout if network.training else 0)


def tag(network: Any, words: Any, batch: dict[str, Any], dropout: float) -> Any:
    """Return scores of the parts of speech of each word, (sentences, words, upos)."""
    hidden = _recurrent(network["tagger"], words, batch["backwards"])
    return network["tags"](_locked(hidden, dropout if network.training else 0))


def parse(network: Any, words: Any, batch: dict[str, Any], dropout: float) -> tuple[Any, Any, Any]:
    """Return scores of heads, (sentences, words, words), and the inputs of `label`."""
    import torch

    drop = dropout if network.training else 0
    hidden = torch.cat([words, _locked(network["upos"](batch["upos"]), drop)], -1)
    hidden = _encode(network["encoder"], hidden, batch, drop)
    views = {
        name: _locked(torch.nn.functional.leaky_relu(network[name](hidden), 0.1), drop)
        for name in ("arc_word", "arc_head", "label_word", "label_head")
    }
    arcs = network["arc"](_one(views["arc_word"])) @ views["arc_head"].transpose(1, 2)
    return arcs.masked_fill(~batch["heads_allowed"], -1e9), views["label_word"], views["label_head"]


def label(network: Any, words: Any, heads: Any, chosen: Any) -> Any:
    """Return scores of labels, (sentences, words, labels), for the head chosen for each word."""
    of_heads = heads.gather(1, chosen.unsqueeze(-1).expand(-1, -1, heads.shape[-1]))
    weighted = network["label"](_one(words)).unflatten(-1, (-1, words.shape[-1] + 1))
    return (weighted @ _one(of_heads).unsqueeze(-1)).squeeze(-1)


def segment(network: Any, characters: Any) -> Any:
    """Return scores of what ends at each character, (texts, characters, 4)."""
    from torch import relu

    part = network["segmenter"]
    real = (characters != PADDING).unsqueeze(1)  # padding must look like the edge of a text
    hidden = part["characters"](characters).transpose(1, 2)
    hidden = relu(part["second"](relu(part["first"](hidden)) * real)) * real
    return part["ends"](hidden).transpose(1, 2)


def _encode(layers: Any, hidden: Any, batch: dict[str, Any], dropout: float) -> Any:
    import torch

    if isinstance(layers[0], torch.nn.ModuleList):
        for layer in layers:
            hidden = _locked(_recurrent(layer, hidden, batch["backwards"]), dropout)
        return hidden
    hidden = layers[0](hidden)
    # the sinusoidal encoding of positions (Vaswani et al. 2017)
    words, width = hidden.shape[1:]
    lengths = 10000 ** (torch.arange(0, width, 2, device=hidden.device) / width)
    angles = torch.arange(words, device=hidden.device).unsqueeze(-1) / lengths
    hidden = hidden + torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    for layer in layers[1:-1]:
        hidden = layer(hidden, src_key_padding_mask=batch["padding"])
    return layers[-1](hidden)


def _recurrent(layer: Any, hidden: Any, backwards: Any) -> Any:
    """Return the states of both LSTMs; backwards: the places of words from the last to the first.

    A packed sequence does the same in twice the time on a CPU.
    """
    import torch

    ahead, back = layer
    states = back(_placed(hidden, backwards))[0]
    return torch.cat([ahead(hidden)[0], _placed(states, backwards)], -1)


def _placed(hidden: Any, places: Any) -> Any:
    return hidden.gather(1, places.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))


def _locked(hidden: Any, dropout: float) -> Any:
    """Drop the same dimensions of all words of a sentence."""
    if not dropout:
        return hidden
    kept = hidden.new_empty(hidden.shape[0], 1, hidden.shape[2]).bernoulli_(1 - dropout)
    return hidden * kept / (1 - dropout)


def _one(hidden: Any) -> Any:
    """Append a dimension that is always 1, so that a product has a bias."""
    import torch

    return torch.cat([hidden, torch.ones_like(hidden[..., :1])], -1)
