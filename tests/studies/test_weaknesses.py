"""Where a model fails: numbers against hand computation, findings, and the page, from answers that are known."""

import itertools
import math
import re

import numpy as np
import polars as pl
import pytest

import unseen
from unseen.engines.examining import ExamineOptions, examination
from unseen.kinds.results import findings_of, gather, page_of, summary_of, tidy_of
from unseen.kinds.weaknesses.feeding import Feeding, FeedingCheck, note_feeding
from unseen.kinds.weaknesses.models_examined import models_examined
from unseen.kinds.weaknesses.references import keep_reference, question_digest, reference_of, references
from unseen.kinds.weaknesses.scores import cells_of, classes_of, confusions_of, gap, levels_of, objects_of, worst_cells
from unseen.measures import judge
from unseen.reports import write_report
from unseen.vocabulary.errors import UnseenError

TINY = {
    "title": "Where does it fail?",
    "seeds": [0],
    "world": {"name": "natural-variation", "classes": ["mug", "chair", "car"], "instances": 4, "levels": 5}
    | {"backgrounds": 3, "pair_levels": 3, "pair_backgrounds": 3, "combinations": 30, "side": 16},
    "design": {"name": "vary_each", "images": 420},
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


def asked(study):
    """A row for each image that is asked: its row, set, class and levels."""
    opened, parts = study.world(0), []
    split = study.split(0)
    for name in split.sets:
        table = opened.table(split.rows(name))
        parts.append(table.with_columns(pl.lit(name).alias("asked")))
    return pl.concat(parts)


def answered(study, rule, name="mine", confidence=None):
    """Answers by a rule: which images are right. Wrong ones say the next class."""
    classes = ["mug", "chair", "car"]
    table = asked(study)
    said = []
    for row in table.iter_rows(named=True):
        own = str(row["category"])
        known = rule(row)
        said.append(own if known else classes[(classes.index(own) + 1) % 3])
    frame = pl.DataFrame({"row": table["row"], "response": said})
    if confidence is not None:
        frame = frame.with_columns(pl.Series("confidence", [confidence(row) for row in table.iter_rows(named=True)]))
    study.add_answers(frame, name, kind="model")
    return study


def opened(tmp_path, **design):
    return unseen.open_study({**TINY, "design": {**TINY["design"], **design}}, out=tmp_path / "runs")


def straight(row):
    return float(row["pose"]) == 0


def test_a_model_that_knows_only_upright_things_loses_all_by_pose_and_nothing_by_others(tmp_path):
    study = answered(opened(tmp_path), straight)
    (one,), left = models_examined(study.inner)
    assert not left
    assert one.paired
    assert gap(one, "pose").interval.value == -1
    for name in ("position", "size", "light", "background"):
        assert gap(one, name).interval.value == 0
    by_level = {at.level: (at.score.value, at.canonical) for at in levels_of(one, "pose")}
    assert sorted(value for value, _ in by_level.values()) == [0, 0, 0, 0, 1]
    assert [level for level, (value, stands) in by_level.items() if stands] == ["0.0"]
    assert one.right[one.of("pose × size")].sum() == 0
    assert one.right[one.of("position × size")].all()
    told = study.answer()
    assert "100\u00a0% [74,\u00a0100] of 12 canonical images (n = 12 objects)" in told
    assert "pose" in told


def test_numbers_are_those_of_a_table_read_by_hand(tmp_path):
    rng = np.random.default_rng(3)
    lucky = {}

    def rule(row):
        return lucky.setdefault(row["row"], bool(rng.random() < (0.8 if row["asked"] == "canonical" else 0.5)))

    study = answered(opened(tmp_path), rule, confidence=lambda row: 0.5 + 0.4 * rng.random())
    (one,), _ = models_examined(study.inner)
    table = asked(study).with_columns(pl.Series("right", [lucky[row] for row in asked(study)["row"]]).cast(pl.Float64))
    of = {name: table.filter(pl.col("asked") == name) for name in one.sets}
    summary = summary_of(study.inner)

    def told(measure, name):
        return summary.filter((pl.col("measure") == measure) & (pl.col("set") == name)).row(0, named=True)

    canonical = of["canonical"].group_by("object").agg(pl.col("right").mean().alias("still"))
    for name in ("pose", "size × light", "all"):
        each = of[name].group_by("object").agg(pl.col("right").mean())
        assert told("accuracy", name)["value"] == pytest.approx(each["right"].mean())
        assert told("accuracy", name)["asked"] == of[name].height
        both = each.join(canonical, on="object")
        differences = (both["right"] - both["still"]).to_numpy()
        found = told("gap", name)
        assert found["value"] == pytest.approx(differences.mean())
        assert found["n"] == len(differences)
        verdict = judge(differences, -1)
        assert found["low"] == pytest.approx(max(-1, verdict.interval.low))
        assert found["high"] == pytest.approx(min(1, verdict.interval.high))
    for at in levels_of(one, "pose"):
        here = of["canonical" if at.canonical else "pose"].filter(pl.col("pose").cast(pl.String) == at.level)
        assert at.score.images == here.height
        assert at.score.value == pytest.approx(here.group_by("object").agg(pl.col("right").mean())["right"].mean())
    for cell in cells_of(one, "pose × light"):
        both = (pl.col("pose").cast(pl.String) == cell.levels[0]) & (pl.col("light").cast(pl.String) == cell.levels[1])
        sets = ["canonical", "pose", "light", "pose × light"]
        here = table.filter(both & pl.col("asked").is_in(sets))
        assert cell.score.images == here.height
    for each in classes_of(one):
        mine = table.filter(pl.col("category").cast(pl.String) == each.name)
        assert each.wrong == int((1 - mine["right"]).sum())
    assert sum(times for *_, times, _ in confusions_of(one, 99)) == int(
        (1 - table["right"])[: table.height].sum()
    ) - int((1 - of["canonical"]["right"]).sum())
    hardest = objects_of(one, 1)[0]
    lowest = table.group_by("object").agg(pl.col("right").mean())["right"].min()
    assert hardest.right / hardest.images == pytest.approx(lowest)
    worst = worst_cells(one, 1)[0][2]
    assert worst.images >= 5
    assert worst.value <= min(at.score.value for at in levels_of(one, "size") if at.score.images >= 5)


def test_findings_hold_where_a_change_costs_and_are_corrected_together(tmp_path):
    study = answered(opened(tmp_path), lambda row: float(row["pose"]) == 0 or row["row"] % 7 == 0)
    found = {one.name: one for one in findings_of(study.inner)}
    assert found["changing pose costs accuracy"].holds
    assert found["changing light costs accuracy"].holds is None
    assert found["pose costs most"].holds
    assert found["changing all together costs accuracy"].holds
    assert all(one.over == "objects" for one in found.values())
    tested = [one for one in found.values() if one.corrected is not None]
    assert {one.comparisons for one in tested} == {len(tested)}
    assert found["changing pose costs accuracy"].corrected >= found["changing pose costs accuracy"].p


def test_several_models_stand_side_by_side_and_are_told_apart(tmp_path):
    study = answered(opened(tmp_path), straight, "upright")
    answered(study, lambda row: True, "perfect")
    found = {one.name for one in findings_of(study.inner)}
    assert "upright: changing pose costs accuracy" in found
    assert "perfect: changing pose costs accuracy" in found
    contents = gather(study.inner)
    assert [one.name for one in contents.every] == ["upright", "perfect"]
    assert contents.answer.count("knows") >= 2
    tidy = tidy_of(study.inner)
    assert set(tidy["subject"].unique()) == {"upright", "perfect"}
    gaps = tidy.filter((pl.col("measure") == "gap") & (pl.col("set") == "pose"))
    assert dict(zip(gaps["subject"], gaps["value"])) == {"upright": -1.0, "perfect": 0.0}


def shown(text):
    """What a reader sees: no scripts, no style."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)


def test_the_page_shows_all_of_it(tmp_path):
    study = answered(opened(tmp_path), straight, confidence=lambda row: 0.9)
    answered(study, lambda row: False, "never")
    page = page_of(study.inner)
    assert {"costs", "findings", "asked", "curves", "circles", "mistakes", "classes", "objects", "pairs", "worst",
            "confidence"} <= set(page.names)  # fmt: skip
    text = write_report(page, tmp_path / "report").read_text(encoding="utf-8")
    assert not {"nan %", "nan]", "[nan", "undefined"} & set(re.findall(r"nan %|nan\]|\[nan|undefined", shown(text)))
    assert text.count("<svg") > 10
    assert "data:image/" in text  # wrong answers with their pictures
    assert (tmp_path / "report" / "figures" / "costs.svg").is_file()
    assert (tmp_path / "report" / "figures" / "circles.svg").is_file()
    no_images = unseen.open_study(tmp_path / "runs", settings={"design.images": 200})
    assert gather(no_images.inner).every[0].rows.size <= 200  # sorted anew into the sets of another design


def test_answers_without_a_confidence_have_no_section_about_it(tmp_path):
    page = page_of(answered(opened(tmp_path), straight).inner)
    assert "confidence" not in page.names
    assert any("Confidence" in why for why in page.reasons)


def test_a_world_without_canonical_levels_is_told_by_levels(tmp_path):
    from PIL import Image

    for kind, wall, number in itertools.product(("cup", "pot"), ("brick", "white", "wood"), range(5)):
        path = tmp_path / "photos" / kind / wall / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (40 * number, len(wall), len(kind))).save(path)
    tables = {
        "title": "Photos", "seeds": [0], "design": {"name": "vary_each", "images": 30},
        "world": {"name": "folder", "root": str(tmp_path / "photos"), "template": "{category}/{wall}/*.png"},
    }  # fmt: skip
    study = unseen.open_study(tables, out=tmp_path / "runs")
    table = study.world(0).table(study.split(0).rows("asked"))
    other = {"cup": "pot", "pot": "cup"}
    said = [other[row["category"]] if row["wall"] == "wood" else row["category"] for row in table.iter_rows(named=True)]
    study.add_answers(pl.DataFrame({"row": table["row"], "response": said}), "mine", kind="model")
    assert "Of wall, 'wood' is hardest: 0\u00a0%" in study.answer()
    page = page_of(study.inner)
    assert "curves" in page.names
    assert not {"costs", "pairs", "circles"} & set(page.names)
    assert findings_of(study.inner) == ()
    write_report(page, tmp_path / "report")


def test_without_answers_it_says_how_to_get_some(tmp_path):
    with pytest.raises(UnseenError, match="unseen examine MODEL"):
        gather(opened(tmp_path).inner)


def test_models_that_were_asked_the_same_images_before_stand_beside(tmp_path):
    study = answered(opened(tmp_path), straight, "first")
    (one,), _ = models_examined(study.inner)
    question = question_digest(study.inner)
    keep_reference(question, reference_of(one, "cpu: test", "2026-01-02T03:04:05"))
    assert [each.model for each in references(question)] == ["first"]
    assert references(question)[0].gaps["pose"].value == -1
    assert references(question, leave_out=frozenset(["first"])) == ()
    other = answered(unseen.open_study(TINY, out=tmp_path / "others"), straight, "second")
    page = page_of(other.inner)
    assert "references" in page.names
    assert "first" in write_report(page, tmp_path / "report").read_text(encoding="utf-8")
    fewer = unseen.open_study({**TINY, "design": {"name": "vary_each", "images": 300}}, out=tmp_path / "fewer")
    assert question_digest(fewer.inner) != question  # other images: no comparison


def fed(own, other, differs, better, **claim):
    return FeedingCheck(
        "mine", Feeding("own", own, 100), (Feeding("0 to 255", other, 100, differs, better, "range=255"),), **claim
    )


def test_another_feeding_is_named_only_where_it_is_surely_better():
    assert fed(30, 60, 40, 35).best.name == "0 to 255"
    assert "WRONG PREPROCESSING?" in fed(30, 60, 40, 35).words
    assert "range=255" in fed(30, 60, 40, 35).words
    assert fed(60, 63, 9, 6).best is None  # by the margin
    assert fed(50, 56, 30, 18).best is None  # by the test of signs
    assert not fed(60, 58, 10, 4).wrong
    assert "far below the 90 %" in fed(30, 30, 0, 0, claim=0.9, claimed_of="ImageNet").words
    assert not fed(80, 80, 0, 0, claim=0.9).wrong


def test_what_was_found_of_the_feeding_stands_above_all(tmp_path):
    study = answered(opened(tmp_path), straight, "mine")
    note_feeding(study.path, fed(30, 60, 40, 35))
    assert study.answer().startswith("WRONG PREPROCESSING? mine gets 30 %")
    assert "feeding" in page_of(study.inner).names
    (study.path / "feeding.json").write_text("{damaged")
    assert "feeding" not in page_of(study.inner).names


def test_a_share_of_nothing_is_no_number(tmp_path):
    study = answered(opened(tmp_path), lambda row: True)
    numbers = [row for row in tidy_of(study.inner).iter_rows(named=True) if row["measure"] == "confidence when wrong"]
    assert all(row["value"] is None or not math.isnan(row["value"]) for row in numbers)


def test_the_models_that_ship_were_asked_the_images_of_today_by_default(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    found = examination(["efficientnet-lite0"], ExamineOptions(), out=tmp_path / "study")
    shipped = {one.model for one in references(question_digest(found.study))}
    assert shipped == {f"efficientnet-lite{n}" for n in range(3)}


def test_the_models_that_ship_can_be_read():
    import tomllib
    from importlib.resources import files

    tables = tomllib.loads(files("unseen.kinds.weaknesses").joinpath("references.toml").read_text("utf-8"))
    for question in tables:
        for one in references(question):
            assert 0 <= one.canonical.low <= one.canonical.value <= one.canonical.high <= 1
            assert all(gap.low <= gap.value <= gap.high for gap in one.gaps.values())
            assert one.machine
            assert one.images >= one.objects > 0
