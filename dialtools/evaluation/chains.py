"""Chains: which filters made the records of a result, in their order, and what these counted.

A result's "chain" is a list of steps: the command ("by"), its signature, how many "records" it
made, how many of them it "changed", and what it counted (truncated, empty, …) where that is not 0.
In a comparison a step of some groups alone names them under "of".

Records should differ in what made them variants alone: one kind of variant, or one pool of names,
has one chain.  Where that is not so, the steps that some lack are marked ("differs"), and
"chain_differs" counts the records (or sources) whose chain is not that of most.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dialtools.evaluation.gaps import kind
from dialtools.records import dialogue

MOST = 100  # different chains of one kind that are told apart, and different steps
TOLD = ("truncated", "failed", "skipped")  # counts that a result has as keys of its own
KEYS = (*TOLD, "chain_differs", "chain")
_REFERENCES = re.compile(r"(?<=\|refs:)(\d+)(?:-(\d+))?")  # how many there are is a record's own
_COMMON = "common"  # what variants of all kinds and originals have alike
_FIRST = ("records", "originals", "changed")  # of what a step counted
_FILLED = "input"  # is no filter: a language was null

Step = tuple[str, str]


class Chain:
    """The chain of many records; its memory does not grow with them."""

    def __init__(self, *labels: str):
        """Take the labels of the scores whose signatures count; those of others made nothing."""
        self.labels = labels
        self.steps: dict[Step, Counter] = {}
        self.order: list[Step] = []
        self.references: dict[Step, set[int]] = {}
        self.alike: dict[tuple, Counter] = {}  # what should have one chain: how often each is there
        self.differing = self.failed = 0

    def add(self, record: dict, count: str = "records") -> None:
        """Add a record, or a source with a chain of its own, to those that are counted.

        count: what the record counts as: "records", or "originals" beside its variants.
        """
        lang, variant = dialogue.lang(record), record.get("variant") or ""
        if is_chain(record.get("chain")):
            given = [(str(step.get("by")), str(step.get("signature"))) for step in record["chain"]]
            for step, facts in zip(given, record["chain"], strict=True):
                self._count(
                    step, {name: number for name, number in facts.items() if type(number) is int}
                )
            self.differing += int(record.get("chain_differs") or 0)
            self.failed += int(record.get("failed") or 0)
            self._note(("source", kind(variant), lang), given)
        else:
            self.failed += bool(record.get("errors"))
        common, steps = list[Step](), list[Step]()
        for entry in record.get("history") or ():
            if entry.get("again"):  # it is there from the first time
                continue
            of_entry = self._steps(entry)
            counts = entry.get("counts")
            for step in of_entry:
                changed = {"changed": 1} if entry.get("changed") else {}
                counted = counts if isinstance(counts, dict) else {}
                self._count(step, {count: 1, **changed, **counted})
            steps += of_entry
            if "edits" not in entry and "undoes" not in entry:  # else it made variants
                common += of_entry
        self._note((_COMMON, lang), common)
        self._note(("record", kind(variant), lang), steps)

    def _steps(self, entry: dict) -> list[Step]:
        """Return the steps of an entry of a history; of scores, whatever the number of references."""
        signature, by = entry.get("signature"), str(entry.get("by"))
        if by == _FILLED:
            return []
        if not isinstance(signature, Mapping):
            return [(by, str(signature or ""))]
        steps = []
        for label in self.labels:
            if label in signature:
                signed = str(signature[label])
                step = by, _REFERENCES.sub("", signed)
                steps.append(step)
                if numbers := _REFERENCES.search(signed):
                    self.references.setdefault(step, set()).update(
                        int(number) for number in numbers.groups() if number
                    )
        return steps

    def _count(self, step: Step, counts: Mapping[str, int]) -> None:
        known = self.steps.get(step)
        if known is None:
            if len(self.steps) >= MOST:
                return
            known = self.steps[step] = Counter()
        known.update(counts)

    def _note(self, alike: tuple, steps: Sequence[Step]) -> None:
        """Count a chain among those that should be like it, and learn the order of its steps."""
        chain = tuple(steps)
        if (known := self.alike.get(alike)) is None:
            known = self.alike[alike] = Counter()
        if chain not in known:
            _merge(self.order, [step for step in chain if step in self.steps])
            chain = chain if len(known) < MOST else ()
        known[chain] += 1

    def merge(self, other: "Chain") -> None:
        """Add the records of another one, which come next."""
        _merge(self.order, other.order)
        for step, counts in other.steps.items():
            self._count(step, counts)
        for step, numbers in other.references.items():
            self.references.setdefault(step, set()).update(numbers)
        for alike, chains in other.alike.items():
            self.alike.setdefault(alike, Counter()).update(chains)
        self.differing += other.differing
        self.failed += other.failed

    def facts(self) -> dict:
        """Return the keys of a result: chain, and what else there is to say of it."""
        # the steps that some of the records lack that should have one chain
        differing = {
            step
            for chains in self.alike.values()
            if len(chains) > 1
            for chain in chains
            for step in chain
            if any(step not in another for another in chains)
        }
        numbers: Counter = Counter()
        for (of, *_), chains in self.alike.items():
            numbers[of == _COMMON] += chains.total() - max(chains.values())
        records = self.differing + max(numbers.values(), default=0)
        counts = Counter(failed=self.failed)
        for known in self.steps.values():
            counts.update({name: known[name] for name in TOLD if name in known})
        return {
            **{name: counts[name] for name in TOLD if counts[name]},
            **({"chain_differs": records} if records else {}),
            "chain": [
                self._facts_of(step, step in differing) for step in self.order if step in self.steps
            ],
        }

    def _facts_of(self, step: Step, differs: bool) -> dict:
        by, signature = step
        if numbers := sorted(self.references.get(step, ())):
            many = f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
            signature = re.sub(r"(?<=\|refs:)", many, signature)
        # in one order, whatever the order of the records
        counts = {
            name: number
            for name, number in sorted(
                self.steps[step].items(), key=lambda item: (item[0] not in _FIRST, item)
            )
            if number
        }
        marked = {"differs": True} if differs else {}
        return {"by": by, "signature": signature, **counts, **marked}


def is_chain(value: object) -> bool:
    """Tell whether this is the chain of a source; a record may call something else so."""
    return isinstance(value, list) and all(
        isinstance(step, dict) and "by" in step for step in value
    )


def _merge(order: list[Step], chain: Iterable[Step]) -> None:
    """Add the steps of a chain that an order lacks, each before the one that comes next in both."""
    steps = list(chain)
    for place, step in enumerate(steps):
        if step not in order:
            following = next((later for later in steps[place:] if later in order), None)
            order.insert(len(order) if following is None else order.index(following), step)


def of(records: Iterable[dict], originals: Iterable[dict] = ()) -> dict:
    """Return the facts of the chain of some records; originals: those that they are compared with."""
    chain = Chain()
    for record in records:
        chain.add(record)
    for record in originals:
        chain.add(record, "originals")
    return chain.facts()


def without_originals(source: dict) -> dict:
    """Return a source whose chain does not count the original, which another one of it counts."""
    return source | {
        "chain": [
            {key: value for key, value in step.items() if key != "originals"}
            for step in source["chain"]
        ]
    }


def of_groups(chains: Mapping[object, Chain]) -> dict:
    """Return the facts of groups that are compared; a step of some alone says "of" which."""
    facts = {name: chain.facts() for name, chain in chains.items()}
    order: list[Step] = []
    by_step: dict[Step, dict[object, dict]] = {}
    for name, of_group in facts.items():
        _merge(order, [(step["by"], step["signature"]) for step in of_group["chain"]])
        for step in of_group["chain"]:
            by_step.setdefault((step["by"], step["signature"]), {})[name] = step
    steps = []
    for by, signature in order:
        of_groups = by_step[by, signature]
        counts: Counter = Counter()
        for step in of_groups.values():
            counts.update({key: value for key, value in step.items() if type(value) is int})
        differs = {"differs": True} if any("differs" in one for one in of_groups.values()) else {}
        of = {"of": list(of_groups)} if len(of_groups) < len(facts) else {}
        steps.append({"by": by, "signature": signature, **counts, **differs, **of})
    sums = {
        key: sum(of_group.get(key, 0) for of_group in facts.values())
        for key in (*TOLD, "chain_differs")
    }
    return {**{key: number for key, number in sums.items() if number}, "chain": steps}


def ended(facts: dict, by: str, signature: str) -> dict:
    """Return facts with the step that made the result, which is the last."""
    return facts | {"chain": [*facts["chain"], {"by": by, "signature": signature}]}


class Tally:
    """What the totals of every kind of result count of records, or of sources."""

    def __init__(self) -> None:
        self.counts: Counter = Counter()
        self.references: set[int] = set()  # the numbers of references
        self.chain, self.by = Chain(), ""

    def add(self, record: dict, entry: dict) -> None:
        """Count a record in; entry: of the command that scored it, the last of its history."""
        self.chain.add(record)
        self.by = entry["by"]
        for name, number in entry["counts"].items():
            self.counts[name] += number

    def merge(self, other: "Tally") -> None:
        """Count in the records of another one, which come next."""
        self.counts.update(other.counts)
        self.references |= other.references
        self.chain.merge(other.chain)
        self.by = self.by or other.by

    def ended(self, signature: str) -> dict:
        """Return the facts of the chain, with the step that made the result."""
        return ended(self.chain.facts(), self.by, signature)
