"""Regression on some of the factors: what is held out and not asked is in the split and nowhere in the answers."""

import pytest

from pages import page_of
from small_study import ran
from unseen.designs.levels import MODES
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect
from unseen.kinds.in_domain.numbers import OTHERS, OUT, TOWARDS
from unseen.kinds.results import gather
from unseen.reports import write_report


def tables(targets):
    return {
        "title": "Some factors", "task": "regression", "seeds": [0], "targets": targets, "world": {"name": "dsprites"},
        "design": {"name": "hold_out_levels", "share": 0.2, "protect": ["shape"]}
        | {"images": 100, "test_images": 40, "probe_images": 20},
        "network": {"backbone": "mlp", "channels": 1, "arguments": {"widths": [8, 8]}},
        "training": {"epochs": 1, "batch": 50, "normalise": "none"},
        "recordings": {"sets": ["validation", "test", "one-out-*"], "layers": "none"},
        "grid": {"design.mode": list(MODES)},
    }  # fmt: skip


@pytest.mark.parametrize(
    "targets", [["scale", "shape"], *(pytest.param([one], marks=pytest.mark.slow) for one in ("shape", "scale"))]
)
def test_a_study_of_some_factors_is_checked_run_and_reported(targets, tmp_path):
    study = open_study(tables(targets), out=tmp_path / "study")
    check(study)
    assert ran(study).finished == len(MODES)
    tidy = collect(study)
    told = set(tidy["target"].drop_nulls()) & {"orientation", "position_x", "position_y"}
    assert told == set(), "factors that nobody was asked about"
    away = tidy.filter(tidy["measure"] == TOWARDS)
    assert set(away["target"]) == ({"scale", "mean over factors"} if "scale" in targets else set())
    others = tidy.filter(tidy["measure"] == OTHERS)["value"].to_list()
    assert None not in others
    assert bool(others) == (set(targets) > {"scale"})
    assert ("scale" in tidy.filter(tidy["measure"] == OUT)["target"].to_list()) == ("scale" in targets)
    contents = gather(study)
    assert f"the mean R² of {' and '.join(targets)} " in contents.answer
    assert write_report(page_of(contents), study.path / "report").is_file()
