"""Inputs that are not on this machine: s3://, gs://, hf://, https:// and what else fsspec knows."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO, ENOENT
from typing import BinaryIO

from dialtools.system.errors import MissingError, OptionError, need, not_installed

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://.")
# what reads an address beside fsspec, and what to install for it
_LIBRARIES = {
    "s3": ("s3fs", "s3fs"),
    "gs": ("gcsfs", "gcsfs"),
    "gcs": ("gcsfs", "gcsfs"),
    "hf": ("huggingface_hub", "'dialtools[remote]'"),
    "http": ("aiohttp", "'dialtools[remote]'"),
    "https": ("aiohttp", "'dialtools[remote]'"),
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


def is_remote(path: str) -> bool:
    """Tell whether this is the address of a file elsewhere; a file here goes first.

    >>> is_remote("https://x.org/a.jsonl"), is_remote("s3:a.jsonl"), is_remote("a.jsonl")
    (True, False, False)
    """
    return _SCHEME.match(path) is not None and not os.path.exists(path)


def name(address: str) -> str:
    """Return the path of an address, without what follows ? or # on the web."""
    if re.match("https?://", address):
        return re.split("[?#]", address, maxsplit=1)[0]
    return address


@contextmanager
def opened(address: str) -> Iterator[BinaryIO]:
    """Open a file elsewhere; whatever goes wrong there is an OSError with the address."""
    fsspec = need("fsspec", "remote")
    try:
        with fsspec.open(address, "rb") as file:
            yield file
    except ImportError as error:
        library, wanted = _LIBRARIES.get(address.partition(":")[0].lower(), ("", ""))
        if not library:
            raise MissingError(f"{address}: {_one_line(error)}") from None
        raise not_installed(library, wanted) from None
    except OSError as error:
        if error.filename is None:
            number = ENOENT if isinstance(error, FileNotFoundError) else error.errno or EIO
            raise OSError(number, _reason(error, address), address) from error
        raise
    except ValueError as error:
        if "rotocol not known" not in str(error):
            raise
        raise OptionError(f"{address}: nothing reads such an address: {_one_line(error)}") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in _BACKENDS:
            raise
        raise OSError(EIO, _one_line(error), address) from error


def _reason(error: OSError, address: str) -> str:
    if isinstance(error, FileNotFoundError):  # also where there is no server
        cause = error.__cause__
        is_known = cause is None or getattr(cause, "status", None) == 404
        return "No such file" if is_known else _one_line(cause)
    return (error.strerror or _one_line(error)).replace(address, "").strip(" :")


def _one_line(error: BaseException | None) -> str:
    return " ".join(str(error).split()) or type(error).__name__
