"""dt-merge: what shards wrote is, put together, what one run writes; what does not belong together is refused."""

import json
import re
from functools import partial
from itertools import chain

import pytest
import samples

import dialtools
from dialtools.records import dialogue
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError

METRICS = "-m rouge1 -m bleu -m chrf -m ter -m distinct2"


@pytest.fixture
def scored(shell, tmp_path, monkeypatch):
    """Return the parts of a scored data set in five languages, with variants and two systems, beside "in" and "one"."""
    monkeypatch.chdir(tmp_path)
    records = samples.predicted(samples.records(60))
    varied = [
        one
        for record in records
        for one in (record, {**record, "variant": "x:1", "prediction": "so it is"})
    ]
    (tmp_path / "in").write_text(
        samples.lines([{**one, "system": name} for name in "ab" for one in varied])
    )
    one = shell(f"dt-score {METRICS} in -o one --format json")
    assert one.status == 0
    for number in (1, 2, 3):
        assert shell(f"dt-score {METRICS} --shard {number}/3 -q in -o part{number}").status == 0
    return tmp_path, one.err


def test_parts_make_one_run(shell, scored):
    folder, closing = scored
    done = shell("dt-merge --order in part3 part1 part2 -o merged --format json")
    assert (folder / "merged").read_bytes() == (folder / "one").read_bytes()
    results = [line for line in closing.splitlines() if line.startswith("{")]
    assert [line for line in done.err.splitlines() if line.startswith("{")] == results and len(
        results
    ) > 5
    whole = shell(f"dt-score {METRICS} --summary -q in").out
    assert shell("dt-merge --order in part2 part1 part3 --summary -q").out == whole != ""
    assert (
        sum('"corpus":' in line for line in whole.splitlines()) == len(whole.splitlines()) * 4 // 5
    )


@pytest.mark.parametrize(
    "before, files, said",
    [
        ("true", "part1 part2", "part1 and part2 are both of part 2 of 2"),
        ("true", "part1 part2 part2", "are both of part"),
        (": > part1", "part1 part2 part3", "is missing or empty; if the run left it out"),
        (
            "head -n -1 part1 > cut",
            "cut part2 part3",
            "cut: a variant of the input is missing; if the run left it out",
        ),
        (
            "head -n -2 part1 > cut",
            "cut part2 part3",
            "cut: a record of the input is missing, the part ends before it",
        ),
        (
            "tail -n +9 part1 > cut",
            "cut part2 part3",
            "cut: a record of the input is missing, the next has id",
        ),
        (
            "head -n 100 in > short; mv short in",
            "part1 part2 part3",
            "a record that the input does not have",
        ),
        (
            f"dt-score {METRICS.replace('rouge1', 'rouge1:stem=yes')} --shard 1/3 -q in -o other",
            "other part2 part3",
            "was not made as",
        ),
        ("sed -i 's/v:0.1.0/v:0.0.9/g' part1", "part1 part2 part3", "was not made as part"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    shell, scored, before: str, files: str, said: str
):
    done = shell(f"{before}; dt-merge --order in {files} -q -o merged")
    assert done.status in (2, 3) and said in done.err, done.err
    assert not (scored[0] / "merged").exists()


@pytest.mark.parametrize("own", [{"note": "kept"}, {"scores": {"f1": None}}])
def test_keys_that_only_the_first_of_a_source_has_and_that_a_run_takes_away(own: dict):
    """As the reason why it failed, or the scores of a prediction that is overwritten."""
    order = [
        {"id": id, **more}
        for id in range(12)
        for more in (own, {"variant": "x:1"}, {"variant": "x:2"})
    ]

    def merged(made: list[dict], cut: int) -> list[dict]:
        parts = [
            [record for record in made if stable_hash.shard(record["id"], 2) == number]
            for number in (1, 2)
        ]
        return list(dialtools.merge([parts[0], parts[1][: len(parts[1]) - cut]], order=order))

    bare = [{key: value for key, value in record.items() if key not in own} for record in order]
    for made in (order, bare):
        assert merged(made, 0) == made
        with pytest.raises(
            RecordError, match="a variant of the input is missing; if the run left it out"
        ):
            merged(made, 1)


def test_a_part_without_a_record_is_a_part():
    records = [{"id": number} for number in range(5) if stable_hash.shard(number, 2) == 1]
    assert list(dialtools.merge([[], records], order=records)) == records
    with pytest.raises(RecordError, match="is missing or empty; if the run left it out"):
        list(dialtools.merge([[], records], order=[{"id": number} for number in range(5)]))


@pytest.mark.parametrize(
    "parts, order",
    [
        ([[{"text": "a"}]], [{"id": 1}]),
        ([[{"id": 1}]], [{"text": "a"}]),
        ([{"text": "a"}], [{"id": 1}]),
    ],
)
def test_what_has_no_id_is_told(parts: list, order: list[dict]):
    with pytest.raises(RecordError, match='no "id", by which parts are put together: .*text"'):
        list(dialtools.merge(parts, order=order))


def test_keys_that_have_other_names_in_the_input(shell, tmp_path):
    """A language that is not told would be taken for en, and written; signatures tell the number of references."""
    names = {"id": "nr", "lang": "language", "prediction": "out", "reference": "gold"}
    records = [
        {names.get(key, key): value for key, value in record.items()}
        for record in samples.predicted(samples.records(20, ("zh", "hi")))
    ]
    (tmp_path / "in").write_text(samples.lines(records))
    own = " ".join(f"--key {key}={name}" for key, name in names.items())
    whole = shell(f"dt-score -m f1 {own} in -o whole --format json")
    for number in (1, 2):
        assert shell(f"dt-score -m f1 {own} --shard {number}/2 -q in -o part{number}").status == 0
    assert (
        shell(
            "dt-merge --order in part1 part2 --key id=nr --key lang=language -o merged --format json"
        ).err
        == whole.err.replace("dt-score: ", "dt-merge: ")
        and "|refs:2/" in whole.err
    )
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    for told, missing in (("", "id"), ("--key id=nr", "lang")):
        refused = shell(f"dt-merge --order in part1 part2 {told}")
        assert (refused.out, refused.status) == (
            "",
            3,
        ) and f'part1:1: no "{missing}", which' in refused.err


def test_parts_without_the_records_that_failed(shell, tmp_path, monkeypatch):
    """The third cannot be scored; the error says what to do, and doing it merges the parts."""
    monkeypatch.chdir(tmp_path)
    records = [
        {"id": n, "lang": "en", "prediction": "a", "reference": "木" if n == 3 else "a"}
        for n in range(1, 7)
    ]
    dialtools.write(records, tmp_path / "in")
    one, *_ = [
        shell(f"dt-score -m rouge1 -q --on-error skip {shard} in -o {name}")
        for shard, name in (("", "one"), ("--shard 1/2", "p1"), ("--shard 2/2", "p2"))
    ]
    assert one.status == 1
    refused = shell("dt-merge --order in p1 p2 -q")
    assert (refused.status, refused.err.count("\n")) == (3, 1)
    assert "if the run left it out (--on-error skip, dt-select), give --left-out" in refused.err
    assert shell("dt-merge --order in p1 p2 -q --left-out").out == (tmp_path / "one").read_text()


def test_records_that_a_filter_left_out():
    records = [{"id": number} for number in range(20)]
    parts = [
        [record for record in records[::3] if stable_hash.shard(record["id"], 2) == number]
        for number in (2, 1)
    ]
    assert list(dialtools.merge(parts, order=records, left_out=True)) == records[::3]
    with pytest.raises(RecordError, match="a record of the input is missing"):
        list(dialtools.merge(parts, order=records))
    with pytest.raises(OptionError, match="are both of part"):
        list(dialtools.merge([records, records], order=records))


def test_signatures_are_compared_by_language_and_kind():
    """That one tokenizer is for English and another for Chinese, and that references differ in number, is one run."""

    def record(number: int, lang: str, signature: str) -> dict:
        return {
            "id": number,
            "lang": lang,
            "history": [{"by": "dt-score", "signature": {"rouge1": signature}}],
        }

    def merged(*signatures: tuple[str, str]) -> list[dict]:
        records = [record(number, *signatures[number % len(signatures)]) for number in range(12)]
        parts = [
            [one for one in records if stable_hash.shard(one["id"], 2) == part] for part in (1, 2)
        ]
        return list(dialtools.merge(parts, order=[{"id": one["id"]} for one in records]))

    assert (
        len(
            merged(
                ("en", "r|tok:a|refs:1/max"),
                ("zh", "r|tok:b|refs:1/max"),
                ("en", "r|tok:a|refs:2/max"),
            )
        )
        == 12
    )
    one, other = (
        [
            record(number, "en", f"r|tok:{part}")
            for number in range(12)
            if stable_hash.shard(number, 2) == part
        ]
        for part in (1, 2)
    )
    with pytest.raises(RecordError, match=r"was not made as part . was: r\|tok:., there r\|tok:."):
        list(dialtools.merge([one, other], order=[{"id": number} for number in range(12)]))


def test_what_the_input_was_made_with_is_no_part_s_doing(shell, tmp_path, monkeypatch):
    """Half of the dialogues got names of one pool, half of another; the parts of another input are refused."""
    monkeypatch.chdir(tmp_path)
    text = {
        "lang": "en",
        "reference": "so",
        "dialogue": "Anna: Hi Bob\nBob: Hi",
    }
    texts = [{"id": number, **text} for number in range(12)]
    for pool, half in (("frequent", texts[::2]), ("rare", texts[1::2])):
        (tmp_path / pool).write_text(samples.lines(half))
        shell(
            f"dt-swap-names --pool {pool} -q {pool} | dt-generate -g longest -q -o {pool}.swapped"
        )
    assert (
        shell(
            "cat frequent.swapped rare.swapped > in; sed s/pool:rare/pool:other/ in > other"
        ).status
        == 0
    )
    assert shell("dt-score -m f1 -q in -o one").status == 0
    for number in (1, 2, 3):
        assert shell(f"dt-score -m f1 -q --shard {number}/3 in -o part{number}").status == 0
    assert shell("dt-score -m f1 -q --shard 3/3 other -o other3").status == 0
    assert shell("dt-merge --order in part3 part1 part2 -q -o merged").status == 0
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "one").read_bytes()
    done = shell("dt-merge --order in part1 part2 other3 -q")
    assert done.status == 3 and "other3 was not made of this input" in done.err


def test_what_a_run_made_anew_is_compared_between_parts_and_not_with_the_input():
    """As --per-source of records that were scored before: what it writes has the command's name at the same place."""

    def entry(signature: str) -> dict:
        return {"by": "dt-score", "signature": {"f1": signature}}

    order = [{"id": id, "prediction": "a", "history": [entry("f1|v:1")]} for id in range(12)]

    def merged(*entries: list[dict]) -> list[dict]:
        return list(
            dialtools.merge(
                [
                    [
                        {"id": id, "history": entries[number - 1]}
                        for id in range(12)
                        if stable_hash.shard(id, 2) == number
                    ]
                    for number in (1, 2)
                ],
                order=order,
            )
        )

    assert len(merged([entry("f1|sd")], [entry("f1|sd")])) == 12
    assert len(merged([entry("f1|v:1"), entry("f1|x")], [entry("f1|v:1"), entry("f1|x")])) == 12
    for others, said in (
        ([entry("f1|other")], "was not made as"),
        ([entry("f1|v:1"), entry("f1|y")], "was not made as"),
        ([entry("f1|v:2"), entry("f1|x")], "was not made of this input: f1.v:2, there f1.v:1"),
    ):
        with pytest.raises(RecordError, match=said):
            merged(
                [entry("f1|v:1"), entry("f1|x")] if len(others) > 1 else [entry("f1|sd")], others
            )


def test_a_chain_made_of_an_original_is_not_of_the_variant_beside_it(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = [{"id": id, "lang": "en", "text": "So it is, and so it was."} for id in range(12)]
    (tmp_path / "texts").write_text(samples.lines(texts))
    shell("dt-perturb -k typo.case --keep-original -q texts -o in")
    command = "dt-perturb -k typo.whitespace -k typo.case --chain -q in"
    assert shell(f"{command} -o one").status == 0
    for number in (1, 2):
        assert shell(f"{command} --shard {number}/2 -o part{number}").status == 0
    assert shell("dt-merge --order in part1 part2 -q -o merged") == ("", "", 0)
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "one").read_bytes()


@pytest.mark.parametrize(
    "asked", ["--sensitivity", "--sensitivity --with-original", "--robustness"]
)
def test_what_is_made_of_each_source(shell, tmp_path, monkeypatch, asked: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_text(
        samples.lines(
            [
                {
                    "id": id,
                    "lang": "en",
                    "prediction": "so it is"[: id + n],
                    **({"variant": f"x:{n}"} if n else {}),
                }
                for id in range(9)
                for n in range(3)
            ]
        )
    )
    command = f"dt-score -m f1 {asked} --per-source -q in"
    assert shell(f"{command} -o one").status == 0
    for number in (1, 2):
        shell(f"{command} --shard {number}/2 -o part{number}")
    done = shell("dt-merge --order in part1 part2 -o merged")
    assert done.status == 0 and "mean" not in done.err
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "one").read_bytes()


def of_names(**options):
    """Return outputs that are a speaker's name, which variants change; some have fewer references, one none."""
    for number, record in enumerate(samples.records(18, ("en", "zh", "hi"))):
        given = {
            **record,
            "reference": record["reference"][: number % 2 + 1],
            "system": "ab"[number % 2],
        }
        if number == 5:
            del given["reference"]
        for variant in dialtools.swap_names([given], seed=3, **options):
            yield {**variant, "prediction": dialogue.turns(variant)[0]["speaker"]}


def of_kinds():
    """Return outputs of variants of several kinds; of some dialogues there is the original alone."""
    for number, record in enumerate(samples.records(24, ("en", "hi"))):
        varied = (
            [record]
            if number % 5 == 4
            else dialtools.perturb(
                [record],
                kind=["typo.case" if number % 2 == 0 else "typo.keyboard", "typo.whitespace"],
                variants=2,
                keep_original=True,
            )
        )
        yield from ({**one, "prediction": dialogue.turns(one)[0]["text"]} for one in varied)


NAMES, ROBUST = {"sensitivity": True}, {"robustness": True}
SUMMED_UP = [
    (partial(of_names, variants=3), NAMES),
    (partial(of_names, one=True, variants=2), NAMES),
    (partial(of_names, pool=["frequent", "polysemous"], variants=2), NAMES),
    (partial(of_names, variants=12, keep_original=True), NAMES | {"with_original": True}),
    (partial(of_names, one=True, variants=2, keep_original=True), NAMES | {"with_original": True}),
    (of_kinds, NAMES),
    (of_kinds, ROBUST),
]


@pytest.mark.parametrize(
    "make, asked",
    SUMMED_UP,
    ids=["names", "one", "pools", "with original", "one with original", "kinds", "robustness"],
)
def test_sources_of_parts_are_summed_up_as_by_one_run(make, asked):
    records = list(make())
    metric = ["chrf", "exact"]
    whole = list(dialtools.score(records, metric=metric, **asked))
    parts = [
        [
            json.loads(json.dumps(source))
            for source in dialtools.score(
                [record for record in records if stable_hash.shard(record["id"], 3) == number],
                metric=metric,
                per_source=True,
                **asked,
            )
        ]
        for number in (3, 1, 2)
    ]
    assert list(dialtools.merge(parts, order=records, summary=True)) == whole != []
    # in another order: results alone come in the order of their systems and languages
    results = dialtools.merge([list(chain.from_iterable(parts))], summary=True)
    assert sorted(map(repr, results)) == sorted(map(repr, whole))
    with pytest.raises(RecordError, match="before, after other ids|again"):
        list(dialtools.merge([*parts, parts[0]], summary=True))
    with pytest.raises(RecordError, match="is missing|not all variants"):
        list(dialtools.merge([parts[0][1:], *parts[1:]], order=records, summary=True))


@pytest.mark.parametrize(
    "asked, key, value",
    [
        ("sensitivity", "references", None),
        ("sensitivity", "outputs", ["a", 3]),
        ("sensitivity", "control", 99),
        ("sensitivity", "control", None),
        ("sensitivity", "scores", {"rouge1": "1"}),
        ("sensitivity", "history", []),
        ("robustness", "rows", {"rouge1": [[1]]}),
        ("robustness", "rows", {}),
        ("robustness", "changed", {"rouge1": 1}),
    ],
)
def test_a_source_that_was_changed_since_is_refused(asked, key, value):
    """By jq, say."""
    make = of_kinds() if asked == "robustness" else of_names(variants=2)
    source, *rest = dialtools.score(make, metric="rouge1", per_source=True, **{asked: True})
    with pytest.raises(RecordError, match=f'its "{key}" is not what score.per_source=True. writes'):
        list(dialtools.merge([[source | {key: value}], rest], summary=True))


@pytest.mark.parametrize(
    "key, value, said",
    [
        ("scores", None, '"scores" is an object of numbers, here is null'),
        ("scores", {"bleu": "1"}, '"scores" is an object of numbers, here is {"bleu": "1"}'),
        ("statistics", {"bleu": 1}, "lists of numbers, or counts under names, here is 1"),
        ("statistics", {"bleu": ["a"]}, 'lists of numbers, or counts under names, here is ["a"]'),
        ("statistics", {"bleu": {"a": None}}, "or counts under names, here is {"),
    ],
)
def test_scores_that_were_changed_since_are_refused(key, value, said):
    made = dialtools.score(
        [{"id": 1, "lang": "en", "prediction": "a", "reference": "a"}], metric="bleu"
    )
    with pytest.raises(RecordError, match=re.escape(said)):
        list(dialtools.merge([[next(made) | {key: value}]], summary=True))


@pytest.mark.parametrize("row", [{"a": 1}, [1, 2]])
def test_statistics_of_another_kind_are_refused(row):
    records = [{"id": n, "lang": "en", "prediction": "a", "reference": "a"} for n in (1, 2)]
    one, other = dialtools.score(records, metric="bleu")
    with pytest.raises(RecordError, match="of bleu are of another kind than before"):
        list(dialtools.merge([[one, other | {"statistics": {"bleu": row}}]], summary=True))


def test_without_all_statistics_there_is_no_corpus_score():
    """It would be that of the other records; the sentence mean is of all, under its own name."""
    records = [{"id": n, "lang": "en", "prediction": "a b", "reference": "a b"} for n in (1, 2)]
    one, other = dialtools.score(records, metric="bleu")
    (result,) = dialtools.merge([[one, other | {"statistics": {}}]], summary=True)
    assert "corpus" not in result and result["sentence_mean"] == pytest.approx(100)
    assert "1 records lack the statistics" in result["note"]


@pytest.mark.parametrize("given", [[{"prediction": "a"}], [{"test": "t", "value": "f1"}]])
def test_a_summary_of_what_was_not_scored_is_an_error(shell, given: list[dict]):
    answer = shell(f"dt-merge --summary <(echo '{json.dumps({'id': 1, 'lang': 'en'} | given[0])}')")
    assert (answer.out, answer.status) == ("", 3)
    assert "there is nothing to sum up: no record was scored" in answer.err


def test_sources_that_do_not_belong_together_have_no_results():
    outputs = [
        {"id": id, "lang": "en", "variant": f"names:{n}", "prediction": "ab"[n], "reference": "a"}
        for id in range(6)
        for n in (0, 1)
    ]
    one, other = (
        list(dialtools.score(outputs[:6], metric=["exact"], sensitivity=True, per_source=True)),
        list(dialtools.score(outputs[6:], metric=["f1"], sensitivity=True, per_source=True)),
    )
    with pytest.raises(RecordError, match="part 2 was not made as part 1 was"):
        list(dialtools.merge([one, other], summary=True))
    older = [
        {**source, "history": [{**source["history"][0], "signature": {"exact": "exact|v:0"}}]}
        for source in one
    ]
    with pytest.raises(
        RecordError, match="exact.v:0, here exact"
    ):  # as of another version of a library
        list(dialtools.merge([older], summary=True))
    mine = [
        {
            **source,
            "scores": dict.fromkeys(("mine", "S:mine", "R:mine", "D:mine"), 1.0),
            "history": [{**source["history"][0], "signature": {"mine": "mine"}}],
        }
        for source in one
    ]
    with pytest.raises(RecordError, match="that only its run knows"):
        list(dialtools.merge([mine], summary=True))
    spoken = [{**source, "variant": "speaker1", "outputs": source["outputs"][1:]} for source in one]
    with pytest.raises(RecordError, match="not all variants of the source are in its records"):
        list(dialtools.merge([spoken], summary=True))
    with pytest.raises(OptionError, match="order, the input of the run"):
        list(dialtools.merge([one]))


def test_systems_of_the_input_were_made_as_they_were_and_those_of_the_run_alike():
    """Two models' outputs are scored together; parts of one run by two models are no run."""

    def part(number: int, *systems: str) -> list[dict]:
        return [
            {
                "id": id,
                "system": system,
                "history": [{"by": "dt-generate", "signature": f"model:{system}"}],
            }
            for id in range(12)
            if stable_hash.shard(id, 2) == number
            for system in systems
        ]

    def ordered(records: list[dict]) -> list[dict]:
        return sorted(records, key=lambda record: record["id"])

    both = ordered(part(1, "a", "b") + part(2, "a", "b"))
    assert list(dialtools.merge([part(2, "a", "b"), part(1, "a", "b")], order=both)) == both
    with pytest.raises(RecordError, match="was not made as"):
        list(dialtools.merge([part(1, "a"), part(2, "b")], order=[{"id": id} for id in range(12)]))


def test_parts_may_come_from_other_servers_of_one_model():
    def part(number: int, address: str) -> list[dict]:
        signature = f"endpoint|model:m|endpoint:{address}|v:1"
        return [
            {"id": id, "history": [{"by": "dt-generate", "signature": signature}]}
            for id in range(12)
            if stable_hash.shard(id, 2) == number
        ]

    parts = [part(1, "http://a/v1"), part(2, "http://b/v1 http://c/v1")]
    assert len(list(dialtools.merge(parts, order=[{"id": id} for id in range(12)]))) == 12


def test_standard_input_is_refused(shell):
    done = shell("dt-merge --order - part1 < /dev/null")
    assert done.status == 2 and "none is standard input" in done.err


SPOIL, MEND = (
    "sed s/bad/我们/",
    "sed s/我们/bad/",
)  # no word of an English text, which ROUGE fails on


@pytest.mark.parametrize(
    "before, run",
    [
        (SPOIL, "-m rouge1 --on-error keep"),
        (SPOIL, "-m rouge1 --on-error skip"),
        (f"dt-score -q -m exact -m rouge1 | {SPOIL}", "-m rouge1 --on-error keep"),
        (f"dt-score -q -m exact | {SPOIL}", "-m rouge1 --on-error keep"),
        (f"{SPOIL} | dt-score -q -m rouge1 --on-error keep | {MEND}", "-m rouge1 --on-error keep"),
        (f"{SPOIL} | dt-score -q -m rouge1 --on-error keep", "-m rouge1 --on-error keep"),
        (f"{SPOIL} | dt-score -q -m exact -m rouge1 --on-error keep", "-m exact"),
        (f"dt-score -q -m exact | {SPOIL}", "-m rouge1 --sensitivity --per-source --on-error keep"),
    ],
    ids=[
        "first run",
        "skipped",
        "again",
        "another metric",
        "mended",
        "fails again",
        "failed before",
        "sources",
    ],
)
def test_a_record_counts_where_the_run_did_not_fail_on_it(
    shell, tmp_path, monkeypatch, before: str, run: str
):
    """Whatever another run has left in it: scores, their signatures, errors."""
    monkeypatch.chdir(tmp_path)
    outputs = [
        (id, system, "bad" if id < 4 and system == "a" else "a c")
        for id in range(9)
        for system in "ab"
    ]
    lines = [
        {
            "nr": id,
            "lang": "en",
            "system": system,
            "variant": variant,
            "prediction": text,
            "reference": "a c",
        }
        for id, system, text in outputs
        for variant in ("x:1", "x:2")
    ]
    (tmp_path / "raw").write_text(samples.lines(lines))
    shell(f"cat raw | {before.replace('dt-score', 'dt-score --key id=nr')} > in")
    score = f"dt-score {run} --key id=nr -q in"
    shell("; ".join(f"{score} -o {name}" for name in ("one", "p1 --shard 1/2", "p2 --shard 2/2")))
    merge = f"dt-merge --order in --key id=nr{' --left-out' if 'skip' in run else ''} p1 p2 --format json"
    of_sources = "--per-source" in run
    whole = shell(score.replace("--per-source", "") if of_sources else f"{score} --summary").out
    told = shell(
        f"{merge} -o merged"
    ).err  # without what this run failed on, which the closing line counts
    more = re.compile(
        r',"(failed|skipped)":[0-9]+|,"mean_ci":(null|\[[^]]*])'
    )  # nor with intervals
    assert shell(f"{merge} --summary").out == whole != ""
    assert more.sub("", told) == ("" if of_sources else more.sub("", whole))
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "one").read_bytes() != b""


def test_what_failed_is_merged_too(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        {"id": n, "lang": "en", "prediction": "我们" if n < 3 else "a", "reference": "a b"}
        for n in range(9)
    ]
    dialtools.write(lines, tmp_path / "in")
    one = shell("dt-score -m rouge1 --on-error keep in -o one --format json")
    for number in (1, 2):
        shell(f"dt-score -m rouge1 --on-error keep --shard {number}/2 in -o part{number}")
    done = shell("dt-merge --order in part1 part2 -o merged --format json")
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "one").read_bytes()
    assert (
        [line for line in done.err.splitlines() if "mean" in line]
        == [line for line in one.err.splitlines() if "mean" in line]
        != []
    )
