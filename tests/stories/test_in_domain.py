"""From a recipe over splits by levels to a page: dSprites, one small network, a handful of images."""

import re

from safetensors.numpy import load_file

from pages import page_of
from small_study import ran
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect
from unseen.kinds.results import gather
from unseen.reports import write_report

RECIPE = {
    "extends": "schott2022/small",
    "design": {"images": 256, "test_images": 64, "probe_images": 144},
    "network": {"backbone": "cnn"},
    "training": {"epochs": 1, "batch": 64},
    "grid": {"design.mode": ["random", "extrapolation"]},
}


def test_levels_held_out_of_dsprites_become_a_report(tmp_path):
    study = open_study(RECIPE, out=tmp_path / "study")
    check(study)
    outcome = ran(study)
    assert study.failures() == {}, outcome
    assert study.missing() == []
    contents = gather(study)
    asked = set(contents.summary.filter(contents.summary["x"] == "extrapolation")["set"]) - {""}
    assert {"validation", "test", "one-out-scale", "one-out-position_y", "one-out-*"} <= asked
    assert len(contents.splits) == 4, "two pairs of factors for each split"
    assert re.match(r"On rows left out at random and on levels beyond the trained range, the mean R² ", contents.answer)
    page = write_report(page_of(contents), tmp_path / "report").read_text()
    for words in ("R² by split", "Predicted against true", "Towards the mean", "hold_out_levels", "Schott et al. 2022"):
        assert words in page


ENCODERS = {
    **RECIPE,
    "network": {"backbone": "vae", "channels": 1},
    "training": {"epochs": 1, "batch": 64, "normalise": "none", "objective": "beta-vae"},
    "readout": {"epochs": 1, "batch": 64},
}


def test_an_encoder_without_labels_is_read_out_and_a_readout_that_breaks_costs_its_own_trial_only(
    tmp_path, monkeypatch
):
    import torch

    from unseen.studies import execute as running
    from unseen.vocabulary.recipe import extended

    study = open_study(extended(ENCODERS), out=tmp_path / "study")
    whole, calls = running.finished, []

    def once_broken(*arguments):
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("the readout broke")
        return whole(*arguments)

    monkeypatch.setattr(running, "finished", once_broken)
    running.execute(study, study.trials, torch.device("cpu"), lambda event: None)
    assert [record["error"] for record in study.failures().values()] == ["RuntimeError: the readout broke"]
    assert len(study.missing()) == 1
    name = study.store.finished()[0]
    facts = study.store.read(name)
    assert facts["network"]["backbone"] == "readout"
    assert facts["sets"]["train"] == 256
    latents = load_file(study.store.trials / name / "latents.safetensors")
    assert {key: (value.shape, str(value.dtype)) for key, value in latents.items()} == {
        "codes": ((256, 10), "float32"),
        "levels": ((256, 5), "int32"),
    }
    trial = next(trial for trial in study.trials if study.find(trial) == name)
    samples = study.world(trial).samples
    shown = samples.cells(study.split(trial).rows(samples, "train"), list(facts["targets"]))
    assert sorted(map(tuple, latents["levels"])) == sorted(map(tuple, shown)), "training rows, in the order of a draw"
    tidy = collect(study)
    assert tidy.filter(tidy["measure"].is_in(["MIG", "collapsed encoders"])).height >= 1
