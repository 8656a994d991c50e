"""Align a masked language model with a graph of concepts; find concepts by what the model reads.

    python3 align.py FOLDER --text MODEL --graph sage --learn mlm infonce --triples triples.tsv \
        --names names.jsonl --mentions mentions.jsonl --find records.jsonl

A node of the graph begins as the vector of one of its names, drawn anew in each epoch, as the model
reads it before training; two layers of GraphSAGE or GAT make its vector of it and of its neighbours.
A mention is the mean of its tokens in their sentence, through a linear map.  --learn names what is
added up in a step: mlm, link (is there an edge), infonce and multi-similarity (a mention and its
node), and single-transe, single-complex, mixed-transe, mixed-complex (the other end of a triple;
of two nodes, or of a mention and a node).  --find ranks the nodes by cosine for the "mention" of a
record, [from, to] in its "text", or for its [MASK].  FOLDER has the language model, nodes.jsonl
with the vectors of the nodes, and found.jsonl.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

import torch
from torch.nn import functional
from transformers import (
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertTokenizerFast,
    DataCollatorForLanguageModeling,
)
from transformers.utils import logging

MASK = "[MASK]"
AROUND = 400  # characters of a text that are read on each side of a mention


class GraphEncoder(torch.nn.Module):
    """Two layers of message passing over all edges, in both directions."""

    def __init__(self, kind: str, width: int, dimensions: int):
        from torch_geometric.nn import GATConv, SAGEConv

        super().__init__()
        if kind == "gat":
            self.first = GATConv(width, dimensions, heads=4)
            self.second = GATConv(4 * dimensions, dimensions)
        else:
            self.first, self.second = (
                SAGEConv(width, 2 * dimensions),
                SAGEConv(2 * dimensions, dimensions),
            )
        self.hidden_name = torch.nn.Parameter(torch.zeros(width))

    def forward(self, features: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        return self.second(functional.elu(self.first(features, edges)), edges)


class Aligned(torch.nn.Module):
    """A masked language model, a graph encoder, and what is between them."""

    def __init__(self, model: str, graph: str, dimensions: int, relations: int):
        super().__init__()
        self.tokenizer = AutoTokenizer.from_pretrained(model)
        self.lm = AutoModelForMaskedLM.from_pretrained(model)
        width = self.lm.config.hidden_size
        self.map = torch.nn.Linear(width, dimensions, bias=False)
        self.graph = GraphEncoder(graph, width, dimensions) if graph else None
        self.relations = torch.nn.Embedding(relations, dimensions)

    def read(self, texts: list[str], spans: list[tuple[int, int]]) -> torch.Tensor:
        """Return the mean of the tokens of each span: (texts, width)."""
        batch = self.tokenizer(
            texts, padding=True, truncation=True, max_length=256, return_offsets_mapping=True,
            return_tensors="pt",
        ).to(self.lm.device)  # fmt: skip
        starts, ends = batch.pop("offset_mapping").unbind(-1)
        states = self.lm.base_model(**batch).last_hidden_state
        begin, stop = torch.tensor(spans).T[:, :, None]
        inside = ((starts < stop) & (ends > begin) & (ends > starts)).to(states)
        if not bool(inside.any(1).all()):
            sys.exit(f"no token of {texts[int(inside.any(1).int().argmin())]!r} is in its mention")
        return (states * inside[:, :, None]).sum(1) / inside.sum(1, keepdim=True)


def tiny(folder: Path, texts: list[str], seed: int) -> None:
    """Write a small BERT with random weights, and a tokenizer of words that come twice, and letters."""
    splitter = BertTokenizerFast(vocab={"[UNK]": 0}, strip_accents=False).backend_tokenizer
    counts = Counter(
        word
        for text in texts
        for word, _ in splitter.pre_tokenizer.pre_tokenize_str(
            splitter.normalizer.normalize_str(text)
        )
    )
    letters = sorted({letter for word in counts for letter in word})
    words = sorted(word for word, count in counts.items() if count > 1 and len(word) > 1)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters), *words]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    words = BertTokenizerFast(vocab=vocabulary, strip_accents=False)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(words), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, hidden_dropout_prob=0, attention_probs_dropout_prob=0,
    )  # fmt: skip
    for part in (BertForMaskedLM(config), words):
        part.save_pretrained(folder)


def plausibility(kind: str, head, relation, tail) -> torch.Tensor:
    """Return how plausible triples are to TransE (Bordes et al. 2013) or ComplEx (Trouillon et al. 2016)."""
    if kind == "transe":
        return -(head + relation - tail).norm(p=1, dim=-1)
    (a, b), (c, d), (e, f) = (part.chunk(2, dim=-1) for part in (head, relation, tail))
    return ((a * c - b * d) * e + (a * d + b * c) * f).sum(-1)


class Data:
    """Nodes, triples, names and mentions; `--without` leaves out those of a language."""

    def __init__(self, options: argparse.Namespace):
        with open(options.triples, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.nodes = sorted({node for head, _, tail in rows for node in (head, tail)})
        self.number = {node: number for number, node in enumerate(self.nodes)}
        kinds = {name: n for n, name in enumerate(sorted({relation for _, relation, _ in rows}))}
        self.relations = len(kinds)
        self.triples = [(self.number[h], kinds[r], self.number[t]) for h, r, t in rows]
        self.true = set(self.triples)
        self.incident = defaultdict(list)
        for triple in self.triples:
            for end in {triple[0], triple[2]}:
                self.incident[end].append(triple)
        ends = torch.tensor([(head, tail) for head, _, tail in self.triples]).T
        self.edges = torch.cat([ends, ends.flip(0)], 1)
        self.names = defaultdict(list)
        for record in self._learned(options.names, options.without):
            self.names[self.number[record["node"]]].append(record["text"])
        self.mentions = []  # text, span, node
        for record in self._learned(options.mentions, options.without):
            begin, end = record["mention"]
            start = max(0, begin - AROUND)
            text = record["text"][start : end + AROUND]
            self.mentions.append((text, (begin - start, end - start), self.number[record["node"]]))

    def _learned(self, path: str, without: str) -> list[dict]:
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        return [
            record
            for record in records
            if record["part"] == "train" and record["lang"] != without and record["node"] in self.number
        ]  # fmt: skip


class Step:
    """A step of the training: a batch of mentions, and the part of the graph around their nodes."""

    def __init__(self, model, data, options, batch, features):
        self.model, self.data, self.options = model, data, options
        self.texts, self.spans, self.mentioned = (
            list(column) for column in zip(*batch, strict=True)
        )
        triples = [random.choice(data.incident[node]) for node in self.mentioned]
        self.triples, self.links = triples, random.choices(data.triples, k=len(batch))
        anchors = set(self.mentioned) | {end for h, _, t in triples + self.links for end in (h, t)}
        self.place = {node: place for place, node in enumerate(sorted(anchors))}
        self.vectors = self._graph_vectors(features) if options.graph else None

    def _graph_vectors(self, features: torch.Tensor) -> torch.Tensor:
        """Return the vectors of the anchors: (anchors, dimensions)."""
        from torch_geometric.utils import k_hop_subgraph

        model, data, anchors = self.model, self.data, list(self.place)
        subset, edges, places, _ = k_hop_subgraph(
            anchors, 2, data.edges, relabel_nodes=True, num_nodes=len(data.nodes)
        )
        inputs = features[subset].clone()
        if any(name.startswith("single") for name in self.options.learn):
            # the names of the ends of triples are read anew: the model learns from the graph
            named = [(n, data.names[node]) for n, node in enumerate(anchors) if data.names[node]]
            names = [random.choice(names) for _, names in named]
            read = model.read(names, [(0, len(name)) for name in names])
            inputs = inputs.index_put((places[[n for n, _ in named]],), read)
        hidden = torch.rand(len(anchors)) < self.options.mask_nodes
        inputs[places[hidden]] = model.graph.hidden_name
        return model.graph(inputs, edges)[places]

    def of(self, nodes: list[int]) -> torch.Tensor:
        return self.vectors[[self.place[node] for node in nodes]]

    def mentions(self) -> torch.Tensor:
        """Return the vectors of the mentions, some of which are hidden behind a mask."""
        texts, spans = [], []
        for text, (begin, end) in zip(self.texts, self.spans, strict=True):
            if random.random() < self.options.mask_mentions:
                sign = self.model.tokenizer.mask_token
                text, end = text[:begin] + sign + text[end:], begin + len(sign)
            texts.append(text)
            spans.append((begin, end))
        return self.model.map(self.model.read(texts, spans))

    def mlm(self) -> torch.Tensor:
        tokenizer = self.model.tokenizer
        hide = DataCollatorForLanguageModeling(tokenizer)
        batch = hide([tokenizer(text, truncation=True, max_length=256) for text in self.texts])
        return self.model.lm(**batch.to(self.model.lm.device)).loss

    def link(self) -> torch.Tensor:
        heads, tails = (self.of([triple[end] for triple in self.links]) for end in (0, 2))
        others = self.vectors[torch.randint(len(self.vectors), (len(heads),))]
        right, wrong = (heads * tails).sum(1), (heads * others).sum(1)
        return -(functional.logsigmoid(right) + functional.logsigmoid(-wrong)).mean()

    def explicit(self, name: str) -> torch.Tensor:
        nodes = sorted(set(self.mentioned))
        wanted, vectors = (
            torch.tensor([nodes.index(node) for node in self.mentioned]),
            self.of(nodes),
        )
        texts = self.mentions()
        if name == "multi-similarity":
            from pytorch_metric_learning.losses import MultiSimilarityLoss

            numbers = torch.arange(len(nodes))
            return MultiSimilarityLoss()(texts, wanted, ref_emb=vectors, ref_labels=numbers)
        cosines = functional.normalize(texts) @ functional.normalize(vectors).T
        return functional.cross_entropy(20 * cosines, wanted)

    def restoring(self, name: str) -> torch.Tensor:
        """Return the loss of finding the other end of a triple among those of the batch."""
        which, kind = name.split("-")
        ends = self.mentions() if which == "mixed" else self.of(self.mentioned)
        relations = self.model.relations(
            torch.tensor([relation for _, relation, _ in self.triples])
        )
        losses = []
        for here, there in ((0, 2), (2, 0)):
            rows = [
                n for n, (node, triple) in enumerate(zip(self.mentioned, self.triples, strict=True))
                if triple[here] == node and (here == 0 or triple[0] != node)
            ]  # fmt: skip
            if not rows:
                continue
            others = sorted({self.triples[n][there] for n in rows})
            one, relation, other = (
                ends[rows][:, None],
                relations[rows][:, None],
                self.of(others)[None],
            )
            pair = (one, relation, other) if here == 0 else (other, relation, one)
            wanted = torch.tensor([others.index(self.triples[n][there]) for n in rows])
            also_true = torch.tensor(
                [[self._is_true(n, there, node) for node in others] for n in rows]
            )
            also_true[torch.arange(len(rows)), wanted] = False
            scores = plausibility(kind, *pair).masked_fill(also_true, -torch.inf)
            losses.append(functional.cross_entropy(scores, wanted, reduction="none"))
        return torch.cat(losses).mean()

    def _is_true(self, n: int, there: int, node: int) -> bool:
        triple = list(self.triples[n])
        triple[there] = node
        return tuple(triple) in self.data.true

    def loss(self, name: str) -> torch.Tensor:
        if name in ("mlm", "link"):
            return getattr(self, name)()
        is_restored = name.startswith(("single-", "mixed-"))
        return self.restoring(name) if is_restored else self.explicit(name)


def freeze(model: Aligned, text: str, graph: str) -> None:
    """Take weights out of the training: all, or the lower half, of the two encoders."""
    base = model.lm.base_model
    layers = list(base.encoder.layer)
    parts = {"all": [model.lm], "half": [base.embeddings, *layers[: len(layers) // 2]], "none": []}[
        text
    ]
    if model.graph:
        parts += {"all": [model.graph], "half": [model.graph.first], "none": []}[graph]
    for part in parts:
        part.requires_grad_(False)


def embedded(model: Aligned, data: Data) -> list[list[torch.Tensor]]:
    """Return the vectors of the names of each node, as the model reads them now."""
    every = [(node, name) for node in range(len(data.nodes)) for name in data.names[node]]
    rows: list[list[torch.Tensor]] = [[] for _ in data.nodes]
    with torch.no_grad():
        for start in range(0, len(every), 256):
            part = every[start : start + 256]
            vectors = model.read([name for _, name in part], [(0, len(name)) for _, name in part])
            for (node, _), vector in zip(part, vectors, strict=True):
                rows[node].append(vector)
    return rows


def train(options: argparse.Namespace) -> None:
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    folder, data, source = Path(options.folder), Data(options), options.text
    if source == "tiny":
        texts = [text for text, _, _ in data.mentions] + [
            n for row in data.names.values() for n in row
        ]
        tiny(folder, texts, options.seed)
        source = options.folder
    model = Aligned(source, options.graph, options.dimensions, data.relations)
    if options.start:
        model.graph.load_state_dict(torch.load(Path(options.start) / "graph.pt"), strict=True)
    named = embedded(model, data) if options.graph else []
    freeze(model, options.freeze_text, options.freeze_graph)
    new = [
        p for name, p in model.named_parameters() if not name.startswith("lm.") and p.requires_grad
    ]
    old = [p for p in model.lm.parameters() if p.requires_grad]
    groups = [{"params": new, "lr": 1e-3}, {"params": old, "lr": options.rate}]
    optimizer = torch.optim.AdamW([group for group in groups if group["params"]])

    def drawn(choose) -> torch.Tensor:
        nothing = torch.zeros(model.lm.config.hidden_size)
        return torch.stack([choose(row) if row else nothing for row in named])

    for epoch in range(1, options.epochs + 1):
        features = drawn(random.choice) if options.graph else None
        order, sums = random.sample(data.mentions, len(data.mentions)), []
        for start in range(0, len(order), options.batch):
            step = Step(model, data, options, order[start : start + options.batch], features)
            losses = [step.loss(name) for name in options.learn]
            optimizer.zero_grad()
            sum(losses).backward()
            optimizer.step()
            sums.append([loss.item() for loss in losses])
        means = [sum(column) / len(sums) for column in zip(*sums, strict=True)]
        shown = {name: round(mean, 4) for name, mean in zip(options.learn, means, strict=True)}
        print(json.dumps({"epoch": epoch, **shown, "trained": sum(p.numel() for p in new + old)}))
    model.eval()
    for part in (model.lm, model.tokenizer):
        part.save_pretrained(folder)
    if not options.graph:
        return
    torch.save(model.graph.state_dict(), folder / "graph.pt")
    with torch.no_grad():
        vectors = functional.normalize(model.graph(drawn(lambda row: row[0]), data.edges))
        ranked = find(model, options.find, data.nodes, vectors) if options.find else []
    nodes = [
        {"id": node, "node": node, "vector": [round(x, 6) for x in vector]}
        for node, vector in zip(data.nodes, vectors.tolist(), strict=True)
    ]
    for name, rows in (("found", ranked), ("nodes", nodes)):
        with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def find(model: Aligned, path: str, nodes: list[str], vectors: torch.Tensor) -> list[dict]:
    """Return records with the nodes nearest to their mention, or else to their mask, best first."""
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    ranked = []
    for start in range(0, len(records), 64):
        texts, spans = [], []
        for record in records[start : start + 64]:
            text, span = record["text"], record.get("mention")
            if span is None:
                sign = model.tokenizer.mask_token
                text = text.replace(MASK, sign)
                span = (text.index(sign), text.index(sign) + len(sign))
            before = max(0, span[0] - AROUND)
            texts.append(text[before : span[1] + AROUND])
            spans.append((span[0] - before, span[1] - before))
        read = functional.normalize(model.map(model.read(texts, spans)))
        best = (read @ vectors.T).topk(min(10, len(nodes))).indices.tolist()
        for record, places in zip(records[start : start + 64], best, strict=True):
            ranked.append({**record, "prediction": [nodes[place] for place in places]})
    return ranked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--text", default="tiny", help="model to start from; tiny: random weights")
    parser.add_argument("--graph", default="", choices=["", "sage", "gat"])
    parser.add_argument("--start", help="folder of a training whose graph encoder to start from")
    for name in ("triples", "names", "mentions"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--find", help="records whose nodes are looked for: FOLDER/found.jsonl")
    parser.add_argument("--learn", nargs="+", default=["mlm"])
    parser.add_argument("--without", default="", help="language that is not learned from")
    for name in ("text", "graph"):
        parser.add_argument(f"--freeze-{name}", default="none", choices=["none", "half", "all"])
    for name in ("mentions", "nodes"):
        parser.add_argument(f"--mask-{name}", type=float, default=0.0, help="share that is hidden")
    parser.add_argument("--dimensions", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-5, help="learning rate of the text model")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable_progress_bar()
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    train(options)


if __name__ == "__main__":
    main()
