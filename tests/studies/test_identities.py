"""Finished trials of shipped recipes stay finished: their identities are those of the day they were written down.

A digest that changes orphans results that people have. Where that is meant (a fault mended, a recipe changed), the
digest is written anew; where it is not, a setting lost its default or a description its form.
"""

from dataclasses import replace

import pytest

from unseen.studies.identities import identity
from unseen.studies.tables import component_versions, digest
from unseen.studies.trials import described, expand, stem_of
from unseen.vocabulary.recipe import read_recipe, shipped
from unseen.vocabulary.sections import CalibrationSection

IDENTITIES = {
    "demo": "280c26b8b0e8ab36",
    "geirhos2018/imagenet": "6d6c5bb8aae9f992",
    "geirhos2018/objects-everyday": "3a2a42c5cd24ebfe",
    "geirhos2018/objects": "09cab8d867612a42",
    "geirhos2018/small": "ff62e29060d0a31d",
    "madan2022/biased-cars-architectures": "a4041cfeeb05d1b7",
    "madan2022/biased-cars-backbones": "6abb77444edbb3d2",
    "madan2022/biased-cars": "12ec965d9c503342",
    "madan2022/control-images": "28f32560b5d3a5d1",
    "madan2022/control-loss-weight": "9a6e582b83cceee1",
    "madan2022/control-new-levels": "8c6ca246240e9a20",
    "madan2022/fashion-position": "97efc50e7a069095",
    "madan2022/ilab-architectures": "940e4a8e5fcc846f",
    "madan2022/ilab-backbones": "c93fa3df2fecde58",
    "madan2022/ilab": "982c003926d0fbce",
    "madan2022/mnist-position-architectures": "5e16ce579114b50e",
    "madan2022/mnist-position-backbones": "136776c6bd11e8f6",
    "madan2022/mnist-position-small": "6d6df211b01dfab6",
    "madan2022/mnist-position": "b66758308f064d54",
    "madan2022/mnist-rotation": "8394298fc421936f",
    "madan2022/mnist-scale": "f73fabcc148ef384",
    "madan2022/rendered-cars-architectures": "4de2c9e462f418d1",
    "madan2022/rendered-cars-backbones": "a87ca4b1efc8004d",
    "madan2022/rendered-cars": "c4541680a67c5a08",
    "madan2022/uiuc-3d": "881fbb91fa3fcc82",
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
    "zaidi2020/cars-alexnet": "ea222b6646b20bab",
    "zaidi2020/cars-any-paint": "94abc3bce0242101",
    "zaidi2020/cars": "88fcd0419edfb144",
    "zaidi2020/facescrub": "4be03a0ffa85c029",
    "zaidi2020/imagenet": "819535c3fe5be2fd",
    "zaidi2020/matrix": "859ae980091e57db",
    "zaidi2020/mnist": "44b7539a82c5a6cf",
    "zaidi2020/objects-everyday": "ee8ec1f66dcfd345",
    "zaidi2020/objects-threshold": "8efffe41aa8f022d",
    "zaidi2020/objects": "b2e8dce9774f72d8",
    "zaidi2020/small": "b384db43f5657139",
}


SIDES = {
    "demo": 24, "geirhos2018/small": 48, "zaidi2020/small": 48, "zaidi2020/mnist": 28, "own/leave-one-domain-out": 96,
    "madan2022/rendered-cars": 96, "madan2022/rendered-cars-backbones": 96, "zaidi2020/facescrub": 128,
    "madan2022/uiuc-3d": 128, "madan2022/rendered-cars-architectures": 96,
    **{name: 84 for name in IDENTITIES if name.startswith(("madan2022/mnist", "madan2022/control"))},
    "madan2022/fashion-position": 84, "madan2022/mnist-rotation": 40,
    **{name: 64 for name in IDENTITIES if name.startswith(("schott2022/", "zaidi2020/cars", "zaidi2020/objects"))},
    **{name: 224 for name in IDENTITIES if name.startswith(("madan2022/biased", "madan2022/ilab"))},
    "zaidi2020/imagenet": 224, "geirhos2018/imagenet": 256, "geirhos2018/objects": 64, "zaidi2020/matrix": 64,
    "geirhos2018/objects-everyday": 64,
}  # of the images, in pixels: where they are not at hand, the stem is chosen by this  # fmt: skip

# Before grids repeated over choices of held-out cells (2026-11-18): one choice, three seeds.
ONE_CHOICE = {
    "demo": "9f9e13060e97b085",
    "madan2022/mnist-position": "b150a9653693483b",
    "madan2022/mnist-scale": "66567e50fe1929a2",
    "madan2022/rendered-cars": "635fb3984ba8f8b9",
    "madan2022/mnist-position-architectures": "c38fb8bbc4abcfdb",
}


def digest_of_all(name, change=lambda recipe: recipe):
    """Of the identities of all trials of a recipe, as if their worlds were one and nothing had to be calibrated."""
    found = []
    for trial in expand(change(read_recipe(shipped()[name]))):
        recipe = trial.recipe.model_copy(update={"calibration": CalibrationSection()})
        versions = component_versions(recipe, ())
        stem = stem_of(recipe.network, (SIDES[name], SIDES[name]))
        found.append(identity(described(replace(trial, recipe=recipe), "float32", "fingerprint", versions, stem=stem)))
    return digest("\n".join(sorted(found)))


@pytest.mark.parametrize("name", IDENTITIES)
def test_the_trials_of_a_shipped_recipe_are_what_they_were(name):
    assert digest_of_all(name) == IDENTITIES[name]


@pytest.mark.parametrize("name", ONE_CHOICE)
def test_trials_of_one_choice_and_several_seeds_are_still_found(name):
    def before(recipe):
        grid = tuple({key: values for key, values in one.items() if key != "design.seed"} for one in recipe.grid)
        return recipe.model_copy(update={"grid": grid, "seeds": (0, 1, 2)})

    assert digest_of_all(name, before) == ONE_CHOICE[name]


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
