"""Every `unseen` command that the README and the guides show in a block parses, and (slowly) runs as it stands there.

``pytest -m slow tests/stories/test_documented_commands.py`` runs them, page by page and in their order, in a folder
that has what the page takes for granted: photos, MNIST's files (drawn here: right in form and number, noise in
content), the modules and recipes that the page itself prints. Studies are made small by ``SMALLER``; what cannot run
here is in ``NOT_HERE``, with the reason.
"""

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import numpy as np
import pytest
import typer
from PIL import Image
from test_own_photos import photo_set

from small_study import command, surroundings
from unseen.cli.app import app
from unseen.vocabulary.recipe import shipped
from unseen.worlds import worlds

pytest_plugins = ("studies_fixtures",)

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)

ONE_TRIAL = ["training.epochs=1", "seeds=[0]"]
OBJECTS = ["world.of.instances=10", "world.of.categories=4", "world.of.side=32"]
FEW = ["design.probe_per_cell=1"]
NARROW = ["network.backbone=resnet18-w8", 'grid."network.sharing"=["shared"]', 'grid."design.seen_per_level"=[2]']
SMALLER = {  # first words of a command -> settings that make its study a matter of seconds
    "run demo": [*ONE_TRIAL[:1], 'grid."network.sharing"=["shared"]', 'grid."design.seen_per_level"=[8]'],
    "run photos.toml": [*ONE_TRIAL, "network.backbone=resnet18-w8", "network.stem=small", "world.size=16"],
    "run madan2022/mnist-position": [*ONE_TRIAL, *FEW, *NARROW, "design.images=900", "design.validation_images=90",
                                     "design.test_images=90"],
    "run schott2022/small": [
        "training.epochs=1", "design.images=2000", "design.test_images=200", "design.probe_images=200",
        'grid."design.mode"=["extrapolation"]', 'grid."network.backbone"=["mlp"]',
    ],
    "run zaidi2020/small": [  # one epoch teaches no network that a strength could be found with
        *ONE_TRIAL, *OBJECTS, "calibration.steps={}", 'grid={"design.level"=["blur"],"design.seen"=[0,2]}',
    ],
    "run own/leave-one-domain-out": [*ONE_TRIAL, "network.backbone=resnet18-w8", "world.size=32"],
    "run explanations/failures": ["world.side=64", "design.images=400"],
    "run goodfellow2014/small": [*ONE_TRIAL, "world.steps=5"],
    "worlds show goodfellow2014/small": ["world.steps=5"],
    "generator goodfellow2014/small": ["world.steps=5"],
    "run isola2017/small": [*ONE_TRIAL, "world.steps=5", "world.of.instances=12"],
    "run geirhos2018/small": [*ONE_TRIAL, *OBJECTS, 'grid={"design.train"=[["geirhos-colour"]]}'],
}  # fmt: skip
INSTEAD = {  # a command that takes no --set -> one that does the same and does
    "demo": "run demo --set seeds=[0]",
}
NOT_HERE = {  # first words of a command -> why it is not run
    "restore photo.png": "3,000 steps take an hour on a CPU; tests/engines/test_restoring.py runs the command",
    "results runs/schott2022/mpi3d": "a study of hours on a GPU",
    "run schott2022/dsprites --set world.root=": "needs the official file of dSprites",
}
OWN_TEST = {"answers-from-elsewhere.md"}  # run with the program that they print: test_answers_from_elsewhere.py
REFUSED = {"check own.toml": 2}  # what a page shows being refused -> the code
MEANT = {"PATH_OF_IDX_FILES": "data/mnist"}
BEFORE = {  # what a page takes for granted to have been run
    "docs/guide/failures.md": ["run demo --set seeds=[0]"],
    "docs/guide/measures.md": ["run demo --set seeds=[0]"],
    "docs/guide/results-and-reports.md": ["run demo --set seeds=[0]"],
}
PRINTED_IN = {"trust.md": "networks.md"}  # what a page takes from another one
NAMED_BY = {"networks.md": ["mynet.py", "own.toml"], "extending.md": ["unseen_stripes/__init__.py", "stripes.toml"]}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def documented(page: Path) -> list[str]:
    """The words after `unseen` of every command in the page's shell blocks, in their order."""
    found = []
    for line in "\n".join(blocks(page, "bash")).replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|;", re.sub(r"\s+# .*", "", line)):
            match = re.fullmatch(r"\s*(?:\$ )?(?:uv run (?:--no-sync )?)?unseen (.+?)\s*", part)
            found += [match.group(1)] if match else []
    return found


CASES = [pytest.param(line, id=f"{name_of(page)}: {line}") for page in PAGES for line in documented(page)]
ALL = [line for page in PAGES for line in documented(page)]


@pytest.mark.parametrize("line", CASES)
def test_every_documented_command_parses_and_names_what_exists(line):
    words = shlex.split(line.partition(" > ")[0])
    group = typer.main.get_command(app)
    if words[0].startswith("-"):
        return
    found = group.commands[words[0]]
    if hasattr(found, "commands"):
        found, words = found.commands[words[1]], words[1:]
    context = found.make_context(words[0], words[1:])
    named = context.params.get("recipe")
    assert named is None or named in shipped() or named.endswith(".toml") or named.startswith("runs/")
    world = context.params.get("world")
    assert not world or world in worlds() or world in shipped() or world.endswith(".toml")


@pytest.mark.parametrize("first", [*SMALLER, *INSTEAD, *NOT_HERE])
def test_no_exception_outlives_its_command(first):
    assert any(line.startswith(first) for line in [*ALL, *INSTEAD.values()])


@pytest.mark.parametrize("page", BEFORE)
def test_pages_with_something_done_before_exist(page):
    assert (ROOT / page).is_file()


def idx(array: np.ndarray) -> bytes:
    head = bytes((0, 0, 8, array.ndim)) + np.array(array.shape, dtype=">u4").tobytes()
    return head + array.astype(np.uint8).tobytes()


def draw_mnist(folder: Path) -> None:
    """Four files as MNIST's."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for half, count in (("train", 60_000), ("t10k", 10_000)):
        (folder / f"{half}-images-idx3-ubyte").write_bytes(idx(rng.integers(0, 256, (count, 28, 28), dtype=np.uint8)))
        (folder / f"{half}-labels-idx1-ubyte").write_bytes(idx(np.arange(count) % 10))


def draw_domains(folder: Path) -> None:
    """Photos in the layout of PACS: a colour for each category, a brightness for each domain, and noise."""
    rng = np.random.default_rng(0)
    for dark, domain in enumerate(("art_painting", "cartoon", "photo", "sketch")):
        for channel, category in enumerate(("dog", "guitar", "house")):
            (folder / domain / category).mkdir(parents=True)
            for copy in range(12):
                pixels = rng.integers(0, 90 + 20 * dark, (32, 32, 3), dtype=np.uint8)
                pixels[..., channel] += 80
                Image.fromarray(pixels).save(folder / domain / category / f"{copy:03}.jpg")


def write_what_the_page_prints(page: Path, folder: Path) -> None:
    """Modules and recipes in the page's blocks, under the names that its sentences give them; a package with entry
    points becomes one that is as good as installed."""
    module, recipe = NAMED_BY[page.name]
    (folder / module).parent.mkdir(exist_ok=True)
    (folder / module).write_text(blocks(page, "python")[0], encoding="utf-8")
    tables = {text: tomllib.loads(text) for text in blocks(page, "toml")}
    (folder / recipe).write_text(next(text for text, table in tables.items() if "title" in table), encoding="utf-8")
    for table in tables.values():
        if points := table.get("project", {}).get("entry-points"):
            about = folder / "unseen_stripes-0.1.dist-info"
            about.mkdir()
            (about / "METADATA").write_text("Metadata-Version: 2.1\nName: unseen-stripes\nVersion: 0.1\n")
            lines = [
                f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for group, rows in points.items()
            ]
            (about / "entry_points.txt").write_text("\n".join(lines))


def as_run(line: str) -> tuple[list[str], str]:
    """The words to run, made small, and the file that takes the output."""
    line, _, to = line.partition(" > ")
    line = INSTEAD.get(line, line)
    for word, meant in MEANT.items():
        line = line.replace(word, meant)
    words = shlex.split(line)
    for first, settings in SMALLER.items():
        if line.startswith(first):
            words += [word for setting in settings for word in ("--set", setting)]
    return words, to.strip()


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=name_of(page)) for page in PAGES if documented(page) and page.name not in OWN_TEST]
)
def test_the_commands_of_a_page_run_as_they_stand_there(page, tmp_path, compiled):
    lines = [*BEFORE.get(name_of(page), []), *documented(page)]
    if any("photos" in line for line in lines):
        photo_set(tmp_path / "photos")
    if any("idx" in line.lower() or "mnist" in line for line in lines):
        draw_mnist(tmp_path / "data" / "mnist")
    if any("pacs" in line for line in lines):
        draw_domains(tmp_path / "pacs")
    if (printing := page.with_name(PRINTED_IN.get(page.name, page.name))).name in NAMED_BY:
        write_what_the_page_prints(printing, tmp_path)
    around = surroundings(compiled)
    around["PYTHONPATH"] = os.pathsep.join(filter(None, [str(tmp_path), around.get("PYTHONPATH", "")]))
    for line in lines:
        if any(line.startswith(first) for first in NOT_HERE):
            continue
        words, to = as_run(line)
        done = subprocess.run(
            command(*words), cwd=tmp_path, env=around, input="n\n", capture_output=True, text=True, timeout=600,
            check=False,
        )  # fmt: skip
        code = REFUSED.get(line, 0)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), f"{line}\n{done.stdout}\n{done.stderr}"
        if to:
            (tmp_path / to).write_text(done.stdout, encoding="utf-8")
