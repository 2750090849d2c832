"""Words put together."""

from __future__ import annotations

from collections.abc import Sequence


def capital(text: str) -> str:
    """With a large first letter, and all others as they are.

    >>> capital("accuracy on MNIST"), capital("")
    ('Accuracy on MNIST', '')
    """
    return text[:1].upper() + text[1:]


def counted(n: int, one: str, many: str = "") -> str:
    """
    >>> counted(1, "answer is", "answers are"), counted(1200, "image")
    ('1 answer is', '1,200 images')
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def joined(names: Sequence[str]) -> str:
    """
    >>> joined(["a"]), joined(["a", "b", "c"]), joined([])
    ('a', 'a, b and c', '')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
