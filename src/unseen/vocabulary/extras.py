"""What the default install leaves out, and how to get it."""

from __future__ import annotations

from unseen.vocabulary.errors import UnseenError


def needs_extra(what: str, package: str, extra: str) -> UnseenError:
    """The error for a package that an optional extra of this project brings.

    >>> print(needs_extra("reading a.h5", "h5py", "h5"))
    reading a.h5 needs the package h5py, in the optional extra 'h5': uv sync --extra h5 (in a project of your own: \
uv add "unseen[h5]", or pip install "unseen[h5]").
    """
    return UnseenError(
        f"{what} needs the package {package}, in the optional extra '{extra}': uv sync --extra {extra} "
        f'(in a project of your own: uv add "unseen[{extra}]", or pip install "unseen[{extra}]").'
    )
