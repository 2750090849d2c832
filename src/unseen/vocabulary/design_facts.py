"""What each of our designs says of its split, and which of these a stored table or a user's dict is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from unseen.vocabulary.factors import Level
from unseen.vocabulary.facts import Facts, PlainFacts


@dataclass(frozen=True, eq=False, kw_only=True)
class Combinations(Facts):
    """Every level of two factors is seen, some combinations are not (``hold_out_combinations``)."""

    known_by: ClassVar[tuple[str, ...]] = ("seen_per_level",)

    combinations: int | None = None
    seen_per_level: int
    grid: tuple[int, ...] = ()
    balance: str = ""
    disjoint_by: str = ""
    withheld: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    one_image_one_cell: bool = False  # the world could show an image in several cells, and the design does in one


@dataclass(frozen=True, eq=False, kw_only=True)
class Listed(Facts):
    """Sets are as files list them (``from_lists``)."""

    known_by: ClassVar[tuple[str, ...]] = ("cells_of_training_images_only",)

    combinations: int | None = None
    grid: tuple[int, ...] = ()
    balance: str = ""
    disjoint_by: str = ""
    cells_of_training_images_only: int  # they have no probe


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranges(Facts):
    """A range of the levels of every factor is held out, or a part of their combinations (``hold_out_levels``).

    ``share`` of each factor's levels is held out; ``trained_share`` and ``test_share`` are parts of all rows; ``words``
    say which levels these are.
    """

    known_by: ClassVar[tuple[str, ...]] = ("mode",)
    if_given: ClassVar[tuple[str, ...]] = ("disjoint_by",)

    mode: str
    share: float | None = None
    protected: tuple[str, ...] = ()
    grid: tuple[int, ...] = ()
    withheld: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    trained_share: float | None = None
    test_share: float | None = None
    words: str = ""
    disjoint_by: str = ""

    @property
    def name(self) -> str:
        return self.mode

    @property
    def shares_in_words(self) -> str:
        """
        >>> Ranges(mode="random", trained_share=0.3, test_share=0.7, words="any cell").shares_in_words
        'random: 30.0 % of all rows to train on, 70.0 % to test; any cell'
        """
        if self.trained_share is None:
            return ""
        train, test = (f"{100 * (share or 0):.1f} %" for share in (self.trained_share, self.test_share))
        return f"{self.mode}: {train} of all rows to train on, {test} to test; {self.words}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Exposed(Facts):
    """Some categories are seen transformed, the others plain only (``expose``).

    ``seen`` categories are, by name ``exposed`` and by number ``exposed_numbers``; ``level`` is the transformation,
    None where there are several (``levels``), which a network that saw none of them is asked.
    """

    known_by: ClassVar[tuple[str, ...]] = ("seen", "exposed_numbers")
    if_given: ClassVar[tuple[str, ...]] = ("levels",)
    designs: ClassVar[tuple[str, ...]] = ("expose",)
    needs: ClassVar[Mapping[str, str]] = {"seen": "number", "exposed_numbers": "numbers", "level": "names"}

    seen: int
    exposed: tuple[Level, ...] = ()
    exposed_numbers: tuple[int, ...]
    transformation: str = ""
    level: Level | tuple[Level, ...] | None = None
    levels: tuple[Level, ...] = ()
    plain: Level = ""
    combinations: int | None = None
    grid: tuple[int, ...] = ()
    balance: str = ""
    disjoint_by: str = ""
    withheld: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    visits_per_image: int | None = None

    @classmethod
    def needed_of(cls, told: Mapping[str, Any]) -> Mapping[str, str]:
        """Where there are several ``levels`` there is no ``level``."""
        return {key: sort for key, sort in cls.needs.items() if key != "level" or "levels" not in told}

    @property
    def transformations(self) -> tuple[Level, ...]:
        """Those that are shown or asked.

        >>> Exposed(seen=0, exposed_numbers=(), levels=("blur", "noise")).transformations
        ('blur', 'noise')
        """
        given = self.levels or self.level
        return given if isinstance(given, tuple) else () if given is None else (given,)


@dataclass(frozen=True, eq=False, kw_only=True)
class Conditions(Facts):
    """Some levels of a factor are trained on, all are asked (``matrix``). ``trained`` says which, in words."""

    known_by: ClassVar[tuple[str, ...]] = ("trained_levels", "visits_per_image")
    designs: ClassVar[tuple[str, ...]] = ("matrix",)
    needs: ClassVar[Mapping[str, str]] = {"trained_levels": "list", "visits_per_image": "number"}

    trained: str = ""
    trained_levels: tuple[Any, ...]
    factor: str = ""
    combinations: int | None = None
    grid: tuple[int, ...] = ()
    balance: str = ""
    disjoint_by: str = ""
    withheld: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    visits_per_image: int | None = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Decorrelated(Facts):
    """A ``cue`` agrees with the ``category`` in training, but for a share of the images in which it is that of any
    category (``decorrelate``). ``agrees``: of each category, as answers spell it, the level of the cue."""

    known_by: ClassVar[tuple[str, ...]] = ("decorrelated",)
    designs: ClassVar[tuple[str, ...]] = ("decorrelate",)
    needs: ClassVar[Mapping[str, str]] = {"decorrelated": "number"}

    decorrelated: float
    cue: str = "texture"
    category: str = "category"
    agrees: Mapping[str, str] = field(default_factory=dict)
    combinations: int | None = None
    grid: tuple[int, ...] = ()
    disjoint_by: str = ""

    def words(self, cue: str, category: str) -> str:
        """What training shows.

        >>> Decorrelated(decorrelated=0.25).words("texture", "category")
        'texture is that of the category in 75 % of the images, and that of any in 25 %'
        """
        if not self.decorrelated:
            return f"{cue} always agrees with {category}"
        if self.decorrelated == 1:
            return f"{cue} tells nothing: each {category} has every one equally often"
        kept, lost = 100 * (1 - self.decorrelated), 100 * self.decorrelated
        return f"{cue} is that of the {category} in {kept:g} % of the images, and that of any in {lost:g} %"

    @property
    def title(self) -> str:
        return self.words(self.cue, self.category)

    @property
    def has_distances(self) -> bool:
        """Textures have no order."""
        return False


@dataclass(frozen=True, eq=False, kw_only=True)
class Replicated(Facts):
    """A test set is made anew, and with a ``factor`` at the levels ``shifted``, never trained on (``replicate``)."""

    known_by: ClassVar[tuple[str, ...]] = ("shifted", "factor")
    designs: ClassVar[tuple[str, ...]] = ("replicate",)
    needs: ClassVar[Mapping[str, str]] = {"shifted": "list"}

    factor: str
    category: str = "category"
    shifted: tuple[str, ...]
    combinations: int | None = None
    grid: tuple[int, ...] = ()
    disjoint_by: str = ""
    withheld: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """
        >>> Replicated(factor="light", shifted=("red",)).title
        'light red is asked and never trained on'
        """
        return f"{self.factor} {', '.join(self.shifted)} is asked and never trained on"


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOut(Facts):
    """One level of a factor is left out of training and asked (``leave_one_out``). ``trained`` says which are trained
    on, in words, ``images`` how many training images there are; ``not_asked`` are categories of the level left out that
    no trained level has, ``absent`` those that it lacks."""

    known_by: ClassVar[tuple[str, ...]] = ("left_out", "factor")

    left_out: Level
    factor: str
    trained: str = ""
    trained_levels: tuple[Any, ...] = ()
    images: int | None = None
    combinations: int | None = None
    grid: tuple[int, ...] = ()
    balance: str = ""
    asked: str = ""
    disjoint_by: str = ""
    withheld: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    not_asked: tuple[Level, ...] = ()
    not_asked_images: int = 0
    absent: tuple[Level, ...] = ()

    @property
    def title(self) -> str:
        return f"trained on {self.trained}"

    @property
    def has_distances(self) -> bool:
        """Domains have no order."""
        return False


@dataclass(frozen=True, eq=False, kw_only=True)
class Varied(Facts):
    """Training shows canonical pictures, and some in which ``vary`` is off canonical (``vary_some``): for a ``share``
    of samples, of instances, or of the objects of some classes (``regime``; ``exposed`` are these classes). ``asked``:
    of each set the factors that are off canonical in it, none where it is canonical. ``factors`` are all that can vary;
    ``object`` says which object a row shows, ``objects`` and ``images`` how many are trained on, ``held_out`` how many
    objects are asked."""

    known_by: ClassVar[tuple[str, ...]] = ("regime", "vary")

    regime: str
    vary: tuple[str, ...] = ()
    share: float = 0.0
    factors: tuple[str, ...] = ()
    object: str = ""
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exposed: tuple[Level, ...] = ()
    folds: int = 0
    fold: int = 0
    held_out: int = 0
    objects: int = 0
    images: int = 0
    balance: str = ""
    disjoint_by: str = ""
    withheld: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    on_training: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What training shows, in words.

        >>> Varied(regime="samples", vary=("pose",), share=0.05).name, Varied(regime="canonical").name
        ('pose varies in 5 % of samples', 'canonical only')
        """
        if self.regime == "canonical" or not self.share:
            return "canonical only"
        what = " and ".join(self.vary) if len(self.vary) < 3 else "all"
        verb = "varies" if len(self.vary) == 1 else "vary"
        of = f"objects in {len(self.exposed)} classes" if self.regime == "classes" else self.regime
        return f"{what} {verb} in {100 * self.share:g} % of {of}"


@dataclass(frozen=True, eq=False, kw_only=True)
class EachVaried(Facts):
    """Each factor varies alone, then two, then all, of the same objects; nothing is trained on (``vary_each``).

    ``canonical``: the level of each factor that has one, also of those that stay at it. ``objects``: how many are
    asked; 0 where each image is one of its own. ``by_level``: factors without a canonical level, which are not held.
    ``left_out``: categories without a canonical image.
    """

    known_by: ClassVar[tuple[str, ...]] = ("varied", "canonical")
    if_given: ClassVar[tuple[str, ...]] = ("by_level", "left_out")

    varied: tuple[str, ...]
    canonical: Mapping[str, Level]
    category: str = "category"
    instance: str = ""
    objects: int = 0
    by_level: tuple[str, ...] = ()
    left_out: tuple[Level, ...] = ()
    targets: tuple[str, ...] = ()


TYPES: tuple[type[Facts], ...] = (
    Varied,
    Exposed,
    Decorrelated,
    Replicated,
    LeftOut,
    Conditions,
    Ranges,
    Combinations,
    Listed,
    EachVaried,
)  # the first that fits


def needed_facts(design: str, told: Mapping[str, Any]) -> Mapping[str, str]:
    """What the stored facts of a design's trial must have, and of what sort; nothing is known of others' designs.

    >>> needed_facts("matrix", {}), needed_facts("mine", {})
    ({'trained_levels': 'list', 'visits_per_image': 'number'}, {})
    """
    return next((one.needed_of(told) for one in TYPES if design in one.designs), {})


def facts_of(told: Mapping[str, Any]) -> Facts:
    """The facts of a split from a table: that of a stored trial, or the dict that a user's design gives.

    >>> facts_of({"mode": "random", "grid": [3, 4]}).name, type(facts_of({"angle": 30})).__name__
    ('random', 'PlainFacts')
    """
    if isinstance(told, Facts):
        return told
    kind = next((one for one in TYPES if one.fits(told)), None)
    return PlainFacts(told) if kind is None else kind.read(told)
