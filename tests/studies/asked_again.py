"""Finished trials asked once more from the weights that were kept: the same answers to the bit, and nothing trained."""

import json
import shutil

from small_study import ran


def again(opened, **options):
    """Run once more and give what it did and what it noted."""
    events = []
    outcome = ran(opened, watch=events.append, **options)
    return outcome, [event.trial for event in events if event.kind == "note"]


def same_from_weights(opened, tmp_path, untrainable, **options):
    shutil.move(opened.store.trials, tmp_path / "first")
    untrainable()
    outcome, _ = again(opened, **options)
    assert outcome.asked == outcome.finished == len(opened.trials)
    for one in (tmp_path / "first").iterdir():
        other = opened.store.trials / one.name
        assert {file.name for file in one.iterdir()} == {file.name for file in other.iterdir()}
        for file in one.iterdir():
            if file.name != "trial.json":
                assert file.read_bytes() == (other / file.name).read_bytes(), file.name
        before, after = (json.loads((folder / "trial.json").read_text()) for folder in (one, other))
        assert set(after) - set(before) == {"asked"}
        assert {key: value for key, value in after.items() if key not in ("asked", "finished")} == {
            key: value for key, value in before.items() if key != "finished"
        }


def same_from_features(opened, tmp_path, untrainable):
    """Trials that keep features instead: the same answers to the bit, and no picture is shown again."""
    shutil.move(opened.store.trials, tmp_path / "first")
    untrainable()
    world = opened.world(opened.trials[0])
    shown, whole = [], type(world).images
    type(world).images = lambda self, rows, *more: shown.append(len(rows)) or whole(self, rows, *more)
    try:
        outcome, _ = again(opened)
    finally:
        type(world).images = whole
    assert outcome.finished == len(opened.trials)
    assert shown == []
    for one in (tmp_path / "first").iterdir():
        other = opened.store.trials / one.name / "responses.parquet"
        assert (one / "responses.parquet").read_bytes() == other.read_bytes()
