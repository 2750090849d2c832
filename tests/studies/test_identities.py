"""Finished trials of shipped recipes stay finished: their identities are those of the day they were written down.

A digest that changes orphans results that people have. Where that is meant (a fault mended, a recipe changed), the
digest is written anew; where it is not, a setting lost its default or a description its form.
"""

from dataclasses import replace

import pytest

from unseen.studies.tables import component_versions, digest
from unseen.studies.trials import described, expand, identity
from unseen.vocabulary.recipe import CalibrationSection, read_recipe, shipped

IDENTITIES = {
    "demo": "9f9e13060e97b085",
    "geirhos2018/imagenet": "dd12680cfdfc447c",
    "geirhos2018/objects": "48bae7b209925ac5",
    "geirhos2018/small": "7a31e2d6134822c0",
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
    "madan2022/mnist-position-backbones": "b858618a137e521c",
    "madan2022/mnist-position-small": "1d185a396a03cc61",
    "madan2022/mnist-position": "b150a9653693483b",
    "madan2022/mnist-rotation": "e0c7d242d7052702",
    "madan2022/mnist-scale": "66567e50fe1929a2",
    "madan2022/rendered-cars-backbones": "696dbeb3cd9e03e3",
    "madan2022/rendered-cars": "635fb3984ba8f8b9",
    "schott2022/dsprites-large": "ee023911215e550f",
    "schott2022/dsprites-transfer": "cf2a816cac549638",
    "schott2022/dsprites": "9cc909f5a4281931",
    "schott2022/mpi3d-large": "aeeba276837f1f40",
    "schott2022/mpi3d-transfer": "1b3e040f8cb05a66",
    "schott2022/mpi3d": "00b9186da5d05fcb",
    "schott2022/shapes3d-large": "e0745f406ca2d875",
    "schott2022/shapes3d-transfer": "bd6836c6b0943030",
    "schott2022/shapes3d": "c7d441a1ca5d1cd9",
    "schott2022/small": "edfc6c09bf7600db",
    "zaidi2020/cars-any-paint": "249b2d352bd007dc",
    "zaidi2020/cars": "72c0778bd661b6db",
    "zaidi2020/facescrub": "b9886d99e10124b2",
    "zaidi2020/imagenet": "1e7cf8ac29624b8f",
    "zaidi2020/matrix": "001e8237ab1f4c93",
    "zaidi2020/mnist": "ee443767c829ce5f",
    "zaidi2020/objects-threshold": "fd88c2408369c671",
    "zaidi2020/objects": "bff630aed577fc1d",
    "zaidi2020/small": "d8f5db48ef4f35c3",
}


def digest_of_all(name):
    """Of the identities of all trials of a recipe, as if their worlds were one and nothing had to be calibrated."""
    found = []
    for trial in expand(read_recipe(shipped()[name])):
        recipe = trial.recipe.model_copy(update={"calibration": CalibrationSection()})
        versions = component_versions(recipe, ())
        found.append(identity(described(replace(trial, recipe=recipe), "float32", "fingerprint", versions)))
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
