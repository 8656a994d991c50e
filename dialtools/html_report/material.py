"""What a report keeps of its files: results, a sample of sources and scores, counts, the extremes.

Counts are of all lines.  Numbers of sources and records are those of a sample that is chosen by a
hash of the id, and so of the same sources in each file; of each system the sources that change
most, or that score worst, are kept from all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from heapq import heappush, heappushpop
from itertools import combinations, zip_longest
from statistics import median
from typing import NamedTuple

from dialtools.evaluation import gaps
from dialtools.html_report import commandlines, inputs, recognition
from dialtools.html_report.inputs import File
from dialtools.records import dialogue, history
from dialtools.records.wellformed import is_number
from dialtools.system import stable_hash

WORST = 4  # sources that are kept of each series
CHANGE = "change of outputs"  # the share of characters that differ, where no metric measured it
SAME = 1e-9  # numbers that are no further apart
MOST_CHAINS = 200
MOST_TEXT = 2_000  # characters of an output for the control
_POOL = "pool"
Chain = tuple[tuple[str, str], ...]  # (command, signature) of each step


class Row(NamedTuple):
    """The numbers of a source, or of a record.

    kind: of the variant; "" of an original, and of a source whose variants were all compared.
    measured: {label: number}, such as S:rouge2 of a source and rouge2 of a record.
    """

    is_source: bool
    file: int
    system: str
    lang: str
    group: str
    kind: str
    id: str | int
    cluster: str | int
    variant: str
    measured: dict[str, float]
    output: str = ""
    position: float | None = None
    turns: float | None = None
    label: str = ""


class Series(NamedTuple):
    """What tells rows apart that are summed up by themselves."""

    file: int
    system: str
    lang: str
    group: str
    kind: str
    measure: str


class Sample:
    """Rows of the sources whose ids have the smallest digests, so many at most."""

    def __init__(self, most: int) -> None:
        self.most, self.bound = most, 1 << 64
        self.held: dict[int, list[Row]] = {}
        self.seen = stable_hash.Seen()
        self.number = 0

    def add(self, row: Row) -> None:
        """Keep a row if its id is one of the sample."""
        key = _digest(row.id)
        self.number += self.seen.add(key)
        if key < self.bound:
            self.held.setdefault(key, []).append(row)
            if len(self.held) > 2 * self.most:
                self._cut()

    def _cut(self) -> None:
        self.bound = sorted(self.held)[self.most]
        self.held = {key: rows for key, rows in self.held.items() if key < self.bound}

    def rows(self) -> list[Row]:
        """Return the rows, those of one file in its order."""
        if len(self.held) > self.most:
            self._cut()
        found = (row for rows in self.held.values() for row in rows)
        return sorted(found, key=lambda row: (row.file, not row.is_source))

    @property
    def is_cut(self) -> bool:
        """Are there more sources than the sample has?"""
        return self.number > self.most


@lru_cache(maxsize=4096)
def _digest(id: str | int) -> int:
    return stable_hash.digest("report", id)


class Material:
    """All that is kept of the files of a report."""

    def __init__(self, most: int) -> None:
        self.files: list[File] = []
        self.results: defaultdict[str, list[dict]] = defaultdict(list)
        self.sample = Sample(most)
        self.counts: defaultdict[tuple[str, str], Counter] = defaultdict(Counter)
        self.chains: dict[Chain, Counter] = {}
        self.left_chains = 0
        # {(chain, number of the file): kinds of its lines}
        self.kinds: defaultdict[tuple[Chain, int], set[str]] = defaultdict(set)
        # {(chain, number of the file): variants that each step made, [] where it cannot be told}
        self.variants: dict[tuple[Chain, int], list[int]] = {}
        self.sources = stable_hash.Seen()  # counted already
        self.labels: dict[str, str] = {}  # of metrics, by signature
        self.extremes: dict[Series, list[tuple[float, int, str | int]]] = {}
        # {series: its largest value, and how many have it}
        self.ties: dict[Series, tuple[float, int]] = {}
        self.clusters: dict[str, list[tuple[int, str]]] = {}
        self.cluster_sizes: Counter = Counter()

    def read(self, files: Iterable[File]) -> None:
        """Take note of all lines of files."""
        for number, file in enumerate(files):
            self.files.append(file)
            group: list[dict] = []
            for place, line in inputs.lines(file):
                kind = recognition.kind(line, place)
                file.lines[kind] += 1
                if kind in (recognition.RECORD, recognition.SOURCE):
                    inputs.checked(line, place)
                    if line.get("id") is None:
                        line["id"] = str(file.lines[kind])
                        file.facts["numbered"] = True
                    self._add_chain(line, number, kind)
                if kind == recognition.RECORD:
                    if group and history.source(group[0]) != history.source(line):
                        self._add_group(group, number)
                        group = []
                    group.append(line)
                elif kind == recognition.SOURCE:
                    self._add_source(line, number)
                else:
                    self.results[kind].append(line | {"file": number})
                    if chain_of(line):
                        self._add_chain(line, number, kind)
            if group:
                self._add_group(group, number)
        if len(self.pools()) < 2:  # else it tells nothing apart
            self.sample.held = {
                key: [row._replace(group="") for row in rows]
                for key, rows in self.sample.held.items()
            }
            self.extremes = {
                series._replace(group=""): worst for series, worst in self.extremes.items()
            }
            self.ties = {series._replace(group=""): tied for series, tied in self.ties.items()}

    def pools(self) -> set[str]:
        """Return the pools of names that rows or results tell of."""
        return {
            name
            for name in (
                *(series.group for series in self.extremes),
                *(row.group for rows in self.sample.held.values() for row in rows),
                *(
                    pool
                    for kind in recognition.SUMMARIES
                    for result in self.results[kind]
                    for pool in pools_of(result)
                ),
            )
            if name
        }

    def _add_chain(self, line: dict, number: int, kind: str) -> None:
        chain = tuple(steps(line))
        if chain not in self.chains:
            if len(self.chains) >= MOST_CHAINS:
                self.left_chains += 1
                return
            self.chains[chain] = Counter()
            self.labels |= labels(line)
        self.chains[chain][number] += 1
        kinds = self.kinds[chain, number]
        kinds.add(kind)
        if isinstance(line.get("by"), str):
            kinds.add(f"{commandlines.BY}{line['by']}")
        if kind == recognition.RECORD and line.get("variant"):
            held, own = self.variants.setdefault((chain, number), []), numbers_of(line)
            self.variants[chain, number] = [
                max(pair) for pair in zip_longest(held, own, fillvalue=0)
            ]

    def _add_source(self, line: dict, number: int) -> None:
        measured = _measured(line)
        outputs = line.get("outputs") or [""]
        file, system, lang, pool, kind = self._series(line, number)
        of_kinds = any(name.startswith("consistency:") for name in measured)
        series = file, system, lang, *apart(pool, kind, of_kinds)
        self.sample.add(
            Row(
                True,
                *series,
                line["id"],
                line.get("cluster") or line["id"],
                str(line.get("variant") or ""),
                measured,
                str(outputs[0])[:MOST_TEXT],
                _number(line, "position"),
                _number(line, "turns"),
            )
        )
        counts = self.counts[system, lang]
        whose = str(system), str(lang), repr(line["id"])
        # a dialogue has a line for each pool and each kind of variants
        counts["sources"] += self.sources.is_new(("", *whose))
        if line.get("errors"):
            counts["failed sources"] += self.sources.is_new(("failed", *whose))
        if label := next(
            (name for name in measured if name.startswith(("S:", "consistency:"))), None
        ):
            self._note(Series(*series, label), measured[label], line["id"])

    def _series(self, line: dict, number: int) -> tuple[int, str, str, str, str]:
        system = line.get("system") or self.files[number].stem
        kind = str(line.get("variant") or "")
        if "position" in line or "speaker" in line:
            kind = ""
        return number, str(system), dialogue.lang(line), group_of(line), kind

    def _note(self, series: Series, value: float, id: str | int) -> None:
        """Keep a source if it is among the worst of its series, which have the largest values."""
        worst = self.extremes.setdefault(series, [])
        most, number = self.ties.get(series, (value, 0))
        if abs(value - most) < SAME:
            self.ties[series] = most, number + 1
        elif value > most:
            self.ties[series] = value, 1
        item = value, -_digest(id), id
        if len(worst) < WORST:
            heappush(worst, item)
        elif item[:2] > worst[0][:2]:
            heappushpop(worst, item)

    def _add_group(self, group: list[dict], number: int) -> None:
        """Take note of the records of one source and system."""
        for line in group:
            self._add_record(line, number)
        change = change_of_outputs(group)
        if change is not None:
            first = next((line for line in group if line.get("variant")), group[0])
            pools = {group_of(line) for line in group if line.get("variant")}
            series = self._series(first | {"variant": ""}, number)
            if len(pools) > 1:  # whose outputs were all compared
                series = (*series[:3], "", series[4])
            self._note(Series(*series, CHANGE), change, first["id"])
            self.sample.add(
                Row(
                    True,
                    *series,
                    first["id"],
                    first.get("cluster") or first["id"],
                    "",
                    {CHANGE: change},
                )
            )

    def _add_record(self, line: dict, number: int) -> None:
        series = list(self._series(line | {"variant": ""}, number))
        series[4] = kind_of(line.get("variant") or "")
        counts = self.counts[str(series[1]), str(series[2])]
        _count(line, counts)
        measured, label = _measured(line), line.get("cluster_label")
        if measured:
            row = Row(
                False,
                *series,
                line["id"],
                line.get("cluster") or line["id"],  # type: ignore
                str(line.get("variant") or ""),
                measured,
            )
            self.sample.add(row)
            if not line.get("variant"):
                name, value = next(iter(measured.items()))
                self._note(Series(*series, f"-{name}"), -value, line["id"])  # type: ignore
        if label is not None:
            self._add_label(str(label), line)

    def _add_label(self, label: str, line: dict) -> None:
        """Count a record of a cluster; keep the texts of those with the smallest digests."""
        self.cluster_sizes[label] += 1
        kept = self.clusters.setdefault(label, [])
        kept.append((_digest(line["id"]), text_of(line)[:MOST_TEXT]))
        if len(kept) > 8:
            kept.sort()
            del kept[3:]


def text_of(record: dict) -> str:
    """Return what a record says: its text, its prediction, or its dialogue."""
    prediction = record.get("prediction")
    if isinstance(record.get("text"), str):
        return record["text"]
    if prediction:
        return prediction if isinstance(prediction, str) else str(prediction[0])
    said = record.get("dialogue") or ""
    return said if isinstance(said, str) else dialogue.text(said)


def _count(line: dict, counts: Counter) -> None:
    """Count a record, and what its history counts of it."""
    is_variant = bool(line.get("variant"))
    counts["variants" if is_variant else "originals"] += 1
    counts["failed"] += bool(line.get("errors"))
    if "prediction" in line:
        counts["outputs"] += 1
        counts["empty outputs"] += not any(map(str.isalnum, dialogue.best(line)))
    entries = line.get("history") or ()
    changes = [entry["changed"] for entry in entries if "changed" in entry]
    counts["unchanged variants"] += bool(is_variant and changes and not any(changes))
    for entry in entries:
        for name, number in (entry.get("counts") or {}).items():
            if is_number(number) and name not in ("empty", "empty_reference"):
                counts[name.replace("_", " ")] += number


def kind_of(variant: str) -> str:
    """Return the kind of a variant; "" of an original."""
    return gaps.kind(variant) if variant else ""


def apart(group: str, kind: str, of_kinds: bool) -> tuple[str, str]:
    """Return the pool and the kind of variants, without either where it repeats the other.

    of_kinds: keep the kind rather than the pool.

    >>> apart("rare", "names.rare", False), apart("rare", "names.rare/typo.case", False)
    (('rare', ''), ('rare', 'typo.case'))
    >>> apart("rare", "names.rare", True), apart("rare", "typo.case", True)
    (('', 'names.rare'), ('rare', 'typo.case'))
    """
    kinds = history.typed(kind).split("/")
    rest = [
        one
        for one in kinds
        if not (group and one.startswith("names") and one.partition(".")[2] == group)
    ]
    if len(rest) == len(kinds):
        return group, kind
    return ("", kind) if of_kinds else (group, "/".join(rest))


def _number(line: dict, key: str) -> float | None:
    return line[key] if is_number(line.get(key)) else None


def _measured(line: dict) -> dict[str, float]:
    scores = line.get("scores") or {}
    return {name: float(value) for name, value in scores.items() if is_number(value)}


def group_of(line: dict) -> str:
    """Return the pool that the names of a record, a source or a result were drawn from; "" for none
    and for several.
    """
    found = pools_of(line)
    return found[0] if len(found) == 1 else ""


def pools_of(line: dict) -> list[str]:
    """Return the pools that the names of a record, a source or a result were drawn from."""
    if isinstance(line.get(_POOL), str):
        return [line[_POOL]]
    found: dict[str, None] = {}
    for entry in (*(line.get("history") or ()), *chain_of(line)):
        signature = entry.get("signature") if isinstance(entry, dict) else entry
        if isinstance(signature, str) and (pool := history.parts(signature).get(_POOL)):
            found[pool] = None
    return list(found)


def chain_of(line: dict) -> list:
    """Return the chain that a result carries: the signatures of what made its records."""
    chain = line.get("chain")
    return chain if isinstance(chain, list) else []


def steps(line: dict) -> Iterator[tuple[str, str]]:
    """Yield (command, signature) for each filter that made a record or a result."""
    for entry in chain_of(line):
        if isinstance(entry, dict):
            yield str(entry.get("by") or ""), _signature(entry)
        else:
            yield "", str(entry)
    for entry in line.get("history") or ():
        yield str(entry.get("by") or ""), _signature(entry)


def labels(line: dict) -> dict[str, str]:
    """Return {signature: label} of the metrics of a record or a result."""
    found: dict[str, str] = {}
    for entry in line.get("history") or ():
        if isinstance(entry.get("signature"), dict):
            found |= {str(signature): str(label) for label, signature in entry["signature"].items()}
    if "metric" in line and "signature" in line:
        found[str(line["signature"])] = str(line["metric"])
    return found


def numbers_of(record: dict) -> list[int]:
    """Return the number that each step gave to a variant; [] of kinds that were applied together.

    >>> numbers_of({"variant": "names:2/typo.case:1"})
    [2, 1]
    """
    if any("step" in entry for entry in record.get("history") or ()):
        return []
    found = [part.rpartition(":")[2] for part in str(record["variant"]).split("/")]
    return [int(number) for number in found] if all(map(str.isdecimal, found)) else []


def _signature(entry: dict) -> str:
    signature = entry.get("signature")
    if isinstance(signature, dict):
        return "; ".join(map(str, dict.fromkeys(signature.values())))
    return str(signature or "")


def change_of_outputs(group: list[dict]) -> float | None:
    """Return the mean share of characters, in percent, that differ between outputs of a source.

    Compared are the variants, or the only variant with its original; at most ten of them.
    """
    from rapidfuzz.distance import Indel

    spoken = [line for line in group if line.get("prediction")]
    variants = [line for line in spoken if line.get("variant")]
    outputs = [dialogue.best(line) for line in (variants if len(variants) > 1 else spoken)][:10]
    if not variants or len(outputs) < 2:
        return None
    pairs = [100 * Indel.normalized_distance(one, other) for one, other in combinations(outputs, 2)]
    return sum(pairs) / len(pairs)


def middle(rows: Iterable[Row], measure: str) -> Row | None:
    """Return the row whose value is the median, or the next one above it."""
    held = sorted(
        (row for row in rows if measure in row.measured),
        key=lambda row: (row.measured[measure], _digest(row.id)),
    )
    if not held:
        return None
    value = median(row.measured[measure] for row in held)
    return next(row for row in held if row.measured[measure] >= value)
