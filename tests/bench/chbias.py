"""How near does terms.swap come to the swapped sentences that CHBias published, and why not nearer?

    python tests/bench/chbias.py FOLDER

FOLDER holds age/ and gender/ of the authors' data (https://github.com/hyintell/CHBias): row i of a
file of one group is the same sentence in that of the other.  Age was swapped one way.  Gender was
swapped both ways, each pair after the pairs before it: 男人 becomes 妇女, then 夫女, then 夫男, and
妈妈 becomes 爸爸 and 妈妈 again; the pair 老婆, 老公 is missing.  A chain of kinds, one for each
pair, does the same; one pass should not.  Lines that differ from one pass both ways are sorted by
what explains them.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import dialtools
from dialtools import languages
from dialtools.text import specifications

AXES = (("age", "old", "young", "age"), ("gender", "female", "male", "gender-chbias"))
UNUSED = "老婆"


def pairs(spec: str, without: str = "") -> list[tuple[str, str]]:
    """Return the target pairs of a specification in their order."""
    return [
        (row.one, row.two)
        for row in specifications.rows(specifications.Spec(spec), languages.get("zh"))
        if row.kind == "target" and row.two and row.one != without
    ]


def swapped(texts: list[str], *kinds: str) -> list[str]:
    """Return texts after one kind of perturbation, or a chain of them."""
    found = ({"id": id, "lang": "zh", "text": text} for id, text in enumerate(texts))
    return [made["text"] for made in dialtools.perturb(found, kind=kinds, chain=True)]


def pair_by_pair(texts: list[str], found: list[tuple[str, str]]) -> list[str]:
    """Return texts swapped both ways by one pair after the other."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.tsv") for number in range(len(found))]
        for file, pair in zip(files, found, strict=True):
            file.write_text("\t".join(pair) + "\n", encoding="utf-8")
        return swapped(texts, *(f"terms.swap:spec={file},direction=both" for file in files))


def lines(folder: Path, axis: str, group: str, part: str) -> list[str]:
    text = (folder / axis / f"{axis}_{group}_{part}.txt").read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines()]


def alike(made: list[str], published: list[str]) -> str:
    return f"{sum(map(str.__eq__, made, published))} of {len(published)}"


def report(folder: Path, axis: str, one: str, two: str, spec: str, part: str) -> Iterator[str]:
    """Yield what is to be said of one pair of files."""
    texts, published = lines(folder, axis, one, part), lines(folder, axis, two, part)
    forth, both = (
        swapped(texts, f"terms.swap:spec={spec},direction={way}") for way in ("forth", "both")
    )
    yield f"{axis}, {part}, {one} to {two}"
    yield f"  one pass forth        {alike(forth, published)}"
    if forth == published:
        return
    chained, less = (pair_by_pair(texts, pairs(spec, without)) for without in ("", UNUSED))
    yield f"  one pass both ways    {alike(both, published)}"
    yield f"  pair by pair          {alike(chained, published)}"
    yield f"  … without {UNUSED}        {alike(less, published)}"
    reasons: dict[str, list[int]] = {}
    for number, line in enumerate(published):
        if both[number] != line:
            reason = (
                "swapped again by a later pair"
                if chained[number] == line
                else f"{UNUSED} stays"
                if less[number] == line
                else "other"
            )
            reasons.setdefault(reason, []).append(number)
    for reason, numbers in reasons.items():
        yield f"  {reason}: {len(numbers)}"
        yield from (
            f"    {texts[number]} | ours {both[number]} | theirs {published[number]}"
            for number in numbers[:3]
        )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path)
    folder = options.parse_args().folder
    for axis in AXES:
        for part in ("test", "valid"):
            for line in report(folder, *axis, part):
                print(line, flush=True)


if __name__ == "__main__":
    main()
