"""Inputs that are not on this machine: https://, s3://, gs://, hf:// and what else fsspec knows."""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO, ENOENT
from typing import Any

from dialtools.system.addresses import masked, name
from dialtools.system.errors import MissingError, OptionError, need, not_installed
from dialtools.system.packed import Unpacked, is_packed

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


@contextmanager
def opened(address: str) -> Iterator[Any]:
    """Open a file elsewhere; whatever goes wrong there is an OSError with the address."""
    if address.lower().startswith(("http://", "https://")):
        from dialtools.system import web  # here, as its libraries take a while

        file: Any = web.File(address)
        with file:
            if file.is_gzip and not is_packed(name(address)):
                with Unpacked(f"{file.name}.gz", file) as content:
                    yield content
            else:
                yield file
    else:
        with _by_fsspec(address) as file:
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
        number = ENOENT if isinstance(error, FileNotFoundError) else error.errno or EIO
        raise OSError(number, _reason(error, address), shown) from error
    except ValueError as error:
        if "rotocol not known" not in str(error):
            raise
        raise OptionError(f"{shown}: nothing reads such an address: {_one_line(error)}") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in _BACKENDS:
            raise
        raise OSError(EIO, masked(_one_line(error)), shown) from error


def _reason(error: OSError, address: str) -> str:
    if isinstance(error, FileNotFoundError):
        return "No such file"
    return masked((error.strerror or _one_line(error)).replace(address, "").strip(" :"))


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
