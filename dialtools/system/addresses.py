"""Addresses such as https://… and s3://…: known from paths, and shown without their secrets."""

import os
import re

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://.")
_USER = re.compile(r"(?<=://)[^\s/?#]+(?=@)")
# up to the punctuation of a sentence around the address; what is masked stays so
_VALUE = re.compile(r"""(?<=[?&;])([^\s=&?#"'<>]+=)(?!…)[^\s&#"'<>]*[^\s&#"'<>.,:;)\]}]""")


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


def masked(text: str) -> str:
    """Return a text with … for the user, the password and the query's values of addresses in it.

    >>> masked("https://me:secret@x.org/a.jsonl?id=7&token=abc: No such file")
    'https://…@x.org/a.jsonl?id=…&token=…: No such file'
    """
    return _VALUE.sub(r"\1…", _USER.sub("…", text)) if "://" in text else text
