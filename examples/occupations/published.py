"""Read the sentences of the paper, or what a system made of them, from the files that its author published.

    python3 published.py FOLDER hindi|indictrans|google|microsoft|aws > lines

FOLDER is a copy of the repository Gender-Bias-Hi-En-Eval.  "hindi" gives records, the others lines in the
order of the records: the four sets of OTSC-Hindi, the sets S1 to S7, and WinoMT-Hindi, pro and anti.
"""

import json
import sys
from pathlib import Path

NEUTRAL = {
    "formal": "S1 formal",
    "impolite_woinf": "S2 impolite",
    "informal": "S3 informal",
    "job": "S4 occupation",
    "neg": "S5 negative",
    "polite_woinf": "S6 polite",
    "pos": "S7 positive",
}
FRIENDS = [(speaker, friend) for speaker in ("female", "male") for friend in ("female", "male")]
# Where the files of a system are: with {} for the set of OTSC-Hindi or of S1 to S7, and for pro and anti.
GOOGLE = "translation-google-results/corpus_gender-bias_{}_en_translations.txt"
FILES = {
    "hindi": ("{}.txt", "TGBI Original Hindi Corpus/{}.txt", "{}final.txt"),
    "indictrans": (
        "corpus_indictrans/{}_t.txt",
        "corpus_indictrans/{}_gtrans.txt",
        "stereo_indictrans/{}stereohindi_indictrans.txt",
    ),
    "google": (GOOGLE, GOOGLE, "stereo_google/{}stereohindi_google.txt"),
    "microsoft": (
        "microsofttranslate/{}.txt",
        "microsofttranslate/{}.txt",
        "stereo_ms/{}stereohindi_ms.txt",
    ),
    "aws": (
        "amazontranslate/en.{}.txt",
        "amazontranslate/{}.txt",
        "stereo_aws/{}stereohindi_aws.txt",
    ),
}


def lines(file: Path) -> list[str]:
    """Return the lines of a file, without empty ones at its end."""
    return file.read_text(encoding="utf-8").rstrip().split("\n")


def texts(folder: Path, system: str) -> list[tuple[dict, list[str]]]:
    """Return what is said of each file's sentences, and its lines."""
    simple = folder / "TGBI and Simple Context Evaluation" / "corpus"
    winomt = folder / "WinoMT-Hindi"
    otsc, neutral, pairs = FILES[system]
    parts = []
    for speaker, friend in FRIENDS:
        head = {"test": "otsc", "set": f"{speaker} speaker, {friend} friend", "gender": friend}
        name = f"me_{speaker}_my_mitra_{friend}_set"
        parts.append((head, lines(simple / otsc.format(name))))
    for name, title in NEUTRAL.items():
        head = {"test": "tgbi", "set": title}
        parts.append((head, lines(simple / neutral.format(f"total_{name}"))))
    for group in ("pro", "anti"):
        head = {"test": "winomt", "set": group, "stereotype": group}
        parts.append((head, lines(winomt / pairs.format(group))))
    return parts


def main(folder: Path, system: str) -> None:
    for head, sentences in texts(folder, system):
        gold = folder / "WinoMT-Hindi" / f"goldlabel{head.get('stereotype')}all.txt"
        genders = [line.split("\t")[0] for line in lines(gold)] if head["test"] == "winomt" else []
        for number, sentence in enumerate(sentences):
            if system != "hindi":
                print(sentence.strip())
                continue
            record = {"id": f"{head['set']} {number + 1}", "lang": "hi", "target": "en", **head}
            record |= {"gender": genders[number]} if genders else {}
            print(json.dumps(record | {"text": sentence.strip()}, ensure_ascii=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
