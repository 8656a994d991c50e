"""How fast is dt-perturb, beside nlpaug and a plain regular expression?

    pip install nlpaug nltk lemminflect && python tests/bench/perturb.py [-n DIALOGUES] [FILE]

FILE holds records, such as DialogSum's by dt-convert; without it dialogues of
that size are made up.  Kinds that need tokens read them with their own, or made
up (every word an adjective, noun, verb … in turn); the others read no tokens.
Ours is dt-perturb, a process from its start to its end; the plain loop reads,
changes every fifth word, and writes; nlpaug is given bare texts, and tags for
its synonyms, whose tagger would take most of the time.  Its synonyms come from
the WordNet in /usr/share/wordnet (Debian's wordnet-base); what is not installed
is left out.

CPU seconds, the median of three; MB of texts, and of the input.  Goals: 5 MB/s
of input for the typo and dialogue kinds, 2 MB/s for the rest.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from startup import ROOT, cpu

import dialtools
from dialtools.plugins import registry
from dialtools.records import dialogue
from dialtools.records import jsonl as records
from dialtools.system.errors import DialtoolsError

WORDNET = Path("/usr/share/wordnet")
WORDS = (
    "so what time shall we meet tomorrow I think that it's a nice old place for them there "
    "are two big markets she doesn't know the new teacher"
).split()
TAGS = ("ADJ", "NOUN", "VERB", "DET", "AUX", "ADP")
Texts = list[list[str]]


def made_up(count: int) -> list[dict]:
    """Return dialogues of the size of DialogSum's: ten turns of twenty words."""
    rng = random.Random(1)
    return [
        {
            "id": id,
            "lang": "en",
            "reference": "They meet.",
            "dialogue": "\n".join(
                f"#Person{1 + turn % 2}#: {' '.join(rng.choices(WORDS, k=19))}."
                for turn in range(10)
            ),
        }
        for id in range(count)
    ]


def parsed(record: dict) -> dict:
    """Return a record with its dialogue as turns that have tokens, made up where they have none."""
    turns = [
        turn
        if "tokens" in turn
        else turn
        | {
            "tokens": [
                {
                    "form": word[0],
                    "start": word.start(),
                    "end": word.end(),
                    "lemma": word[0].lower(),
                    "upos": TAGS[i % 6],
                    "xpos": "NN",
                    "feats": "Number=Sing",
                    "head": i,
                    "deprel": "dep",
                    "sent": 1,
                }
                for i, word in enumerate(re.finditer(r"\w+|[^\w\s]", turn["text"]))
            ]
        }
        for turn in dialogue.turns(record)
    ]
    return record | {"dialogue": turns}


def without_tokens(record: dict) -> dict:
    """Return a record that dt-parse has not seen."""
    if isinstance(record["dialogue"], str):
        return record
    return record | {
        "dialogue": [
            {key: value for key, value in turn.items() if key != "tokens"}
            for turn in record["dialogue"]
        ]
    }


def plain(lines: list[bytes]) -> None:
    rng = random.Random(1)
    for line in lines:
        record = json.loads(line)
        record["dialogue"] = re.sub(
            r"\w+",
            lambda word: word[0].upper() if rng.random() < 0.2 else word[0],
            record["dialogue"],
        )
        json.dumps(record, ensure_ascii=False)


def peers() -> Iterator[tuple[str, Callable[[Texts], object]]]:
    """Yield nlpaug's augmenters, as far as they are there."""
    try:
        import nltk
        from nlpaug.augmenter.char import KeyboardAug
        from nlpaug.augmenter.word import SynonymAug
    except ImportError:
        return
    keys = KeyboardAug(aug_char_max=1, aug_word_p=0.2, aug_word_max=None)
    yield "nlpaug KeyboardAug", lambda texts: [keys.augment(turns) for turns in texts]
    if WORDNET.is_dir():
        with tempfile.TemporaryDirectory() as home:
            nltk.data.path.insert(0, _wordnet(Path(home)))
            synonyms = SynonymAug(aug_p=0.2, aug_max=None)
            synonyms.model.pos_tag = lambda tokens: [(token, "JJ") for token in tokens]
            yield "nlpaug SynonymAug", lambda texts: [synonyms.augment(turns) for turns in texts]


def _wordnet(home: Path) -> str:
    """Return a folder with a copy of the system's WordNet for NLTK, which follows no links."""
    folder = home / "corpora" / "wordnet"
    shutil.copytree(WORDNET, folder)
    (folder / "index.sense").touch()
    (folder / "lexnames").write_text(
        "".join(f"{number:02}\tfile{number}\t1\n" for number in range(45))
    )
    return str(home)


def seconds(function: Callable[[], object]) -> float:
    """Return what a call takes in this process."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "-n", type=int, default=5000, help="dialogues to make up, or to read at most (5000)"
    )
    options.add_argument("file", nargs="?")
    given = options.parse_args()
    found = list(dialtools.read(given.file, limit=given.n)) if given.file else made_up(given.n)
    texts = [[turn["text"] for turn in dialogue.turns(record)] for record in found]
    size = sum(len(text.encode()) for turns in texts for text in turns) / 1e6
    bare, annotated = list(map(without_tokens, found)), list(map(parsed, found))

    def show(name: str, once: Callable[[], float], of_input: int | None = None) -> None:
        taken = statistics.median(once() for _ in range(3))
        rate = f"{of_input / 1e6 / taken:10.1f}" if of_input else ""
        print(f"{name:28}{taken:8.2f} s {size / taken:10.2f} {rate}", flush=True)

    print(f"{len(found)} dialogues, {size:.2f} MB of texts{'':10}texts MB/s, input MB/s")
    for name in [name for name in registry.names("perturbations") if name != "exec"]:
        with_tokens = bool(registry.load("perturbations", name).declared.tokens)
        lines = annotated if with_tokens else bare
        try:
            next(dialtools.perturb(lines[:1], kind=[name]))
        except DialtoolsError as error:
            print(f"{name:28} {error}")
            continue
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.writelines(map(records.dumps, lines))
            file.flush()
            command = [
                sys.executable,
                str(ROOT / "bin" / "dt-perturb"),
                "-q",
                "-k",
                name,
                file.name,
                "-o",
                os.devnull,
            ]
            show(
                name + " (parsed)" * with_tokens,
                lambda: cpu(command),
                Path(file.name).stat().st_size,
            )
    lines_of_json = list(map(records.dumps, bare))
    show(
        "plain re loop", lambda: seconds(lambda: plain(lines_of_json)), sum(map(len, lines_of_json))
    )
    for name, augment in peers():
        show(name, lambda: seconds(lambda: augment(texts)))


if __name__ == "__main__":
    main()
