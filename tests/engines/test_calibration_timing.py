"""The time a study would take counts the networks that are trained to find strengths."""

import pytest

from small_study import CALIBRATED
from unseen.engines import open_study
from unseen.engines.timing import estimate
from unseen.studies.calibration import calibrate


@pytest.mark.slow
def test_a_calibration_to_be_done_is_counted_once_and_one_that_was_done_is_not(tmp_path):
    study = open_study(CALIBRATED, out=tmp_path)
    each = 3 * 2 * 10 * 20  # epochs × visits × categories × images
    before = estimate(study, "cpu")
    assert (before.images, before.networks) == (3 * each, 2)
    calibrate(study)
    after = estimate(study, "cpu")
    assert (after.images, after.networks) == (2 * each, 2)


def test_what_a_search_tries_is_counted(tmp_path):
    study = open_study(CALIBRATED | {"search": {"lr": [1e-3, 1e-2], "weight_decay": [0.0, 1e-4]}}, out=tmp_path)
    each = 3 * 2 * 10 * 20
    assert estimate(study, "cpu").images == 3 * round(each * (1 + 4 * 0.9))
