"""Make the golden files anew. What changes in them is a change of numbers, verdicts or sentences: review it.

python tests/golden/make.py --texts [NAME ...]    # the texts, from the packs that are there
python tests/golden/make.py [NAME ...]            # studies, packs and texts: a few minutes on two cores
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tomli_w
from recipes import RECIPES, photos

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"  # the code beside these files, whatever is installed
ENVIRONMENT = {**os.environ, "COLUMNS": "80", "TERM": "dumb", "PYTHONPATH": str(SOURCE)}
TEXTS = ("tidy.csv", "summary.csv", "terminal.txt", "report.txt", "findings.txt", "figures.csv")


def study(name: str, folder: Path) -> None:
    """Run a study and pack it."""
    (folder / f"{name}.toml").write_text(tomli_w.dumps(RECIPES[name]), encoding="utf-8")
    photos(folder / "photos")
    command = [sys.executable, "-m", "unseen"]
    ran = [*command, "run", f"{name}.toml", "--out", "study", "--device", "cpu", "--no-report"]
    for words in (ran, [*command, "pack", "study", str(HERE / f"{name}.unseen")]):
        subprocess.run(words, cwd=folder, env=ENVIRONMENT, check=True)


def texts(name: str, folder: Path) -> None:
    for options in ([], ["--report"]):
        words = [sys.executable, str(HERE / "tell.py"), str(HERE / f"{name}.unseen"), str(folder), *options]
        subprocess.run(words, env=ENVIRONMENT, check=True)
    for text in TEXTS:
        (HERE / f"{name}.{text}").write_bytes((folder / text).read_bytes())


def main() -> None:
    for name in [word for word in sys.argv[1:] if word != "--texts"] or RECIPES:
        with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as told:
            if "--texts" not in sys.argv:
                study(name, Path(made))
            texts(name, Path(told))


if __name__ == "__main__":
    main()
