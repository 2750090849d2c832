"""Captions are written from factors, in words that a small vocabulary holds."""

import numpy as np

from unseen.vocabulary.captions import PAD, START, caption, phrase, phrases_of, said_factors
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.worlds.stage import scalar_factor

SPACE = FactorSpace(
    [
        scalar_factor("pose", 8),
        Factor("category", ("mug", "wine glass"), kind="category", texts=("a mug", "a wine glass")),
        Factor("object", ("mug 0", "mug 1"), kind="instance"),
        Factor("background", ("sky 1", "city 2")),
    ]
)


def test_a_caption_begins_with_the_category_and_names_no_instance():
    assert [factor.name for factor in said_factors(SPACE)] == ["category", "pose", "background"]
    assert caption(SPACE, [4, 1, 0, 1]) == "a wine glass, from the front, before city"


def test_scales_are_said_in_a_few_words_from_the_least_to_the_most():
    size = scalar_factor("size", 7)
    assert list(dict.fromkeys(phrase(size, k) for k in range(7))) == ["small", "medium", "large"]
    position = scalar_factor("position", 3)
    assert [phrase(position, k) for k in range(3)] == ["at the left", "in the middle", "at the right"]


def test_a_circle_is_said_all_around_and_comes_round():
    pose = scalar_factor("pose", 16)
    said = [phrase(pose, k) for k in range(16)]
    assert len(set(said)) == 8
    assert said[0] == "from the back"
    light = scalar_factor("light", 12)
    assert phrase(light, light.canonical or 0) == "in red light"
    assert len({phrase(light, k) for k in range(12)}) == 6


def test_every_phrase_is_held_by_its_words_in_order():
    phrases = phrases_of(SPACE)
    assert phrases.words[:2] == (PAD, START)
    assert phrases.factors == (1, 0, 3)
    assert phrases.always == (0,)
    for place, factor in enumerate(said_factors(SPACE)):
        for level, row in enumerate(phrases.tokens[place]):
            assert " ".join(phrases.words[word] for word in row if word) == phrase(factor, level)
    assert all(np.issubdtype(table.dtype, np.integer) for table in phrases.tokens)


def test_what_words_would_say_wrongly_is_said_by_value():
    pose = scalar_factor("pose", 8)
    assert phrase(pose, 4, {"pose"}) == f"pose {pose.texts[4]}"
    words = phrases_of(SPACE, {"pose"}).words
    assert "front" not in words
    assert "pose" in words
