"""Ask where a model fails: canonical images, then one factor varying alone, then two, then all. Nothing is trained."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from unseen.designs.candidates import THREE, Candidates, OfSet, candidates_of
from unseen.vocabulary.design_facts import EachVaried
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Level
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed, stream
from unseen.vocabulary.split import RowSet, Split
from unseen.vocabulary.varied_sets import ALL, ASKED, CANONICAL, pair_name

VERSION = 1
TRAINS = False  # a recipe of this design makes no network to train
POOL = "test"
SHARES = {"alone": 0.5, "pairs": 0.3, "all": 0.2}  # of the images that are not canonical (ours)
EACH = {"alone": 2, "pairs": 1, "all": 3}  # images of an object, at least, where objects are not scarce (ours)
FEWEST = 2  # objects in all: of one alone nothing is known about others
MOST_LEVELS = 60  # of a factor without a canonical level, to be told by its levels


def vary_each(
    samples: Samples,
    *,
    images: int | None = 4000,
    category: str = "category",
    factors: Sequence[str] = (),
    canonical: Mapping[str, Level] | None = None,
    pairs: bool = True,
    together: bool = True,
    objects: int | None = None,
    instance: str = "",
    seed: int = 0,
) -> Split:
    """Ask the category of canonical images, and of the same objects with something changed; train on none.

    Sets: ``canonical``; one for each factor, at its other levels alone (``pose``); one for each two of them
    (``pose × size``); ``all``, with three or more changed at once. ``factors`` (default: all that have a canonical
    level) vary, the others stay canonical. ``canonical`` says the level of factors whose world says none
    (``{pose = 0}``): a folder of photos. A factor without one is not held, and answers are told by its levels. Where no
    factor has one, all images are one set, ``asked``.

    ``images`` in all (None: every one of these objects), spread evenly over categories, objects and levels: half on
    factors alone, 30 % on pairs, 20 % on all together (ours). ``objects`` of each category (default: as many as get two
    images of each factor) are the same in all sets. ``instance`` names the factor that tells objects apart (default:
    the one of that kind); without one in a folder of photos each image is an object of its own.
    """
    _check(images, objects)
    space = samples.space
    if len(space[category]) < 2:
        raise UnseenError(f"factor '{category}' has one level, so that every answer is right; ask about another.")
    stand = _canonical(samples, category, canonical or {})
    varied = _varied(samples, category, factors, stand)
    held = {name: level for name, level in stand.items() if name not in varied}
    by_level = tuple(
        one.name
        for one in space.factors
        if one.name not in stand and one.name != category and one.kind not in ("category", "instance")
        and 1 < len(one) <= MOST_LEVELS and (not factors or one.name in factors)
    )  # fmt: skip
    found = candidates_of(samples, category, varied, held, stand, instance, seed)
    wanted = _sets(varied, pairs, together)
    chosen, left = _objects(found, images, objects, varied, pairs, together, seed)
    rows = _chosen_rows(found, chosen, wanted, images, seed)
    names = tuple(dict.fromkeys([category, *varied, *by_level]))
    facts = EachVaried(
        varied=varied,
        canonical={name: space[name].levels[level] for name, level in stand.items()},
        category=category,
        instance=found.instance,
        objects=len(chosen) if found.paired else 0,
        by_level=by_level,
        left_out=tuple(space[category].levels[place] for place in left),
        targets=(category,),
    )
    sets = {
        name: RowSet(_reason(name, varied, facts), POOL, listed=own, asks=(category,))
        for name, own in rows.items()
        if len(own)
    }
    return Split(names, sets, Pools(by="nothing", seed=seed), facts)


def objects_for(images: int, categories: int, factors: int, *, pairs: bool = True, together: bool = True) -> int:
    """How many objects of each category so many images are enough for.

    >>> objects_for(4000, 30, 5), objects_for(300, 30, 5), objects_for(300, 10, 1)
    (5, 1, 10)
    """
    each = 1 + EACH["alone"] * factors
    each += EACH["pairs"] * (factors * (factors - 1) // 2) if pairs else 0
    each += EACH["all"] if together and factors > 2 else 0
    return max(1, images // (categories * each))


def _check(images: int | None, objects: int | None) -> None:
    for name, given in (("images", images), ("objects", objects)):
        if given is not None and (isinstance(given, bool) or given < 1):
            raise UnseenError(f"design.{name} = {given!r} must be a number from 1.")


def _canonical(samples: Samples, category: str, given: Mapping[str, Level]) -> dict[str, int]:
    """The canonical level of each factor that has one: the world's, or as given."""
    space = samples.space
    found = {
        one.name: one.canonical
        for one in space.factors
        if one.canonical is not None and one.name != category and len(one) > 1 and one.kind != "instance"
    }
    for name, level in given.items():
        if name == category or space[name].kind == "instance":
            raise UnseenError(f"design.canonical names '{name}', which says what an image shows; name what varies.")
        found[name] = space[name].index(level)
    return {one.name: found[one.name] for one in space.factors if one.name in found}


def _varied(samples: Samples, category: str, factors: Sequence[str], stand: Mapping[str, int]) -> tuple[str, ...]:
    """Factors to vary, in the world's order."""
    if isinstance(factors, str):
        raise UnseenError(f'design.factors = "{factors}" must be a list, e.g. ["{factors}"].')
    for name in factors:
        one = samples.space[name]
        if name == category or one.kind == "instance":
            raise UnseenError(f"design.factors names '{name}', which says what an image shows; name what varies.")
        if len(one) < 2:
            raise UnseenError(f"factor '{name}' has one level in this world, so that it does not vary.")
        if name not in stand and stand:
            raise UnseenError(
                f"factor '{name}' has no canonical level, from which a gap is measured, and {listed(stand)} "
                f"{'have' if len(stand) > 1 else 'has'}. Choose one of {listed(one.levels, 8)}: "
                f"design.canonical = {{{name} = {one.levels[0]!r}}}."
            )
    return tuple(name for name in stand if not factors or name in factors)


def _sets(varied: Sequence[str], pairs: bool, together: bool) -> dict[str, tuple[str, int]]:
    """Name of each set, the kind it is of, and which factors are away from canonical, as bits; -1: three or more."""
    if not varied:
        return {ASKED: ("alone", 0)}
    made = {CANONICAL: ("canonical", 0)}
    made |= {name: ("alone", 1 << place) for place, name in enumerate(varied)}
    if taken := {CANONICAL, ALL, ASKED} & set(varied):
        raise UnseenError(f"a factor is called '{next(iter(taken))}', as one of the sets of this design is; rename it.")
    if pairs:
        both = itertools.combinations(range(len(varied)), 2)
        made |= {pair_name(varied[a], varied[b]): ("pairs", 1 << a | 1 << b) for a, b in both}
    if together and len(varied) > 2:
        made[ALL] = ("all", THREE)
    return made


def _objects(
    found: Candidates, images: int | None, objects: int | None, varied: Sequence[str], pairs: bool, together: bool,
    seed: int,
) -> tuple[list[int], list[int]]:  # fmt: skip
    """The objects to ask, categories in turn, and the categories that have none with a canonical image."""
    able = found.with_canonical() if varied else np.arange(found.count)
    kinds = found.categories[able]
    left = [place for place in range(found.kinds) if not (kinds == place).any()]
    there = found.kinds - len(left)
    if there < 2:
        known = f"; of {there} of {found.kinds} categories there is one" if varied else ""
        raise UnseenError(
            f"this world has too few images to ask of: at least two categories need one at the canonical level of "
            f"{listed(varied) or 'nothing'}{known}. Choose other canonical levels (design.canonical)."
        )
    most = objects
    if most is None and images is not None:
        most = objects_for(images, there, len(varied), pairs=pairs, together=together) if found.paired else 1
    order = able[np.argsort(keyed(seed, "vary_each-objects", able), kind="stable")]
    chosen: list[list[int]] = []
    for place in range(found.kinds):
        own = order[found.categories[order] == place]
        if objects is not None and found.paired and len(own) < objects and place not in left:
            raise UnseenError(
                f"design.objects = {objects}, and category '{found.names[place]}' has {len(own)} objects with a "
                f"canonical image; ask for fewer, or leave it out for as many as there are."
            )
        chosen.append(own[:most].tolist())
    every = [one for turn in itertools.zip_longest(*chosen) for one in turn if one is not None]
    if len(every) < FEWEST:
        raise UnseenError(f"this world has {len(every)} objects; at least {FEWEST} are needed.")
    least = len(every) + len(_sets(varied, pairs, together)) - 1
    if images is not None and images < least:
        raise UnseenError(
            f"design.images = {images} is too few for {len(every)} objects and {least - len(every)} ways to change "
            f"them; ask for at least {least}, better {len(every) * (1 + 2 * len(varied))}, or for fewer factors."
        )
    return every, left


def _chosen_rows(
    found: Candidates, chosen: Sequence[int], wanted: Mapping[str, tuple[str, int]], images: int | None, seed: int
) -> dict[str, np.ndarray]:
    """Rows of each set: as many as it gets of the total, levels and objects in turn."""
    there = {name: found.of_set(chosen, code) for name, (_, code) in wanted.items()}
    there = {name: own for name, own in there.items() if own.size}
    if images is None:
        return {name: np.unique(np.concatenate([np.zeros(0, np.int64), *own.rows])) for name, own in there.items()}
    kinds = {name: wanted[name][0] for name in there}
    quotas = _quotas({name: own.size for name, own in there.items()}, kinds, images, found.paired)
    made = {}
    for name, own in there.items():
        taken = _in_turn(own, quotas[name], stream(seed, "design", "vary_each", name))
        made[name] = np.sort(np.array(taken, dtype=np.int64))
    return made


def _quotas(sizes: Mapping[str, int], kinds: Mapping[str, str], images: int, paired: bool) -> dict[str, int]:
    """How many images each set gets; what one has too few of goes to the others."""
    first = {}
    if CANONICAL in sizes:
        alone = sum(kind == "alone" for kind in kinds.values())
        share = max(1, round(images * SHARES["alone"] / max(1, alone)))
        first[CANONICAL] = min(sizes[CANONICAL], images if len(sizes) == 1 else share)
    left = images - sum(first.values())
    weights = {
        name: SHARES[kind] / sum(other == kind for other in kinds.values())
        for name, kind in kinds.items()
        if name != CANONICAL
    }
    quotas, open_to = dict(first), dict(weights)
    while open_to:
        total = sum(open_to.values())
        full = {name for name, weight in open_to.items() if sizes[name] <= left * weight / total}
        if not full:
            whole = {name: int(left * weight / total) for name, weight in open_to.items()}
            rest = left - sum(whole.values())
            for name in sorted(whole, key=lambda one: -(left * open_to[one] / total % 1))[:rest]:
                whole[name] += 1
            quotas |= whole
            break
        for name in full:
            quotas[name] = sizes[name]
            left -= sizes[name]
            del open_to[name]
    return quotas


def _in_turn(own: OfSet, quota: int, rng: np.random.Generator) -> list[int]:
    """So many rows: objects take turns, and each takes the level that was taken least, by chance among equals."""
    used = np.zeros(own.levels, dtype=np.int64)
    free = [np.ones(len(rows), dtype=bool) for rows in own.rows]
    taken: list[int] = []
    while len(taken) < quota:
        before = len(taken)
        for place in rng.permutation(len(own.rows)).tolist():
            if len(taken) == quota:
                break
            if not free[place].any():
                continue
            score = used[own.keys[place]] + rng.random(len(free[place]))
            best = int(np.where(free[place], score, np.inf).argmin())
            free[place][best] = False
            used[own.keys[place][best]] += 1
            taken.append(int(own.rows[place][best]))
        if len(taken) == before:
            break
    return taken


def _reason(name: str, varied: Sequence[str], facts: EachVaried) -> str:
    if name == ASKED:
        return "images of every category, whatever else they show"
    if name == CANONICAL:
        return f"objects at the canonical level of {listed(varied)}"
    if name == ALL:
        return "the same objects with three or more of these changed at once"
    return f"the same objects at other levels of {name.replace(' × ', ' and ')}, the rest canonical"
