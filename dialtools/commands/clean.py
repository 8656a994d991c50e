"""Clean texts: drop addresses, mentions, tags, emoji, repetitions and duplicates; cut long posts.

Source: section 3.3 of "CHBias: Bias Evaluation and Mitigation of Chinese
Conversational Language Models", which names the steps; the patterns below
define them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise

import click

from dialtools import languages
from dialtools.languages import Language
from dialtools.languages.scripts import CJK, compiled
from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, left_out
from dialtools.records import dialogue, edits, history, validation
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, about
from dialtools.text import mentions as mentioned
from dialtools.text import sentences
from dialtools.text import terms as specifications
from dialtools.text.words import ADDRESSES

BY = "dt-clean"
COUNTERS = {
    "urls": ("addresses dropped", "web and mail addresses"),
    "mentions": ("mentions dropped", "@name, with the RT or // before it"),
    "tags": ("tags dropped", "[doge], <br> and the like"),
    "emoji": ("emoji dropped", "emoji"),
    "squeeze": ("repetitions squeezed", "places where something was repeated"),
}
STEPS = ("urls", "mentions", "tags", "emoji", "squeeze")  # in the order of cleaning
PIECE = 130  # code points
# Emoji: flags, keycaps, pictures with skin tones, joined by U+200D; but no lone ©, ™ or arrows.
_PICTURE = (
    r"(?:\p{Emoji_Presentation}|[\p{Extended_Pictographic}--[©®™‼⁉ℹ\u2190-\u21ff〰〽㊗㊙Ⓜ]]"
    r"|\p{Extended_Pictographic}(?=\ufe0f))[\ufe0f\p{EMod}]*[\U000e0020-\U000e007f]*"
)
_PATTERNS = {
    "urls": rf"(?:https?://|www\.)[^\s{CJK}，。！？、；：（）【】「」《》<>]*[^\s{CJK}\p{{P}}]/?|{ADDRESSES[2]}",
    # RT @ann: and //@小明： before a reposted text, 回复@小明: and @ann before a reply
    "mentions": r"(?:\bRT\s*|//\s*|回复\s*)?(?<![\p{Latin}\p{N}._%+-])@[\p{L}\p{M}\p{N}_-]+"
    r"(?:\s*[:：])?",
    # Weibo's pictures [doge] and [允悲], <br> and &nbsp; of web pages, Weibo's mark of a repost
    "tags": r"\[\p{L}{1,8}\]|</?[a-zA-Z][^<>]*>|&(?:[a-zA-Z]{2,8}|#\d{2,6});|转发微博|Repost",
    "emoji": rf"(?V1)\p{{RI}}{{2}}|[0-9#*]\ufe0f?\u20e3|{_PICTURE}(?:\u200d{_PICTURE})*|\ufe0f",
}
_SIGNS = {
    "urls": ("://", "www.", "@"),
    "mentions": ("@",),
    "tags": ("[", "<", "&", "转发微博", "Repost"),
}
_MARKS = "!?,;:~！？，。、；：～·।؟،؛"
# (pattern, replacement); none looks far ahead, so that long texts take linear time
_REPEATED = (
    (rf"([{_MARKS}])(?:\1)+", r"\1"),
    (r"(?<!\.)\.\.(?!\.)|\.{4,}", "..."),
    ("…{3,}", "……"),
    (r"[\u200b\ufeff]+", ""),
    (r"[^\S\n]{2,}|[^\S\n ]", " "),
    (" ?\n[ \n]*", "\n"),
)


def clean(
    records: Iterable[dict],
    note: Callable[[str], None] = lambda what: None,
    seen: stable_hash.Seen | None = None,
    *,
    urls: bool = False,
    mentions: bool = False,
    tags: bool = False,
    emoji: bool = False,
    squeeze: bool = False,
    pieces: int | None = None,
    terms: str | None = None,
    duplicates: bool = False,
    all: bool = False,
) -> Iterator[dict]:
    """Yield the records with clean texts; some are left out or cut into several.

    note: called for each record or piece that is left out, with "empty", "duplicate" or
        "without a term".
    seen: knows the texts of earlier records, and of this call afterwards.
    urls, mentions, tags, emoji: drop these.
    squeeze: write repeated punctuation and white space once.
    pieces: cut a longer "text" into pieces of at most so many code points.
    terms: leave out texts without any term of this specification.
    duplicates: leave out repeated texts.
    all: all of these steps, with pieces of 130 code points by default.
    """
    chosen = dict(urls=urls, mentions=mentions, tags=tags, emoji=emoji, squeeze=squeeze)
    steps = [step for step in STEPS if all or chosen[step]]
    size = pieces or (PIECE if all else None)
    spec = specifications.Spec(terms) if terms is not None else None
    seen = (seen or stable_hash.Seen()) if duplicates or all else None
    if not (steps or size or spec or seen):
        raise OptionError("no step given: name some steps, or --all")
    signature = history.signature(
        "clean", steps="+".join(steps) or None, pieces=size, terms=spec, duplicates=bool(seen)
    )
    for record in validation.completed(records, deep=True):
        with about(record):
            cleaned, counts = _cleaned(record, steps)
            for piece in _pieces(cleaned, size) if size else [cleaned]:
                if why := _left_out(piece, spec, seen):
                    note(why)
                else:
                    found = {step: number for step, number in counts.items() if number}
                    yield history.add(piece, BY, signature, counts=found)
                    counts.clear()  # the first piece of a text has its counts


def _cleaned(record: dict, steps: list[str]) -> tuple[dict, Counter]:
    """Return the record with clean texts, and how often each step found something."""
    changes: list[list] = []
    changed: list[int] = []
    counts: Counter[str] = Counter()
    said = list(dialogue.utterances(record))
    for number, (pointer, holder) in enumerate(said):
        text = holder["text"]
        after, found = cleaned_text(text, steps)
        counts += found
        if after != text:
            changes.append([pointer, 0, len(text), text, after])
            changed.append(number)
    cleaned = edits.apply(record, changes)[0]
    holders = dialogue.holders(cleaned)
    if len(holders) != len(said):  # "http://… Ann: Hi" was part of the turn before
        raise RecordError(
            "cleaning would turn a line of this dialogue, which is one string, into "
            "a turn: make it a list of turns"
        )
    for number in changed:
        for key in ("tokens", "entities"):
            holders[number].pop(key, None)  # applying the edits made copies
    return cleaned, counts


def cleaned_text(text: str, steps: Iterable[str]) -> tuple[str, Counter]:
    """Return a text after some steps, and how often each found something.

    >>> cleaned_text("哈哈[doge]，，，@小明 看 https://x.cn/a 👍🏽！！", STEPS)[0]
    '哈哈， 看 ！'
    """
    counts: Counter = Counter()
    for step in STEPS:
        if step in steps and _may_hold(text, step):
            if step == "squeeze":
                text, found = _squeezed(text)
            else:
                text, found = compiled(_PATTERNS[step]).subn("", text)
            counts[step] += found
    return text, counts


def _may_hold(text: str, step: str) -> bool:
    """Could a step find something?  This is faster than its pattern."""
    if step == "emoji":
        return not text.isascii()
    return step not in _SIGNS or any(sign in text for sign in _SIGNS[step])


def _squeezed(text: str) -> tuple[str, int]:
    """Return a text with repeated signs and white space written once, dots three times.

    >>> _squeezed("Oh!!!  Well.....  ")
    ('Oh! Well...', 5)
    """
    found = 0
    for pattern, once in _REPEATED:
        text, number = compiled(pattern).subn(once, text)
        found += number
    return text.strip(), found + (text != text.strip())


def _pieces(record: dict, size: int) -> Iterator[dict]:
    """Yield the record, or one for each piece of its text, with new ids and one cluster."""
    if record.get("text") is None:
        raise RecordError(
            'only a "text" can be cut into pieces, not a dialogue: leave out --pieces and --all'
        )
    texts = list(text_pieces(record["text"], size, languages.get(dialogue.lang(record))))
    if len(texts) < 2:
        yield record
        return
    cluster = record.get("cluster") or str(record["id"])
    plain = {key: value for key, value in record.items() if key not in ("tokens", "entities")}
    for number, text in enumerate(texts, 1):
        yield plain | {"id": f"{record['id']}/{number}", "cluster": cluster, "text": text}


def text_pieces(text: str, size: int, language: Language) -> Iterator[str]:
    """Yield pieces of at most so many code points: sentences, or else clauses or words.

    >>> list(text_pieces("One two. Three, four five. Six.", 12, languages.get("en")))
    ['One two.', 'Three,', 'four five.', 'Six.']
    """
    piece = ""
    for part in _parts(text, size, language):
        if piece.strip() and len((piece + part).strip()) > size:
            yield piece.strip()
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip()


def _parts(text: str, size: int, language: Language) -> Iterator[str]:
    """Yield sentences, and parts of sentences that are too long, with the spaces between them."""
    for start, end in pairwise([0, *sentences.ends(text, language), len(text)]):
        sentence = text[start:end]
        if len(sentence.strip()) <= size:
            yield sentence
        else:
            yield from _parts_of_sentence(sentence, size)


def _parts_of_sentence(sentence: str, size: int) -> Iterator[str]:
    """Yield clauses, or else words, or else graphemes."""
    for clause in compiled(r"(?s).+?(?:[,;:]+\s+|[，；：、\n]+\s*|$)").findall(sentence):
        if len(clause.strip()) <= size:
            yield clause
            continue
        for word in compiled(r"\s*\S+\s*").findall(clause):
            if len(word.strip()) <= size:
                yield word
            else:
                yield from compiled(r"\X").findall(word)


def _left_out(
    record: dict, spec: specifications.Spec | None, seen: stable_hash.Seen | None
) -> str | None:
    """Return why a record is left out, None if it is kept."""
    said = [holder["text"] for holder in dialogue.holders(record)]
    if not any(text.strip() for text in said):
        return "empty"
    if spec is not None and not any(mentioned.of_record(record, spec)):
        return "without a term"
    if seen is not None and not seen.add(stable_hash.digest(*said)):
        return "duplicate"
    return None


@cli.command(
    BY,
    click.option("--urls", is_flag=True, help="Drop web and mail addresses."),
    click.option("--mentions", is_flag=True, help="Drop @name, with the RT or // before it."),
    click.option("--tags", is_flag=True, help="Drop [doge], <br>, &nbsp; and marks of reposts."),
    click.option("--emoji", is_flag=True, help="Drop emoji."),
    click.option(
        "--squeeze", is_flag=True, help="Write repeated punctuation and white space once."
    ),
    click.option(
        "--pieces",
        type=click.IntRange(min=1),
        metavar="N",
        help='Cut a longer "text" into pieces of at most N characters, between '
        "sentences if possible.",
    ),
    click.option(
        "--terms",
        metavar="SPEC",
        help="Leave out texts and pieces without any term of this specification: a name "
        "such as gender, or a file.",
    ),
    click.option("--duplicates", is_flag=True, help="Leave out texts of an earlier record."),
    click.option("--all", is_flag=True, help="All of these, with pieces of 130 characters."),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.on_error,
    cli.shard,
    cli.key_options("id", "lang", "dialogue", "text"),
    cli.progress,
    cli.quiet,
)
def main(**options) -> int:
    """Clean the texts of posts or turns: each step is an option, --all takes all published steps.

    Findings are counted, and so are the texts that are left out: empty ones, those
    without a term, duplicates.  A "text" that is cut becomes several records with
    the ids ID/1, ID/2, … and the old id as their cluster.  A text that changes
    loses its tokens and entities.  There is no --resume: duplicates depend on all
    earlier records.

    Memory: 8 bytes for each text with --duplicates or --all.

    Examples:

    $ printf '%s\\n' 'Great!!! @ann  look: https://example.org 👍' 'Great! look:' |
      dt-convert --from lines --set lang=en | dt-clean --all | jq -c '[.id, .text]'
    ["1","Great! look:"]
    """
    notes: Counter = Counter()
    # after a failure the filter begins anew, and must know the texts that came before
    of_run = partial(clean, note=lambda what: notes.update([what]), seen=stable_hash.Seen())
    return cli.run(
        Work(
            of_run,
            by=BY,
            counters=COUNTERS,
            keys=["dialogue|text"],
            closing=lambda: Closing(left_out(notes)),
        ),
        **options,
    )
