"""Files that are packed, .gz and .zst: read as what they hold, and written."""

import io
from collections.abc import Iterator
from errno import EFBIG, EIO
from types import ModuleType, SimpleNamespace
from typing import Any, BinaryIO

from dialtools.system.errors import DialtoolsError, need

# What has to be held at once, all of a file or a line, may be this many times as large as what it
# was packed in, and this large whatever that was.
RATIO, HELD = 100, 100_000_000
_PIECE = 1 << 12  # bytes of a .zst file, which may hold 32,000 times as many


def is_packed(path: str) -> bool:
    """Return whether a file of this name is compressed."""
    return path.endswith((".gz", ".zst"))


def without_packing(path: str) -> str:
    """Return the name of a file without .gz and .zst."""
    return path.removesuffix(".gz").removesuffix(".zst")


class Unpacked(io.RawIOBase):
    """The content of a packed file; one that is damaged is an OSError, as a damaged disk would be.

    A stream may be of any size.  To hold what is far larger than the file is an OSError, too:
    a .gz of 10 MB can fill the memory.
    """

    def __init__(self, path: str, file: io.RawIOBase | BinaryIO | None = None):
        """Take the path, and the file, if it is open already."""
        zstandard = need("zstandard", "zst") if path.endswith(".zst") else None
        self.name, self.file, self.count = path, file or open(path, "rb"), 0
        self.line = 0  # bytes that came since the last line ended
        self.left = memoryview(b"")
        self.pieces = self._frames(zstandard) if zstandard else self._members()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            self.left = self.left or memoryview(next(self.pieces, b""))
        except (DialtoolsError, MemoryError):
            raise
        except Exception as error:  # of zlib, of zstandard, of the disk
            if isinstance(error, OSError) and error.filename:
                raise
            number = getattr(error, "errno", None) or EIO
            reason = getattr(error, "strerror", None) or str(error)
            raise OSError(number, reason, self.name) from error
        piece, self.left = self.left[: len(buffer)], self.left[len(buffer) :]
        buffer[: len(piece)] = piece
        end = piece.tobytes().rfind(b"\n")
        self.line = len(piece) - end - 1 if end >= 0 else self.line + len(piece)
        self._require_moderate(self.line)
        return len(piece)

    def readall(self) -> bytes:
        held = io.BytesIO()
        while piece := self.read(1 << 17):
            held.write(piece)
            self._require_moderate(held.tell())
        return held.getvalue()

    def close(self) -> None:
        self.file.close()
        super().close()

    def _require_moderate(self, held: int) -> None:
        """Raise OSError if so many bytes are far more than what they were packed in."""
        if held > HELD and held > RATIO * self.count:
            program = "zstd" if self.name.endswith(".zst") else "gzip"
            reason = (
                f"it unpacks to more than {RATIO} times its size, and would be held in memory; "
                f"{program} -dc {self.name} | … reads it all the same"
            )
            raise OSError(EFBIG, reason, self.name)

    def _packed(self, size: int) -> bytes:
        data = self.file.read(size)
        self.count += len(data)
        return data

    def _members(self) -> Iterator[bytes]:
        """Yield the content of a .gz file in pieces that are not empty."""
        import gzip

        file: Any = SimpleNamespace(read=self._packed)
        with gzip.GzipFile(self.name, "rb", fileobj=file) as members:
            while piece := members.read1(1 << 17):
                yield piece

    def _frames(self, zstandard: ModuleType) -> Iterator[bytes]:
        """Yield the content of a .zst file of one or several frames, in pieces that are not empty."""
        stream = None
        while packed := self._packed(_PIECE):
            while packed:
                stream = stream or zstandard.ZstdDecompressor().decompressobj()
                piece = stream.decompress(packed)
                packed, stream = (stream.unused_data, None) if stream.eof else (b"", stream)
                if piece:
                    yield piece
        if stream:  # which the library overlooks
            raise EOFError("compressed file ended before the end-of-stream marker was reached")


def packer(path: str, file: BinaryIO) -> Any:
    """Return what packs into a file as its name says; the same content is always the same bytes."""
    if path.endswith(".gz"):
        import gzip

        return gzip.GzipFile("", "wb", 6, file, mtime=0)
    return need("zstandard", "zst").ZstdCompressor().stream_writer(file, closefd=False)
