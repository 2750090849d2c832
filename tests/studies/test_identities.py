"""Finished trials of shipped recipes stay finished: their identities are those of the day they were written down.

A digest that changes orphans results that people have. Where that is meant (a fault mended, a recipe changed), the
digest is written anew; where it is not, a setting lost its default or a description its form.
"""

from dataclasses import replace

import pytest

from unseen.studies.tables import component_versions, digest
from unseen.studies.trials import described, expand, identity, stem_of
from unseen.vocabulary.recipe import CalibrationSection, read_recipe, shipped

IDENTITIES = {
    "demo": "9f9e13060e97b085",
    "geirhos2018/imagenet": "dd12680cfdfc447c",
    "geirhos2018/objects": "97c759abb5c3569d",
    "geirhos2018/small": "ff62e29060d0a31d",
    "madan2022/biased-cars-architectures": "a53b7361b3e2ffee",
    "madan2022/biased-cars-backbones": "8dec20c265787dce",
    "madan2022/biased-cars": "9ed32a1ead0ed564",
    "madan2022/control-images": "a92dcd5a48f8b08d",
    "madan2022/control-loss-weight": "97a1e3c8bbb8a656",
    "madan2022/control-new-levels": "911c6446447456c2",
    "madan2022/fashion-position": "1e56c12540dac40b",
    "madan2022/ilab-architectures": "7fb347d4a20d326e",
    "madan2022/ilab-backbones": "8411b1dbc184623d",
    "madan2022/ilab": "dd906ab72460ef3a",
    "madan2022/mnist-position-architectures": "c38fb8bbc4abcfdb",
    "madan2022/mnist-position-backbones": "1337ede214141135",
    "madan2022/mnist-position-small": "1d185a396a03cc61",
    "madan2022/mnist-position": "b150a9653693483b",
    "madan2022/mnist-rotation": "e0c7d242d7052702",
    "madan2022/mnist-scale": "66567e50fe1929a2",
    "madan2022/rendered-cars-backbones": "b2ec30b3aaf1cbed",
    "madan2022/rendered-cars": "635fb3984ba8f8b9",
    "madan2022/uiuc-3d": "7e0430e763738c9e",
    "schott2022/dsprites-large": "ecbb6bcb0e9c62a6",
    "schott2022/dsprites-transfer": "cf2a816cac549638",
    "schott2022/dsprites": "9cc909f5a4281931",
    "schott2022/mpi3d-large": "c9ba0ad4bd59f1ea",
    "schott2022/mpi3d-transfer": "1b3e040f8cb05a66",
    "schott2022/mpi3d": "00b9186da5d05fcb",
    "schott2022/shapes3d-large": "24d59032ddf40c05",
    "schott2022/shapes3d-transfer": "bd6836c6b0943030",
    "schott2022/shapes3d": "c7d441a1ca5d1cd9",
    "schott2022/small": "edfc6c09bf7600db",
    "zaidi2020/cars-alexnet": "c158665fbed27f4c",
    "zaidi2020/cars-any-paint": "94abc3bce0242101",
    "zaidi2020/cars": "40115c923b65910f",
    "zaidi2020/facescrub": "b9886d99e10124b2",
    "zaidi2020/imagenet": "1e7cf8ac29624b8f",
    "zaidi2020/matrix": "9c5aaf196eeed038",
    "zaidi2020/mnist": "52c6191f56216962",
    "zaidi2020/objects-threshold": "07c348d225a5adaa",
    "zaidi2020/objects": "4f7f9d8ff626d071",
    "zaidi2020/small": "b384db43f5657139",
}


SIDES = {
    "demo": 24, "geirhos2018/small": 48, "zaidi2020/small": 48, "zaidi2020/mnist": 28, "own/leave-one-domain-out": 96,
    "madan2022/rendered-cars": 96, "madan2022/rendered-cars-backbones": 96, "zaidi2020/facescrub": 128,
    "madan2022/uiuc-3d": 128,
    **{name: 84 for name in IDENTITIES if name.startswith(("madan2022/mnist", "madan2022/control"))},
    "madan2022/fashion-position": 84,
    **{name: 64 for name in IDENTITIES if name.startswith(("schott2022/", "zaidi2020/cars", "zaidi2020/objects"))},
    **{name: 224 for name in IDENTITIES if name.startswith(("madan2022/biased", "madan2022/ilab"))},
    "zaidi2020/imagenet": 224, "geirhos2018/imagenet": 256, "geirhos2018/objects": 64, "zaidi2020/matrix": 64,
}  # of the images, in pixels: where they are not at hand, the stem is chosen by this  # fmt: skip


def digest_of_all(name):
    """Of the identities of all trials of a recipe, as if their worlds were one and nothing had to be calibrated."""
    found = []
    for trial in expand(read_recipe(shipped()[name])):
        recipe = trial.recipe.model_copy(update={"calibration": CalibrationSection()})
        versions = component_versions(recipe, ())
        stem = stem_of(recipe.network, (SIDES[name], SIDES[name]))
        found.append(identity(described(replace(trial, recipe=recipe), "float32", "fingerprint", versions, stem=stem)))
    return digest("\n".join(sorted(found)))


@pytest.mark.parametrize("name", IDENTITIES)
def test_the_trials_of_a_shipped_recipe_are_what_they_were(name):
    assert digest_of_all(name) == IDENTITIES[name]


def test_only_worlds_whose_objects_are_now_kept_apart_have_another_version_of_pools():
    from unseen.vocabulary.factors import Factor, FactorSpace

    recipe = expand(read_recipe(shipped()["madan2022/mnist-position"]))[0].recipe
    view, category = Factor("position", (0, 1)), Factor("category", ("a", "b"), "category")
    spaces = {
        "image": FactorSpace([category, view]),
        "instance": FactorSpace([category, view, Factor("instance", (0, 1), "instance")]),
        "object": FactorSpace([category, view, Factor("object", (0, 1), "instance")]),
        "named": FactorSpace([category, Factor("position", (0, 1), "instance")]),
    }
    found = {name: component_versions(recipe, space).get("pools") for name, space in spaces.items()}
    assert found == {"image": None, "instance": 2, "object": 3, "named": None}
