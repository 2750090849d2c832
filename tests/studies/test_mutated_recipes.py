"""A recipe with one thing wrong is refused in words, or it is a recipe: never a traceback, and no nonsense passes."""

import math
import time

import pytest
from mutated_recipes import NONSENSE, changed, mutation, numbers, refused, shown, tables_of

from small_study import tiny
from unseen.vocabulary.recipe import override, shipped

QUICK = ("demo", "geirhos2018/small", "schott2022/small")
HERE = ("demo", "geirhos2018/small", "zaidi2020/small", "schott2022/small", "madan2022/rendered-cars")
EACH = 13  # of each shipped recipe: over 500 in all
SECONDS = 120  # for one, on a machine that does much else; alone it is a few

MUST = {
    "training.epochs": (0, 2.5, [3], {}, "ten"),
    "training.batch": (0, 2.5, []),
    "training.lr": (0, "fast", [0.1]),
    "training.weight_decay": ("none", 1e300),
    "training.warmup": (1e9, "one"),
    "training.threads": (0, 10_000),
    "training.optimiser": ("adm", 3, True),
    "training.loss_weights": ({"category": 0, "position": 0}, {"kategory": 1}, {"category": math.nan}, [1]),
    "training.augment": ({"flip": 2}, {"flop": 1}, {"shift": -1}),
    "training.normalise": ("imagnet", 0),
    "network.backbone": ("resnet81", "", 3, "no.such:thing"),
    "network.stem": ("smal", True),
    "network.channels": (2, True, "3", 3.5),
    "network.checkpoint": ("nowhere.pt", 3),
    "network.arguments": ({"nonsense": 1}, [1]),
    "network.frozen": (1, "yes", "true"),
    "recordings.sets": (["unsee"], [], "unseen", ["unseen", "unseen"], [3]),
    "recordings.layers": (["layer9"], "lats", 3),
    "seeds": ([], [-1], [0, 0], [2**63], [True], ["0"], [0.5], 3),
    "targets": (["categori"], ["category", "category"], "category", [3]),
    "task": ("regresion", True),
    "design.images": (True, "90", -5, 10**30),
    "design.probe_per_cell": (-1, 0, True),
    "design.seed": (-1, "0", True, 0.5),
    "world.canvas": (100_000, -1, True, "24"),
    "world.name": ("digit", 3, ""),
    "published": ("madan2022/car", 3),
    "grid": ({"training.epoch": [3]}, {"nowhere.key": [3]}, {"seeds": [[1]]}, {"training.epochs": [3, True]}, "all"),
}


def test_what_is_no_setting_is_refused_and_the_recipe_itself_is_not():
    base = tiny(design__seen_per_level=8, grid={})
    assert refused(base) is None
    passed = [f"{key} = {value!r}" for key, values in MUST.items() for value in values
              if refused(override(base, key, value)) is None]  # fmt: skip
    assert passed == []


@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("name", QUICK)
def test_a_mutated_recipe_is_refused_in_words_or_is_a_recipe(name, number):
    what, made = mutation(name, number)
    refused(made)
    assert what.startswith(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped())
def test_mutations_of_every_shipped_recipe_end_in_words(name):
    for number in range(100, 100 + EACH):
        what, made = mutation(name, number)
        started = time.perf_counter()
        try:
            refused(made)
        except Exception as error:
            raise AssertionError(f"{what}\n{shown(made)}") from error
        assert time.perf_counter() - started < SECONDS, what


@pytest.mark.slow
@pytest.mark.parametrize("name", HERE)
def test_no_number_of_a_recipe_may_be_nonsense(name):
    tables = tables_of(name)
    passed = [
        (path, value) for path in numbers(tables) for value in NONSENSE if refused(changed(tables, path, value)) is None
    ]
    assert passed == []
