"""Chains of filters in results; what is expected is counted by hand."""

import json

import pytest

import dialtools

DIALOGUE = [
    {"speaker": "Ann", "text": "Hi Bob, it is raining again."},
    {"speaker": "Bob", "text": "So it is, Ann."},
]


def generated(generators=("lead", "lead", "lead"), kinds=("typo.case", "typo.keyboard")):
    """Return outputs for three dialogues, their perturbed variants and the originals; a generator for each dialogue."""
    made = []
    for number, generator in enumerate(generators, 1):
        source = [{"id": number, "lang": "en", "dialogue": DIALOGUE, "reference": "It rains."}]
        varied = dialtools.perturb(source, kind=kinds, variants=2, keep_original=True)
        made += dialtools.generate(varied, generator=generator)
    return made


def chain(result):
    return [
        (step["by"], step["signature"].partition("|")[0], step.get("records"), step.get("differs"))
        for step in result["chain"]
    ]


def test_a_summary_tells_each_step_once_in_order_with_its_records():
    (result,) = dialtools.score(generated(), metric="rouge1", summary=True)
    assert chain(result) == [
        ("dt-perturb", "typo.case", 6, None),
        ("dt-perturb", "typo.keyboard", 6, None),
        ("dt-generate", "lead", 15, None),
        ("dt-score", "rouge1", None, None),
    ]
    assert "chain_differs" not in result


@pytest.mark.parametrize(
    "asked, records, originals", [("sensitivity", 12, None), ("robustness", 12, 3)]
)
def test_results_on_sources_count_variants_and_originals_once(asked, records, originals):
    *_, result = dialtools.score(generated(), metric="rouge1", **{asked: True})
    step = result["chain"][2]
    assert (step["by"], step["records"], step.get("originals")) == (
        "dt-generate",
        records,
        originals,
    )
    assert "chain_differs" not in result


@pytest.mark.parametrize(
    "asked, differing", [("summary", 5), ("sensitivity", 1), ("robustness", 2)]
)
def test_a_result_whose_records_were_made_otherwise_says_so(asked, differing):
    """The third dialogue has another generator: five records, one source, in robustness one for each kind."""
    found = generated(["lead", "lead", "longest:k=2"])
    for record in found:
        record["system"] = "one"
    *_, result = dialtools.score(found, metric="rouge1", **{asked: True})
    assert result["chain_differs"] == differing
    assert [
        step["signature"].partition("|")[0] for step in result["chain"] if "differs" in step
    ] == ["lead", "longest"]


def test_an_original_of_another_model_differs_from_its_variants():
    found = generated(["lead"])
    found[0] = next(
        dialtools.generate([{**found[0], "history": []}], generator="longest", overwrite=True)
    )
    found[0]["system"] = found[1]["system"]
    *_, result = dialtools.score(found, metric="rouge1", robustness=True)
    assert result["chain_differs"] == 2  # a record for each of two kinds has both


def test_a_test_of_two_systems_tells_whose_each_step_is():
    sources = []
    for generator in ("lead", "longest"):
        sources.append(
            list(
                dialtools.score(
                    generated([generator] * 3),
                    metric=["rouge1", "rouge2"],
                    sensitivity=True,
                    per_source=True,
                )
            )
        )
    a, b = sources
    for number, source in enumerate(a):
        source["scores"]["S:rouge2"] = number  # of three values that differ
    (result,) = dialtools.ttest(a, b, value="scores.S:rouge2")
    assert [
        (step["by"], step["signature"].partition("|")[0], step.get("of"), step.get("records"))
        for step in result["chain"]
    ] == [
        ("dt-perturb", "typo.case", None, 12),
        ("dt-perturb", "typo.keyboard", None, 12),
        ("dt-generate", "lead", ["lead"], 12),
        ("dt-generate", "longest", ["longest"], 12),
        ("dt-score", "rouge2", None, 6),
        ("dt-ttest", "paired", None, None),
    ]


def test_the_chain_of_a_test_begins_with_the_conversion(shell, tmp_path):
    (tmp_path / "in.json").write_text(
        json.dumps(
            [{"id": n, "talk": ["Ann: Hi Bob!", f"Bob: It is {n} o'clock, Ann."]} for n in range(4)]
        )
    )
    run = shell("""
        dt-convert -q --lang en --field dialogue=talk --set reference='It is late, Ann.' in.json |
          dt-swap-names -q --variants 2 > varied.jsonl
        for which in longest lead; do
          dt-generate -q -g $which varied.jsonl | dt-swap-names -q --restore |
            dt-score -q --sensitivity --per-source -m rouge1 > $which
        done
        dt-ttest -q --value S:rouge1 longest lead""")
    assert run.status == 0, run.err
    assert chain(json.loads(run.out)) == [
        ("dt-convert", "json", 16, None),
        ("dt-swap-names", "names", 16, None),
        ("dt-generate", "longest", 8, None),
        ("dt-generate", "lead", 8, None),
        ("dt-swap-names", "restore", 16, None),
        ("dt-score", "rouge1", 8, None),
        ("dt-ttest", "paired", None, None),
    ]
    assert "|field:dialogue=talk|set:reference|" in json.loads(run.out)["chain"][0]["signature"]


def test_a_short_name_of_a_score_has_its_unit_and_its_step():
    found = list(dialtools.score(generated(), metric="rouge1"))
    short, full = (
        next(dialtools.ttest(found, by="kind", value=value))
        for value in ("rouge1", "scores.rouge1")
    )
    assert (short["unit"], chain(short)) == ("percent", chain(full)) and chain(full)[-2][:2] == (
        "dt-score",
        "rouge1",
    )


def test_counts_that_matter_are_keys_of_the_result_and_parts_merge_as_one_run(shell, tmp_path):
    records = [
        {
            "id": n,
            "lang": "en",
            "prediction": "a b",
            "reference": ["a"] * (1 + n % 2),
            "history": [
                {"by": "dt-generate", "signature": "causal|v:1", "counts": {"truncated": 1}}
            ],
        }
        for n in range(40)
    ]
    records[7]["errors"] = [{"by": "dt-clean", "reason": "wrong"}]
    records[9]["reference"] = None
    records[11]["system"], records[13]["system"] = (
        ["a"],
        3,
    )  # no system's, so that any result may lack them
    dialtools.write(records, tmp_path / "in.jsonl")
    run = shell(
        "for jobs in 1 2; do dt-score -m rouge1 --summary --on-error skip -q --jobs $jobs in.jsonl; done"
    )
    one, two = map(json.loads, run.out.splitlines())
    assert one == two
    assert (one["n"], one["truncated"], one["failed"], one["skipped"]) == (37, 37, 1, 3)
    assert one["chain"][0] == {
        "by": "dt-generate",
        "signature": "causal|v:1",
        "records": 37,
        "truncated": 37,
    }
    text = shell("dt-score -m rouge1 --summary --on-error skip -q --format text in.jsonl").out
    assert "causal|v:1" in text and "skipped" in text


@pytest.mark.parametrize("own", ["Hilton", ["Hilton"], {"name": "Hilton"}, None])
def test_a_key_of_ones_own_called_chain_is_no_chain(own):
    record = {
        "id": 1,
        "lang": "en",
        "prediction": "a",
        "reference": "a",
        "chain": own,
        "failed": "x",
    }
    (result,) = dialtools.score([record], metric="rouge1", summary=True)
    assert result["mean"] == 100 and [step["by"] for step in result["chain"]] == ["dt-score"]


@pytest.mark.parametrize(
    "asked",
    [
        "--sensitivity",
        "--robustness",
        "--sensitivity --per-source --jobs 2",
        "--robustness --per-source",
    ],
)
def test_a_last_source_that_was_cut_off_is_told(shell, tmp_path, asked):
    cut = generated()[:-2]  # two of four variants are missing
    dialtools.write(cut, tmp_path / "cut")
    dialtools.write(cut[:-3], tmp_path / "whole")
    done, whole = (shell(f"dt-score {asked} -m rouge1 -q {name}") for name in ("cut", "whole"))
    told = "the last source (3) has 2 variants, all others 4 or more"
    assert (
        done.status == 0 and done.err.startswith(f"dt-score: {told}") and done.err.count("\n") == 1
    )
    assert all(
        "source" in asked or told in json.loads(line)["note"] for line in done.out.splitlines()
    )
    assert whole.err == "" and "the last source" not in whole.out
    if "source" not in asked:
        table = shell(f"dt-score {asked} -m rouge1 -q --format text cut")
        assert told in table.out and table.err == ""
