"""The closing line: what each count of a run is called, and what it means.

A count stands in the history of records under a key; people read a noun.  The manual page of
each command lists its own.
"""

import re
from collections.abc import Iterable, Mapping

_UNCHANGED = "variants unchanged", "variants in which there was nothing to change"
# command: {key: (noun, in the plural; what it counts)}; "" holds those of every command
NOUNS: dict[str, dict[str, tuple[str, str]]] = {
    "": {
        "resumed": ("records of an earlier run", "records that --resume found in the output"),
        "failed": ("records failed", "records that could not be worked on, with --on-error"),
    },
    "dt-clean": {
        "urls": ("addresses dropped", "web and mail addresses"),
        "mentions": ("mentions dropped", "@name, with the RT or // before it"),
        "tags": ("tags dropped", "[doge], <br> and the like"),
        "emoji": ("emoji dropped", "emoji"),
        "squeeze": ("repetitions squeezed", "places where something was repeated"),
    },
    "dt-convert": {
        "without_text": (
            "records without a text (see --field)",
            "records without dialogue, text, context, reference, prediction and scores; --field "
            "says where they are, jq -c '.data[]' takes items out of one object, and the first row "
            "of a table names the columns",
        ),
        "numbered_ids": (
            "rows without an id",
            "records of several systems that share the number of their row as id",
        ),
        "numbered_speakers": (
            "dialogues without speakers (see --field)",
            "dialogues in which #Person1# and #Person2# take turns; --field dialogue.speaker=KEY "
            "names the speakers",
        ),
        "some_labels": (
            "dialogues with labels on some turns",
            'dialogues that are lists of strings, of which the first begins "Name: ", but not all; '
            """jq '.dialogue |= join("\\n")' first, if the others continue the turn before""",
        ),
        "one_line": (
            "dialogues of one line (see man dt-convert)",
            "dialogues that may have several turns in one line; "
            r"""jq -c '.dialogue |= gsub("\\\\n"; "\n")' first, if \n stands between them""",
        ),
        "lists_as_strings": (
            "references that may be lists (see man dt-convert)",
            "references that are strings and begin as lists do; jq -c '.reference |= fromjson' "
            "makes lists of those that are JSON",
        ),
        "messages": ("messages", "messages of chats"),
        "notices": ("notices dropped", "lines of a messenger itself: who joined, what was deleted"),
        "media": ("media dropped", "pictures, voice messages and the like"),
        "dates_of_uncertain_order": (
            "dates of uncertain order",
            "messages in a chat that never tells day from month",
        ),
        "chats_without_text": ("chats without a text", "chats that make no record"),
        "messages_without_text": ("messages without a text", "messages such as calls of tools"),
        "parts_without_text": ("parts without a text", "pictures and the like in messages"),
    },
    "dt-generate": {
        "cached": ("outputs from the cache", "outputs that --cache had, and that were not made"),
        "truncated": ("inputs truncated", "records whose input was too long, and was cut"),
        "unfinished": ("outputs unfinished", "records whose output reached --max-new-tokens"),
        "empty": ("outputs empty", "records whose first output has nothing but white space"),
        "outputs_not_extracted": (
            "outputs not extracted",
            "outputs in which --extract found nothing",
        ),
        "replaced_system": ("systems replaced", "records that bore the name of another system"),
        "generated_again": ("", ""),
        "differing": ("", ""),  # the check of identity says more
    },
    "dt-join": {
        "joined": ("records joined", "records that have a row in FILE"),
        "without_a_row": ("records without a row", "records that have none"),
    },
    "dt-parse": {
        "tokens": ("tokens", "words and marks that the parser found"),
        "sentences": ("sentences", "sentences that it found"),
        "texts without a word": ("texts without a word", "texts of marks and white space alone"),
        "long texts in pieces": ("long texts in pieces", "texts that were parsed piece by piece"),
    },
    "dt-perturb": {"unchanged": _UNCHANGED},
    "dt-resegment": {"empty": ("sentences empty", "references to which no words belong")},
    "dt-score": {
        "empty": ("outputs empty", "texts without a letter or digit, which score as empty"),
        "empty_reference": ("references empty", "the same of the references of a record"),
        "variants": ("variants", "variants that were compared"),
        "unchanged": _UNCHANGED,
        "identical_pairs": ("identical pairs", "pairs of variants with equal outputs"),
        "not_restored": ("variants with new names", "variants that dt-swap-names --restore missed"),
        "truncated": ("texts truncated", "texts that were too long for a model, and were cut"),
        "windowed": ("texts in windows", "texts that were too long for a model, read in parts"),
        "undecided": ("records undecided", "records whose labels tie"),
        "no_delays": ("records without delays", "records whose output has no words"),
        "without_gender": ("records without gender", "texts that do not tell a gender"),
        "sets_without_reference": ("sets without a reference", "sets that count for S alone"),
        "sets_of_one_variant": ("sets of one variant", "sets that count for the quality alone"),
    },
    "dt-swap-names": {
        "mentions": ("names replaced", "mentions of people that got new names, labels aside"),
        "left": ("kept (see --report)", 'uncertain mentions, which the history lists as "left"'),
        "unchanged": _UNCHANGED,
        "unknown_gender": ("people of unknown gender", "people who got a unisex name"),
        "words_that_agree_with_the_old_gender": (
            "words that agree with the old gender",
            "words that --map left as they were",
        ),
        "unmapped": ("forms unmapped", "forms in outputs that could not be mapped back"),
        "strangers": ("strangers", "old names in outputs that the renamed input did not hold"),
        "invented": ("names invented", "names in outputs that nobody in the record has"),
        "lost": ("spellings lost", "other spellings of an old name, which --restore cannot know"),
        "old_scores_dropped": ("old scores dropped", "records that had scores of another text"),
    },
}


def named(by: str, key: str) -> str:
    """Return what a command calls a count, in the plural; "" for one that it does not tell.

    >>> named("dt-swap-names", "mentions"), named("dt-perturb", "without typo.case")
    ('names replaced', 'records without typo.case')
    """
    own = {**NOUNS[""], **NOUNS.get(by, {})}
    said = key.replace("_", " ")
    return own[key][0] if key in own else f"records {said}" if said.startswith("without ") else said


def counted(noun: str, count: int) -> str:
    """Return a count with its noun, whose first plural is a singular after 1.

    >>> counted("identical pairs", 2), counted("identical pairs", 1), counted("outputs empty", 1)
    ('2 identical pairs', '1 identical pair', '1 output empty')
    """
    said = noun.replace("_", " ")
    if count == 1 and not said.startswith(("no ", "without ")):
        said = re.sub(r"(\w{2}(?:[^\Wsu](?=s)|ss(?=es)))e?s(?!\S)", r"\1", said, count=1)
        said = re.sub(r"^people\b", "person", said)
    return f"{count:,} {said}"


def left_out(notes: Mapping[str, int]) -> list[str]:
    """Return how many records were left out and why, for the closing line; [] if none were."""
    if not notes:
        return []
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in notes.items())
    return [f"{counted('records', sum(notes.values()))} left out ({reasons})"]


def line(by: str, written: int, tally: Mapping[str, int], more: Iterable[str] = ()) -> str:
    """Return the closing line of a run, "" if there is nothing to count but records.

    >>> line("dt-swap-names", 24, {"mentions": 195, "left": 5})
    '24 records, 195 names replaced, 5 kept (see --report)'
    """
    nouns = {key: named(by, key) for key in tally}
    counts = [counted(noun, tally[key]) for key, noun in nouns.items() if noun and tally[key]]
    told = [*counts, *more]
    return ", ".join([counted("records", written), *told]) if told else ""
