"""dt-perturb --worst: the variant that moves an output most, of a generator whose worst is known."""

import json
from pathlib import Path
from random import Random

import pytest
import samples
from misbehaving_server import Handler, completion, said, serving
from table_tests import each_row

import dialtools
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError

WORDS = "a b c d e f g h".split()
RECORD = {"id": 1, "lang": "en", "text": " ".join(WORDS)}


def shout(record: dict, rng: Random) -> list[list]:
    """Write one word in capitals."""
    places = [place for place, sign in enumerate(record["text"]) if sign.islower()]
    place = rng.choice(places)
    return [["/text", place, place + 1, record["text"][place], record["text"][place].upper()]]


def cut(records: list[dict]) -> list[dict]:
    """Write as many words as stand behind the last one in capitals: H leaves none, A leaves 7."""
    outputs = []
    for record in records:
        words = record["text"].split()
        last = max((place + 1 for place, word in enumerate(words) if word.isupper()), default=0)
        outputs.append({"prediction": " ".join(WORDS[last:])})
    return outputs


def fewer(records: list[dict]) -> list[dict]:
    """Write a word less for each one in capitals."""
    outputs = []
    for record in records:
        count = sum(word.isupper() for word in record["text"].split())
        outputs.append({"prediction": " ".join(WORDS[: len(WORDS) - count])})
    return outputs


def search(record: dict = RECORD, worst: int = 3, generator=cut, by="f1", **options) -> dict:
    kind = options.pop("kind", [shout])
    [made] = dialtools.perturb(
        [record], kind=kind, worst=worst, by=by, generator=generator, **options
    )
    return made


def last(record: dict) -> int:
    """Return the place of the last word in capitals, from 1."""
    return max(place for place, word in enumerate(record["text"].split(), 1) if word.isupper())


@each_row("seed, count", [(seed, count) for seed in range(4) for count in (1, 2, 3, 5, 8)])
def test_the_worst_is_the_one_that_leaves_the_fewest_words(seed: int, count: int):
    """F1 of m of the 8 words is 2m / (8 + m)."""
    variants = list(dialtools.perturb([RECORD], kind=[shout], variants=count, seed=seed))
    made = search(worst=count, seed=seed)
    wanted = max(variants, key=last)
    assert made["text"] == wanted["text"] and made["variant"] == wanted["variant"]
    left = 8 - last(wanted)
    facts = made["history"][-1]["worst"]
    assert facts.pop("generator").startswith("cut|")
    assert facts == {
        "draws": [int(made["variant"].rpartition(":")[2])],
        "of": count,
        "calls": count + 1,
        "f1": pytest.approx(2 * left / (8 + left)),
    }
    if count == 8:
        assert made["text"] == "a b c d e f g H"


def test_of_a_metric_where_lower_is_better_the_highest_is_the_worst():
    assert search(worst=8, by="ter")["text"] == search(worst=8)["text"] == "a b c d e f g H"


@pytest.mark.parametrize("seed", range(4))
def test_rounds_go_on_while_the_output_moves(seed: int):
    """Each word in capitals takes one word: 2 × 5 / 13 after three, in one chain of three steps."""
    made = search(generator=fewer, rounds=3, seed=seed)
    assert sum(word.isupper() for word in made["text"].split()) == 3
    facts = made["history"][-1]["worst"]
    assert {**facts, "generator": ""} == {
        "generator": "",
        "draws": [1, 4, 7],  # of equal ones the first
        "of": 9,
        "calls": 10,
        "f1": pytest.approx(10 / 13),
    }
    assert [entry["step"] for entry in made["history"]] == [[1, 3], [2, 3], [3, 3]]
    assert made["variant"] == "shout:7"  # all rounds are one kind
    [restored] = dialtools.perturb([made], restore=True)
    assert restored["text"] == RECORD["text"]


def test_what_can_be_no_less_alike_ends_the_search():
    """H leaves no word, and nothing leaves fewer."""
    made = search(worst=8, rounds=5)
    assert made["text"] == "a b c d e f g H" and "step" not in made["history"][-1]
    facts = made["history"][-1]["worst"]
    assert (facts["of"], facts["calls"], facts["f1"]) == (8, 9, 0)


def by_number(*lengths: int):
    """Return a generator of so many words for each number of words in capitals."""

    def generate(records: list[dict]) -> list[dict]:
        numbers = [sum(map(str.isupper, record["text"].split())) for record in records]
        return [{"prediction": " ".join(WORDS[: lengths[number]])} for number in numbers]

    return generate


@each_row(
    "lengths, words, of",
    [  # by hand: words left with 0, 1, 2, … capitals; capitals of what is kept; variants drawn
        ((8, 8, 8, 4, 4), 3, 8),  # across a plateau, to the first that went furthest
        ((8, 6, 7, 1), 1, 4),  # the second round comes nearer again
        ((8, 8, 8, 8, 8), 1, 8),  # nothing moves: the first of all
    ],
)
def test_rounds_go_across_a_plateau_and_not_back(lengths: tuple, words: int, of: int):
    made = search(worst=2, rounds=4, generator=by_number(*lengths))
    assert sum(map(str.isupper, made["text"].split())) == words
    assert made["history"][-1]["worst"]["of"] == of


def test_fewer_variants_than_asked_for_are_counted():
    made = search({**RECORD, "text": "a b"}, worst=5)
    assert made["history"][-1]["worst"]["of"] == 2
    assert made["history"][-1]["counts"] == {"fewer": 1}


def test_of_variants_that_move_nothing_one_that_was_changed_is_kept():
    """At a rate of 0.05 most variants of eight words are the record itself."""
    for seed in range(10):
        made = search(
            kind=["typo.case:rate=0.05"], worst=8, seed=seed, generator=by_number(*[8] * 9)
        )
        drawn = dialtools.perturb(
            [RECORD], kind=["typo.case:rate=0.05"], variants=8, seed=seed, require_change="skip"
        )
        changed = next(iter(drawn), None)
        assert changed is None or made["variant"] == changed["variant"]


def test_a_worst_variant_is_that_of_the_pipe_of_commands():
    """Of typos in five languages, as dt-score --against original finds it."""
    records = samples.records(10)
    options = {"kind": ["typo.case:rate=0.5"], "seed": 3}
    variants = dialtools.perturb(records, variants=4, keep_original=True, **options)
    outputs = dialtools.generate(variants, generator="longest")
    lowest: dict = {}
    for one in dialtools.score(outputs, metric=["chrf:against=original"]):
        if "variant" in one:
            score = one["scores"]["chrf:against=original"]
            if one["id"] not in lowest or score < lowest[one["id"]][0]:
                lowest[one["id"]] = score, one["variant"]
    made = list(dialtools.perturb(records, worst=4, by="chrf", generator="longest", **options))
    assert {one["id"]: one["variant"] for one in made} == {
        id: variant for id, (_, variant) in lowest.items()
    }
    assert all(
        "|worst:4|rounds:1|by:chrf|generator:longest|" in one["history"][-1]["signature"]
        for one in made
    )


def test_kinds_and_chains_have_a_worst_each():
    kinds = ["typo.case:rate=0.5", "dialogue.greeting"]
    [record] = samples.records(1)
    options = {"worst": 3, "by": "rouge1", "generator": "longest", "keep_original": True}
    original, case, greeting = dialtools.perturb([record], kind=kinds, **options)
    assert original == record
    assert case["history"][-1]["worst"]["calls"] == 4  # with the original
    assert greeting["history"][-1]["worst"]["calls"] == 3
    assert greeting["history"][-1]["counts"] == {"unmoved": 1}
    _, chain = dialtools.perturb([record], kind=kinds, chain=True, **options)
    assert [entry["step"] for entry in chain["history"]] == [[1, 2], [2, 2]]


def test_an_unchanged_variant_is_not_asked_for():
    asked = []

    def generator(records: list[dict]) -> list[dict]:
        asked.extend(record["text"] for record in records)
        return [{"prediction": "x"} for _ in records]

    made = search(kind=["typo.case:rate=0"], generator=generator)
    assert asked == [RECORD["text"]] and made["text"] == RECORD["text"]
    assert made["history"][-1]["changed"] is False
    assert made["history"][-1]["counts"] == {"unmoved": 1}


def test_errors_name_the_record():
    def broken(records: list[dict]) -> list[dict]:
        raise RecordError("out of order", records[0])

    with pytest.raises(RecordError, match="out of order"):
        search(generator=broken)


@each_row(
    "options, part",
    [
        ({"by": None}, "needs"),
        ({"generator": None}, "needs"),
        ({"worst": None}, "worst"),
        ({"worst": 0}, "1 or more"),
        ({"rounds": 0}, "1 or more"),
        ({"variants": 2}, "excludes"),
        ({"by": "distinct2"}, "does not compare"),
        ({"by": "nosuch"}, "nosuch"),
        ({"generator": "nosuch"}, "nosuch"),
    ],
)
def test_options_that_do_not_fit(options: dict, part: str):
    with pytest.raises(OptionError, match=part):
        search(**options)


def test_calls_are_counted_and_the_cache_is_shared(shell, tmp_path: Path):
    dialtools.write([RECORD, {**RECORD, "id": 2, "text": "h g f e d c b a"}], tmp_path / "in.jsonl")
    code = "import sys\nfor line in sys.stdin:\n    open('asked', 'a').write(line)\n"
    (tmp_path / "up.py").write_text(code + "    print(line.strip()[::-1])\n")
    line = (
        "dt-perturb -k typo.case:rate=0.5 --worst 4 --by exact -g 'exec:name=up,python3 up.py' "
        "--cache outputs.sqlite in.jsonl"
    )
    first = shell(line, cwd=tmp_path)
    assert (first.status, first.err) == (0, "dt-perturb: 2 records, 10 calls of the generator\n")
    asked = (tmp_path / "asked").read_text()
    assert asked.count("\n") == 10
    again = shell(line, cwd=tmp_path)
    assert again.err == "dt-perturb: 2 records, 10 outputs from the cache\n"
    assert again.out == first.out and (tmp_path / "asked").read_text() == asked
    (tmp_path / "worst.jsonl").write_text(first.out)
    generate = "dt-generate -g 'exec:name=up,python3 up.py' --cache outputs.sqlite worst.jsonl"
    outputs = shell(generate, cwd=tmp_path)
    assert "2 outputs from the cache" in outputs.err and (tmp_path / "asked").read_text() == asked
    texts = [json.loads(line) for line in outputs.out.splitlines()]
    assert [dialogue.best(one) for one in texts] == [one["text"][::-1].strip() for one in texts]
    half = first.out.splitlines(keepends=True)[0]
    (tmp_path / "out.jsonl").write_text(half)
    assert shell(f"{line} --resume -o out.jsonl", cwd=tmp_path).status == 0
    assert (tmp_path / "out.jsonl").read_text() == first.out
    assert shell(f"{line} --jobs 2", cwd=tmp_path).out == first.out


def test_a_server_reads_a_prompt_of_each_variant(tmp_path: Path):
    def reply(handler: Handler, body: dict, before: int) -> None:
        [output] = cut([{"text": said(body).removeprefix("cut: ")}])
        handler.give(completion(body, output["prediction"]))

    prompt = tmp_path / "prompt.jinja"
    prompt.write_text("cut: {{ text }}")
    with serving(reply) as server:
        generator = f"endpoint:endpoint={server.url},model=m"
        made = search(worst=8, generator=generator, prompt=str(prompt))
        assert len(server.got) == made["history"][-1]["worst"]["calls"] == 9
    assert made["text"] == "a b c d e f g H"
    assert "|prompt:" in made["history"][-1]["worst"]["generator"]


def test_models_take_one_process(shell):
    line = "dt-perturb -k typo.case --worst 2 --jobs 2 --by rouge1 -g seq2seq:model=x"
    assert shell(line).err.startswith("dt-perturb: --jobs excludes models")
