"""Two cues that agree in training, less and less, and conflict at test (after Geirhos et al. 2019)."""

import numpy as np
import pytest
from grids import instances, listed
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.designs import audit, decorrelate
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

NAMES = ("cat", "car", "cup")


def objects(names=NAMES, each=20, textures=None, **more):
    own = np.repeat(np.arange(len(names)), each)
    space = FactorSpace({"category": names, "texture": textures or names[::-1], **more})
    return Samples(space, (Block(len(own), {"category": own}, grid=("texture", *more)),))


def split_of(samples, share, **options):
    return decorrelate(samples, **{"decorrelated": share, "seed": 0, **options})


def own_of(samples):
    names = list(samples.space["texture"].levels)
    return [names.index(name) for name in samples.space["category"].levels]


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(10, 25), st.floats(0, 1), st.integers(0, 9))
def test_so_many_objects_lose_their_texture_and_each_gets_every_texture_equally_often(kinds, each, share, seed):
    samples = objects(tuple("abcdefgh"[:kinds]), each)
    split = split_of(samples, share, seed=seed)
    found, own = listed(split, samples, "train"), own_of(samples)
    images = found.sum(axis=1)
    assert len(set(images.tolist())) == 1
    turns = round(share * images[0])
    for category, row in enumerate(found):
        lost = np.delete(row, own[category])
        dealt = np.append(lost, turns - lost.sum())
        assert dealt.max() - dealt.min() <= 1


def test_at_none_the_cue_always_agrees_and_at_all_it_tells_nothing():
    samples = objects(each=30)
    own = own_of(samples)
    agreeing = listed(split_of(samples, 0.0), samples, "train")
    assert agreeing.sum() == agreeing[np.arange(3), own].sum() == 63
    assert (listed(split_of(samples, 1), samples, "train") == 7).all()


def test_the_objects_are_the_same_at_every_share_and_keep_the_texture_they_got():
    samples = objects(each=30)

    def textures(share):
        rows = split_of(samples, share).rows(samples, "train")
        return dict(zip(samples.locate(rows)[1].tolist(), samples.levels("texture", rows).tolist()))

    few, more = textures(0.3), textures(0.8)
    own = own_of(samples)
    assert set(few) == set(more)
    moved = [one for one, level in few.items() if level != own[one // 30]]
    assert moved
    assert all(more[one] == few[one] for one in moved)


def test_conflicting_images_are_of_new_objects_and_never_agree():
    samples = objects(each=20)
    split = split_of(samples, 0.5, test_images_per_category=3)
    own = own_of(samples)
    conflict, agree = (listed(split, samples, name) for name in ("conflicting", "agreeing"))
    assert not conflict[np.arange(3), own].any()
    assert (conflict.sum(), agree.sum()) == (18, 9)
    assert set(instances(split, samples, "conflicting")) == set(instances(split, samples, "agreeing"))
    assert not set(instances(split, samples, "conflicting")) & set(instances(split, samples, "train"))


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_cells_that_are_uneven_on_purpose_are_no_problem(share):
    samples = objects()
    assert audit(split_of(samples, share), samples).problems == ()


def test_categories_of_other_sizes_are_told():
    own = np.repeat([0, 1], (20, 40))
    samples = Samples(
        FactorSpace({"category": ("a", "b"), "texture": ("a", "b")}), (Block(60, {"category": own}, grid=("texture",)),)
    )
    assert audit(split_of(samples, 0.5), samples).problems == ("levels of category have 14 to 28 training images",)
    assert not audit(split_of(samples, 0.5, images_per_category=10), samples).problems


def test_facts_are_read_as_they_were_written():
    from unseen.vocabulary.design_facts import Decorrelated, facts_of

    facts = split_of(objects(), 0.5).facts
    read = facts_of(dict(facts))
    assert isinstance(read, Decorrelated)
    assert (read.decorrelated, read.cue, read.title) == (0.5, "texture", facts.title)


@pytest.mark.parametrize(
    ("make", "sentences"),
    [
        (lambda: split_of(objects(), 30), ["from 0 (the cue always agrees) to 1", "For 30 % write 0.3"]),
        (lambda: split_of(objects(), True), ["is a share of the training images"]),
        (lambda: split_of(objects(), 0, cue="colour"), ["no factor of this world", 'textures = "categories"']),
        (lambda: split_of(objects(), 0, cue="category"), ["name two factors"]),
        (lambda: split_of(objects(textures=("cat", "car", "moss")), 0), ["cup, moss are levels of one of them alone"]),
        (lambda: split_of(objects(("cat",)), 0), ["has one level"]),
        (lambda: split_of(objects(), 0, images_per_category=15), ["has 14 images to train on"]),
        (lambda: split_of(objects(each=2), 0), ["have no image in pool"]),
    ],
)  # fmt: skip
def test_errors_teach(make, sentences):
    with pytest.raises(UnseenError) as told:
        make()
    for sentence in sentences:
        assert sentence in str(told.value)


def test_a_texture_that_is_stored_with_each_image_cannot_be_dealt():
    own = np.repeat([0, 1], 10)
    space = FactorSpace({"category": ("a", "b"), "texture": ("a", "b")})
    samples = Samples(space, (Block(20, {"category": own, "texture": own}),))
    with pytest.raises(UnseenError, match="stored with each image"):
        split_of(samples, 0)
