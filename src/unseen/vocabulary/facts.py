"""What a design says of its split, as a frozen object: the part that all designs have, and how it is read and written.

Whoever uses a split asks its facts by type (``isinstance(split.facts, Exposed)``, ``Exposed.of(split.facts)``), or for
what every design has, with a default where one says nothing (``split.facts.withheld``). In ``trial.json`` they are a
table: ``dict(facts)`` is what is written, :func:`unseen.vocabulary.design_facts.facts_of` reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from unseen.vocabulary.errors import UnseenError, listed

Own = TypeVar("Own", bound="Facts")


class Facts(Mapping[str, Any]):
    """What every design can say. A design's own facts are a subclass and a ``dataclass(frozen=True, eq=False,
    kw_only=True)``; its fields are the keys of the stored table, in their order.

    ``known_by``: keys by which a stored table is told to be of this type; ``if_given``: fields that are written only
    where there is something in them. ``designs``: by whose name a stored table must be of this type; it is damaged
    where what it ``needs`` is not there, or not what it is said to be ("number", "numbers", "list", "names").
    """

    known_by: ClassVar[tuple[str, ...]] = ()
    if_given: ClassVar[tuple[str, ...]] = ()
    designs: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[Mapping[str, str]] = {}

    combinations: int | None = None  # cells that training shows; None: not counted
    grid: tuple[int, ...] = ()  # levels of each factor that may be shown or asked
    balance: str = ""  # what training has equally much of
    disjoint_by: str = ""  # what no two pools share
    withheld: Mapping[str, tuple[int, ...]] = {}  # numbers of the levels kept out of training on purpose, by factor
    protected: tuple[str, ...] = ()  # factors of which nothing is held out
    targets: tuple[str, ...] = ()  # factors to be asked; none: those of the design
    trained_levels: tuple[Any, ...] = ()  # of the design's last factor, where training shows some of its levels only
    visits_per_image: int | None = None  # how often an epoch lists each training image on purpose; None: it does not
    on_training: tuple[str, ...] = ()  # sets that ask about what was trained on, on purpose

    _told: dict[str, Any]

    @property
    def name(self) -> str:
        """What such a split is called; "" where its design says no name."""
        return ""

    @property
    def title(self) -> str:
        """What a picture of the split is called; "" where the number of its cells says it."""
        return ""

    @property
    def shares_in_words(self) -> str:
        """What parts of all rows are trained on and tested; "" where cells say it."""
        return ""

    @property
    def has_distances(self) -> bool:
        """Whether a level may be nearer to some levels than to others."""
        return True

    def __post_init__(self) -> None:
        told = {field.name: getattr(self, field.name) for field in fields(self)}  # pyright: ignore[reportArgumentType]
        kept = {key: value for key, value in told.items() if value or key not in self.if_given}
        object.__setattr__(self, "_told", plain(kept))

    @classmethod
    def read(cls: type[Own], told: Mapping[str, Any]) -> Own:
        """From a table. It is kept as it is, with keys that this type does not know."""
        known = {field.name for field in fields(cls)}  # pyright: ignore[reportArgumentType]
        made = cls(**{key: frozen(value) for key, value in told.items() if key in known})
        object.__setattr__(made, "_told", dict(told))
        return made

    @classmethod
    def fits(cls, told: Mapping[str, Any]) -> bool:
        """Whether a table has what tells this type."""
        return all(key in told for key in cls.known_by)

    @classmethod
    def needed_of(cls, told: Mapping[str, Any]) -> Mapping[str, str]:
        """What a stored table of this type must have, and of what sort."""
        return cls.needs

    @classmethod
    def of(cls: type[Own], facts: Facts) -> Own:
        """Facts as this type, or the reason why they are not."""
        if isinstance(facts, cls):
            return facts
        if not cls.fits(facts):
            raise UnseenError(
                f"this needs a split whose facts have {listed(cls.known_by)}; the design of this one gives "
                f"{listed(facts) or 'none'}. Use a design that gives them, or another kind of study."
            )
        return cls.read(facts)

    def __getitem__(self, key: str) -> Any:
        return self._told[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._told)

    def __len__(self) -> int:
        return len(self._told)


@dataclass(frozen=True, eq=False)
class PlainFacts(Facts):
    """A table of a design that has no type of its own. What every design can say is found in it by its name.

    >>> facts = PlainFacts({"combinations": 6, "angle": 30})
    >>> facts.combinations, facts.withheld, facts["angle"]
    (6, {}, 30)
    """

    table: Mapping[str, Any]

    def __post_init__(self) -> None:
        for key, value in self.table.items():
            if key in COMMON:
                object.__setattr__(self, key, frozen(value))
        object.__setattr__(self, "_told", dict(self.table))


COMMON = tuple(key for key in Facts.__annotations__ if key not in ("known_by", "if_given", "designs", "needs", "_told"))


def frozen(value: Any) -> Any:
    """Lists as tuples, also inside."""
    if isinstance(value, Mapping):
        return {key: frozen(one) for key, one in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def plain(value: Any) -> Any:
    """Tuples as lists, also inside: what a file can hold.

    >>> plain({"grid": (2, 3), "withheld": {"hue": (4,)}})
    {'grid': [2, 3], 'withheld': {'hue': [4]}}
    """
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return list(map(plain, value)) if isinstance(value, list | tuple) else value
