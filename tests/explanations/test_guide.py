"""The guide to explanations, run as it stands there."""

import re
from pathlib import Path

import numpy as np
import pytest

from unseen.explanations import METHODS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "explanations.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["found"].maps.shape == (8, 24, 24)
    assert np.isfinite(names["found"].maps).all()
    assert (tmp_path / "maps.png").stat().st_size > 1000
    assert (tmp_path / "classes.png").stat().st_size > 1000
    assert set(names["verdicts"]) == {"gradient", "grad-cam", "guided-backprop", "edges"}


def test_the_page_names_every_method():
    assert [name for name in METHODS if f"`{name}`" not in TEXT] == []
