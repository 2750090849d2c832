"""What a design says of its split has a type, and is the same table on disk as before there were types."""

import json
import pickle
import re
from dataclasses import FrozenInstanceError, dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import unseen
from unseen.designs import (
    decorrelate,
    expose,
    from_lists,
    hold_out_combinations,
    hold_out_levels,
    leave_one_out,
    matrix,
    replicate,
    vary_each,
    vary_some,
)
from unseen.studies.records import Record
from unseen.vocabulary.design_facts import (
    TYPES,
    Combinations,
    Conditions,
    Decorrelated,
    EachVaried,
    Exposed,
    LeftOut,
    Listed,
    Ranges,
    Replicated,
    Varied,
    facts_of,
)
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.facts import COMMON, Facts, PlainFacts
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.split import RowSet, Split

SPACE = FactorSpace({"category": ("a", "b", "c"), "look": ("clear", "blur", "noise")})
SAMPLES = Samples(SPACE, (Block(90, {"category": np.arange(90) % 3}, grid=("look",)),))
THINGS = FactorSpace((
    Factor("category", ("a", "b")), Factor("object", tuple(range(8)), kind="instance"),
    Factor("pose", (0, 1, 2), canonical=1), Factor("size", (0, 1, 2), canonical=1),
))  # fmt: skip
OWN = {"category": np.arange(8) % 2, "object": np.arange(8)}
OBJECTS = Samples(THINGS, (Block(8, OWN, grid=("pose", "size")),))
PAINTS = FactorSpace({"category": ("a", "b", "c"), "texture": ("a", "b", "c")})
PAINTED = Samples(PAINTS, (Block(90, {"category": np.arange(90) % 3}, grid=("texture",)),))
LOOK = {"transformation": "look", "plain": "clear"}
SOURCE = Path(unseen.__file__).parent


def made():
    """A split of every design of ours, with its type."""
    by = {"factor": "look", "seed": 0}
    return [
        (hold_out_combinations(SAMPLES, columns="look", seen_per_level=2, seed=0), Combinations),
        (hold_out_levels(SAMPLES, mode="extrapolation", share=0.3, seed=0), Ranges),
        (expose(SAMPLES, **LOOK, level="blur", seen=2, seed=0), Exposed),
        (expose(SAMPLES, **LOOK, level=["blur", "noise"], seen=0, seed=0), Exposed),
        (matrix(SAMPLES, train=["clear", "blur"], **by), Conditions),
        (leave_one_out(SAMPLES, left_out="noise", **by), LeftOut),
        (vary_some(OBJECTS, regime="samples", vary="pose", held_out=1, seed=0), Varied),
        (vary_each(OBJECTS, images=40, seed=0), EachVaried),
        (decorrelate(PAINTED, decorrelated=0.5, seed=0), Decorrelated),
        (replicate(SAMPLES, factor="look", shifted=["noise"], seed=0), Replicated),
        (from_lists(SAMPLES, lists={"train": [0, 1], "unseen": [5]}, columns="look"), Listed),
    ]


def test_every_design_of_ours_gives_facts_of_its_own_type():
    assert [type(split.facts) for split, _ in made()] == [kind for _, kind in made()]
    assert {kind for _, kind in made()} == set(TYPES)


def test_facts_come_back_from_a_file_with_their_type_and_every_value():
    for split, kind in made():
        told = json.loads(json.dumps(dict(split.facts)))
        back = facts_of(told)
        assert type(back) is kind
        assert repr(back) == repr(split.facts)
        assert list(back.items()) == list(split.facts.items())
        assert Record({"facts": told}, Path()).split_facts == split.facts


def test_the_stored_table_of_an_exposure_is_what_it_was():
    """Stored trials, packs and golden files have these keys in this order."""
    one, several = (split.facts for split, kind in made() if kind is Exposed)
    assert json.dumps(dict(one)).startswith('{"seen": 2, "exposed": [')
    assert list(one) == [
        "seen", "exposed", "exposed_numbers", "transformation", "level", "plain", "combinations", "grid", "balance",
        "disjoint_by", "withheld", "visits_per_image",
    ]  # fmt: skip
    assert (several["level"], several["levels"], several["withheld"]) == (None, ["blur", "noise"], {"look": []})


def test_facts_cannot_be_changed_and_travel_to_other_processes():
    for split, _ in made():
        with pytest.raises(FrozenInstanceError):
            split.facts.combinations = 1
        assert pickle.loads(pickle.dumps(split.facts)) == split.facts


def test_a_dict_of_a_users_design_is_kept_as_it_is_and_says_what_every_design_can():
    told = {"angle": 30, "withheld": {"look": [2]}, "combinations": 5}
    facts = Split(("category", "look"), {}, Pools(), told).facts
    assert isinstance(facts, PlainFacts)
    assert json.dumps(dict(facts)) == json.dumps(told)
    assert (facts["angle"], facts.combinations, facts.withheld) == (30, 5, {"look": (2,)})
    assert (facts.targets, facts.visits_per_image, facts.name, facts.has_distances) == ((), None, "", True)


def test_a_split_that_says_nothing_has_every_default():
    facts = Split(("category", "look"), {}, Pools()).facts
    assert dict(facts) == {}
    assert {name: getattr(facts, name) for name in COMMON} == {name: getattr(Facts, name) for name in COMMON}


def test_a_users_dict_that_adds_to_the_facts_of_our_design_is_of_that_type():
    split = expose(SAMPLES, **LOOK, level="blur", seen=2, seed=0)
    mine = replace(split, facts={**split.facts, "mine": [1]})
    assert isinstance(mine.facts, Exposed)
    assert (mine.facts.seen, mine.facts["mine"], list(mine.facts)[-1]) == (2, [1], "mine")


def test_facts_of_another_design_are_refused_with_what_is_needed():
    given = facts_of({"mode": "random"})
    with pytest.raises(UnseenError, match="whose facts have seen, exposed_numbers; the design of this one gives mode"):
        Exposed.of(given)
    with pytest.raises(UnseenError, match="gives none"):
        LeftOut.of(facts_of({}))


@dataclass(frozen=True, eq=False, kw_only=True)
class Turned(Facts):
    known_by: ClassVar[tuple[str, ...]] = ("angles",)
    angles: tuple[int, ...]


def test_a_package_may_have_facts_of_a_type_of_its_own():
    own = Split(("category", "look"), {"train": RowSet("all")}, Pools(), Turned(angles=(30, 60))).facts
    stored = Record({"facts": json.loads(json.dumps(dict(own)))}, Path()).split_facts
    assert isinstance(own, Turned)
    assert (type(stored), Turned.of(stored).angles) == (PlainFacts, (30, 60))


def test_no_module_asks_the_facts_of_a_split_by_a_key():
    by_key = re.compile(r"split(\(\w+\))?\.facts(\[|\.get\()|\bin split\.facts\b|\[\"facts\"\](\[|\.get\()")
    found = [(path.name, line) for path in SOURCE.rglob("*.py") for line in path.read_text().splitlines()]
    assert len(found) > 10_000
    assert [one for one in found if by_key.search(one[1])] == []
