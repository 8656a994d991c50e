"""A stanza pipeline of some kilobytes, trained on three sentences by stanza's own training programs.

It knows the three sentences by heart and makes something of everything else.
`python tiny_stanza.py FOLDER` trains it in some seconds, with one thread: two
on two busy cores wait for each other.
"""

import json
import sys
from io import BytesIO
from pathlib import Path

from dialtools.formats import conllu

# id, form, lemma, upos, head, deprel, entity (O where there is none); the other columns are empty.
_SENTENCES = """
1 Je je PRON 2 nsubj
2 viens venir VERB 0 root
3-4 du
3 de de ADP 5 case B-LOC
4 le le DET 5 det I-LOC
5 marché marché NOUN 2 obl I-LOC
6 . . PUNCT 2 punct

1 Elle elle PRON 2 nsubj B-PER
2 parle parler VERB 0 root
3-4 au
3 à à ADP 5 case
4 le le DET 5 det
5 chat chat NOUN 2 obl
6 . . PUNCT 2 punct

1 Tu tu PRON 2 nsubj
2 dors dormir VERB 0 root
3 ! ! PUNCT 2 punct
"""
_SMALL = (
    "--hidden_dim 16 --char_hidden_dim 16 --deep_biaff_hidden_dim 16 --word_emb_dim 16 "
    "--char_emb_dim 8 --tag_emb_dim 8 --transformed_dim 8 --num_layers 1 --dropout 0 "
    "--word_dropout 0 --word_cutoff 0 --lr 0.02 --max_steps 60 --eval_interval 30"
)


def _row(line: str) -> str:
    number, form, *facts = line.split()
    lemma, upos, head, deprel, ner = (*facts, "O") if len(facts) == 4 else facts or "_____"
    told = [f"NER={ner}"] * (ner != "_") + ["SpaceAfter=No"] * (form in ("marché", "chat", "dors"))
    return "\t".join(
        [number, form, lemma, upos, "_", "_", head, deprel, "_", "|".join(told) or "_"]
    )


def treebank() -> str:
    """Return the three sentences as CoNLL-U."""
    return "\n".join(_row(line) if line else "" for line in _SENTENCES.strip().split("\n")) + "\n\n"


def _labels(record: dict) -> str:
    """Return stanza's label of each character: 1 ends a word, 2 a sentence, 3 a multiword token."""
    labels = ["0"] * len(record["text"])
    for token in record["tokens"]:
        place, count = token.get("part", (1, 1))
        if place == count:
            labels[token["end"] - 1] = "3" if count > 1 else "1"
    return "".join(labels[:-1]) + "2"


def _entities(record: dict) -> list[dict]:
    """Return the words of a sentence with their entities as stanza learns them; a multiword token is one."""
    found: list[dict] = []
    for token in record["tokens"]:
        if token.get("part", [1])[0] == 1:
            found.append({"text": token["form"], "ner": token["ner"]})
        else:
            found[-1]["text"] += token["form"]
    return found


def train(folder: Path) -> None:
    """Write tokenize/, mwt/, pos/, lemma/, depparse/, ner/ and pretrain/, a model in each."""
    from stanza.models import lemmatizer, mwt_expander, ner_tagger, parser, tagger, tokenizer
    from stanza.models.common.pretrain import Pretrain

    data = folder / "data"
    data.mkdir()
    records = [record for _, record in conllu.read(BytesIO(treebank().encode()))]
    texts, labels = [record["text"] for record in records], [_labels(record) for record in records]
    (data / "trees").write_text(treebank(), encoding="utf-8")
    (data / "text").write_text("\n\n".join([" ".join(texts), *texts]) + "\n", encoding="utf-8")
    (data / "labels").write_text("\n\n".join(["0".join(labels), *labels]) + "\n")
    (data / "mwt").write_text(json.dumps([[["du", ["de", "le"]], 1], [["au", ["à", "le"]], 1]]))
    (data / "ner").write_text(json.dumps([_entities(record) for record in records] * 4))
    (data / "vectors").write_text("2 3\nmarché 0.1 0.2 0.3\nchat 0.3 0.2 0.1\n", encoding="utf-8")
    (folder / "pretrain").mkdir()
    Pretrain(str(folder / "pretrain/vectors.pt"), str(data / "vectors")).load()

    trees = f"--train_file {data}/trees --eval_file {data}/trees --cpu --shorthand fr_tiny"
    tokenizer.main(
        f"--txt_file {data}/text --label_file {data}/labels --dev_txt_file {data}/text "
        f"--dev_label_file {data}/labels --dev_conll_gold {data}/trees --mwt_json_file "
        f"{data}/mwt --cpu --lang fr --shorthand fr_tiny --save_dir {folder}/tokenize "
        "--steps 150 --eval_steps 1000 --emb_dim 16 --hidden_dim 16 --dropout 0 "
        "--unit_dropout 0 --feat_unit_dropout 0 --lr0 0.02".split()
    )
    mwt_expander.main(
        f"{trees} --lang fr --gold_file {data}/trees --dict_only --save_dir {folder}/mwt".split()
    )
    tagger.main(
        f"{trees} {_SMALL} --lang fr --no_pretrain --save_dir {folder}/pos "
        "--composite_deep_biaff_hidden_dim 8".split()
    )
    lemmatizer.main(f"{trees} --dict_only --save_dir {folder}/lemma".split())
    parser.main(
        f"{trees} {_SMALL} --lang fr --wordvec_pretrain_file {folder}/pretrain/vectors.pt "
        f"--save_dir {folder}/depparse --no_checkpoint --deep_biaff_output_dim 8 --optim "
        "adam --no_second_optim --no_plateau".split()
    )
    ner_tagger.main(
        f"--train_file {data}/ner --eval_file {data}/ner --shorthand fr_tiny "
        f"--save_dir {folder}/ner --wordvec_pretrain_file "
        f"{folder}/pretrain/vectors.pt --hidden_dim 16 --char_hidden_dim 16 "
        "--char_emb_dim 8 --dropout 0 --word_dropout 0 --max_steps 100 "
        "--eval_interval 50 --optim adam --lr 0.02 --cpu".split()
    )


if __name__ == "__main__":
    train(Path(sys.argv[1]))
