"""What `unseen init` reports as ready passes `unseen check`, whatever the folder; what cannot be studied is said."""

import itertools

import pytest
from domain_example import DOMAINS, by_hand, even, folder_of
from own_folders import make_folder, picture

from unseen.kinds.checks import check
from unseen.kinds.domains.contents import read
from unseen.kinds.results import gather
from unseen.studies import checks
from unseen.studies.first_recipe import recipe_text
from unseen.studies.first_training import plan_training
from unseen.studies.starting import start
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import parse, recipe_from
from unseen.worlds.propose import propose


def started(path, **options):
    made = start(propose(path), **options)
    return made, recipe_from(parse(recipe_text(made)))


def try_folder(place, seed):
    """Whether the first study of a random folder was ready; then it has passed the check."""
    path = make_folder(place, seed)
    if not any(file.is_file() for file in place.rglob("*")):
        with pytest.raises(UnseenError, match="no images below"):
            started(path)
        return False
    made = start(propose(path))
    if made.missing:
        return False
    study = Study(recipe_from(parse(recipe_text(made))), place / "study")
    for trial, found in check(study):
        split, samples = study.split(trial), study.world(trial).samples
        assert not any("never trained on" in problem for problem in found.problems)
        assert split.count(samples, "train") >= 2
        assert split.count(samples, "seen") >= 1
    return True


@pytest.fixture
def unbuilt(monkeypatch):
    """Networks are not built: whether they can be depends on the size of the images alone."""
    monkeypatch.setattr(checks, "_check_networks", lambda study: None)


@pytest.mark.parametrize("batch", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_what_is_ready_passes_the_check_whatever_the_folder(batch, tmp_path, unbuilt):
    ready = sum(try_folder(tmp_path / str(seed), seed) for seed in range(15 * batch, 15 * (batch + 1)))
    assert ready >= 5


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(8))
def test_what_is_ready_passes_the_check_in_many_folders_with_their_networks(batch, tmp_path):
    ready = sum(try_folder(tmp_path / str(seed), seed) for seed in range(1000 + 40 * batch, 1000 + 40 * (batch + 1)))
    assert ready >= 15


def fill(root, names, counts=12, suffix="png"):
    for name in names:
        each = counts if isinstance(counts, int) else counts(name)
        for number in range(each):
            file = root / f"{name.replace('#', str(number))}.{suffix}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(picture(suffix, (32, 32)))
    return root


def combinations_of(categories, views):
    return [f"{category}/{view}/#" for category in categories for view in views]


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (5, 3), (4, 4), (8, 8)])
def test_a_grid_of_any_shape_uses_images_at_every_number_of_combinations(tmp_path, unbuilt, rows, columns):
    fill(tmp_path / "set", combinations_of("abcdefgh"[:rows], range(10, 10 + columns)))
    made, recipe = started(tmp_path / "set")
    study = Study(recipe, tmp_path / "study")
    trained = {study.split(trial).count(study.world(trial).samples, "train") for trial, _ in check(study)}
    assert trained == {made.design["images"]}
    assert made.design["images"] >= 8 * rows
    assert ("balance" in recipe.design.arguments) == (rows != columns)


def never_trained(study):
    return [problem for _, found in check(study) for problem in found.problems if "never trained on" in problem]


@pytest.mark.parametrize(("rows", "columns"), [(3, 4), (2, 4), (2, 5), (2, 3), (3, 10), (6, 3)])
def test_every_level_is_trained_on_with_every_number_of_combinations(tmp_path, unbuilt, rows, columns):
    fill(tmp_path / "set", combinations_of(("cow", "dog", "cat", "owl", "pig", "bee")[:rows], range(10, 10 + columns)))
    made, recipe = started(tmp_path / "set")
    assert not made.missing
    assert not never_trained(Study(recipe, tmp_path / "study"))
    alone = len(made.grid["design.seen_per_level"]) == 1
    assert any("only one number of combinations" in note for note in made.notes) == alone
    assert alone or (rows, columns) != (3, 4)  # with one combination each, an azimuth would never be trained on
    if rows == 2 and columns % 2:  # one of the two cells of a column is held out, and each row has as many seen
        assert "with 2 levels of category and combinations held out, not every" in made.left_out[0]
    else:
        assert not made.left_out


def test_one_empty_combination_is_built_around_and_told(tmp_path, unbuilt):
    names = combinations_of("abcd", (0, 90, 180, 270))
    fill(tmp_path / "set", [name for name in names if name != "d/270/#"])
    made, recipe = started(tmp_path / "set")
    assert made.design["empty"] == "avoid"
    assert made.left_out[0].startswith("1 combination with no image")
    assert check(Study(recipe, tmp_path / "study"))


def test_coil_has_its_views_in_bins_and_keeps_training_and_test_apart(tmp_path, unbuilt):
    fill(tmp_path / "coil", [f"obj{o}__{v}" for o in range(1, 7) for v in range(0, 360, 5)], 1)
    made, recipe = started(tmp_path / "coil")
    assert made.world["bins"] == {"azimuth": 8}
    assert "disjoint_by" not in made.design
    assert (
        "the 72 levels of azimuth are put into 8 bins, since a combination has 1 image as they are" in made.guessed[1]
    )
    assert all(found.shared_images["train", "seen"] == 0 for _, found in check(Study(recipe, tmp_path / "study")))


@pytest.mark.parametrize(("step", "each", "bins"), [(30, 4, 6), (30, 1, 4), (10, 1, 9), (5, 1, 8)])
def test_evenly_spaced_views_are_shared_out_evenly_and_none_is_left_out(tmp_path, unbuilt, step, each, bins):
    views = [f"{kind}/{view:03}-#" for kind in ("cow", "dog", "cat", "owl") for view in range(0, 360, step)]
    fill(tmp_path / "set", views, each)
    made, recipe = started(tmp_path / "set")
    assert made.world["bins"] == {"azimuth": bins}
    assert not made.left_out
    assert "disjoint_by" not in made.design
    assert check(Study(recipe, tmp_path / "study"))


def test_bins_that_leave_the_scarcest_combination_as_it_is_are_not_made(tmp_path, unbuilt):
    fill(tmp_path / "set", combinations_of(("cow", "dog", "cat", "owl"), range(0, 330, 30)), 4)
    made, recipe = started(tmp_path / "set")  # 11 views in six bins: one of them would have one view, as now
    assert made.world["bins"] == {"view": 3}
    assert not made.left_out
    assert check(Study(recipe, tmp_path / "study"))


def test_one_image_in_each_combination_shares_pools_and_says_so_plainly(tmp_path, unbuilt):
    fill(
        tmp_path / "set", [f"{c}-{light}" for c in ("cup", "jug", "pot", "pan") for light in ("lamp", "sun", "sky")], 1
    )
    made, _ = started(tmp_path / "set")
    assert made.design["disjoint_by"] == "nothing"
    assert 'disjoint_by = "nothing"  # training, validation and test may share images' in recipe_text(made)
    assert any("accuracy on seen combinations is of images trained on" in note for note in made.notes)
    assert any("too few to learn much from" in note for note in made.notes)


def test_a_scarce_category_is_left_out_where_it_would_limit_all_others(tmp_path, unbuilt):
    names = combinations_of(("a", "b", "c", "d", "rare"), (0, 90, 180, 270))
    fill(tmp_path / "set", names, lambda name: 4 if name.startswith("rare") else 40)
    made, recipe = started(tmp_path / "set")
    assert made.world["levels"] == {"category": ["a", "b", "c", "d"]}
    assert made.left_out[0].startswith("category rare: too few")
    assert made.design["images"] >= 100
    assert check(Study(recipe, tmp_path / "study"))


def test_domains_are_left_out_one_by_one_and_all_of_them_are_trained_on_once(tmp_path, unbuilt):
    names = [f"{domain}/{kind}/#" for domain in ("photo", "sketch", "cartoon") for kind in ("dog", "cat", "owl", "cow")]
    fill(tmp_path / "pacs", names, lambda name: 10 + len(name))
    made, recipe = started(tmp_path / "pacs")
    assert made.study == "domains"
    assert recipe.targets == ("category",)
    assert recipe.grid[0] == {"design.left_out": ["cartoon", "photo", "sketch", "none"], "design.seed": [0, 1, 2]}
    assert recipe.seeds == (0,)
    assert "the same number whichever domain is left out" in made.used
    assert check(Study(recipe, tmp_path / "study"))
    other, recipe = started(tmp_path / "pacs", study="combinations")
    assert other.design["columns"] == "domain"
    assert check(Study(recipe, tmp_path / "study"))


def test_repeats_of_a_study_of_domains_draw_other_images_and_compare_networks_of_one_draw(tmp_path, unbuilt):
    _, recipe = started(folder_of(tmp_path / "photos", even(20)))
    study = Study(recipe, tmp_path / "study")
    by_hand(study)
    (found,) = gather(study).domains
    assert [row.name for row in found.rows] == list(DOMAINS)
    assert {(row.left_out.n, row.trained.n, row.gap.n) for row in found.rows} == {(3, 3, 3)}
    answered = {(one.left_out, one.repeat): one for one in read(study)[2]}
    assert len(answered) == 15
    asked = {key: set(one.sample[one.unseen].tolist()) for key, one in answered.items()}
    bound = {key: set(one.sample.tolist()) for key, one in answered.items()}
    for left_out in DOMAINS:
        assert all(asked[left_out, repeat] <= bound["none", repeat] for repeat in range(3))
        assert len({frozenset(asked[left_out, repeat]) for repeat in range(3)}) == 3
        assert not asked[left_out, 0] <= bound["none", 1]


def test_folders_that_say_what_is_for_testing_repeat_with_other_weights_alone(tmp_path, unbuilt):
    names = itertools.product(("photo", "sketch", "cartoon"), ("train", "val", "test"), ("dog", "cat", "owl"))
    fill(tmp_path / "set", ["/".join((*name, "#")) for name in names], 12)
    made, recipe = started(tmp_path / "set")
    assert "{pool}" in made.world["template"]
    assert "design.seed" not in recipe.grid[0]
    assert recipe.seeds == (0, 1, 2)


def test_few_images_of_domains_are_said_to_be_a_rehearsal(tmp_path, unbuilt):
    made, _ = started(folder_of(tmp_path / "few", even(5)))
    assert "training images are too few to learn much from: take the numbers as a rehearsal" in made.notes[0]
    assert made.notes[1].startswith("only 3 images of a domain left out are asked, so that one answer is 33 points")
    made, _ = started(folder_of(tmp_path / "more", even(60)))
    assert made.notes == ()


def test_a_category_at_one_place_each_cannot_be_studied_and_says_what_is_missing(tmp_path):
    fill(tmp_path / "set", [f"location_{n}/{kind}/#" for n, kind in enumerate(("dog", "cat", "owl"))])
    made = start(propose(tmp_path / "set"))
    assert made.missing.startswith("3 of the 9 combinations of category × location have images, which is too few")
    assert "NOT READY: 3 of the 9 combinations" in recipe_text(made)
    with pytest.raises(UnseenError, match=r"this recipe is not ready: design.seen_per_level is still FILL-ME-IN"):
        recipe_from(parse(recipe_text(made)))


def test_the_recipe_says_what_is_kept_apart_which_factor_is_named_and_why_there_are_no_more_images(tmp_path, unbuilt):
    rows = ["path,category,light,specimen"]
    for kind, light, n, photo in itertools.product(("cup", "jug", "pot"), ("lamp", "sun", "sky"), range(6), range(3)):
        rows.append(f"{kind}-{light}-{n}-{photo}.png,{kind},{light},{kind}{n}")
    fill(tmp_path / "set", [row.partition(".")[0] for row in rows[1:]], 1)
    (tmp_path / "set" / "table.csv").write_text("\n".join(rows))
    made, _ = started(tmp_path / "set" / "table.csv")
    text = " ".join(recipe_text(made).replace("\n#", " ").split())
    assert 'disjoint_by = "specimen" # images of one specimen stay in one of training, validation and test' in text
    assert "category: 3 levels (cup, jug, pot), category" in text
    assert "with one combination per category there are no more, and every trial uses as many" in made.used


def test_names_of_any_kind_are_written_as_toml(tmp_path, unbuilt):
    odd = ('say "x"', "back\\slash", "{b}*?", "tab\there", "😀", "it's")
    fill(tmp_path / 'my "set" \\ [1]', [f"{c}/{view}/#" for c in odd for view in (0, 90, 180, 270)], 5)
    made, recipe = started(tmp_path / 'my "set" \\ [1]')
    assert recipe.world.arguments["root"] == (tmp_path / 'my "set" \\ [1]').as_posix()
    assert check(Study(recipe, tmp_path / "study"))
    assert made.missing == ""


def test_a_first_study_takes_minutes_on_two_cores_however_many_images_there_are():
    for images in (100, 1_000, 10_000, 1_000_000):
        for own in ((32, 32), (480, 640), None):
            chosen = plan_training(own, images, images // 7, [1, 2] * 4, 500)
            assert chosen.seconds <= 600
            assert chosen.epochs * (chosen.images or images) / chosen.batch >= 100
