"""An array of an official file, whatever its format."""

from __future__ import annotations

from pathlib import Path

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.toys.archives import Archive, open_npz


def archive(path: Path, member: str, shape: tuple[int, ...]) -> Archive:
    """The array ``member`` of an ``.npz`` or ``.h5`` file, which must be uint8 and of this shape."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as fault:
        raise UnseenError(f"{path} cannot be read: {fault.strerror or fault}.") from fault
    if start == b"\x89HDF\r\n\x1a\n":
        from unseen.worlds.toys.hdf import open_h5

        return open_h5(path, member, shape)
    if start[:2] == b"PK":
        return open_npz(path, member, shape)
    raise UnseenError(
        f"{path} is neither an .npz nor an .h5 file (it begins with {start[:4].hex(' ') or 'nothing'}); fetch it again."
    )


# --- .npz ------------------------------------------------------------------------------------------------------------
