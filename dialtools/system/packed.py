"""Files that are packed, .gz and .zst: read as what they hold, and written."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO
from types import ModuleType
from typing import Any, BinaryIO

from dialtools.system.errors import need


def is_packed(path: str) -> bool:
    """Return whether a file of this name is compressed."""
    return path.endswith((".gz", ".zst"))


@contextmanager
def unpacked(path: str, file: BinaryIO | None = None) -> Iterator[BinaryIO]:
    """Open a compressed file; one that is damaged is an OSError, as a damaged disk would be.

    file: the file of that path, if it is open already.
    """
    import gzip
    import zlib

    broken: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    if path.endswith(".zst"):
        zstandard = need("zstandard", "zst")
        broken += (zstandard.ZstdError,)
    try:
        packed: Any = (
            gzip.open(file or path)
            if path.endswith(".gz")
            else io.BufferedReader(_Zstandard(path, zstandard, file))
        )
        with packed as content:
            yield content
    except broken as error:
        raise OSError(EIO, str(error), path) from error


def packer(path: str, file: BinaryIO) -> Any:
    """Return what packs into a file as its name says; the same content is always the same bytes."""
    if path.endswith(".gz"):
        import gzip

        return gzip.GzipFile("", "wb", 6, file, mtime=0)
    return need("zstandard", "zst").ZstdCompressor().stream_writer(file, closefd=False)


class _Zstandard(io.RawIOBase):
    """The content of a .zst file; a truncated file is an EOFError, which the library misses."""

    def __init__(self, path: str, zstandard: ModuleType, file: BinaryIO | None = None):
        self.file, self.name = file or open(path, "rb"), path
        self.frames, self.left = _frames(self.file, zstandard), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self.left = self.left or memoryview(next(self.frames, b""))
        size = min(len(buffer), len(self.left))
        buffer[:size], self.left = self.left[:size], self.left[size:]
        return size

    def close(self) -> None:
        self.file.close()
        super().close()


def _frames(file: BinaryIO, zstandard: ModuleType) -> Iterator[bytes]:
    """Yield the content of a .zst file of one or several frames, in pieces that are not empty."""
    stream = None
    while packed := file.read(1 << 16):
        while packed:
            stream = stream or zstandard.ZstdDecompressor().decompressobj()
            piece = stream.decompress(packed)
            packed, stream = (stream.unused_data, None) if stream.eof else (b"", stream)
            if piece:
                yield piece
    if stream:
        raise EOFError("compressed file ended before the end-of-stream marker was reached")
