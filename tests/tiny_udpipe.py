"""A UDPipe model of some kilobytes, trained on three sentences by UDPipe itself: python tiny_udpipe.py FILE.

It knows its sentences by heart.  UDPipe tells of its training on standard error.
"""

import sys
from pathlib import Path

# id, form, lemma, UPOS, feats, head, relation; 3-4: a multiword token.
_SENTENCES = """
1 Budi Budi PROPN _ 2 nsubj
2 mangan pangan VERB Voice=Act 0 root
3 sega sega NOUN _ 2 obj
4 . . PUNCT _ 2 punct

1 Siti Siti PROPN _ 2 nsubj
2 tuku tuku VERB Voice=Act 0 root
3-4 bukune
3 buku buku NOUN _ 2 obj
4 ne e DET _ 3 det
5 . . PUNCT _ 2 punct

1 Kowe kowe PRON _ 2 nsubj
2 lunga lunga VERB Voice=Act 0 root
3 ? ? PUNCT _ 2 punct
"""


def _row(line: str) -> str:
    number, form, *facts = line.split()
    lemma, upos, feats, head, relation = facts or "_____"
    space = "SpaceAfter=No" if form in ("sega", "bukune", "lunga") else "_"
    return "\t".join([number, form, lemma, upos, "_", feats, head, relation, "_", space])


def treebank() -> str:
    """Return the sentences as CoNLL-U."""
    return "\n".join(_row(line) if line else "" for line in _SENTENCES.strip().split("\n")) + "\n\n"


def train(file: Path, *steps: str) -> None:
    """Write a model with some of its steps, "tokenizer", "tagger" and "parser", all by default."""
    from ufal import udpipe

    sentences, sentence, error = udpipe.Sentences(), udpipe.Sentence(), udpipe.ProcessingError()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(treebank() * 10)
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    settings = {
        "tokenizer": "dimension=16;epochs=2;batch_size=10;segment_size=20;learning_rate=0.01;early_stopping=0",
        "tagger": "iterations=5;templates_1=tagger;early_stopping=0",
        "parser": "iterations=5;hidden_layer=20;embedding_form=10;embedding_upostag=10;structured_interval=0",
    }
    wanted = [
        settings[step] if step in (steps or settings) else udpipe.Trainer.NONE for step in settings
    ]
    model = udpipe.Trainer.train(
        "morphodita_parsito", sentences, udpipe.Sentences(), *wanted, error
    )
    if error.occurred():
        raise ValueError(error.message)
    file.write_bytes(model)


if __name__ == "__main__":
    train(Path(sys.argv[1]))
