"""Inputs that are not on this machine: https://, s3://, gs://, hf:// and what else fsspec knows.

Files on web servers are read as streams; a read that breaks goes on where the server allows it.
"""

import io
import re
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO, ENOENT
from http.client import HTTPException, HTTPResponse
from time import sleep
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from dialtools.system.errors import MissingError, OptionError, masked, need, not_installed
from dialtools.system.packed import Unpacked, is_packed

_WEB = re.compile("https?://", re.IGNORECASE)
TIMEOUT = 60.0  # seconds to connect, and for each read
PAUSES = (1.0, 4.0, 16.0)  # seconds before each attempt to go on, as long as nothing is read
_PARTIAL = 206
# what reads an address beside fsspec, and what to install for it
_LIBRARIES = {
    "s3": ("s3fs", "s3fs"),
    "gs": ("gcsfs", "gcsfs"),
    "gcs": ("gcsfs", "gcsfs"),
    "hf": ("huggingface_hub", "'dialtools[remote]'"),
}
# what raises errors of its own when a server does not do as it should
_BACKENDS = {
    "aiohttp",
    "aiobotocore",
    "asyncio",
    "botocore",
    "fsspec",
    "gcsfs",
    "google",
    "hf_xet",
    "httpx",
    "huggingface_hub",
    "requests",
    "s3fs",
    "urllib3",
}


def without_query(address: str) -> str:
    """Return the path of an address, without what follows ? or # on the web."""
    return re.split("[?#]", address, maxsplit=1)[0] if _WEB.match(address) else address


@contextmanager
def opened(address: str) -> Iterator[Any]:
    """Open a file elsewhere, .gz and .zst unpacked; what goes wrong is an OSError with the address."""
    shown = masked(without_query(address))
    with WebFile(address) if _WEB.match(address) else _by_fsspec(address) as file:
        if is_packed(shown):
            yield Unpacked(shown, file)
        elif isinstance(file, WebFile) and file.is_gzip:
            yield Unpacked(f"{file.name}.gz", file)
        else:
            yield file


@contextmanager
def _by_fsspec(address: str) -> Iterator[Any]:
    fsspec, shown = need("fsspec", "remote"), masked(address)
    try:
        with fsspec.open(address, "rb") as file:
            yield file
    except ImportError as error:
        library, wanted = _LIBRARIES.get(address.partition(":")[0].lower(), ("", ""))
        if not library:
            raise MissingError(f"{shown}: {_one_line(error)}") from None
        raise not_installed(library, wanted) from None
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise OSError(ENOENT, "No such file", shown) from error
        reason = (error.strerror or _one_line(error)).replace(address, "").strip(" :")
        raise OSError(error.errno or EIO, masked(reason), shown) from error
    except ValueError as error:
        if "rotocol not known" not in str(error):
            raise
        raise OptionError(f"{shown}: nothing reads such an address: {_one_line(error)}") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in _BACKENDS:
            raise
        raise OSError(EIO, masked(_one_line(error)), shown) from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class WebFile(io.RawIOBase):
    """The bytes of a file on a web server.

    Whatever goes wrong is an OSError: no such file, nothing to read for TIMEOUT seconds, an end
    before the size that was announced, another file where reading goes on.
    """

    def __init__(self, address: str):
        """Open the file; this is tried once."""
        self.address, self.name, self.position = address, masked(address), 0
        self.version: str | None = None  # what tells whether the file is still the same
        self.size: int | None = None  # None where the server does not say
        self.response: HTTPResponse | None = None
        try:
            self.response = self._opened()
        except (OSError, HTTPException) as error:
            raise self._error(error) from None
        encoding = self.response.headers.get("Content-Encoding", "identity")
        self.is_gzip = encoding in ("gzip", "x-gzip")  # though it was not asked for
        if encoding != "identity" and not self.is_gzip:
            raise OSError(EIO, f"the server sends it as {encoding}", self.name)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, or wait for it."""
        pauses = iter(PAUSES)
        while True:
            try:
                return self._read(buffer)
            except (OSError, HTTPException) as error:
                self._drop()
                pause = None if isinstance(error, _NoRest) else next(pauses, None)
                if pause is None:
                    raise self._error(error) from None
            sleep(pause)

    def close(self) -> None:
        self._drop()
        super().close()

    def _read(self, buffer: Any) -> int:
        if self.response is None:
            self.response = self._rest() if self.position else self._opened()
        piece = self.response.read1(len(buffer))
        if not piece and self.size is not None and self.position < self.size:
            raise ConnectionError(f"breaks off after {self.position:,} of {self.size:,} bytes")
        buffer[: len(piece)] = piece
        self.position += len(piece)
        return len(piece)

    def _opened(self) -> HTTPResponse:
        """Ask for the file; note its size and its version."""
        response = _response(self.address, {})
        tag = response.headers.get("ETag", "")
        # a weak tag, W/"…", may be that of other bytes
        self.version = tag if tag.startswith('"') else response.headers.get("Last-Modified")
        self.size = response.length
        return response

    def _rest(self) -> HTTPResponse:
        """Ask for the bytes that were not read. Raise _NoRest unless these are given."""
        headers = {"Range": f"bytes={self.position}-"}
        if self.version:
            headers["If-Range"] = self.version
        begun = f"breaks off after {self.position:,} bytes"
        try:
            response = _response(self.address, headers)
        except HTTPError as error:
            if error.code in (408, 429) or error.code >= 500:
                raise
            raise _NoRest(f"{begun}, and the rest is refused: {_reason(error)}") from None
        places, _, size = response.headers.get("Content-Range", "").partition("/")
        if response.status != _PARTIAL or not places.startswith(f"bytes {self.position}-"):
            response.close()
            raise _NoRest(f"{begun}, and the server does not give the rest, or the file changed")
        if self.size is not None and size not in ("*", str(self.size)):
            response.close()
            raise _NoRest(f"{begun}, and the file has changed")
        return response

    def _drop(self) -> None:
        """Close the connection."""
        if self.response:
            self.response.close()
        self.response = None

    def _error(self, error: Exception) -> OSError:
        gone = isinstance(error, HTTPError) and error.code in (404, 410)
        return OSError(ENOENT if gone else EIO, _reason(error), self.name)


class _NoRest(OSError):
    """The server does not give what is missing of a file, or of another one."""


def _response(address: str, headers: dict[str, str]) -> HTTPResponse:
    """Send a request; refusals are HTTPErrors.

    A user and a password in the address go into a header that no redirection passes on.
    """
    try:
        parts = urlsplit(address)
        user, _, host = parts.netloc.rpartition("@")
        path, query = (quote(part, "/%:@!$&'()*+,;=?~") for part in (parts.path, parts.query))
        url = urlunsplit((parts.scheme, host, path, query, ""))
        request = urllib.request.Request(url, headers={"User-Agent": "dialtools", **headers})
    except ValueError as error:
        raise OptionError(f"{masked(address)}: no address: {error}") from None
    if user:
        word = b64encode(unquote(user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {word}")
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener.open(request, timeout=TIMEOUT)


def _reason(error: Exception) -> str:
    """Return on one line what went wrong."""
    if isinstance(error, HTTPError):
        error.close()
        return "No such file" if error.code in (404, 410) else f"{error.code} {error.reason}"
    if isinstance(error, URLError):
        reason = error.reason
        return _reason(reason) if isinstance(reason, Exception) else str(reason)
    if isinstance(error, TimeoutError):
        return f"no answer within {TIMEOUT:g} s"
    if isinstance(error, HTTPException) and not isinstance(error, OSError):
        return f"the server's answer is broken ({type(error).__name__})"
    return " ".join(str(getattr(error, "strerror", None) or "").split()) or _one_line(error)
