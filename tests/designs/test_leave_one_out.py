"""Train on every domain but one and ask the one left out, with photo sets as they are: ragged."""

import json
from inspect import unwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.designs import DESIGNS, audit, leave_one_out
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

DOMAINS = ("art", "cartoon", "photo", "sketch")
POOLED = ("train", "validation", "seen", "unseen")


def photos(counts, **stored):
    """As many photos of each category (rows) in each domain as ``counts`` says."""
    counts = np.asarray(counts)
    category, domain = (np.repeat(level.ravel(), counts.ravel()) for level in np.indices(counts.shape))
    factors = {"category": range(counts.shape[0]), "domain": DOMAINS[: counts.shape[1]]}
    factors |= {name: range(int(numbers.max()) + 1) for name, numbers in stored.items()}
    block = Block(len(category), {"category": category, "domain": domain, **stored})
    return Samples(FactorSpace(factors), (block,))


def drawn(each=30, categories=3):
    """Things that the world can draw in every domain."""
    own = np.repeat(np.arange(categories), each)
    space = FactorSpace({"category": range(categories), "domain": DOMAINS})
    return Samples(space, (Block(len(own), {"category": own}, grid=("domain",)),))


def split_of(samples, **options):
    return leave_one_out(samples, **{"factor": "domain", "left_out": "sketch", "seed": 0, **options})


def table(split, samples, name):
    found = np.zeros(samples.space.select(split.factors).shape, int)
    np.add.at(found, tuple(samples.cells(split.rows(samples, name), split.factors).T), 1)
    return found


def things(split, samples, name):
    return samples.locate(split.rows(samples, name))[1].tolist()


@st.composite
def ragged(draw):
    """Unequal counts, some cells empty; every domain has a few of two categories at least."""
    shape = draw(st.tuples(st.integers(2, 5), st.integers(2, 4)))
    flat = draw(st.lists(st.integers(0, 40), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    counts = np.array(flat).reshape(shape)
    counts[:2] += 10
    return photos(counts), draw(st.sampled_from(("images", "domains", "cells"))), draw(st.integers(0, 9))


@given(ragged())
def test_no_image_of_the_left_out_domain_is_trained_on_or_chosen_by_and_nothing_leaks(made):
    samples, balance, seed = made
    for out, name in enumerate(samples.space["domain"].levels):
        split = split_of(samples, left_out=name, balance=balance, seed=seed)
        for trained in ("train", "validation", "seen"):
            found = table(split, samples, trained)
            assert not found[:, out].any()
        assert not np.delete(table(split, samples, "unseen"), out, axis=1).any()
        found = [things(split, samples, name) for name in POOLED if name in split.sets]
        every = [thing for some in found for thing in some]
        assert len(every) == len(set(every))  # no image twice, in one set or in two
        told = audit(split, samples)
        assert not any(told.shared_instances.values())


@given(ragged())
def test_every_choice_trains_on_as_many_images(made):
    samples, balance, seed = made
    names = [*samples.space["domain"].levels, "none"]
    splits = [split_of(samples, left_out=name, balance=balance, seed=seed) for name in names]
    totals = {split.count(samples, "train") for split in splits}
    assert len(totals) == 1
    assert totals == {splits[0].facts["images"]}


@given(ragged())
def test_only_categories_that_were_trained_are_asked_and_the_others_counted(made):
    samples, balance, seed = made
    for out, name in enumerate(samples.space["domain"].levels):
        split = split_of(samples, left_out=name, balance=balance, asked="all", seed=seed)
        trained = table(split, samples, "train").any(axis=1)
        asked = table(split, samples, "unseen").any(axis=1)
        whole = np.bincount(samples.blocks[0].stored["category"][samples.blocks[0].stored["domain"] == out],
                            minlength=len(trained))  # fmt: skip
        assert asked.tolist() == (trained & (whole > 0)).tolist()
        assert split.facts["not_asked"] == np.flatnonzero(~trained & (whole > 0)).tolist()
        assert split.facts["not_asked_images"] == whole[~trained].sum()
        assert split.facts["absent"] == np.flatnonzero(trained & (whole == 0)).tolist()


@given(ragged())
def test_the_network_of_all_domains_is_asked_the_very_images_that_each_left_out_one_is(made):
    samples, _, seed = made
    bound = split_of(samples, left_out="none", seed=seed)
    asked = set(bound.rows(samples, "seen").tolist())
    assert not len(bound.rows(samples, "unseen"))
    for name in samples.space["domain"].levels:
        split = split_of(samples, left_out=name, seed=seed)
        assert set(split.rows(samples, "unseen").tolist()) <= asked
        assert set(split.rows(samples, "seen").tolist()) <= asked


@settings(max_examples=20)
@given(ragged(), st.data())
def test_relabelling_the_domains_changes_no_image(made, data):
    samples, balance, seed = made
    block, names = samples.blocks[0], samples.space["domain"].levels
    order = data.draw(st.permutations(range(len(names))))
    space = FactorSpace(
        {"category": samples.space["category"].levels, "domain": [names[old] for old in np.argsort(order)]}
    )
    stored = {"category": block.stored["category"], "domain": np.array(order)[block.stored["domain"]]}
    again = Samples(space, (Block(block.instances, stored),))
    one, two = (split_of(world, left_out=names[0], balance=balance, seed=seed) for world in (samples, again))
    assert things(one, samples, "unseen") == things(two, again, "unseen")
    assert things(one, samples, "seen") == things(two, again, "seen")


def test_proportions_are_kept_or_domains_or_cells_made_equal():
    samples = photos([[20, 40, 100], [60, 40, 20]])
    whole = {"left_out": "none", "shares": (0.5, 0.0, 0.5)}
    split = split_of(samples, **whole)  # half of the images are trained on; without the largest domain 80 are left
    assert split.facts["images"] == 80
    exact = np.array([[10, 20, 50], [30, 20, 10]]) * 80 / 140
    assert (abs(table(split, samples, "train") - exact) < 1).all()
    each = table(split_of(samples, **whole, balance="domains", images=60), samples, "train")
    assert each.sum(axis=0).tolist() == [20, 20, 20]
    assert each[0, 2] > each[1, 2]
    assert table(split_of(samples, **whole, balance="cells"), samples, "train").tolist() == [[7, 7, 7], [7, 6, 6]]
    every = split_of(samples, **whole, images="all")
    assert every.facts["images"] == 140
    assert every["train"].reason == "domain: all; all images there are"


def test_a_set_shaped_like_pacs_loses_its_largest_domain_at_most():
    """Li et al. 2017: 9,991 images; without sketches 6,062 are left."""
    art = [379, 255, 285, 184, 201, 295, 449]
    cartoon = [389, 457, 346, 135, 324, 288, 405]
    photo = [189, 202, 182, 186, 199, 280, 432]
    sketch = [772, 740, 753, 608, 816, 80, 160]
    samples = photos(np.array([art, cartoon, photo, sketch]).T)
    split = split_of(samples, left_out="photo", shares=(0.9, 0.1, 0.0), asked="all")
    assert split.count(samples, "unseen") == 1670
    assert split.facts["images"] == pytest.approx(0.9 * 6062, abs=11)  # rounded in each cell
    assert split["train"].reason == "domain: all but photo; 5,458 images, whichever is left out"
    assert split["unseen"].reason == "domain photo, never seen in training: all pools"


def test_the_test_pool_or_every_image_of_the_left_out_domain_is_asked():
    samples = photos([[10, 10, 20], [10, 30, 40]])
    assert table(split_of(samples, left_out="photo"), samples, "unseen")[:, 2].tolist() == [4, 8]
    assert table(split_of(samples, left_out="photo", asked="all"), samples, "unseen")[:, 2].tolist() == [20, 40]
    few = split_of(samples, left_out="photo", asked="all", test_images_per_cell=5)
    assert table(few, samples, "unseen")[:, 2].tolist() == [5, 5]
    assert few["unseen"].asks == ("category",)


def test_a_category_that_no_trained_domain_has_is_left_out_and_told():
    samples = photos([[20, 20, 20], [20, 20, 20], [0, 0, 20], [20, 20, 0]])
    split = split_of(samples, left_out="photo")
    assert table(split, samples, "unseen")[:, 2].tolist() == [4, 4, 0, 0]
    assert split.facts["not_asked"] == [2]
    assert split.facts["not_asked_images"] == 4
    assert split.facts["absent"] == [3]
    told = audit(split, samples)
    assert told.problems == ()
    assert any("category 2 is in photo only, so that it is not asked (4 images)" in note for note in told.notes)
    assert any("photo has no image of category 3" in note for note in told.notes)


def test_objects_that_are_in_several_domains_stay_in_one_pool():
    counts = np.full((2, 3), 20)
    thing = np.tile(np.repeat(np.arange(10), 2), 6)  # ten things of each category, two images in each domain
    samples = photos(counts, thing=thing)
    split = split_of(samples, left_out="photo", disjoint_by="thing")
    of = {name: set(samples.levels("thing", split.rows(samples, name)).tolist()) for name in POOLED}
    assert of["unseen"].isdisjoint(of["train"] | of["validation"])
    with pytest.raises(UnseenError, match="some thing is at several levels of domain"):
        split_of(samples, left_out="photo", disjoint_by="thing", asked="all")


@given(st.integers(8, 30), st.sampled_from((*DOMAINS, "none")), st.integers(0, 5))
def test_where_the_world_draws_the_domain_each_thing_is_shown_in_one(each, left_out, seed):
    samples = drawn(each)
    split = split_of(samples, left_out=left_out, seed=seed)
    shown = things(split, samples, "train")
    assert len(shown) == len(set(shown)) == split.facts["images"]
    assert set(shown).isdisjoint(things(split, samples, "unseen"))
    with pytest.raises(UnseenError, match="every image is shown at each domain"):
        split_of(samples, asked="all")


def test_ragged_photos_are_no_problem_but_noted():
    samples = photos([[30, 10, 10], [90, 0, 10]])
    told = audit(split_of(samples, left_out="photo"), samples)
    assert told.problems == ()
    assert told.notes == (
        "training cells hold 2 to 14 images, in the proportions in which they come",
        "1 of 4 cells of category × trained domain are empty",
    )


def test_numbers_of_numpy_are_as_good_as_pythons_and_facts_stay_plain():
    samples = photos(np.full((2, 3), 30))
    sizes = {"images": 20, "test_images_per_cell": 3, "probe_per_cell": 2}
    plain = split_of(samples, left_out="photo", **sizes)
    sizes = {key: np.int64(n) for key, n in sizes.items()}
    split = unwrap(leave_one_out)(samples, factor="domain", left_out="photo", seed=0, **sizes)
    assert json.dumps(dict(split.facts)) == json.dumps(dict(plain.facts))
    for name in plain.sets:
        assert split.rows(samples, name).tolist() == plain.rows(samples, name).tolist()


@pytest.mark.parametrize(
    ("samples", "options", "sentences"),
    [
        (photos(np.full((2, 4), 9)), {"left_out": "sketches"}, ["no level 'sketches'", "Did you mean 'sketch'?"]),
        (photos(np.full((2, 4), 9)), {"factor": "domains"}, ["no factor 'domains'"]),
        (photos(np.full((2, 4), 9)), {"factor": "category"}, ["both 'category'"]),
        (photos(np.full((2, 1), 9)), {"left_out": "art"}, ["leave nothing to train on"]),
        (photos(np.full((1, 4), 9)), {}, ["every answer is right"]),
        (photos([[9, 9], [0, 9]]), {"left_out": "cartoon"}, ["have images of 1 category only"]),
        (photos([[9, 0], [9, 0]]), {"left_out": "art"}, ["no image in pool 'train': cartoon"]),
        (photos([[9, 0], [9, 0], [0, 9]]), {"left_out": "cartoon"}, ["shows a category that is trained on"]),
        (photos(np.full((2, 4), 9)), {"balance": "domain"}, ["design.balance", "Did you mean 'domains'?"]),
        (photos(np.full((2, 4), 9)), {"asked": "every"}, ["design.asked", "test, all"]),
        (photos(np.full((2, 4), 9)), {"images": 0}, ["design.images = 0", '"all"']),
        (photos(np.full((2, 4), 9)), {"images": "most"}, ["design.images = 'most'"]),
        (photos(np.full((2, 4), 9)), {"images": 400}, ["design.images = 400, but 36 is the most", '"all"']),
        (photos(np.full((2, 4), 9)), {"images": 5}, ["6 trained cells need at least one image each"]),
        (photos(np.full((2, 4), 9)), {"probe_per_cell": 0}, ["design.probe_per_cell = 0"]),
    ],
)  # fmt: skip
def test_what_cannot_be_left_out_is_refused_with_a_way_out(samples, options, sentences):
    with pytest.raises(UnseenError) as told:
        split_of(samples, **options)
    for sentence in sentences:
        assert sentence in str(told.value)


def test_a_level_called_none_would_be_taken_for_no_level():
    space = FactorSpace({"category": (0, 1), "domain": ("none", "photo")})
    stored = {"category": np.repeat([0, 1], 20), "domain": np.tile([0, 1], 20)}
    with pytest.raises(UnseenError, match="has a level called 'none'"):
        split_of(Samples(space, (Block(40, stored),)), left_out="none")


def test_the_design_is_in_the_table():
    assert DESIGNS["leave_one_out"] is leave_one_out
