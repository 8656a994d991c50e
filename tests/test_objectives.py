"""objectives/: each loss against loops written from its formula, its gradient, and what it refuses."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from dialtools import languages
from dialtools.plugins import registry
from dialtools.system.errors import OptionError

DIM = 4


def batch(
    labels: list,
    groups: list[int],
    *,
    read: list | None = None,
    names: list | None = None,
    target_names: list | None = None,
    ids: list | None = None,
    words: Any = None,
    name_ids: list = None,
) -> Any:
    """Return a batch of these rows; read: the attention mask, ids: what is read."""
    import torch

    from dialtools.plugins.objective import Batch

    if name_ids is None:
        name_ids = []
    read = read or [[1] * len(row) for row in labels]
    inputs = {
        "input_ids": torch.tensor(ids or read),
        "attention_mask": torch.tensor(read),
        "labels": torch.tensor(labels),
    }
    none = [[0] * len(row) for row in read]
    return Batch(
        inputs,
        torch.tensor(groups),
        torch.tensor(names or none),
        name_ids,
        words,
        None if target_names is None else torch.tensor(target_names),
    )


def squares(one: list[list[float]], other: list[list[float]]) -> float:
    """Return the mean squared error of two tables, an absent number being 0."""
    width = max(map(len, one + other))
    pairs = [
        (a[i] if i < len(a) else 0.0, b[i] if i < len(b) else 0.0)
        for a, b in zip(one, other, strict=True)
        for i in range(width)
    ]
    return sum((a - b) ** 2 for a, b in pairs) / len(pairs)


def over_pairs(tables: list[list[list[float]]]) -> float:
    """Return 1 / K (K - 1) times the sum of the errors of all ordered pairs."""
    k = len(tables)
    return sum(squares(tables[i], tables[j]) for i in range(k) for j in range(k) if i != j) / (
        k * (k - 1)
    )


def unified(
    heads: list, row: Any, positions: list[int], read: list[int], names: list[int]
) -> list[list[float]]:
    """Return a variant's attention as section 3.1 says: averaged over the output, names summed."""
    found = []
    for head in heads:
        mean = [sum(head[t][s] for t in positions) / len(positions) for s in range(len(read))]
        places: list[float] = []
        at: dict[int, int] = {}
        for value, is_read, name in zip(mean, read, names, strict=True):
            if not is_read:
                continue
            if name and name in at:
                places[at[name]] += value
            else:
                at[name] = len(places)
                places.append(value)
        found.append(places)
    return found


READ = [
    [1, 1, 1, 1, 1],
    [1, 1, 1, 1, 0],
    [1, 1, 1, 0, 0],
    [1, 1, 1, 1, 1],
    [1, 1, 1, 1, 0],
    [1, 1, 0, 0, 0],
]
NAMES = [
    [0, 1, 1, 0, 2],
    [1, 0, 2, 0, 0],
    [0, 1, 2, 0, 0],
    [0, 0, 0, 0, 0],
    [1, 1, 1, 0, 0],
    [0, 0, 0, 0, 0],
]
LABELS = [[7, 5, 6], [8, 5, -100], [9, 6, 5], [5, 5, 5], [5, 6, 7], [5, -100, -100]]
GROUPS = [0, 0, 0, 1, 2, 2]  # three variants, one, and two without names between them


def test_attentions_of_variants(torch):
    torch.manual_seed(1)
    heads = torch.rand(6, 2, 3, 5, requires_grad=True)
    given = batch(LABELS, GROUPS, read=READ, names=NAMES)
    found = registry.load("objectives", "attention:weight=3").call(
        given, {"cross_attentions": [None, heads]}, None
    )
    rows = [
        unified(
            heads[row].tolist(),
            row,
            [t for t, label in enumerate(LABELS[row]) if label != -100],
            READ[row],
            NAMES[row],
        )
        for row in range(6)
    ]
    expected = 3 * (over_pairs(rows[:3]) + over_pairs(rows[4:])) / 2
    assert found.item() == pytest.approx(expected, rel=1e-5) and expected > 0
    found.backward()
    moved = heads.grad != 0
    assert not moved[3].any(), "a record with one variant"
    assert not moved[1, :, 2].any() and not moved[1, :, :, 4].any(), "padding"
    assert moved[0].all() and moved[2, :, :, :3].all()


def test_attentions_of_a_causal_model_are_those_to_its_input(torch):
    """Rows of input, input, output, output: positions 1 and 2 predict the output."""
    torch.manual_seed(2)
    heads = torch.rand(2, 1, 4, 4, requires_grad=True)
    given = batch(
        [[-100, -100, 5, 6], [-100, 5, 6, -100]],
        [0, 0],
        read=[[1] * 4, [1, 1, 1, 0]],
        names=[[1, 1, 0, 0], [1, 0, 0, 0]],
    )
    found = registry.load("objectives", "attention").call(given, {"attentions": (heads,)}, None)
    one, other = heads[0, 0].tolist(), heads[1, 0].tolist()
    name = sum(one[t][0] + one[t][1] for t in (1, 2)) / 2
    expected = (name - sum(other[t][0] for t in (0, 1)) / 2) ** 2
    assert found.item() == pytest.approx(expected, rel=1e-5)
    found.backward()
    assert (
        not heads.grad[0, :, 3].any()
        and not heads.grad[0, :, :, 2:].any()
        and heads.grad[0, 0, 1, 0] != 0
    )


@pytest.mark.parametrize("by_place", [True, False])
def test_states_of_variants(torch, by_place: bool):
    """By their places in the target, or by the tokens that names have anywhere."""
    torch.manual_seed(3)
    states = torch.rand(6, 3, DIM, requires_grad=True)
    marks = [[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]]
    given = batch(
        LABELS,
        GROUPS,
        read=READ,
        target_names=marks if by_place else None,
        name_ids=[{7}, {8}, {9}, set(), {7}, set()],
    )
    found = registry.load("objectives", "states:weight=2").call(
        given, {"decoder_hidden_states": [states]}, None
    )
    kept = [
        [
            states[row][t].tolist()
            for t, label in enumerate(LABELS[row])
            if label != -100 and not marks[row][t]
        ]
        for row in range(6)
    ]
    groups = [kept[:3], kept[4:]]
    cut = [[row[: min(map(len, group))] for row in group] for group in groups]
    assert [len(group[0]) for group in cut] == [1, 1]
    assert found.item() == pytest.approx(2 * sum(map(over_pairs, cut)) / 2, rel=1e-5)
    found.backward()
    moved = (states.grad != 0).any(-1).tolist()
    assert moved == [[False, True, False]] * 3 + [[False] * 3] + [[True, False, False]] * 2


def test_states_of_a_causal_model_are_those_that_predict(torch):
    """Rows of input, name, word, word: the state of the input predicts the name."""
    torch.manual_seed(6)
    states = torch.rand(2, 4, DIM, requires_grad=True)
    given = batch(
        [[-100, 7, 5, 6], [-100, 8, 5, -100]], [0, 0], target_names=[[0, 1, 0, 0], [0, 1, 0, 0]]
    )
    found = registry.load("objectives", "states:weight=1").call(
        given, {"hidden_states": (None, states)}, None
    )
    assert found.item() == pytest.approx(
        squares([states[0, 1].tolist()], [states[1, 1].tolist()]), rel=1e-5
    )
    found.backward()
    assert (states.grad != 0).any(-1).tolist() == [[False, True, False, False]] * 2


def test_nothing_to_compare_is_nothing(torch):
    states = torch.rand(2, 2, DIM, requires_grad=True)
    for groups, marks in (([0, 1], [[0, 0], [0, 0]]), ([0, 0], [[1, 1], [1, 1]])):
        given = batch([[5, 6], [5, 6]], groups, target_names=marks)
        found = registry.load("objectives", "states").call(
            given, {"decoder_hidden_states": [states]}, None
        )
        found.backward()
        assert found.item() == 0 and not states.grad.any()
    with pytest.raises(OptionError, match="this model gives no attentions"):
        registry.load("objectives", "attention").call(given, {"cross_attentions": (None,)}, None)


class Words:
    """A tokenizer of whole words, and of the letters of those that it does not know."""

    unk_token_id = 0
    known = ["<unk>", ".", "woman", "man", "nurse", "lonely", *"abcdefgh"]

    def __call__(self, text: str, **options: Any) -> dict:
        import re

        ids, places = [], []
        for match in re.finditer(r"\w+|\S", text):
            parts = (
                [(match[0], *match.span())]
                if match[0] in self.known
                else [
                    (letter, match.start() + at, match.start() + at + 1)
                    for at, letter in enumerate(match[0])
                ]
            )
            for word, start, end in parts:
                ids.append(self.known.index(word) if word in self.known else 0)
                places.append((start, end))
        return {"input_ids": ids, "offset_mapping": places}

    def batch_decode(self, rows: list[list[int]], **options: Any) -> list[str]:
        return [" ".join(self.known[at] for at in row) for row in rows]


@pytest.fixture
def terms(tmp_path) -> str:
    """Return a specification: one pair of tokens, one of two letters and one, one unknown."""
    rows = [
        "kind\tone\ttwo",
        "target\twoman\tman",
        "target\tab\tc",
        "target\tqueen\tking",
        "attribute\tnurse\t",
        "attribute\tlonely\tgay",
        "attribute\thef\t",
        "attribute\txyz\t",
    ]
    path = tmp_path / "own.tsv"
    path.write_text("\n".join(rows))
    return str(path)


def network(causal: bool = True) -> Any:
    import torch

    torch.manual_seed(4)
    embedding = torch.nn.Embedding(len(Words.known), DIM)
    return SimpleNamespace(
        config=SimpleNamespace(is_encoder_decoder=not causal),
        get_input_embeddings=lambda: embedding,
    )


WORD, AB, C = {word: at for at, word in enumerate(Words.known)}, [6, 7], [8]


def log_probability(logits: list[float], ids: list[int]) -> float:
    total = math.log(sum(map(math.exp, logits)))
    return sum(logits[at] - total for at in ids)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("unequal", ["skip", "sum"])
def test_paired_terms_are_equally_likely(torch, terms: str, causal: bool, unequal: str):
    """Where one term has two tokens and the other one, the sums say nothing of the terms."""
    torch.manual_seed(5)
    words, model = Words(), network(causal)
    logits = torch.randn(2, 3, len(words.known), requires_grad=True)
    labels = [[-100, 2, 5], [-100, 5, -100]]
    default = f"target:weight=50,spec={terms}"
    label = default if unequal == "skip" else f"{default},unequal=sum"
    objective = registry.load("objectives", label).given(language=languages.get("en"))
    found = objective.call(batch(labels, [0, 1], words=words), {"logits": logits}, model)
    places = [(0, 0), (0, 1), (1, 0)] if causal else [(0, 1), (0, 2), (1, 1)]
    pairs = [([WORD["woman"]], [WORD["man"]]), *([(AB, C)] if unequal == "sum" else [])]
    values = [
        [
            abs(
                log_probability(logits[place].tolist(), one)
                - log_probability(logits[place].tolist(), two)
            )
            for place in places
        ]
        for one, two in pairs
    ]
    expected = 50 * sum(sum(row) / 3 for row in values) / len(pairs)
    assert found.item() == pytest.approx(expected, rel=1e-5)
    found.backward()
    moved = {tuple(place) for place in (logits.grad.abs().sum(-1) > 1e-9).nonzero().tolist()}
    assert moved == set(places)
    assert objective.declared.prepare(model, words, **objective.options) == {
        "pairs": len(pairs),
        "pairs_of_several_tokens": len(pairs) - 1,
        "pairs_unequal": 2 - len(pairs),
        "pairs_unknown": 1,
        "attributes": 3,
        "attributes_unknown": 1,
    }


def mean(weight: list[list[float]], ids: list[int]) -> list[float]:
    return [sum(weight[at][i] for at in ids) / len(ids) for i in range(DIM)]


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


TEXTS = [[WORD["nurse"], WORD["man"], WORD["."]], [WORD["lonely"], WORD["nurse"], WORD["."]]]
PAIRS, SAID = (
    [([2], [3]), (AB, C)],
    [[4], [5]],
)  # "hef" stands in no text, "nurse" in two and counts once


def test_attributes_are_as_near_to_both_groups(torch, terms: str):
    words, model = Words(), network()
    objective = registry.load("objectives", f"attribute:weight=10,spec={terms}")
    given = batch([[-100] * 3] * 2, [0, 1], ids=TEXTS, words=words)
    found = objective.call(given, {"logits": torch.zeros(2, 3, 14)}, model)
    weight = model.get_input_embeddings().weight
    rows = weight.tolist()

    def cosine(one: list[int], other: list[int]) -> float:
        a, b = mean(rows, one), mean(rows, other)
        return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))

    expected = sum(
        abs(cosine(one, said) - cosine(two, said)) for one, two in PAIRS for said in SAID
    )
    assert found.item() == pytest.approx(10 * expected, rel=1e-5)
    found.backward()
    assert weight.grad.abs().sum(-1).nonzero().flatten().tolist() == [2, 3, 4, 5, 6, 7, 8]


def test_attributes_have_no_part_in_what_parts_the_groups(torch, terms: str):
    """The first principal direction of two differences, by the eigenvector of a 2 × 2 matrix."""
    words, model = Words(), network()
    objective = registry.load("objectives", f"subspace:weight=10,k=1,spec={terms}")
    given = batch([[-100, 5, 4]], [0], ids=[[WORD["man"], 5, 4]], words=words)
    found = objective.call(given, {"logits": torch.zeros(1, 3, 14)}, model)
    rows = model.get_input_embeddings().weight.tolist()
    d, e = (
        [a - b for a, b in zip(mean(rows, one), mean(rows, two), strict=True)] for one, two in PAIRS
    )
    a, b, c = dot(d, d), dot(d, e), dot(e, e)  # of D Dᵀ
    largest = (a + c) / 2 + math.sqrt((a - c) ** 2 / 4 + b * b)
    direction = [b * x + (largest - a) * y for x, y in zip(d, e, strict=True)]  # Dᵀ u
    length = math.sqrt(dot(direction, direction))
    direction = [x / length for x in direction]
    expected = sum(abs(dot(mean(rows, said), direction) * x) for said in SAID for x in direction)
    assert found.item() == pytest.approx(10 * expected, rel=1e-4)
    found.backward()
    assert model.get_input_embeddings().weight.grad.abs().sum(-1).nonzero().flatten().tolist() == [
        4,
        5,
    ]


@pytest.mark.parametrize("name", ["attribute", "subspace"])
def test_a_batch_without_attributes_adds_nothing(torch, terms: str, name: str):
    objective = registry.load("objectives", f"{name}:spec={terms}")
    given = batch([[-100, 2]], [0], ids=[[WORD["man"], 1]], words=Words())
    assert objective.call(given, {"logits": torch.zeros(1, 2, 14)}, network()).item() == 0


@pytest.mark.parametrize(
    "spec, rows, message",
    [
        (
            "target",
            ["target\tqueen\tking"],
            "in none of its 1 target pairs, such as .queen. and .king., are both terms",
        ),
        ("target", ["target\tab\tc"], "are both terms tokens of the model"),
        ("target", ["attribute\tnurse\t"], "has no target pairs for en"),
        (
            "attribute",
            ["target\twoman\tman", "attribute\txyz\t"],
            "no attributes of the first group that the model knows",
        ),
        ("subspace", ["target\twoman\tman"], "no attributes of the first group"),
        (
            "subspace:k=2",
            ["target\twoman\tman", "attribute\tnurse\t"],
            "k is from 1 to the number of target pairs, 1, not",
        ),
    ],
)
def test_specifications_that_could_change_nothing(
    torch, tmp_path, spec: str, rows: list[str], message: str
):
    (tmp_path / "own.tsv").write_text("\n".join(["kind\tone\ttwo", *rows]))
    sign = "," if ":" in spec else ":"
    objective = registry.load("objectives", f"{spec}{sign}spec={tmp_path}/own.tsv")
    with pytest.raises(OptionError, match=message):
        objective.declared.prepare(network(), Words(), **objective.options)


def test_a_published_specification_needs_its_language(torch):
    objective = registry.load("objectives", "target:spec=age").given(language=languages.get("en"))
    with pytest.raises(OptionError, match="no specification .age. for the language .en.; known: "):
        objective.declared.prepare(network(), Words(), **objective.options)


def test_characters_are_the_words_of_a_model_of_characters(torch, tmp_path):
    """As of CDial-GPT: 老头 and 小伙 have two tokens each; 老人 and 年轻人 are not compared."""
    import tiny_models

    from dialtools.models import checkpoints
    from dialtools.models.folders import Checkpoint
    from dialtools.objectives import target
    from dialtools.text.specifications import Spec

    folder = tiny_models.cdial(tmp_path / "model", "老头小伙人年轻")
    words, zh = checkpoints.tokenizer_of(Checkpoint(str(folder))), languages.get("zh")
    counts = target.prepare(None, words, spec=Spec("age"), language=zh)
    assert (counts["pairs"], counts["pairs_unequal"], counts["pairs_unknown"]) == (1, 1, 7)
    folder = tiny_models.cdial(tmp_path / "other", "老人年轻")
    words = checkpoints.tokenizer_of(Checkpoint(str(folder)))
    with pytest.raises(OptionError, match="two terms of as many tokens"):
        target.prepare(None, words, spec=Spec("age"), language=zh)
