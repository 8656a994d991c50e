"""Small dialogues of our own in several languages, for tests that want any records at all."""

import functools
import json
from pathlib import Path

from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.plugins import registry

REFERENCES = Path(__file__).parent / "data" / "references.jsonl"
TURNS = {
    "en": [
        ("Ann", "Hello Bob, are you coming to the market with me?"),
        ("Bob", "Yes, Ann. I need bread."),
        ("Bob", "And Will wants some milk for his lonely sister."),
        ("Ann", "Good. Let us meet at 10:30 at the bridge."),
    ],
    "zh": [
        ("王芳", "李强，你今天去图书馆吗？"),
        ("李强", "去，我要还两本书。"),
        ("李强", "你呢？"),
        ("王芳", "我下午三点去。"),
    ],
    "ja": [
        ("田中", "鈴木さん、明日は来ますか。"),
        ("鈴木", "はい、十時に行きます。"),
        ("鈴木", "駅で会いましょう。"),
        ("田中", "分かりました。"),
    ],
    "hi": [
        ("अनिता", "राहुल, क्या तुम बाज़ार जा रहे हो?"),
        ("राहुल", "हाँ, मुझे सब्ज़ी लेनी है।"),
        ("अनिता", "दूध भी ले आना।"),
    ],
    "id": [
        ("Dewi", "Budi, kamu jadi pergi ke pasar?"),
        ("Budi", "Jadi, saya mau beli ikan."),
        ("Dewi", "Tolong beli beras juga."),
    ],
}


def records(number: int, langs: tuple[str, ...] = tuple(TURNS)) -> list[dict]:
    """Return so many records, the languages taking turns, every third dialogue a string, with unknown keys between."""
    return [_record(i, langs[i % len(langs)]) for i in range(number)]


def _record(number: int, lang: str) -> dict:
    turns = [
        {"speaker": speaker, "text": text, "at": i} for i, (speaker, text) in enumerate(TURNS[lang])
    ]
    turns = turns[number % 2 :]
    text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)
    return {
        "source": {"n": 2**70 + number},
        "id": f"{lang}-{number}",
        "lang": lang,
        "dialogue": turns if number % 3 else text,
        "reference": [turns[0]["text"], turns[-1]["text"]],
    }


def rare() -> list[dict]:
    """Return a record with what few texts have: an emoji, and a word of British spelling."""
    turns = [
        {"speaker": "Ann", "text": "The theatre is grey. 😀"},
        {"speaker": "Bob", "text": "Oh."},
    ]
    return [{"id": "rare", "lang": "en", "dialogue": turns, "reference": "A grey theatre."}]


def kind(name: str) -> str:
    """Return a perturbation's name, with what it cannot do without."""
    data = Path(__file__).parent / "data"
    needed = {
        "exec": f"{name}:sed -u -E -f {data / 'louder.sed'}",
        "variation.back-translation": f"{name}:there=exec:sed -u s/a/A/",
        "variation.dialect": f"{name}:of=singapore",
        "variation.code-switch": f"{name}:lexicon={data / 'lexicon.tsv'}",
    }
    return needed.get(name, name)


@functools.lru_cache(maxsize=None)
def annotated(lang: str) -> list[dict]:
    """Return sentences of a language, {"text", "tokens"}, parsed by hand; [] where there are none."""
    with open(Path(__file__).parent / "data" / "annotated.conllu", "rb") as file:
        found = [record for _, record in registry.load("formats", "conllu").call(file)]
    return [
        {"text": record["text"], "tokens": record["tokens"]}
        for record in found
        if record["id"].startswith(f"{lang}-")
    ]


def parsed(number: int, langs: tuple[str, ...] = tuple(TURNS)) -> list[dict]:
    """Return so many records whose turns have tokens, the languages taking turns; the number of turns varies."""
    made = []
    for i in range(number):
        lang = langs[i % len(langs)]
        said, names = annotated(lang) * 3, [speaker for speaker, _ in TURNS[lang]]
        turns = [
            {"speaker": names[j % len(names)], **said[(i + j) % len(said)]}
            for j in range(2 + i % 5)
        ]
        made.append(
            {
                "source": {"n": 2**70 + i},
                "id": f"{lang}-{i}",
                "lang": lang,
                "dialogue": turns,
                "reference": [turns[0]["text"], turns[-1]["text"]],
            }
        )
    return made


def predicted(records: list[dict]) -> list[dict]:
    """Return the records with a prediction, which is often near a reference."""
    return [
        {
            **record,
            "prediction": record["reference"][i % 2] if i % 4 else TURNS[record["lang"]][1][1],
        }
        for i, record in enumerate(records)
    ]


def metrics() -> list[str]:
    """Return the metrics of any texts that need no model, those of a set of references with one."""
    loaded = {name: registry.load("metrics", name) for name in registry.names("metrics")}
    return [
        f"{name}:df={REFERENCES}" if "df" in metric.defaults() else name
        for name, metric in loaded.items()
        if "model" not in metric.defaults()
        and not metric.declared.texts
        and set(ChosenMetric(name).columns) <= {"prediction", "reference"}
    ]


def lines(records: list[dict]) -> str:
    """Return records as JSON Lines."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
