"""Speed and accuracy of the parser of dt-train, and of stanza trained on the same treebank.

    OMP_NUM_THREADS=1 python tests/bench/parsing.py --model FOLDER [--stanza FOLDER] \\
        [--stanza-parser FILE] TEST.conllu

FOLDER is what dt-train parser wrote; that of stanza is one as the parser
stanza takes (dt-parse --list), with models of its own training.  Both get the
words of the treebank, 32 records at once as dt-parse has them, and ours the
parts of speech, too, with upos=given; "raw" is from the text alone.  FILE is a
model of stanza's parser alone, which gets words and parts of speech, too, made by

    python -m stanza.models.parser --mode train --train_file train.conllu \\
      --eval_file dev.conllu --lang jv \\
      --shorthand jv_csui --no_pretrain --no_xpos --no_ufeats --cpu OPTIONS

CPU seconds of one process, the least of three; words; UAS and LAS in percent.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dialtools import languages
from dialtools.metrics.attachment import las, uas
from dialtools.plugins import registry
from dialtools.training import treebank

BATCH = 32


def seconds(work: Callable[[], list]) -> tuple[float, list]:
    """Return the least CPU time of three runs, and what the work makes."""
    best, made = float("inf"), []
    for _ in range(3):
        start = time.process_time()
        made = work()
        best = min(best, time.process_time() - start)
    return best, made


def stanza_pretagged(path: str, lang: str) -> Callable[[list], list]:
    """Return what lets stanza's parser loose on words with parts of speech."""
    import stanza
    from stanza.models.common.doc import Document

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "resources.json").write_text("{}")  # or stanza would fetch it
        pipeline = stanza.Pipeline(
            lang,
            dir=folder,
            download_method=None,
            allow_unknown_language=True,
            use_gpu=False,
            processors="tokenize,depparse",
            tokenize_pretokenized=True,
            depparse_pretagged=True,
            depparse_model_path=path,
            logging_level="ERROR",
        )

    def call(given: list[list[dict]]) -> list[list[dict]]:
        document = Document(
            [
                [
                    {
                        "id": (number,),
                        "text": token.get("word", token["form"]),
                        "upos": token["upos"],
                    }
                    for number, token in enumerate(tokens, 1)
                ]
                for tokens in given
            ]
        )
        pipeline.process(document, ["depparse"])
        return [
            [
                {**token, "head": word.head, "deprel": word.deprel}
                for token, word in zip(tokens, sentence.words, strict=True)
            ]
            for tokens, sentence in zip(given, document.sentences, strict=True)
        ]

    return call


def batched(call: Callable[[list], list], items: list) -> list:
    return [
        made for start in range(0, len(items), BATCH) for made in call(items[start : start + BATCH])
    ]


def report(
    name: str, call: Callable[[list], list], items: list, sentences: list[treebank.TreebankSentence]
) -> None:
    """Print a line of what a parser does with texts, or with the words of texts."""
    call(items[:1])  # loads the model
    took, made = seconds(lambda: batched(call, items))
    said = [
        [{"text": sentence.text, "tokens": tokens}]
        for sentence, tokens in zip(sentences, made, strict=True)
    ]
    gold = [[{"text": sentence.text, "tokens": sentence.tokens}] for sentence in sentences]
    scores = [
        100 * metric.corpus.score(metric.corpus.statistics(said, gold)) for metric in (uas, las)
    ]
    words = sum(len(sentence.tokens) for sentence in sentences)
    print(f"{name:24}{words / took:8.0f} words/s{scores[0]:8.2f} UAS{scores[1]:8.2f} LAS")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--stanza")
    parser.add_argument("--stanza-parser")
    parser.add_argument("--lang", default="jv")
    parser.add_argument("treebank")
    given = parser.parse_args()
    sentences, language = treebank.read([given.treebank]), languages.get(given.lang)
    words, texts = (
        [sentence.tokens for sentence in sentences],
        [sentence.text for sentence in sentences],
    )
    bare = [
        [
            {
                key: token[key]
                for key in ("form", "start", "end", "word", "part", "sent")
                if key in token
            }
            for token in tokens
        ]
        for tokens in words
    ]
    specs = {
        "given words and UPOS": (f"biaffine:model={given.model},upos=given", "annotate", words),
        "given words": (f"biaffine:model={given.model}", "annotate", bare),
        "raw": (f"biaffine:model={given.model}", "parse", texts),
    }
    if given.stanza:
        specs |= {
            "stanza, given words": (f"stanza:dir={given.stanza},device=cpu", "annotate", bare)
        }
    for name, (spec, function, items) in specs.items():
        plugin = registry.load("parsers", spec, function)
        report(
            name, lambda batch, call=plugin.call: call(batch, language=language), items, sentences
        )
    if given.stanza_parser:
        report(
            "stanza, words and UPOS",
            stanza_pretagged(given.stanza_parser, given.lang),
            words,
            sentences,
        )


if __name__ == "__main__":
    main()
