"""What a browser asks for: words of an address, read within bounds. Anybody can write an address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unseen.vocabulary.errors import UnseenError, unknown

LONGEST = 20_000  # letters of one value: two hundred rows of a world of a billion are two thousand


@dataclass(frozen=True)
class Asked:
    """The words after the question mark, as pairs."""

    pairs: tuple[tuple[str, str], ...] = ()

    def several(self, name: str) -> list[str]:
        """All values of a name, in order."""
        found = [value for key, value in self.pairs if key == name]
        if any(len(value) > LONGEST for value in found):
            raise UnseenError(f"'{name}' is longer than {LONGEST:,} letters; ask for less at once.")
        return found

    def text(self, name: str, default: str = "") -> str:
        found = self.several(name)
        return found[-1] if found else default

    def one_of(self, name: str, possible: Sequence[str], default: str = "") -> str:
        """A word among those that are possible."""
        found = self.text(name, default)
        if found not in possible:
            raise unknown(name, found, possible)
        return found

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number; one outside its bounds is refused, and the bounds are told."""
        found = self.text(name)
        if not found:
            return default
        try:
            number = int(found)
        except ValueError:
            raise UnseenError(f"{name} = '{found[:40]}' is no whole number; possible: {least} to {most:,}.") from None
        if not least <= number <= most:
            raise UnseenError(
                f"{name} = {number:,} is outside of what is sent at once ({least:,} to {most:,}). For all rows, "
                f"take the download: it is streamed as CSV or Parquet."
            )
        return number

    def number(self, name: str) -> float | None:
        """A number, or None where it is not given."""
        found = self.text(name)
        if not found:
            return None
        try:
            return float(found)
        except ValueError:
            raise UnseenError(f"{name} = '{found[:40]}' is no number.") from None

    def rows(self, name: str, most: int) -> list[int]:
        """Row numbers of a world, with commas between them."""
        words = [word for word in self.text(name).split(",") if word]
        if not all(word.isdecimal() and len(word) < 19 for word in words):
            raise UnseenError(f"{name} are row numbers with commas between them, as in 0,5,12.")
        if len(words) > most:
            raise UnseenError(f"{len(words):,} images asked for at once; {most} at most.")
        return [int(word) for word in words]

    def given(self, but: Sequence[str] = ()) -> dict[str, list[str]]:
        """Every name with its values, apart from some."""
        return {key: self.several(key) for key in dict.fromkeys(key for key, _ in self.pairs) if key not in but}
