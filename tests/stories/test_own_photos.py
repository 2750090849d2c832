"""From a folder of one's own photos to a report: init, plan, run, results."""

import itertools

import numpy as np
from PIL import Image, ImageDraw

pytest_plugins = ("studies_fixtures",)

TINY = ("network.backbone=resnet18-w8", "network.stem=small", "training.epochs=1", "seeds=[0]", "world.size=16")
SETTINGS = [word for setting in TINY for word in ("--set", setting)]

SHAPES = {
    "ball": lambda pen, box: pen.ellipse(box, fill="white"),
    "box": lambda pen, box: pen.rectangle(box, fill="white"),
    "roof": lambda pen, box: pen.polygon(
        [(box[0], box[3]), (box[2], box[3]), ((box[0] + box[2]) // 2, box[1])], "white"
    ),
    "bar": lambda pen, box: pen.line(box, fill="white", width=4),
}
VIEWS = (0, 90, 180, 270)


def photo_set(folder, copies=12):
    """Shapes on noisy backgrounds, turned; sizes and modes differ, as photos' do."""
    rng = np.random.default_rng(0)
    for (shape, draw), view, copy in itertools.product(SHAPES.items(), VIEWS, range(copies)):
        size = 20 + 2 * (copy % 3)
        image = Image.fromarray(rng.integers(0, 90, (size, size, 3), dtype=np.uint8))
        draw(ImageDraw.Draw(image), (3, 3, size // 2 + copy % 4, size - 4))
        place = folder / shape / str(view) / f"photo-{copy:02}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        image.rotate(view).convert("L" if copy % 5 == 4 else "RGB").save(place)
    return folder


def test_own_photos_become_a_study_with_a_report(say, tmp_path):
    photo_set(tmp_path / "shapes")
    (tmp_path / "shapes" / "ball" / "0" / "broken.png").write_bytes(b"no picture")

    said = say("init", "shapes")
    assert said.code == 0, said
    assert "recipe written to shapes.toml; it passes `unseen check`. Next: unseen plan shapes.toml" in said.flat
    assert "4" in said.out
    recipe = (tmp_path / "shapes.toml").read_text()
    assert 'name = "folder"' in recipe
    assert "template" in recipe

    said = say("plan", "shapes.toml", *SETTINGS, "--no-time")
    assert said.code == 0, said
    assert "6 trials (1 seed), 0 finished already" in said.out
    assert "bar" in said.out

    said = say("run", "shapes.toml", *SETTINGS, "--device", "cpu", "--workers", 1)
    assert said.code == 0, said
    assert "broken.png" in said.flat
    assert said.out.count("  done  ") == 6
    assert "On combinations never seen in training" in said.flat
    page = tmp_path / "runs" / "shapes" / "report" / "report.html"
    assert f"report: {page.resolve()}" in said.out
    assert page.stat().st_size > 50_000
    assert list(page.parent.rglob("*.svg"))

    said = say("results", "shapes.toml", *SETTINGS)
    assert said.code == 0
    assert "separate" in said.out
    assert "6 trials, 6 finished already" in say("run", "runs/shapes", "--no-report").out

    assert say("pack", "runs/shapes", "shapes.unseen").code == 0
    assert say("unpack", "shapes.unseen", "elsewhere").code == 0
    (tmp_path / "shapes").rename(tmp_path / "moved")
    whole = said.out
    for words in (("status",), ("results",), ("report",)):
        said = say(*words, "elsewhere")
        assert said.code == 0, said
        assert "the images are not at hand" in said.flat
    assert "6 of 6 trials finished, 0 failed" in say("status", "elsewhere").out
    assert whole.strip() in say("results", "elsewhere").out
    assert "Splits: the images are not at hand" in (tmp_path / "elsewhere" / "report" / "report.html").read_text()
    assert say("run", "elsewhere").code == 2  # which needs them
