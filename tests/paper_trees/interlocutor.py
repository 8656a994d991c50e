"""Hazumi as ELAN writes it, and RealPersonaChat with its profiles; responses that two people scored."""

import json
from pathlib import Path

import tiny_models

RATERS = ["F1", "F2", "F3", "M1", "M2"]
TALKS, PEOPLE = 10, ["AA", "AB", "AC"]


def write(folder: Path) -> dict[str, str]:
    for year, person in ("1902", "1902F2001"), ("1902", "1902M3001"), ("1911", "1911F4001"):
        elan = folder / f"hazumi/Hazumi{year}/elan"
        elan.mkdir(parents=True, exist_ok=True)
        (elan / f"{person}.eaf").write_text(conversation(person), encoding="utf-8")
    chats = folder / "chats"
    (chats / "dialogues").mkdir(parents=True)
    for number in range(TALKS):
        text = json.dumps(chat(number), ensure_ascii=False)
        (chats / f"dialogues/{number:05}.json").write_text(text, encoding="utf-8")
    profiles = {name: {"persona": [f"{name}です。", "汽車が好きです。"]} for name in PEOPLE}
    (chats / "interlocutors.json").write_text(json.dumps(profiles), encoding="utf-8")
    with (folder / "responses.jsonl").open("w", encoding="utf-8") as file:
        for number in range(16):
            file.write(json.dumps(response(number), ensure_ascii=False) + "\n")

    words = tiny_models.tokenizer(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    words.mask_token = "<mask>"
    model, lm = str(folder / "bert"), str(folder / "lm")
    tiny_models.save(Path(model), tiny_models.masked(words), words)
    tiny_models.save(Path(lm), tiny_models.gpt2(words, n_positions=512), words)
    short = "--epochs 1 --batch-size 64 --learning-rate 3e-5 --max-input 64"
    data = {"HAZUMI": str(folder / "hazumi"), "DATA": str(chats)}
    sizes = {"TRAINING": short, "RATING": short, "SEEDS": "1"}
    sizes |= {"RATINGS": "interlocutor-token", "ROWS": "plain both", "METRICS": "am_fm fed"}
    return data | sizes | {"MODEL": model, "LM": lm, "RESPONSES": str(folder / "responses.jsonl")}


def conversation(person: str) -> str:
    """Return a conversation of 22 exchanges: in one nobody answers, one is marked as unusable."""
    tiers: dict[str, list[str]] = {
        name: [] for name in ("sys_utterance", "user_utterance", "UI_self")
    }
    for number in range(22):
        tiers["sys_utterance"].append(f" 話題の{number}番です。")
        tiers["user_utterance"].append("" if number == 3 else f"(F あ)|{number}番ですか(D は)")
        tiers["UI_self"].append("E" if number == 5 else str(1 + number % 7))
        for rater in RATERS:
            tiers.setdefault(f"UI_{rater}", []).append(str(1 + number * 3 % 7))
            tiers.setdefault(f"TC_{rater}", []).append("4")
    slots, texts = [], []
    for name, values in tiers.items():
        annotations = []
        for number, value in enumerate(values):
            begin, end = f"ts{len(slots) + 1}", f"ts{len(slots) + 2}"
            slots += [(begin, 1000 * number), (end, 1000 * number + 1000)]
            annotations.append(
                f'<ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="{begin}" TIME_SLOT_REF2="{end}">'
                f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
            )
        texts.append(f'<TIER TIER_ID="{name}">{"".join(annotations)}</TIER>')
    times = [f'<TIME_SLOT TIME_SLOT_ID="{name}" TIME_VALUE="{time}"/>' for name, time in slots]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT><HEADER>'
        f'<MEDIA_DESCRIPTOR MEDIA_URL="file:///K:/Video/{person}.MP4"/></HEADER>'
        f"<TIME_ORDER>{''.join(times)}</TIME_ORDER>{''.join(texts)}</ANNOTATION_DOCUMENT>\n"
    )


def chat(number: int) -> dict:
    """Return a dialogue of RealPersonaChat, of two of three people."""
    two = [PEOPLE[number % 3], PEOPLE[(number + 1) % 3]]
    turns = [
        {"utterance_id": n, "interlocutor_id": two[n % 2], "text": f"{number}番の{n}です。"}
        for n in range(3 + number % 3)
    ]
    ratings = [
        {"interlocutor_id": name, "satisfaction": 1 + (number + n) % 5}
        for n, name in enumerate(two)
    ]
    talk = {"dialogue_id": number, "interlocutors": two, "utterances": turns}
    return talk | {"evaluations": ratings}


def response(number: int) -> dict:
    """Return a response that one of two people scored, of a person or of a system."""
    turns = [{"speaker": "AA", "text": "どうも。"}, {"speaker": "AB", "text": f"{number}番です。"}]
    record = {"id": f"r{number}", "lang": "ja", "dialogue": turns, "interlocutor": "AA"}
    responder = f"{PEOPLE[number % 2]} {'human' if number % 4 < 2 else 'system'}"
    return record | {"responder": responder, "score": number * 37 % 101}
