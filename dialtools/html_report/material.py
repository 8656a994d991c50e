"""What a report keeps of its files: results, a sample of sources and scores, counts, the extremes.

Counts are of all lines.  Numbers of sources and records are those of a sample that is chosen by a
hash of the id, and so of the same sources in each file; of each system the sources that change
most, or that score worst, are kept from all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heappush, heappushpop
from typing import NamedTuple

from dialtools.evaluation import gaps, units
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.html_report import input_lines
from dialtools.html_report.input_lines import RECORD, SOURCE, InputFile
from dialtools.records import dialogue, history
from dialtools.records.wellformed import is_number
from dialtools.system import stable_hash
from dialtools.system.errors import DialtoolsError

MOST_WORST = 4  # sources that are kept of each series
SAME = 1e-9  # numbers that are no further apart
MOST_CHAINS = 200
MOST_TEXT = 2_000  # characters of the texts of clusters
Chain = tuple[tuple[str, str], ...]  # (command, signature) of each step


class Observation(NamedTuple):
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
    position: float | None = None
    turns: float | None = None


class Series(NamedTuple):
    """What tells observations apart that are summed up by themselves."""

    file: int
    system: str
    lang: str
    group: str
    kind: str
    measure: str = ""


@dataclass
class Worst:
    """The sources with the largest values of a series.

    sources: (value, tie-breaker, id), a heap.
    largest: the largest value; ties: how many sources have it.
    """

    largest: float
    ties: int = 0
    sources: list[tuple[float, int, str | int]] = field(default_factory=list)

    def add(self, value: float, id: str | int) -> None:
        """Keep a source if it is among the worst."""
        if abs(value - self.largest) < SAME:
            self.ties += 1
        elif value > self.largest:
            self.largest, self.ties = value, 1
        entry = value, -digest(id), id
        if len(self.sources) < MOST_WORST:
            heappush(self.sources, entry)
        elif entry[:2] > self.sources[0][:2]:
            heappushpop(self.sources, entry)


class SourceSample:
    """Observations of the sources whose ids have the smallest digests, so many at most."""

    def __init__(self, most: int) -> None:
        self.most, self.bound = most, 1 << 64
        self.held: dict[int, list[Observation]] = {}
        self.seen = stable_hash.Seen()
        self.number = 0

    def add(self, observation: Observation) -> None:
        """Keep an observation if its id is one of the sample."""
        key = digest(observation.id)
        self.number += self.seen.add(key)
        if key < self.bound:
            self.held.setdefault(key, []).append(observation)
            if len(self.held) > 2 * self.most:
                self._cut()

    def _cut(self) -> None:
        self.bound = sorted(self.held)[self.most]
        self.held = {key: rows for key, rows in self.held.items() if key < self.bound}

    def rows(self) -> list[Observation]:
        """Return the observations, those of one file in its order."""
        if len(self.held) > self.most:
            self._cut()
        rows = (row for rows in self.held.values() for row in rows)
        return sorted(rows, key=lambda row: (row.file, not row.is_source))

    @property
    def is_cut(self) -> bool:
        """Are there more sources than the sample has?"""
        return self.number > self.most


@lru_cache(maxsize=4096)
def digest(id: str | int) -> int:
    """Return the hash of an id, by which the sample is chosen and ties are broken."""
    return stable_hash.digest("report", id)


class Material:
    """All that is kept of the files of a report.

    chains: {steps: {number of the file: lines}}; kinds: of the lines of a chain in a file.
    worst: {series: its worst sources}.
    clusters: {label: (digest, text) of some records}.
    systems: {(number of a file, what a system of it is called): its name in the file}.
    """

    def __init__(self, most: int) -> None:
        self.files: list[InputFile] = []
        self.results: defaultdict[str, list[dict]] = defaultdict(list)
        self.sample = SourceSample(most)
        self.counts: defaultdict[tuple[str, str], Counter] = defaultdict(Counter)
        self.chains: dict[Chain, Counter] = {}
        self.left_chains = 0
        self.kinds: defaultdict[tuple[Chain, int], set[str]] = defaultdict(set)
        self.worst: dict[Series, Worst] = {}
        self.clusters: dict[str, list[tuple[int, str]]] = {}
        self.cluster_sizes: Counter = Counter()
        self.systems: dict[tuple[int, str], str] = {}
        self.is_scored = False  # has a record scores?
        self._counted = stable_hash.Seen()  # sources

    def read(self, files: Iterable[InputFile]) -> None:
        """Take note of all lines of files."""
        for number, file in enumerate(files):
            self.files.append(file)
            for place, line in input_lines.lines(file):
                kind = input_lines.kind(line, place)
                input_lines.check(line, kind, place)
                file.lines[kind] += 1
                if kind not in (RECORD, SOURCE):
                    self.results[kind].append(line | {"file": number})
                    if chain_of(line):
                        self._add_chain(line, number, kind)
                    continue
                input_lines.check_record(line, place)
                if line.get("id") is None:
                    line["id"] = str(file.lines[kind])
                    file.is_numbered = True
                self._add_chain(line, number, kind)
                if kind == SOURCE:
                    self._add_source(line, number)
                else:
                    self._add_record(line, number)
        if len(self.pools()) < 2:  # else it tells nothing apart
            self.sample.held = {
                key: [row._replace(group="") for row in rows]
                for key, rows in self.sample.held.items()
            }
            self.worst = {series._replace(group=""): worst for series, worst in self.worst.items()}

    def name_systems(self, names: Mapping[tuple[int, str], str]) -> None:
        """Call the systems of files by other names: {(number of a file, system): what to call it}."""
        self.systems = {(file, name): system for (file, system), name in names.items()}
        self.sample.held = {
            key: [
                row._replace(system=names.get((row.file, row.system), row.system)) for row in rows
            ]
            for key, rows in self.sample.held.items()
        }
        self.worst = {
            series._replace(system=names.get((series.file, series.system), series.system)): worst
            for series, worst in self.worst.items()
        }

    def pools(self) -> set[str]:
        """Return the pools of names that observations or results tell of."""
        results = (result for kind in input_lines.SUMMARIES for result in self.results[kind])
        of_results = (pool for result in results for pool in pools_of(result))
        of_rows = (row.group for rows in self.sample.held.values() for row in rows)
        return {*(series.group for series in self.worst), *of_rows, *of_results} - {""}

    def _add_chain(self, line: dict, number: int, kind: str) -> None:
        chain = tuple(steps(line))
        if chain not in self.chains and len(self.chains) == MOST_CHAINS:
            self.left_chains += 1
            return
        self.chains.setdefault(chain, Counter())[number] += 1
        self.kinds[chain, number].add(kind)

    def _add_source(self, line: dict, number: int) -> None:
        """Take note of a line of dt-score --per-source."""
        measured = numbers_of(line)
        is_of_speaker = "position" in line or "speaker" in line
        kind = "" if is_of_speaker else str(line.get("variant") or "")
        series = self._series(line, number, kind)
        of_kinds = any(label.startswith("consistency:") for label in measured)
        group, kind = apart(series.group, series.kind, of_kinds)
        series = series._replace(group=group, kind=kind)
        self.sample.add(
            Observation(
                True,
                *series[:5],
                line["id"],
                line.get("cluster") or line["id"],
                str(line.get("variant") or ""),
                measured,
                *(line[key] if is_number(line.get(key)) else None for key in ("position", "turns")),
            )
        )
        counts = self.counts[series.system, series.lang]
        key = series.system, series.lang, repr(line["id"])
        # a dialogue has a line for each pool and each kind of variants
        counts["sources"] += self._counted.is_new(("", *key))
        if line.get("errors"):
            counts["failed sources"] += self._counted.is_new(("failed", *key))
        labels = (label for label in measured if label.startswith(input_lines.LABELS_OF_SOURCES))
        if label := next(labels, ""):
            self._note(series._replace(measure=label), measured[label], line["id"])

    def _series(self, line: dict, number: int, kind: str) -> Series:
        system = line.get("system") or self.files[number].stem
        return Series(number, str(system), dialogue.lang(line), group_of(line), kind)

    def _note(self, series: Series, value: float, id: str | int) -> None:
        self.worst.setdefault(series, Worst(value)).add(value, id)

    def _add_record(self, line: dict, number: int) -> None:
        id, variant, measured = line["id"], str(line.get("variant") or ""), numbers_of(line)
        self.is_scored |= "scores" in line
        series = self._series(line, number, kind_of(variant))
        if measured:
            cluster = line.get("cluster") or id
            self.sample.add(Observation(False, *series[:5], id, cluster, variant, measured))
            if not variant:
                label = next(filter(is_better_higher, measured), next(iter(measured)))
                self._note(series._replace(measure=f"-{label}"), -measured[label], id)

        # what there is to count of it, and what its history counts
        counts = self.counts[series.system, series.lang]
        counts["variants" if variant else "originals"] += 1
        counts["failed"] += bool(line.get("errors"))
        if "prediction" in line:
            counts["outputs"] += 1
            counts["empty outputs"] += not any(map(str.isalnum, dialogue.best(line)))
        entries = line.get("history") or ()
        changes = [entry["changed"] for entry in entries if "changed" in entry]
        counts["unchanged variants"] += bool(variant and changes and not any(changes))
        for entry in entries:
            for name, times in (entry.get("counts") or {}).items():
                if is_number(times) and name not in ("empty", "empty_reference"):
                    counts[name.replace("_", " ")] += times

        if line.get("cluster_label") is not None:
            label = str(line["cluster_label"])
            self.cluster_sizes[label] += 1
            texts = self.clusters.setdefault(label, [])
            texts.append((digest(id), text_of(line)[:MOST_TEXT]))
            if len(texts) > 8:  # those with the smallest digests stay
                texts.sort()
                del texts[3:]


def text_of(record: dict) -> str:
    """Return what a record says: its text, its prediction, or its dialogue."""
    if isinstance(record.get("text"), str):
        return record["text"]
    if prediction := record.get("prediction"):
        return prediction if isinstance(prediction, str) else str(prediction[0])
    spoken = record.get("dialogue") or ""
    return spoken if isinstance(spoken, str) else dialogue.text(spoken)


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
    without_pool = [
        part
        for part in kinds
        if not (group and part.startswith("names") and part.partition(".")[2] == group)
    ]
    if len(without_pool) == len(kinds):
        return group, kind
    return ("", kind) if of_kinds else (group, "/".join(without_pool))


def numbers_of(line: dict) -> dict[str, float]:
    """Return the scores of a record or a source that are numbers."""
    scores = line.get("scores") or {}
    return {name: float(value) for name, value in scores.items() if is_number(value)}


@lru_cache(maxsize=256)  # it is asked for each record
def is_better_higher(label: str) -> bool:
    """Return whether a higher number of a metric is better, as far as anybody says."""
    try:
        return units.better(ChosenMetric(label)) == "higher"
    except (DialtoolsError, ImportError):
        return False


def group_of(line: dict) -> str:
    """Return the pool that the names of a record, a source or a result were drawn from; "" for none
    and for several.
    """
    pools = pools_of(line)
    return pools[0] if len(pools) == 1 else ""


def pools_of(line: dict) -> list[str]:
    """Return the pools that the names of a record, a source or a result were drawn from."""
    if isinstance(line.get("pool"), str):
        return [line["pool"]]
    pools: dict[str, None] = {}
    for entry in (*(line.get("history") or ()), *chain_of(line)):
        signature = entry.get("signature") if isinstance(entry, dict) else entry
        if isinstance(signature, str) and (pool := history.parts(signature).get("pool")):
            pools[pool] = None
    return list(pools)


def chain_of(line: dict) -> list:
    """Return the chain that a result carries: the signatures of what made its records."""
    chain = line.get("chain")
    return chain if isinstance(chain, list) else []


def steps(line: dict) -> Iterator[tuple[str, str]]:
    """Yield (command, signature) for each filter that made a record or a result."""
    for entry in (*chain_of(line), *(line.get("history") or ())):
        if not isinstance(entry, dict):
            yield "", str(entry)
            continue
        signature = entry.get("signature")
        if isinstance(signature, dict):
            signature = "; ".join(map(str, dict.fromkeys(signature.values())))
        yield str(entry.get("by") or ""), str(signature or "")
