# ruff: noqa: E501 (a table reads best with one row a line)
"""Whatever is misspelt, missing or impossible is told in a sentence with the likely fix: exit code 2, no traceback."""

import pytest

from small_study import tiny, written

pytest_plugins = ("studies_fixtures",)

K = 'grid."design.seen_per_level"'

BAD = {
    "recipe": (["check", "dmeo"], "no recipe 'dmeo'; possible: ", "Did you mean 'demo'?"),
    "key": (["check", "RECIPE", "--set", "training.epoch=3"], "no key 'training.epoch'; possible: epochs", "Did you mean 'epochs'?"),
    "section": (["check", "RECIPE", "--set", "trainin.epochs=3"], "no key 'trainin'", "Did you mean 'training'?"),
    "argument of a design": (["check", "RECIPE", "--set", "design.collumns=position"], "no key 'design.collumns'", "Did you mean 'design.columns'?"),
    "argument of a world": (["check", "RECIPE", "--set", "world.viewpont=scale"], "no key 'world.viewpont'", "Did you mean 'world.viewpoint'?"),
    "factor": (["check", "RECIPE", "--set", "design.columns=positon"], "no factor 'positon'", "Did you mean 'position'?"),
    "level": (["check", "RECIPE", "--set", 'design.withhold_rows=["12"]'], "no level '12'", "category"),
    "model": (["check", "RECIPE", "--set", "network.backbone=resnet81"], "'resnet81'", "Did you mean 'resnet18'?"),
    "sharing": (["check", "RECIPE", "--set", "network.sharing=seperate"], "no sharing 'seperate'", "Did you mean 'separate'?"),
    "layer": (["check", "RECIPE", "--set", 'recordings.layers=["layr4"]'], "no layer 'layr4'", "Did you mean 'layer4'?"),
    "layers": (["check", "RECIPE", "--set", "recordings.layers=lats"], "recordings.layers = 'lats'; possible", "Did you mean 'last'?"),
    "world": (["check", "RECIPE", "--set", "world.name=digit"], "no world 'digit'", "Did you mean 'digits'?"),
    "k that is too large": (["plan", "RECIPE", "--set", f"{K}=[9]"], "seen_per_level = 9", "8"),
    "k below one": (["plan", "RECIPE", "--set", f"{K}=[0]"], "seen_per_level = 0", ""),
    "k that cannot be balanced": (
        ["check", "RECIPE", "--set", "design.withhold_columns=[7, 8]", "--set", f"{K}=[2]"],
        "seen_per_level = 2", "nearly_balanced",
    ),
    "k set beside its grid": (["check", "RECIPE", "--set", "design.seen_per_level=2"], "has a grid over 'design.seen_per_level'", "set 'grid."),
    "too many images": (["check", "RECIPE", "--set", "design.images=100000"], "too few images in pool 'train' for 100000 over 9 cells", "Ask for fewer images"),
    "no folder": (["plan", "madan2022/mnist-position", "--set", "world.root=nowhere"], "nowhere", ""),
    "wrong type": (["check", "RECIPE", "--set", "design.images=many"], "design.images = 'many': input should be a valid integer", ""),
    "wrong type of a setting": (["check", "RECIPE", "--set", "training.lr=fast"], "training.lr = 'fast' must be a number.", ""),
    "a number out of range": (["check", "RECIPE", "--set", "training.lr=-1"], "training.lr = -1: input should be greater than 0", ""),
    "--set without =": (["check", "RECIPE", "--set", "training.epochs"], "--set 'training.epochs' has no key and value", "training.epochs=5"),
    "--set of no key": (["check", "RECIPE", "--set", "=5"], "has no key and value", ""),
    "cuda without CUDA": (["run", "RECIPE", "--device", "cuda"], "device 'cuda' was asked for", "sees only: cpu"),
    "device": (["run", "RECIPE", "--device", "gpu"], "no device 'gpu'; possible: auto, cpu, cuda, mps", ""),
    "format": (["results", "RECIPE", "--format", "xls"], "no format 'xls'; possible: table, csv, json, markdown", ""),
    "no results yet": (["results", "RECIPE"], "has no finished trial yet; `unseen run` it first", ""),
    "folder that is no study": (["status", "."], "is not a study: it has no recipe.toml", ""),
    "no study": (["report", "runs/nothing"], "no study in 'runs/nothing'", ""),
    "TOML with an error": (["check", "broken.toml"], "broken.toml is not valid TOML", "at line 2"),
    "no text": (["check", "binary.toml"], "is not UTF-8 text", ""),
    "a file that is missing": (["run", "here/no.toml"], "no recipe file 'here/no.toml'", ""),
    "published numbers": (["report", "STUDY", "--set", "published=madan2022/car"], "no published table 'madan2022/car'", ""),
    "published numbers of a recipe": (["check", "RECIPE", "--set", "published=madan2022/car"], "no published table 'madan2022/car'", "possible"),
    "a strong augmentation": (["check", "RECIPE", "--set", "training.augment.flip=7"], "training.augment.flip = 7 must be a number from 0 to 1", ""),
    "no archive": (["unpack", "nowhere.unseen", "into"], "no packed study 'nowhere.unseen'", ""),
    "unwritable pack": (["pack", "STUDY", "no/such/place/x"], "cannot write to 'no/such/place/x'", ""),
    "command": (["rum", "demo"], "No such command 'rum'", ""),
    "option": (["run", "demo", "--wrokers", "2"], "No such option: --wrokers", "--workers"),
    "nothing to start from": (["init", "nowhere"], "nowhere", ""),
    "encoder": (["models", "vea"], "no backbone 'vea'", "Did you mean 'vae'?"),
    "no encoder": (["models", "nonsense"], "encoders, for training.objective: vae, pcl", ""),
    "key of a readout": (["check", "RECIPE", "--set", "readout.epochs=3"], "--set readout.epochs does nothing", "training.objective"),
    "settings of labels": (["check", "RECIPE", "--set", "training.objective_arguments={beta=2}"], "training.objective_arguments = {\"beta\" = 2} does nothing", "beta-vae"),
    "epochs set beside several grids": (["plan", "schott2022/mpi3d", "--set", "training.epochs=3"], "2 of this recipe's 4 grids", "--set 'grid.\"training.epochs\"=[3]'"),
    "layers of no backbone": (["models", "resnet81"], "'resnet81'", "Did you mean 'resnet18'?"),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_bad_input_is_told_in_a_sentence(say, tmp_path, finished_once, bad):
    import torch

    if bad == "cuda without CUDA" and torch.cuda.is_available():
        pytest.skip("there is CUDA here")
    words, sentence, hint = BAD[bad]
    recipe = written(tmp_path / "tiny.toml", tiny())
    (tmp_path / "broken.toml").write_text('title = "x"\nworld = {\n')
    (tmp_path / "binary.toml").write_bytes(b"\x80\x81\xff")
    places = {"RECIPE": recipe, "STUDY": finished_once}
    said = say(*(places.get(word, word) for word in words))
    assert said.code == 2, said
    assert " ".join(sentence.split()) in said.flat.replace("│ ", ""), said.flat
    assert hint in said.flat.replace("│ ", ""), said.flat
    assert not (tmp_path / "runs" / "tiny" / "trials").exists()


def test_brackets_in_a_message_are_not_taken_for_markup(say, tmp_path):
    recipe = written(tmp_path / "tiny.toml", tiny())
    said = say("check", recipe, "--set", "seeds=3")
    assert said.code == 2
    assert "seeds = 3 must be a list, e.g. [3]." in said.flat


def test_init_does_not_overwrite_a_recipe(say, tmp_path):
    from PIL import Image

    for kind in "ab":
        for view in "xy":
            (tmp_path / "set" / kind / view).mkdir(parents=True)
            for copy in range(4):
                Image.new("RGB", (8, 8), (60 * copy, 0, 0)).save(tmp_path / "set" / kind / view / f"{copy}.png")
    assert say("init", "set").code == 0
    said = say("init", "set")
    assert said.code == 2
    assert "'set.toml' is there already; give another name with --to, or --force to replace it." in said.flat
    assert say("init", "set", "--force").code == 0
