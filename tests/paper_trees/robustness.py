"""TweetSumm as numbers of tweets, TODSum and SAMSum; a BART as what is tuned and what is asked, UDPipe as the parser."""

import json
from pathlib import Path

import tiny_udpipe

from dialtools.models import stand_ins

TURNS = [
    "My train is late again!",
    "Sorry. Where are you?",
    "At the big station.",
    "It comes soon.",
]
SUMMARY = "The customer's train is late. The agent says that it comes soon."


def write(folder: Path) -> dict[str, str]:
    for name in "tweetsumm", "todsum", "samsum":
        (folder / name).mkdir()
    header = "tweet_id,author_id,inbound,created_at,text,response_tweet_id,in_response_to_tweet_id"
    (folder / "tweetsumm" / "twcs.csv").write_text(header + "\n")
    for start, (part, of_samsum) in enumerate(
        {"train": "train", "valid": "val", "test": "test"}.items()
    ):
        # no two talks are alike
        talks = {
            id: [f"{text} It is train {id}." for text in TURNS[: 2 + id % 3]]
            for id in range(4 * start, 4 * start + 4)
        }
        tweetsumm = []
        with open(folder / "tweetsumm" / "twcs.csv", "a") as file:
            for id, talk in talks.items():
                offsets = []
                for number, text in enumerate(talk):
                    file.write(f"{10 * id + number},1,{number % 2 == 0},Tue,{text},,\n")
                    span = f"[0, {len(text)}]"
                    offsets.append({"tweet_id": 10 * id + number, "sentence_offsets": [span]})
                # of one talk there are only sentences of its own
                abstractive = [SUMMARY] if id % 4 else None
                annotations = [{"extractive": None, "abstractive": abstractive}]
                item = {"conversation_id": f"t{id}", "tweet_ids_sentence_offset": offsets}
                tweetsumm.append(json.dumps(item | {"annotations": annotations}) + "\n")
        (folder / "tweetsumm" / f"final_{part}_tweetsum.jsonl").write_text("".join(tweetsumm))
        todsum = [
            {"dialog_id": f"d{id}", "text": talk, "dst": {}, "dst_str": {}, "summary": [SUMMARY]}
            for id, talk in talks.items()
        ]
        (folder / "todsum" / f"{part}.json").write_text(json.dumps(todsum))
        chats = [
            {
                "id": str(id),
                "summary": SUMMARY,
                "dialogue": "\r\n".join(map("{}: {}".format, ["Ann", "Bob"] * 2, talk)),
            }
            for id, talk in talks.items()
        ]
        (folder / "samsum" / f"{of_samsum}.json").write_text(json.dumps(chats))
    for kind in "seq2seq", "nli":
        stand_ins.main(kind, str(folder / kind))
    tiny_udpipe.train(folder / "parser.udpipe")
    metric = f"bertscore:model={folder}/nli,layer=1"
    return {
        "DATA": str(folder),
        "BASE_bart-large": f"{folder}/seq2seq",
        "ASK_flan-t5": f"--model {folder}/seq2seq --prompt summary.jinja",
        # of each kind of row one, as every row takes seconds
        "MEAN": "flan-t5",
        "ROWS_tweetsumm": "flan-t5 bart-large",
        "PARSER": f"udpipe:model={folder}/parser.udpipe",
        "METRIC": metric,
        "PRECISION": f"{metric},value=p",
        "NLI": f"{folder}/nli",
        "TABLES": "models kinds r",
        "TRAINING": "--epochs 1 --batch-size 4 --max-new-tokens 8 --allow-blind",
        "DECODING": "--beams 1 --max-new-tokens 8",
        "MENDED": "split",
        "SHARES": "50",
        "SEEDS": "1",
    }
