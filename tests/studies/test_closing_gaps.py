"""What it costs to close a model's gaps: words, files, and the share that closes half of a gap."""

import json

import pytest

from unseen.kinds.weaknesses.closing import Closed, Closing, closings, note_closing


def made(model="net", pose=(-0.4, -0.3, -0.1), light=(0.11, 0.1, 0.12)):
    shares = (0.0, 0.25, 1.0)
    rows = [Closed("light", share, gap, None, None, 4) for share, gap in zip(shares, light)]
    rows += [Closed("pose", share, gap, gap - 0.1, gap + 0.1, 4) for share, gap in zip(shares, pose)]
    return Closing(model, 0.8, tuple(rows), 20, 96, 4)


def test_the_largest_gap_is_told_with_the_share_that_closes_half_of_it():
    assert made().factors == ("pose", "light")
    assert made().half("pose").share == 1.0
    assert made().half("light") is None
    words = made().words.replace("\u00a0", " ")
    assert "knows 80 % of canonical images" in words
    assert (
        "loses 40 points where pose is changed; 10 points once 4 of every 4 images that it learns vary in pose" in words
    )


@pytest.mark.parametrize(
    ("pose", "words"),
    [
        ((-0.4, -0.35, -0.3), "closes half of that (30 points at best)"),
        ((0.1, 0.1, 0.1), "loses nothing by any change"),
    ],
)
def test_what_no_share_closes_and_what_needs_no_closing_are_told(pose, words):
    assert words in made(pose=pose).words


def test_what_was_found_is_kept_the_newest_of_a_model_and_damage_costs_no_page(tmp_path):
    note_closing(tmp_path, [made("a"), made("b")])
    note_closing(tmp_path, [made("a", pose=(-0.2, -0.1, 0.0))])
    assert [one.model for one in closings(tmp_path)] == ["b", "a"]
    assert closings(tmp_path)[1] == made("a", pose=(-0.2, -0.1, 0.0))
    (tmp_path / "closing.json").write_text(json.dumps([{"model": "a"}]), encoding="utf-8")
    assert closings(tmp_path) == ()
