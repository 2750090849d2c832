"""Leaving one domain out: numbers, verdicts and the page, from trials written by hand."""

import re

import numpy as np
import pytest
from domain_example import DOMAINS, by_hand, even, folder_of, known, study_of, tables, write_trial

from pages import page_of
from unseen.kinds.checks import check
from unseen.kinds.collect import collect, damage, finished_trials
from unseen.kinds.domains.contents import read
from unseen.kinds.domains.figures import figures
from unseen.kinds.domains.findings import AT_ALL, LESS, domain_answer, domain_findings, gap_key, verdicts
from unseen.kinds.domains.numbers import BOUND, OTHERS, Domain, DomainAnswers, domain_numbers
from unseen.kinds.results import gather, summary_of
from unseen.kinds.trial_answers import read_trial_answers
from unseen.measures import mean_interval
from unseen.reports import write_report
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import LeftOut
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return folder_of(tmp_path_factory.mktemp("photos"), even())


@pytest.fixture(scope="module")
def finished(root, tmp_path_factory):
    return by_hand(study_of(root, tmp_path_factory.mktemp("study")))


def answers(left_out, right, *, repeat=0, model="", unseen=None):
    """Answers to ten images of each of two domains; ``right`` says which of the twenty are right."""
    domain = np.repeat([0, 1], 10)
    right = np.asarray(right, bool)
    out = np.zeros(20, bool) if left_out == "none" else domain == ("a", "b").index(left_out)
    kept = np.ones(20, bool) if unseen is None else ~out | np.isin(np.arange(20), unseen)
    return DomainAnswers(
        model, repeat, left_out, ("a", "b"), ("x", "y"), np.arange(20)[kept], domain[kept],
        (np.arange(20) % 2)[kept], right[kept], out[kept], LeftOut(left_out=left_out, factor="domain"),
    )  # fmt: skip


def test_the_gap_is_taken_on_the_images_that_both_were_asked():
    knows = np.arange(20) >= 4  # of domain a the last six are right, of b all
    bound = answers("none", np.ones(20))
    part = DomainAnswers(**{**vars(bound), **{key: getattr(bound, key)[4:] for key in (
        "sample", "domain", "category", "right", "unseen")}})  # fmt: skip
    (domain,), reference = domain_numbers([answers("a", knows), part])
    assert reference == BOUND
    assert (domain.images.tolist(), domain.shared.tolist()) == ([10], [6])
    assert domain.left_out.tolist() == [0.6]
    assert domain.same.tolist() == [1.0]
    assert domain.trained.tolist() == [1.0]
    assert domain.gap.tolist() == [0.0]  # the four it does not know were not asked of the other
    assert domain.others.tolist() == [1.0]
    assert domain.majority.tolist() == [0.5]


def test_without_a_network_of_all_domains_those_that_left_out_another_are_compared():
    left, right = np.arange(20) < 3, np.arange(20) < 10
    found, reference = domain_numbers([answers("a", left), answers("b", right)])
    assert reference == OTHERS
    assert found[0].trained.tolist() == [1.0]
    assert found[0].gap[0] == pytest.approx(0.7)


def test_a_repeat_that_lacks_a_network_has_no_gap_and_keeps_the_rest():
    ones = np.ones(20)
    found, _ = domain_numbers([answers("a", ones, repeat=0), answers("a", 0 * ones, repeat=1), answers("none", ones)])
    assert found[0].left_out.tolist() == [1.0, 0.0]
    assert found[0].gap[0] == 0.0
    assert np.isnan(found[0].gap[1])


def test_beside_a_gap_stand_the_repeats_that_it_is_of():
    ones = np.ones(20)
    found, reference = domain_numbers([answers("a", ones), answers("a", 0 * ones, repeat=1), answers("none", ones)])
    (less,) = [f for f in domain_findings(found, "", "domain", "category", reference) if f.name == f"{LESS}: a"]
    assert less.value == 0
    assert "1.000 of 10 images are named right where it was left out, and 1.000 of the same images" in less.statement
    assert "(10 images, 2 repeats) 0.500" in less.statement
    assert "1 of 2 repeats lacks the network to compare with" in less.statement
    said = domain_answer(found, domain_findings(found, "", "domain", "category", reference), "", "domain", 0.5)
    assert "accuracy is 1.00 (one level; chance 0.50, always saying the most frequent 0.50)" in said
    assert "trained on, 1.00 on the same images" in said
    assert "1 without a pair left out" in said


def test_means_over_domains_are_of_those_that_have_a_gap():
    both = [domain([0.2, 0.21, 0.22]), domain([np.nan] * 3, left_out=(0.1, 0.1, 0.1), name="sketch")]
    made = domain_findings(both, "", "domain", "category", BOUND)
    less = next(f for f in made if f.name == LESS)
    assert "accuracy is 0.500 where domain was left out, and 0.710 on the same images" in less.statement
    assert "1 more has no gap yet" in less.statement
    said = domain_answer(both, made, "", "domain", 0.5)
    assert "accuracy is 0.50 (one level" in said
    assert "Known less well: photo; not known yet: sketch" in said


def test_categories_are_those_of_their_name_whatever_number_a_trial_gives_them():
    one = answers("a", np.arange(20) % 2 == 0)  # x is right, y is wrong
    turned = {**vars(one), "repeat": 1, "categories": ("y", "x"), "category": 1 - one.category}
    other = DomainAnswers(**turned)
    (found,), _ = domain_numbers([one, other])
    assert found.by_category["x"][0].tolist() == [1.0, 1.0]
    assert found.by_category["y"][0].tolist() == [0.0, 0.0]
    few = DomainAnswers(**{**vars(other), **{key: getattr(other, key)[other.category == 1] for key in (
        "sample", "domain", "category", "right", "unseen")}})  # fmt: skip
    (found,), _ = domain_numbers([one, few])
    assert found.images.tolist() == [10, 5]
    assert found.majority.tolist() == [0.5, 1.0]
    assert found.by_category["x"][1] == 5


def test_an_interval_of_a_gap_ends_at_what_is_possible():
    wide = domain([-0.2, 0.2], left_out=[0.5, 0.5])
    less = next(f for f in domain_findings([wide], "", "domain", "category", BOUND) if f.name == f"{LESS}: photo")
    assert (less.low, less.high, less.holds, less.over) == (-1, 1, None, "seeds of one split")


def test_seeds_of_one_draw_are_averaged_before_draws_are_repeats():
    ones = np.ones(20)
    found, _ = domain_numbers([answers("a", ones), answers("a", 0 * ones), answers("none", ones)])
    assert found[0].left_out.tolist() == [0.5]
    assert found[0].gap.tolist() == [0.5]


def domain(gap, left_out=(0.5, 0.5, 0.5), majority=0.2, name="photo"):
    left_out = np.array(left_out)
    n, gap = np.full(len(left_out), 50.0), np.asarray(gap, float)
    return Domain(name, left_out, left_out, left_out + gap, gap, left_out, n, n, np.full(len(left_out), majority), {})


@pytest.mark.parametrize(
    ("gap", "word", "holds"),
    [
        ([0.30, 0.31, 0.29], "known less well", True),
        ([-0.30, -0.31, -0.29], "known better", False),
        ([0.3, -0.2, 0.0], "undecided", None),
        ([0.30, 0.31], "undecided", None),  # two repeats decide nothing
        ([0.3, 0.3, 0.3], "undecided", None),  # nor do repeats that all give one number
        ([0.3], "undecided", None),
    ],
)
def test_a_verdict_needs_an_interval_without_zero(gap, word, holds):
    one = domain(gap, left_out=[0.5] * len(gap))
    made = domain_findings([one], "", "domain", "category", BOUND)
    assert verdicts(made)[gap_key(one)] == word
    found = {f.name: f for f in made}
    assert found[f"{LESS}: photo"].holds is holds
    assert found[LESS].holds is None  # one domain says nothing of others
    assert "one domain gives no interval" in found[LESS].statement


def test_over_domains_the_repeats_are_domains_and_few_are_said_to_be_few():
    several = [domain([gap] * 3, name=name) for gap, name in zip((0.2, 0.25, 0.3), "abc")]
    found = {f.name: f for f in domain_findings(several, "", "domain", "category", BOUND)}
    assert (found[LESS].n, found[LESS].over) == (3, "levels of domain")
    assert found[LESS].value == pytest.approx(0.25)
    assert found[LESS].low == pytest.approx(mean_interval(np.array([0.2, 0.25, 0.3])).low)
    assert "3 domains give a wide interval" in found[LESS].statement
    assert found[AT_ALL].value == pytest.approx(0.3)


def test_the_answer_says_what_is_not_known_yet():
    assert "No domain that was left out" in domain_answer([], (), "", "domain", 0.5)
    alone = domain([np.nan] * 3)
    assert "not known yet" in domain_answer([alone], (), "", "domain", 0.5)
    assert domain_findings([], "", "domain", "category", BOUND) == ()


@pytest.fixture(scope="module")
def contents(finished):
    return gather(finished)


def test_a_study_is_gathered_from_its_store(finished, contents):
    (found,) = contents.domains
    assert [row.name for row in found.rows] == list(DOMAINS)
    assert [row.verdict for row in found.rows] == ["undecided", "known less well", "undecided", "known less well"]
    assert [row.images for row in found.rows] == [60] * 4
    assert [round(row.gap.value, 2) for row in found.rows] == [0.0, 0.3, 0.0, 0.25]
    assert found.whole.gap.n == 4
    assert found.whole.verdict == "undecided"
    assert found.chance == pytest.approx(1 / 3)
    assert "Known less well: cartoon, sketch; undecided: art, photo (n = 3 seeds of one split)." in contents.answer
    assert summary_of(finished).equals(contents.summary)
    names = {f.name: f.holds for f in contents.findings}
    assert names[f"{LESS}: sketch"] is True
    assert names[f"{LESS}: art"] is None
    assert names[f"{AT_ALL}: art"] is True
    assert {f.comparisons for f in contents.findings if f.p is not None} == {
        sum(f.p is not None for f in contents.findings)
    }
    assert [split.title for split in contents.splits][::4] == ["trained on all but art", "trained on all"]
    sums = contents.summary.filter(contents.summary["measure"] == "accuracy by category")
    assert sums.height == 4 * 3
    assert set(contents.summary["set"].to_list()) == {"unseen", "trained", "seen", ""}


def test_draws_of_the_images_are_repeats_each_with_its_own_upper_bound(root, tmp_path):
    grid = {"design.left_out": [*DOMAINS, "none"], "design.seed": [0, 1, 2, 3]}
    drawn = {"art": 0.0, "cartoon": 0.3, "photo": 0.0, "sketch": 0.25}
    made = study_of(root, tmp_path, seeds=[0], grid=grid)

    for trial in made.trials:
        draw = trial.condition["design.seed"]
        write_trial(made, trial, lambda left_out, domain, _, d=draw: 0.5 + 0.1 * d - (
            (drawn[domain] + 0.05 * (d % 2)) if left_out == domain else 0))  # fmt: skip
    contents = gather(made)
    (found,) = contents.domains
    sketch = found.rows[-1]
    assert (sketch.gap.n, sketch.trained.n, sketch.images, sketch.counted) == (4, 4, 60, "60")
    assert sketch.gap.value == pytest.approx(0.275, abs=0.02)
    assert sketch.gap.high - sketch.gap.low < 0.2  # though draws differ by much more: each is paired with its own
    assert sketch.verdict == "known less well"
    assert found.draws == 4
    assert "(n = 4 draws of the images)" in contents.answer
    page = write_report(page_of(contents), tmp_path / "page").read_text()
    assert "Repeats are 4 draws of the images" in page
    assert "All repeats share one split" not in page


@pytest.mark.parametrize("design", [{"images": "all"}, {"asked": "all"}])
def test_words_follow_what_the_design_does(tmp_path, design):
    counts = even(20)
    counts["photo"] = dict.fromkeys(counts["photo"], 40)
    root = folder_of(tmp_path / "photos", counts)
    whole = {**tables(root)["design"], **design}
    contents = gather(by_hand(study_of(root, tmp_path / "study", design=whole)))
    page = write_report(page_of(contents), tmp_path / "page").read_text()
    rows = {row.name: row for row in contents.domains[0].rows}
    said = {f.name: f.statement for f in contents.findings}
    if "images" in design:
        assert "with as many training images" not in page
        assert "with 120 training images against 72–96" in said[LESS]
        assert "with 120 training images against 72, paired by repeat" in said[f"{LESS}: photo"]
    else:
        assert "with as many training images (72)" in page
        photo = rows["photo"]
        assert (photo.images, photo.shared, photo.counted, photo.partly) == (120, 60, "60", True)
        assert photo.gap.value == pytest.approx(photo.trained.value - photo.left_out.value)
        assert " of 60 images are named right where it was left out" in said[f"{LESS}: photo"]
        assert "(120 images, 3 repeats)" in said[f"{LESS}: photo"]
        frame = contents.summary.filter(contents.summary["x"] == "photo", contents.summary["measure"] == "accuracy")
        assert dict(zip(frame["set"], frame["images"]))["unseen, shared images"] == 60


def test_the_page_shows_domains_and_no_paper_about_noise(contents, tmp_path):
    page = write_report(page_of(contents), tmp_path).read_text()
    for words in ("By domain", "known less well", "Left out and trained on, by domain", "Is the category recognised",
                  "All repeats share one split"):  # fmt: skip
        assert words in page
    for words in ("Geirhos", "⅓", "1 visits", "uniform-noise", "NaN"):
        assert words not in page.replace("isNaN", "").split("<script>")[0]
    assert (tmp_path / "figures" / "domains.png").stat().st_size > 5000


def test_levels_keep_their_spelling_where_single_answers_are_told(tmp_path):
    counts = even(20, domains=("art_painting", "photo"))
    grid = {"design.left_out": ["art_painting", "none"]}
    made = study_of(folder_of(tmp_path / "photos", counts), tmp_path / "study", grid=grid, seeds=[0])
    told = read_trial_answers(by_hand(made, lambda left_out, domain, seed: 0.5))
    assert [one.condition for one in told] == ["left out art_painting", "left out none"]


def test_one_row_per_trial_tells_each_domain(finished):
    tidy = collect(finished)
    rows = tidy.filter(tidy["measure"] == "accuracy by domain")
    assert rows.height == 15 * 4
    bound = rows.filter((rows["design.left_out"] == "none") & (rows["level"] == "sketch"))
    assert bound["set"].unique().to_list() == ["seen"]
    assert bound["value"].mean() == pytest.approx(0.6, abs=0.01)
    assert tidy.filter(tidy["measure"] == "accuracy").height == 4 * 3 * 2 + 3


def test_a_terminal_shows_domains_in_80_columns(finished):
    from rich.console import Console

    from unseen.kinds.domains.terminal import show

    console = Console(width=80, record=True)
    show(console, summary_of(finished).fill_nan(None), finished)
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"sketch +35 \[\d+, \d+\] +60 \[\d+, \d+\] +\+25 \[\d+, \d+\]", text)
    assert re.search(r"mean +\d+ \[", text)
    assert "Known less well: cartoon, sketch. Undecided: art, photo. Mean over domains: undecided." in " ".join(
        text.split()
    )
    assert "All repeats share one split" in " ".join(text.split())
    gaps = summary_of(finished).filter(summary_of(finished)["measure"] == "gap")
    assert gaps["verdict"].to_list() == ["undecided", "known less well", "undecided", "known less well", "undecided"]


def test_an_unfinished_study_tells_what_there_is(root, tmp_path):
    made = by_hand(study_of(root, tmp_path), only=lambda trial: trial.condition["design.left_out"] == "art")
    contents = gather(made)
    (found,) = contents.domains
    assert [row.name for row in found.rows] == ["art"]
    assert found.rows[0].gap.n == 0
    assert "not known yet" in contents.answer
    assert figures(contents)["domains"].panels
    with pytest.raises(UnseenError, match="no finished trial yet"):
        summary_of(study_of(root, tmp_path / "nothing"))


def test_only_the_bound_finished_gives_a_page_too(root, tmp_path):
    made = by_hand(study_of(root, tmp_path), only=lambda trial: trial.condition["design.left_out"] == "none")
    contents = gather(made)
    assert "No domain that was left out has been asked yet." in contents.answer
    assert "no trial that leaves a domain out has finished" in figures(contents)["domains"]
    assert summary_of(made).height == 0


def test_networks_of_a_grid_have_tables_of_their_own(root, tmp_path):
    grid = {"design.left_out": ["art", "sketch", "none"], "network.backbone": ["resnet18-w8", "resnet18-w16"]}
    contents = gather(by_hand(study_of(root, tmp_path, grid=grid)))
    assert [found.model for found in contents.domains] == ["resnet18-w8", "resnet18-w16"]
    assert any(f.statement.startswith("resnet18-w16: ") for f in contents.findings)
    assert len(figures(contents)["domains"].panels) == 2


def test_the_category_is_asked_alone_whatever_the_recipe_leaves_out(root, tmp_path):
    made = study_of(root, tmp_path)
    assert [target.name for target in made.targets(made.trials[0])] == ["category"]
    both = Study(recipe_from(tables(root, targets=["category", "domain"])), tmp_path)
    with pytest.raises(UnseenError, match="asks for 'category' alone"):
        check(both)
    numbers = Study(recipe_from(tables(root, task="regression")), tmp_path)
    with pytest.raises(UnseenError, match="leave out task"):
        check(numbers)


def test_a_category_of_one_domain_is_not_asked_and_told_on_the_page(tmp_path):
    counts = even(30)
    counts["art"]["newt"] = 20
    made = by_hand(study_of(folder_of(tmp_path / "photos", counts), tmp_path / "study"), known)
    contents = gather(made)
    assert contents.domains[0].rows[0].note == "art: 10 images of a category that no other domain has (newt) not asked."
    assert contents.domains[0].rows[0].images == 45
    assert "newt" not in contents.domains[0].rows[0].by_category


def test_damaged_answers_are_told_in_words(root, tmp_path):
    made = by_hand(study_of(root, tmp_path), only=lambda trial: trial.seed == 0)
    folder = made.store.trials / made.store.finished()[0]
    (folder / "responses.parquet").write_bytes(b"spoilt")
    assert read(made)
    told = " ".join(damage(made, finished_trials(made)))
    assert folder.name in told
    assert "cannot be read" in told


def test_the_plan_says_what_is_judged_over_domains_and_over_seeds(tmp_path):
    from unseen.kinds.results import planned

    root = folder_of(tmp_path / "images", even())
    one = planned(study_of(root, tmp_path / "one", seeds=[0]))
    assert (one.n, one.over, one.comparisons) == (4, "domains", 2)
    assert one.words()[0] == "verdicts: over 4 domains, corrected for about 2 comparisons; none of a single domain"
    study = study_of(root, tmp_path / "three")
    several = planned(study)
    assert several.words()[0].startswith("verdicts: over 3 seeds of one split, and over 4 domains, corrected for")
    assert several.comparisons == sum(finding.judged for finding in gather(by_hand(study, known)).findings)
    two = {"design.left_out": [*DOMAINS[:2], "none"]}
    (told,) = planned(study_of(root, tmp_path / "two", seeds=[0], grid=two)).words()
    assert told == "verdicts: none will be possible, 1 seed of one split is fewer than 3 repeats"
