"""Archives (.zip), opened unless what they unpack to is out of proportion."""

from collections.abc import Iterable
from io import BytesIO
from zipfile import ZipFile, ZipInfo

from dialtools.system.errors import RecordError
from dialtools.system.packed import HELD, RATIO

MOST = 1 << 32  # bytes of what may be unpacked


def opened(data: bytes) -> ZipFile:
    """Return the archive that a file holds."""
    return ZipFile(BytesIO(data))


def require_moderate(members: Iterable[ZipInfo], packed: int, any_size: bool) -> None:
    """Raise RecordError for members that are far larger than the file, of so many packed bytes.

    They are never unpacked to more than what they declare.

    any_size: accept all sizes.
    """
    size = sum(member.file_size for member in members)
    if not any_size and size > min(MOST, max(HELD, RATIO * packed)):
        raise RecordError(
            f"it unpacks to {size / 1e6:,.0f} MB, and has {packed / 1e6:,.1f} MB; what is more than "
            f"{RATIO} times as large, or than {MOST / 1e9:.0f} GB, is read with the option any_size=yes"
        )
