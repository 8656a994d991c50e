"""Policies of simultaneous translation, with a translator of paper whose delays were counted by hand, and a model."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import tiny_models
from flat_options import generate

import dialtools
from dialtools.generators import simultaneous
from dialtools.metrics.latency import al
from dialtools.system.errors import OptionError, RecordError

WORDS = "the big dog sleeps under a tree".split()
TOKENS = [
    piece for word in WORDS for piece in (" " + word[:2], word[2:])
]  # two tokens a word, some of them empty


def text(tokens: list[int]) -> str:
    return "".join(TOKENS[token] for token in tokens).strip()


def word_by_word(units: list[str], done: list[int]) -> list[int]:
    """Know a word for each that was read."""
    return list(range(len(done), 2 * len(units)))


def run(
    policy, source: int, translate=word_by_word, unit: simultaneous.Unit = "word", **options
) -> tuple[str, list[int]]:
    steps = policy([f"s{number}" for number in range(source)], translate, text, unit, **options)
    return simultaneous.delays(steps, text, unit)


@pytest.mark.parametrize(
    "k, expected", [(1, [1, 2, 3, 4, 5]), (2, [2, 3, 4, 5, 5]), (4, [4, 5, 5, 5, 5]), (9, [5] * 5)]
)
def test_wait_k(k: int, expected: list[int]):
    assert run(simultaneous.wait_k, 5, k=k) == ("the big dog sleeps under", expected)


def test_its_average_lagging_is_k():
    """Ma et al. 2019, section 3: wait-k has AL = k where source and target are of one length."""
    written, delays = run(simultaneous.wait_k, 7, k=3)
    assert al.score([written], [[written]], [delays], [7]) == [3.0]


def test_a_translator_that_thinks_it_is_done():
    def short(units: list[str], done: list[int]) -> list[int]:
        return list(range(len(done), 10 if len(units) == 5 else 2))

    assert run(simultaneous.wait_k, 5, short, k=1) == ("the big dog sleeps under", [1, 5, 5, 5, 5])


def test_units_of_characters():
    assert run(simultaneous.wait_k, 2, unit="char", k=1) == (
        "the big",
        [1, 1, 2, 2, 2, 2],
    )  # "th" is one token


def test_local_agreement():
    def unsure(units: list[str], done: list[int]) -> list[int]:
        """Guess that after what was read comes the tree, but at the ends of the two sources below."""
        known = list(range(len(done), 2 * len(units)))
        return known if len(units) in (3, 7) else [*known, 12, 13]

    # After 2: the big TREE. After 4: the big dog sleeps TREE; both agree in "the big". After 6: … under a TREE; it
    # agrees with the one before in "the big dog sleeps". Then the source of 7 ends.
    assert run(simultaneous.local_agreement, 7, unsure, step=2) == (
        " ".join(WORDS),
        [4, 4, 6, 6, 7, 7, 7],
    )
    assert run(simultaneous.local_agreement, 3, unsure, step=5) == ("the big dog", [3, 3, 3])


# With a model.

RECORDS = [
    {"id": number, "lang": "en", "text": line} for number, line in enumerate(tiny_models.TEXTS[:3])
]
SPEC = "simultaneous:policy={},k={},max_new_tokens=20"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("torch")
    words = tiny_models.tokenizer()
    made = tiny_models.bart(words)
    made.final_logits_bias[0, 2] = 6  # some outputs end by themselves
    return tiny_models.save(tmp_path_factory.mktemp("bart"), made, words)


@pytest.mark.parametrize("policy", ["wait-k", "local-agreement"])
def test_one_that_waits_for_all_writes_what_others_write(model: str, policy: str):
    plain = list(generate(RECORDS, model=model, beams=1, no_repeat_ngram_size=0, max_new_tokens=20))
    made = list(generate(RECORDS, model=model, generator=SPEC.format(policy, 99)))
    assert [record["history"][0]["finish"] for record in plain] == ["stop", "length", "stop"]
    for one, other, record in zip(made, plain, RECORDS, strict=True):
        facts = [
            [
                entry.get(key)
                for key in ("input_tokens", "output_tokens", "unfinished", "finish", "counts")
            ]
            for entry in (one["history"][0], other["history"][0])
        ]
        assert facts[0] == facts[1]
        size = len(record["text"].split())
        assert one["prediction"] == other["prediction"] and one["source_length"] == size
        assert one["delays"] == [size] * len(one["prediction"].split())


@pytest.mark.parametrize("policy", ["wait-k", "local-agreement"])
def test_delays_are_those_of_the_words(model: str, policy: str):
    made = list(generate(RECORDS, model=model, generator=SPEC.format(policy, 2)))
    for record in made:
        delays = record["delays"]
        assert len(delays) == len(record["prediction"].split()) and delays == sorted(delays)
        assert 2 <= delays[0] and delays[-1] <= record["source_length"] == len(
            record["text"].split()
        )
        assert "delays" not in record["history"][0]
        al.score(
            [record["prediction"]], [[record["text"]]], [delays], [record["source_length"]]
        )  # delays it can use
    assert made == list(generate(RECORDS, model=model, generator=SPEC.format(policy, 2)))


def test_characters_and_times(model: str):
    [made] = generate(
        RECORDS[1:2],
        model=model,
        generator=SPEC.format("wait-k", 3) + ",read=char,write=char,timed=yes",
    )
    times = made["history"][0]["milliseconds"]
    assert len(made["delays"]) == len("".join(made["prediction"].split())) == len(
        times
    ) and times == sorted(times)
    assert made["source_length"] == len("".join(RECORDS[1]["text"].split()))


def test_times_are_not_lacking_where_a_cache_has_outputs_without(model: str, tmp_path: Path):
    """Nor where a run without them is resumed: the signature says which have them."""
    made = [
        next(
            generate(
                RECORDS,
                model=model,
                generator=SPEC.format("wait-k", 3) + more,
                cache=str(tmp_path / "c.sqlite"),
            )
        )["history"][0]
        for more in ("", ",timed=yes", "")
    ]
    assert ["milliseconds" in entry for entry in made] == [False, True, False]
    assert ["|timed:yes|" in entry["signature"] for entry in made] == [False, True, False]


@pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
def test_times_and_delays_are_what_aware_metrics_want(model: str):
    """By the jq of the generator's docstring; a word a day is slower than any computing: AL_CA is AL, in days."""
    [made] = generate(RECORDS[1:2], model=model, generator=SPEC.format("wait-k", 3) + ",timed=yes")
    _, _, program = simultaneous.__doc__.partition("jq -c '")
    program = program.partition("'")[0].replace("400", "86400000")
    told = json.loads(
        subprocess.run(
            ["jq", "-c", program],
            input=json.dumps(made),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    assert [time % 86400000 for time in told["elapsed"]] == pytest.approx(
        made["history"][0]["milliseconds"], abs=0.01
    )
    result = next(dialtools.score([{**told, "reference": "a b"}], metric=["al", "al:aware=yes"]))[
        "scores"
    ]
    assert (
        result["al:aware=yes"] == pytest.approx(result["al"], rel=1e-3) and result["al"] >= 86400000
    )


def test_what_cannot_be_translated(model: str):
    for record, error in (
        ({"id": 1, "dialogue": "Ann: Hi"}, 'each="turn"'),
        ({"id": 1, "text": " "}, "nothing to"),
        ({"id": 1, "text": "so " * 200}, "the model can read"),
    ):
        with pytest.raises(RecordError, match=error):
            list(generate([record], model=model, generator=SPEC.format("wait-k", 3)))
    with pytest.raises(OptionError, match="k is at least 1"):
        list(generate(RECORDS, model=model, generator=SPEC.format("wait-k", 0)))
