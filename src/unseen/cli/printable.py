"""What may go to a terminal: hidden characters made visible, and signs that a stream cannot show spelled in others.

A recipe's title, a stored failure or a file's name may hold anything. An escape sequence in it would clear the screen
or rename the window, a mark of direction would turn a line around. They are shown as their numbers (``\\x1b``).
"""

from __future__ import annotations

import codecs
import re

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but for tab and new line, delete, C1
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # marks of direction, blanks of no width
    "\ud800-\udfff\U000e0000-\U000e007f]"  # bytes of a file's name that are no UTF-8; letters nobody sees
)
SPELLED = {
    "×": "x", "÷": "/", "±": "+/-", "≈": "~", "≥": ">=", "≤": "<=", "−": "-", "–": "-", "—": "-", "…": "...",
    "→": ">", "↓": "v", "←": "<", "↑": "^", "²": "2", "³": "3", "¼": "1/4", "½": "1/2", "¾": "3/4", "°": " deg",
    "µ": "u", "μ": "u", "τ": "tau", "β": "beta", "“": '"', "”": '"', "‘": "'", "’": "'", "•": "*", "\xa0": " ",
    "■": "#", "○": "o", "·": ".", "◉": "@", "◧": "+", "◨": "%", "░": ":", "▒": "+", "▓": "*", "█": "#", "━": "-",
    "│": "|", "─": "-", "╭": "+", "╮": "+", "╰": "+", "╯": "+",
}  # fmt: skip


def printable(text: str) -> str:
    """Text with its hidden characters as numbers; tabs and new lines stay.

    >>> print(printable("a\\x1b[2Jb\\u202ec\\udcffd"))
    a\\x1b[2Jb\\u202ec\\xffd
    """
    return HIDDEN.sub(lambda found: _number(found.group()), text)


def _number(letter: str) -> str:
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that Python could not decode
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def spelled(letter: str) -> str:
    """A sign in ASCII: as people would type it, or as its number.

    >>> spelled("×"), spelled("é"), spelled("⠋")
    ('x', '\\\\xe9', '*')
    """
    if "\u2800" <= letter <= "\u28ff":  # frames of a spinner
        return "*"
    return SPELLED.get(letter) or _number(letter)


def _in_other_signs(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(spelled, error.object[error.start : error.end])), error.end


SPELLING = "unseen.spelling"  # the name of this rule among Python's rules for what an encoding lacks
codecs.register_error(SPELLING, _in_other_signs)


def shown(text: str, encoding: str = "utf-8") -> str:
    """Text as a stream of this encoding can show it.

    >>> shown("8×8 – R² ≥ 0", "ascii"), shown("8×8 – R² ≥ 0", "cp1252")
    ('8x8 - R2 >= 0', '8×8 – R² >= 0')
    """
    text = printable(text)
    if encoding.lower().replace("-", "").startswith("utf"):
        return text
    try:
        return text.encode(encoding, SPELLING).decode(encoding)
    except (LookupError, UnicodeError):
        return text.encode("ascii", SPELLING).decode("ascii")
