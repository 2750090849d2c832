"""What the comments of shipped recipes promise, counted."""

import re

import pytest

from unseen.studies.trials import expand
from unseen.vocabulary.recipe import read_recipe, shipped

TAKES = {
    name: int(found[1])
    for name, file in shipped().items()
    if (found := re.search(r"^# Takes:.*?(\d+) trials", file.read_text(encoding="utf-8"), re.MULTILINE))
}


@pytest.mark.parametrize("name", TAKES)
def test_the_number_of_trials_in_a_recipe_s_comment_is_the_one_it_makes(name):
    assert len(expand(read_recipe(shipped()[name]))) == TAKES[name]


def test_most_recipes_say_how_many_trials_they_are():
    assert len(TAKES) > 20
    assert TAKES["zaidi2020/matrix"] == 39
    assert TAKES["zaidi2020/cars"] == 111


def test_every_condition_of_the_matrix_is_trained_with_three_seeds():
    trials = expand(read_recipe(shipped()["zaidi2020/matrix"]))
    assert {trial.seed for trial in trials} == {0, 1, 2}
