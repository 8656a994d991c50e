"""Records and their vectors on disk, so that memory does not grow with their number."""

import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from dialtools.records import jsonl
from dialtools.system.errors import RecordError


class Spool:
    """Records with a vector each, in temporary files that vanish when it is closed."""

    def __init__(self) -> None:
        self._records, self._vectors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.size = self.dimensions = 0

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *error: object) -> None:
        self._records.close()
        self._vectors.close()

    def add(self, records: Iterable[dict], vectors: Iterable[Any]) -> None:
        """Keep records and their vectors. Raise RecordError for a vector of another length."""
        import numpy

        for record, vector in zip(records, vectors, strict=True):
            row = numpy.asarray(vector, numpy.float32)
            self.dimensions = self.dimensions or len(row)
            if len(row) != self.dimensions:
                raise RecordError(
                    f"its vector has {len(row):,} numbers, the first has {self.dimensions:,}",
                    record,
                )
            self._records.write(jsonl.dumps(record))
            self._vectors.write(row.tobytes())
            self.size += 1

    def vectors(self) -> Any:
        """Return all vectors (records, dimensions), float32, mapped from disk."""
        import numpy

        self._vectors.flush()
        return numpy.memmap(self._vectors, numpy.float32, "r", shape=(self.size, self.dimensions))

    def records(self) -> Iterator[dict]:
        """Yield the records in the order in which they came."""
        self._records.seek(0)
        yield from map(jsonl.loads, self._records)
