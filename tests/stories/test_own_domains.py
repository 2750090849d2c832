"""From a folder of domains to a verdict: check, plan, run, results, report; and a yardstick whose truth is known."""

import itertools

import numpy as np
import pytest
from PIL import Image, ImageDraw

from small_study import ran
from unseen.engines import open_study
from unseen.kinds.results import gather

pytest_plugins = ("studies_fixtures",)

TINY = ("network.backbone=mlp", "network.channels=3", "training.epochs=1", "world.size=16", "seeds=[0]")
SETTINGS = [word for setting in ("world.root=photos", *TINY) for word in ("--set", setting)]

SHAPES = {
    "ball": lambda pen, box: pen.ellipse(box, fill="white"),
    "bar": lambda pen, box: pen.line(box, fill="white", width=5),
    "box": lambda pen, box: pen.rectangle(box, fill="white"),
    "roof": lambda pen, box: pen.polygon(
        [(box[0], box[3]), (box[2], box[3]), ((box[0] + box[2]) // 2, box[1])], "white"
    ),
}
LOOKS = {  # of a domain: what is done to a picture
    "art_painting": lambda pixels: pixels * np.array([1.0, 0.7, 0.4]),
    "cartoon": lambda pixels: np.round(pixels / 64) * 64,
    "photo": lambda pixels: pixels,
    "sketch": lambda pixels: 255 - np.repeat(pixels.mean(axis=2, keepdims=True), 3, axis=2),
}


def domain_set(folder, looks, each):
    """Shapes of any size and place on noise, as JPEG of 32 pixels; ``each(domain, shape)`` says how many."""
    for (place, (domain, look)), (number, (shape, draw)) in itertools.product(
        enumerate(looks.items()), enumerate(SHAPES.items())
    ):
        where = folder / domain / shape
        where.mkdir(parents=True, exist_ok=True)
        for copy in range(each(place, number)):
            rng = np.random.default_rng([place, number, copy])
            image = Image.fromarray(rng.integers(0, 90, (32, 32, 3), dtype=np.uint8))
            left, top, size = rng.integers(2, 10), rng.integers(2, 10), rng.integers(14, 20)
            draw(ImageDraw.Draw(image), tuple(int(end) for end in (left, top, left + size, top + size)))
            pixels = np.clip(look(np.asarray(image, np.float64)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(where / f"{copy:03}.jpg", quality=92)
    return folder


def test_a_folder_of_domains_becomes_a_study_with_a_verdict(say, tmp_path):
    domain_set(tmp_path / "photos", LOOKS, lambda domain, shape: 8 + 3 * domain + 2 * shape)

    said = say("recipes")
    assert said.code == 0
    assert "own/leave-one-domain-out" in said.out

    said = say("check", "own/leave-one-domain-out", *SETTINGS)
    assert said.code == 0, said
    assert "5 trials, 5 splits" in said.flat
    assert "the splits are sound" in said.flat

    said = say("plan", "own/leave-one-domain-out", *SETTINGS, "--no-time")
    assert said.code == 0, said
    assert "left_out sketch" in said.out
    assert "Is the category recognised in a domain that was never seen?" in said.flat
    assert (
        len({line.split()[2] for line in said.out.splitlines() if line.startswith("left_out")}) == 1
    )  # as many images

    said = say("run", "own/leave-one-domain-out", *SETTINGS, "--device", "cpu", "--workers", 1, "--out", "study")
    assert said.code == 0, said
    assert said.out.count("  done  ") == 5
    assert "Where a domain was never seen, accuracy is" in said.flat
    page = (tmp_path / "study" / "report" / "report.html").read_text()
    for words in ("By domain", "Left out and trained on, by domain", "art_painting", "mean over domains"):
        assert words in page
    assert "Geirhos" not in page

    said = say("results", "study")
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80
    assert "trained on" in said.out
    assert "accuracy by category" in say("results", "study", "--format", "csv").out
    assert "distance" not in say("audit", "own/leave-one-domain-out", *SETTINGS).out  # domains have no order

    (tmp_path / "photos").rename(tmp_path / "moved")
    for words in (("results", "study"), ("report", "study")):
        said = say(*words)
        assert said.code == 0, said
        assert "the images are not at hand" in said.flat


YARDSTICK = {
    "title": "Yardstick", "seeds": [0, 1, 2], "network": {"backbone": "resnet18-w8", "stem": "small"},
    "training": {"epochs": 6, "batch": 32, "lr": 2e-3, "schedule": "cosine", "normalise": "half"},
    "design": {"name": "leave_one_out", "factor": "domain", "shares": [0.5, 0.1, 0.4]},
    "recordings": {"layers": "none"}, "grid": {"design.left_out": ["inverted", "twin", "none"]},
}  # fmt: skip


@pytest.mark.slow
def test_a_domain_that_differs_is_known_less_well_and_a_twin_is_not(tmp_path):
    """One domain is the negative of the others; another is drawn exactly like two that are trained on."""
    looks = {"first": LOOKS["photo"], "second": LOOKS["photo"], "twin": LOOKS["photo"]}
    looks["inverted"] = lambda pixels: 255 - pixels
    domain_set(tmp_path / "photos", looks, lambda domain, shape: 50 + 4 * shape)
    world = {"name": "folder", "root": str(tmp_path / "photos"), "template": "{domain}/{category}/*.jpg"}
    study = open_study({**YARDSTICK, "world": world}, out=tmp_path / "study")
    ran(study)
    (found,) = gather(study).domains
    rows = {row.name: row for row in found.rows}
    assert rows["inverted"].verdict == "known less well"
    assert rows["inverted"].gap.value > 0.3
    assert rows["twin"].verdict != "known less well"
    assert abs(rows["twin"].gap.value) < 0.12
    assert rows["twin"].left_out.value > 0.8
