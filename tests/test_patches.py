"""dt-show --patch: a unified diff that patch makes files of."""

import shutil
from pathlib import Path

import pytest
import samples

import dialtools
from dialtools.records import dialogue
from dialtools.system.errors import OptionError

HOSTILE = [
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@",
    "diff --git a/x b/y",
    "\\ No newline at end of file",
    "a\rb",
    "one\n\ntwo",
    "\x1b[31m",
    "\u2028 ",
    "",
    "名前: はい",
]


def lines(record: dict) -> list[str]:
    """Return the lines of a record's file, one for each turn and each other text."""
    made = [f"{turn['speaker']}: {turn['text']}" for turn in dialogue.turns(record)]
    for key in ("text", "context", "reference", "prediction"):
        values = record[key] if isinstance(record.get(key), list) else [record.get(key)]
        for number, text in enumerate(values, 1):
            if text is not None:
                made.append(f"{key}{'' if number == 1 else f' {number}'}: {text}")
    return "\n".join(made).split("\n")


def patched(shell, folder: Path, records: list[dict]) -> dict[str, list[str]]:
    """Return the lines of the files that patch makes, by their names."""
    if not shutil.which("patch"):
        pytest.skip("needs patch")
    dialtools.write(records, folder / "in.jsonl")
    make = "mkdir made && cd made && patch -s -p1 --binary < ../out.patch"
    result = shell(f"dt-show --patch in.jsonl -q > out.patch && {make}", cwd=folder)
    assert (result.out, result.err, result.status) == ("", "", 0)
    return {
        str(path.relative_to(folder / "made")): path.read_bytes()
        .decode()
        .removesuffix("\n")
        .split("\n")
        for path in (folder / "made").rglob("*")
        if path.is_file()
    }


def test_patch_makes_each_source_and_variant(shell, tmp_path: Path):
    kinds = ["typo.case", "dialogue.greeting", "dialogue.combine", "dialogue.delay"]
    records = list(dialtools.perturb(samples.records(15), kind=kinds, keep_original=True, seed=2))
    made = patched(shell, tmp_path, records)
    assert len(made) == len(records) == 75
    assert made == {
        f"{record['id']}/{record.get('variant', 'original')}": lines(record) for record in records
    }


def test_hostile_texts_and_names(shell, tmp_path: Path):
    records = []
    for number, id in enumerate(("../../x", ".", "a b\n", "ü/ß", "-p0", "\x01")):
        turns = [{"speaker": f"S{place}", "text": text} for place, text in enumerate(HOSTILE)]
        turned = [
            {**turn, "text": turn["text"] + "x" * (place == number)}
            for place, turn in enumerate(turns)
        ]
        of_source = {"id": id, "lang": "und", "system": "s", "reference": ["r", "r\nr"]}
        records += [
            {**of_source, "dialogue": turns, "prediction": "a"},
            {
                **of_source,
                "dialogue": turned,
                "variant": "mine:1/it%3Ax=..%2F:1",
                "prediction": "b",
            },
            {**of_source, "dialogue": turns[number:], "variant": "mine:2", "prediction": "a"},
            {**of_source, "dialogue": turns, "variant": "mine:3", "prediction": "a"},
        ]
    made = patched(shell, tmp_path, records)
    assert sorted(made.values()) == sorted(lines(record) for record in records)
    folders = {name.split("/")[1] for name in made}
    assert folders == {"%2E.%2F..%2Fx", "%2E", "a%20b%0A", "ü%2Fß", "-p0", "%01"}
    assert {name.split("/")[2] for name in made} == {
        "original",
        "mine:1%2Fit:x=..%2F:1",
        "mine:2",
        "mine:3",
    }


def test_a_source_is_made_of_its_variants(shell, tmp_path: Path):
    """Without the original, it is what the edits in the history say."""
    [record] = samples.records(1)
    variants = list(dialtools.perturb([record], kind=["typo.case:rate=1"]))
    made = patched(shell, tmp_path, variants)
    assert made[f"{record['id']}/original"] == lines(record)


def test_groups_would_write_a_source_twice():
    with pytest.raises(OptionError, match="excludes"):
        list(dialtools.show(samples.records(1), patch=True, by="kind"))
