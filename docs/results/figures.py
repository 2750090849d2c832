"""`python -m docs.results.figures [STUDY ...]` draws figures of studies from their tables, as `unseen report` does from
their folders: of combinations, means and intervals over choices of held-out cells; of others, what `DRAWN` lists."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from docs.results.combinations import Combinations
from docs.results.pages import (
    HERE,
    geirhos2018,
    geirhos2019,
    hendrycks2019,
    madan2022,
    recht2019,
    rendered_cars,
    zaidi2020,
)
from unseen.kinds.combinations.contents import scattered
from unseen.kinds.combinations.figures import FIGURES
from unseen.kinds.combinations.shown import CombinationContents
from unseen.kinds.summaries import layer_order, summarise
from unseen.reports.figure import Figure
from unseen.reports.page import drawn
from unseen.studies.records import Record

NAMES = ("accuracy", "unit-types", "specialization", "scatter", "layers")
README = HERE.parent / "images" / "accuracy.png"


def contents(study: Combinations) -> CombinationContents:
    """What the figures of a report show, from the table of a study alone."""
    trials = records(study)
    tidy = study.rows.filter(pl.col("measure") != "trial").with_columns(
        pl.col("combinations").cast(pl.Float64).alias("x"),
        pl.col("sharing").alias("series"),
        pl.col("choice").alias("repeat"),
    )
    empty: Any = pl.DataFrame()
    return CombinationContents(
        title="", question="", answer="", shows="", recipe="", splits=(), findings=(), curves=empty, flags=empty,
        x_title=study.title, series_title="architecture", summary=summarise(tidy, trials),
        scatter=scattered(tidy, trials), layers=layer_order(trials),
    )  # fmt: skip


def records(study: Combinations) -> list[Record]:
    """Trials with the tasks of their layers, by the names of the layers: `category.layer4` is of one branch."""
    targets = (study.category, study.view)
    found = []
    for (trial,), own in study.rows.filter(pl.col("layer") != "").group_by("trial", maintain_order=True):
        layers = sorted(own["layer"].unique(), key=depth)
        branch = {name: [target for target in targets if name.startswith(f"{target}.")] for name in layers}
        tasks = {name: one or list(targets) for name, one in branch.items()}
        found.append(Record({"identity": trial, "targets": dict.fromkeys(targets), "tasks": tasks}, Path()))
    return found


def depth(layer: str) -> tuple[bool, str]:
    """The stem, then blocks by number, whatever branch they are in."""
    block = layer.rpartition(".")[2]
    return block != "stem", block


def draw(study: Combinations, stem: str) -> None:
    """Every figure into ``stem`` + its name."""
    shown = contents(study)
    for name in NAMES:
        made = FIGURES[name](shown)
        assert isinstance(made, Figure), made
        write(made, f"{stem}{name}")


def write(made: Figure, name: str) -> None:
    """As a picture in few colours, so that the file stays small."""
    import vl_convert
    from PIL import Image

    picture = Image.open(BytesIO(vl_convert.svg_to_png(drawn(made), scale=2))).convert("RGB").quantize(256)
    path = HERE / f"{name}.png"
    picture.save(path, optimize=True)
    print(f"{path.relative_to(HERE)}: {made.caption}")


DRAWN: dict[str, Callable[[], dict[str, Figure]]] = {
    "geirhos2018": lambda: {
        "objects-everyday-matrix": geirhos2018()["objects"].figure(),
        "objects-experiments-matrix": geirhos2018()["every"].figure(),
        "small-matrix": geirhos2018()["small"].figure(),
    },
    "geirhos2019": lambda: {
        "shape-bias": geirhos2019()["cues"].figure("shape-bias"),
        "agreeing-conflicting": geirhos2019()["cues"].figure("accuracy"),
    },
    "recht2019": lambda: {"replicas": recht2019()["everyday"].figure()},
    "hendrycks2019": lambda: {"strengths": hendrycks2019()["everyday"].figure("strengths")},
    "zaidi2020": lambda: {"matrix": zaidi2020()["matrix"].figure()},
}


def main(asked: list[str]) -> None:
    studies = {"position": "madan2022/position-", "scale": "madan2022/scale-", "cars": "rendered-cars/"}
    for name in asked or DRAWN:
        for file, make in DRAWN.get(name, dict)().items():
            write(make, f"{name}/{file}")
    known = madan2022() | rendered_cars()
    for name in asked or studies:
        if name in studies:
            draw(known[name], studies[name])
    if not asked or "scale" in asked:
        README.write_bytes((HERE / "madan2022/scale-accuracy.png").read_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
