"""New names for the speakers of a record, in all its texts, and back again."""

from collections.abc import Iterable, Sequence
from random import Random

from dialtools import dialogue, history, languages
from dialtools import edits as span_edits
from dialtools.errors import RecordError
from dialtools.names import finding, pools

TRIES = 100  # draws of all names of a record before a variant that differs is given up


def speakers(record: dict, roles: bool) -> list[str]:
    """Return the names of those who speak, in the order of their first turns; roles such as Agent only if asked."""
    lang = record["lang"]
    names = dict.fromkeys(name.strip() for name in dialogue.speakers(dialogue.turns(record)))
    return [name for name in names if roles or not languages.is_role(name, lang)]


class Drawing:
    """Draws new names for the speakers of one record."""

    def __init__(self, record: dict, names: Sequence[str], pool: Sequence[dict], keep_gender: bool):
        self.record, self.names = record, names
        known = pools.genders(record["lang"]) if keep_gender else {}
        self.genders = [known.get(name.lower()) for name in names]
        self.pools = {gender: [row["name"] for row in pool if gender is None or row["gender"] in (gender, "")]
                      for gender in set(self.genders)}
        self.unknown = self.genders.count(None) if keep_gender else 0
        self.text = "\n".join(text for _, text in dialogue.strings(record)).lower()

    def draw(self, rng: Random, before: Iterable[dict[str, str]]) -> dict[str, str]:
        """Return a map from names to names that differs from those before; none occurs in the record already."""
        for _ in range(TRIES):
            names = self._draw_once(rng)
            if names not in before:
                return names
        raise RecordError(f"no further variant that differs: the pool holds {self._sizes()} names", self.record)

    def _draw_once(self, rng: Random) -> dict[str, str]:
        drawn: dict[str, str] = {}
        for name, gender in zip(self.names, self.genders, strict=True):
            new = pools.draw(self.pools[gender], rng,
                             lambda new: new not in drawn.values() and new.lower() not in self.text)
            if new is None:
                raise RecordError(f"too few names for {len(self.names)} speakers: the pool holds {self._sizes()}, "
                                  "and none that occurs in the record is taken", self.record)
            drawn[name] = new
        return drawn

    def _sizes(self) -> str:
        labels = {"f": "female", "m": "male", "u": "unisex", None: "in all"}
        return ", ".join(f"{len(pool)} {labels[gender]}" for gender, pool in self.pools.items())


def swap(record: dict, names: dict[str, str]) -> tuple[dict, list[list], dict[str, int]]:
    """Return the record with its names exchanged, the edits, and how many mentions were replaced and left."""
    edits, counts = [], {"mentions": 0, "left": 0}
    for pointer, text in dialogue.strings(record):
        label = pointer.endswith("/speaker")
        if label and text.strip() in names:
            start = len(text) - len(text.lstrip())
            name = text.strip()
            edits.append([pointer, start, start + len(name), name, names[name]])
        elif not label and not pointer.startswith("/prediction"):
            found, left = _edits(pointer, text, names, record["lang"])
            edits += found
            counts["mentions"] += len(found)
            counts["left"] += left
    swapped, made = span_edits.apply(record, edits)
    if "prediction" in swapped:  # restored by the names, not by edits: a later filter may write another one
        swapped["prediction"] = _renamed(record["prediction"], names, record["lang"])
    return swapped, made, counts


def _edits(pointer: str, text: str, names: dict[str, str], lang: str) -> tuple[list[list], int]:
    found, left = [], 0
    for mention in finding.mentions(text, names, lang):
        if mention is None:
            left += 1
        else:
            new = finding.in_case_of(mention.written, mention.name, names[mention.name])
            found.append([pointer, mention.start, mention.end, mention.written, new])
    return found, left


def _renamed(prediction: str | list[str], names: dict[str, str], lang: str) -> str | list[str]:
    if isinstance(prediction, list):
        return [str(_renamed(text, names, lang)) for text in prediction]
    pieces, at = [], 0
    for _, start, end, _, new in _edits("", prediction, names, lang)[0]:
        pieces += [prediction[at:start], new]
        at = end
    return "".join([*pieces, prediction[at:]])


def restore(record: dict, by: str, signature: str) -> dict:
    """Return the record as it was before the last swap, with the names mapped back in its prediction.

    What cannot be mapped back is listed in the history: words that a new name
    begins ("Jamesy" for James), and old names that the output holds though
    the swapped input did not ("strangers").
    """
    restored, entry = history.undo(record, by)
    if entry is None:
        return record
    names, lang, facts = entry["names"], record["lang"], {}
    if "prediction" in record:
        outputs = record["prediction"] if isinstance(record["prediction"], list) else [record["prediction"]]
        restored["prediction"] = _renamed(record["prediction"], {new: old for old, new in names.items()}, lang)
        facts = {"unmapped": sorted(set().union(*(_derived(text, names.values()) for text in outputs))),
                 "strangers": sorted({mention.name for text in outputs
                                      for mention in finding.mentions(text, names, lang) if mention})}
    counts = {name: len(found) for name, found in facts.items()}
    return history.add(restored, by, signature, undoes=entry["number"],
                       **{name: found for name, found in facts.items() if found}, counts=counts)


def _derived(text: str, names: Iterable[str]) -> set[str]:
    """Return the words of a text that begin with a name but go on."""
    import regex

    begun = "|".join(regex.escape(name) for name in names if name[-1:].isalpha() and not regex.search(
        r"\p{Han}|\p{Hiragana}|\p{Katakana}", name))
    return set(regex.findall(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{begun})[\p{{L}}\p{{M}}]+", text)) if begun else set()
