"""How much variation must training show before a network is robust to it? (Ibrahim et al. 2022, sections 4 and 5)

Whole objects are held out, and asked canonical and with factors off canonical. Training shows every other object so
many times: canonical, or varying in one factor, two, or all, for a share of every object's samples, for a share of the
objects, or for half of the classes. Stated in the paper: 45 of 50 objects trained on (inferred from its accuracies,
multiples of 1/270 and 1/2430), shares of 5 to 95 %, half of the classes and half of their objects. Ours: everything
else, in particular how often a canonical picture is shown beside an object that varies (``balance``).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from unseen.designs.off_canonical import Objects, objects_of, orders, supports, views
from unseen.designs.quotas import plain_sizes
from unseen.vocabulary.design_facts import Varied
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.plain_numbers import is_number, is_whole
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.split import RowSet, Split

VERSION = 1
REGIMES = ("canonical", "samples", "instances", "classes")
BALANCES = ("objects", "pictures")
ALL = "all"
PROBED = 1  # held-out objects of each class in the probe


def vary_some(
    samples: Samples,
    *,
    regime: str = "canonical",
    vary: str | Sequence[str] = "",
    share: float = 0.5,
    class_share: float = 0.5,
    category: str = "category",
    images_per_object: int = 20,
    balance: str = "objects",
    bases: int = 5,
    held_out: float = 0.1,
    folds: int | None = None,
    fold: int = 0,
    validation: float = 0.1,
    asked_per_object: int | None = None,
    pairs: bool = False,
    seed: int,
) -> Split:
    """Show canonical pictures, and some that vary; ask objects that were never shown (Ibrahim et al. 2022).

    ``regime``: "canonical" shows nothing else. "samples": a ``share`` of the pictures of every object varies. In
    "instances" a share of the objects of every class varies, the others stay canonical. In "classes" a share
    ``class_share`` of the classes has varying objects, a ``share`` of each of them. ``vary``: one factor, two, or
    "all": then cells lie along ``bases`` random bases of the space of factors (0: anywhere in it). What varies at a
    smaller share is among what varies at a larger one.

    ``images_per_object``: how often an epoch visits every object. With ``balance = "objects"`` that is so whatever
    varies, a canonical object's one picture coming as often as all pictures of one that varies, so that neither the
    number of images nor the weight of an object changes with the share. ``"pictures"`` lists every different picture
    once: few objects that vary then make most of the training set, which may be what the paper did (it does not say).

    ``held_out`` objects of each class (a share below 1, or a number) are asked and never trained on. With ``folds``
    the objects of each class are cut into so many parts in an order drawn by the seed, and part ``fold`` is held out:
    a grid over ``fold`` asks every object once. ``validation``: the share of the other objects that choose the epoch,
    shown as in training.

    Sets: ``canonical`` and ``varying-<factor>`` of the held-out objects, ``varying-<a>+<b>`` if ``pairs`` are asked,
    ``varying-all`` where the world has such rows; the same of the trained objects, ``trained-canonical`` and so on; all
    with the endings ``-exposed`` and ``-others`` where only some classes vary. ``asked_per_object`` levels of a factor
    off canonical, evenly spaced (None: all). ``probe``: one held-out object of each class, each factor alone.
    """
    if regime not in REGIMES:
        raise unknown("value for design.regime", regime, REGIMES)
    if balance not in BALANCES:
        raise unknown("value for design.balance", balance, BALANCES)
    shown, asked_each, n_bases = plain_sizes(images_per_object=images_per_object, asked_per_object=asked_per_object,
                                             bases=bases, least=0)  # fmt: skip
    assert shown is not None
    assert n_bases is not None
    objects = objects_of(samples, category)
    off = _varied(objects, regime, vary)
    _check_share("share", share, regime)
    _check_share("class_share", class_share, regime)
    sides = _sides(samples, objects, category, held_out, folds, fold, validation, seed)
    exposed = _exposed(objects, class_share, seed) if regime == "classes" else np.unique(objects.category)
    drawn = _Drawn(samples, category, off, regime, float(share), shown, balance, n_bases, exposed, seed)
    many = f"{off_words(off)} varies" if off else "nothing varies"
    words = _words(regime, share, many, len(exposed))
    drawn.check(sides.train)
    train = drawn.rows(sides.train)
    sets = {"train": RowSet(f"canonical pictures; {words}", "train", listed=train, again=True)}
    if len(sides.validation):
        reason = "other objects, shown as in training, to choose the epoch"
        sets["validation"] = RowSet(reason, "validation", listed=drawn.rows(sides.validation), again=True)
    asked: dict[str, tuple[str, ...]] = {}
    wanted = [(), *(one for one in supports(samples, category) if pairs or len(one) != 2 or len(one) == _n(objects))]
    groups = {"": np.unique(objects.category)}
    if regime == "classes":
        groups = {"-exposed": exposed, "-others": np.setdiff1d(objects.category, exposed)}
    for prefix, whose, which in (("", "held-out", sides.held), ("trained-", "trained", sides.train)):
        for one, (end, classes) in itertools.product(wanted, groups.items()):
            name = f"{prefix}{set_name(one, _n(objects))}{end}"
            here = which[np.isin(objects.category[which], classes)]
            rows = _asked_rows(samples, category, one, here, asked_each, seed)
            who = f"{whose} objects{f' of classes {GROUPS[end]}' if end else ''}"
            sets[name] = RowSet(
                f"{who}, {f'{off_words(one)} off canonical' if one else 'canonical'}", "test", listed=rows
            )
            asked[name] = one
    first = np.concatenate(
        [sides.held[objects.category[sides.held] == c][:PROBED] for c in np.unique(objects.category)]
    )
    rows = [views(samples, category, one).rows[first].ravel() for one in wanted if len(one) < 2]
    sets["probe"] = RowSet("one held-out object of each class, each factor alone", "test", listed=np.concatenate(rows))
    facts = Varied(
        regime=regime,
        vary=off,
        share=float(share) if off else 0.0,
        factors=objects.circumstances,
        object=objects.factor,
        asked=asked,
        exposed=tuple(samples.space[category].levels[c] for c in exposed) if regime == "classes" else (),
        folds=folds or 0,
        fold=int(fold),
        held_out=len(sides.held),
        objects=len(sides.train),
        images=len(train),
        balance=balance,
        disjoint_by=objects.factor,
        withheld=_withheld(samples, objects, np.concatenate([drawn.rows(sides.validation), train])),
        targets=(category,),
        on_training=tuple(name for name in asked if name.startswith("trained-")),
    )  # fmt: skip
    pools = Pools(by=objects.factor, within=category, seed=seed)
    return Split((category, *objects.circumstances), sets, pools, facts)


GROUPS = {"-exposed": "seen varying", "-others": "never seen varying"}


def set_name(off: Sequence[str], every: int) -> str:
    """
    >>> set_name((), 5), set_name(("pose",), 5), set_name(("pose", "size"), 5), set_name(("a", "b", "c"), 3)
    ('canonical', 'varying-pose', 'varying-pose+size', 'varying-all')
    """
    if not off:
        return "canonical"
    return f"varying-{ALL if len(off) == every and every > 2 else '+'.join(off)}"


def off_words(off: Sequence[str]) -> str:
    """
    >>> off_words(("pose",)), off_words(("pose", "size"))
    ('pose', 'pose and size')
    """
    return off[0] if len(off) == 1 else f"{', '.join(off[:-1])} and {off[-1]}"


def _n(objects: Objects) -> int:
    return len(objects.circumstances)


def _words(regime: str, share: float, many: str, classes: int) -> str:
    return {
        "canonical": "nothing varies",
        "samples": f"{many} in {100 * share:g} % of the samples of every object",
        "instances": f"{many} for {100 * share:g} % of the objects, the others stay canonical",
        "classes": f"{many} for {100 * share:g} % of the objects of {classes} classes, all else stays canonical",
    }[regime]


def _varied(objects: Objects, regime: str, vary: str | Sequence[str]) -> tuple[str, ...]:
    """The factors that training varies, in the world's order."""
    names = objects.circumstances
    given = ([vary] if vary else []) if isinstance(vary, str) else list(vary)
    if given == [ALL]:
        given = list(names)
    for name in given:
        if name not in names:
            raise unknown("factor to vary", name, (*names, ALL), where="this world")
    if regime == "canonical":
        if given:
            raise UnseenError(
                f'design.regime = "canonical" varies nothing, and design.vary names {listed(given)}; leave vary out, '
                f"or choose the regime: {listed(REGIMES[1:])}."
            )
        return ()
    if not given:
        raise UnseenError(
            f'design.regime = "{regime}" needs design.vary: one factor, two, or "all". Factors: {listed(names)}.'
        )
    if 2 < len(set(given)) < len(names):
        raise UnseenError(
            f'design.vary names {len(set(given))} factors; possible are one, two, or "all" {len(names)} of them, as '
            f"worlds show factors alone, in pairs and all together."
        )
    return tuple(name for name in names if name in given)


def _check_share(key: str, share: object, regime: str) -> None:
    if not is_number(share) or not 0 <= share <= 1:
        raise UnseenError(
            f"design.{key} = {share!r} is the part that varies (regime {regime!r}): a number from 0 to 1, e.g. 0.25."
        )


@dataclass(frozen=True, eq=False)
class _Sides:
    """Objects to train on, to choose the epoch by, and held out."""

    train: Int[np.ndarray, " trained"]
    validation: Int[np.ndarray, " chosen_by"]
    held: Int[np.ndarray, " asked"]


def _sides(
    samples: Samples,
    objects: Objects,
    category: str,
    held_out: float,
    folds: int | None,
    fold: int,
    validation: float,
    seed: int,
) -> _Sides:
    """The same of every class, in an order drawn by the seed alone: folds are disjoint and together all objects."""
    if folds is not None and (not is_whole(folds) or folds < 2):
        raise UnseenError(f"design.folds = {folds!r} is a number of parts of the objects, from 2; e.g. 5.")
    if not is_whole(fold) or not 0 <= fold < (folds or 1):
        raise UnseenError(
            f"design.fold = {fold!r}, but there are {folds or 'no'} folds; "
            + (f"give 0 to {folds - 1}." if folds else "set design.folds, e.g. 5, and a grid over design.fold.")
        )
    if not is_number(held_out) or held_out <= 0 or (held_out >= 1 and held_out != int(held_out)):
        raise UnseenError(f"design.held_out = {held_out!r} is a share of each class below 1, or a number of objects.")
    if not is_number(validation) or not 0 <= validation < 1:
        raise UnseenError(f"design.validation = {validation!r} is a share of the objects trained on; from 0, below 1.")
    names = samples.space[category].texts
    key = keyed(seed, "held-out objects", np.arange(len(objects)))
    train, kept, held = [], [], []
    for c in np.unique(objects.category).tolist():
        own = objects.of(c)
        own, n = own[np.argsort(key[own], kind="stable")], len(own)
        if folds is not None:
            start, end = round(fold * n / folds), round((fold + 1) * n / folds)
        else:
            start, end = 0, int(held_out) if held_out >= 1 else round(held_out * n)
        least = 1 + (validation > 0)
        rest = np.concatenate([own[:start], own[end:]])
        if end <= start or len(rest) < least or (folds is not None and n < folds):
            _too_few(names[c], n, held_out, folds, least)
        # The first of an order of their own: which fold is held out must not decide who is first to vary.
        few = max(1, round(validation * len(rest))) if validation else 0
        turned = rest[np.argsort(keyed(seed, "validation objects", rest), kind="stable")]
        held.append(own[start:end])
        kept.append(np.sort(turned[:few]))
        train.append(np.sort(turned[few:]))
    return _Sides(*(np.concatenate(part) for part in (train, kept, held)))


def _too_few(name: str, n: int, held_out: float, folds: int | None, least: int) -> None:
    asked = f"design.folds = {folds}" if folds is not None else f"design.held_out = {held_out:g}"
    need = "one to train on" if least == 1 else "one to train on and one to choose the epoch by"
    if n < 1 + least:
        help_ = f"give each class at least {1 + least} objects (world.instances)"
    elif folds is not None:
        help_ = f"set design.folds = {min(n, folds)}, or give each class {max(folds, least + 1)} objects"
        help_ = help_ if n < folds else f"set design.folds = {n}"
    else:
        help_ = f"set design.held_out = 1, or any number up to {n - least}"
    raise UnseenError(
        f"class '{name}' has {n} object{'s' * (n != 1)}: with {asked} there must be one to hold out and {need}; "
        f"{help_}."
    )


def _exposed(objects: Objects, class_share: float, seed: int) -> Int[np.ndarray, " classes"]:
    """The classes in which objects vary: random, and nested as the share grows."""
    classes = np.unique(objects.category)
    order = classes[np.argsort(keyed(seed, "classes that vary", classes), kind="stable")]
    return np.sort(order[: round(class_share * len(classes))])


@dataclass(frozen=True, eq=False)
class _Drawn:
    """How often each picture of some objects is shown."""

    samples: Samples
    category: str
    off: tuple[str, ...]
    regime: str
    share: float
    shown: int
    balance: str
    bases: int
    exposed: np.ndarray
    seed: int

    def rows(self, which: Int[np.ndarray, " n"]) -> Int[np.ndarray, " rows"]:
        """Sorted; a picture that is shown several times is listed as often."""
        home = views(self.samples, self.category, ()).rows[which, 0]
        many = self._varying(which)
        parts = [np.repeat(home, self.shown - many)]
        if self.off:
            order = orders(self.samples, self.category, self.off, self.bases, self.seed)[which]
            turns = np.resize(np.arange(order.shape[1]), self.shown)  # more than there are come again
            parts.append(order[:, turns][np.arange(self.shown) < many[:, None]])
        found = np.sort(np.concatenate(parts))
        return np.unique(found) if self.balance == "pictures" else found

    def check(self, which: Int[np.ndarray, " n"]) -> None:
        """A share that rounds to nothing would silently be a canonical study."""
        if not self.off or not self.share or self._varying(which).any():
            return
        if self.regime == "samples":
            of, help_ = f"{self.shown} images per object", f"design.images_per_object = {int(np.ceil(1 / self.share))}"
        else:
            most = np.bincount(objects_of(self.samples, self.category).category[which]).max()
            of, help_ = (
                f"{most} trained objects per class",
                f"classes of {int(np.ceil(1 / self.share))} or a larger share",
            )
            if not len(self.exposed):
                of, help_ = "no class", "a larger design.class_share"
        raise UnseenError(f"design.share = {self.share:g} of {of} is nothing, so that none would vary; give {help_}.")

    def _varying(self, which: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """How many samples of each object vary."""
        many = np.zeros(len(which), dtype=np.int64)
        if self.regime == "samples":
            many[:] = _rounded(self.share, self.shown)
        if self.regime in ("instances", "classes"):
            objects = objects_of(self.samples, self.category)
            own = objects.category[which]
            key = keyed(self.seed, "objects that vary", which)
            for c in np.intersect1d(own, self.exposed).tolist():
                places = np.flatnonzero(own == c)
                first = places[np.argsort(key[places], kind="stable")][: _rounded(self.share, len(places))]
                many[first] = self.shown
        return many


def _rounded(share: float, n: int) -> int:
    """Halves go up, so that a share never shows less than a smaller one."""
    return int(np.floor(share * n + 0.5 + 1e-9))


def _asked_rows(
    samples: Samples, category: str, off: tuple[str, ...], which: np.ndarray, each: int | None, seed: int
) -> Int[np.ndarray, " rows"]:
    """Of one factor so many levels, evenly spaced and the same for every object; of several so many cells, drawn for
    each object."""
    seen = views(samples, category, off)
    n = seen.rows.shape[1]
    if not off or each is None or each >= n:
        rows = seen.rows[which]
    elif len(off) == 1:
        order = np.argsort(seen.cells[:, objects_of(samples, category).circumstances.index(off[0])], kind="stable")
        rows = seen.rows[which][:, order[np.round(np.linspace(0, n - 1, each)).astype(np.int64)]]
    else:
        ids = which[:, None] * n + np.arange(n)
        drawn = np.argsort(keyed(seed, f"asked {' '.join(off)}", ids), axis=1, kind="stable")[:, :each]
        rows = np.take_along_axis(seen.rows[which], drawn, axis=1)
    return np.sort(rows.ravel())


def _withheld(samples: Samples, objects: Objects, train: np.ndarray) -> dict[str, tuple[int, ...]]:
    """Levels that training never shows: on purpose, that is the question."""
    rows = np.unique(train)
    return {
        name: tuple(np.setdiff1d(np.arange(len(samples.space[name])), samples.levels(name, rows)).tolist())
        for name in objects.circumstances
    }
