"""Numbers of pages about pictures that networks make: untrained ones that restore, generators."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from docs.results.numbers import interval, mean_of, table

STOPPED, LAST = "skip, stopped", "skip, last step"
GOALS = ("natural", "natural + noise", "scrambled", "white noise")


class Priors:
    """Restorations of some pictures; every mean and interval is over pictures, of each the mean over seeds."""

    def __init__(self, at: Path) -> None:
        self.rows = pl.concat([pl.read_parquet(path) for path in sorted(at.glob("psnr-*.parquet"))], how="diagonal")
        self.curves = pl.read_parquet(at / "curves.parquet")
        self.tasks = self.rows["task"].unique(maintain_order=True).to_list()

    def by_picture(self, task: str, way: str) -> dict[str, float]:
        here = self.rows.filter((pl.col("task") == task) & (pl.col("way") == way))
        return dict(here.group_by("picture").agg(pl.col("psnr").mean()).sort("picture").rows())

    def best(self, task: str) -> dict[str, float]:
        here = self.rows.filter((pl.col("task") == task) & pl.col("way").str.starts_with("skip, best step"))
        return dict(here.group_by("picture").agg(pl.col("psnr").mean()).sort("picture").rows())

    def ways(self, task: str) -> list[str]:
        known = self.rows.filter(pl.col("task") == task)["way"].unique(maintain_order=True).to_list()
        return [way for way in known if way not in (STOPPED, LAST, "given", "step stopped at") and "best" not in way]

    def less(self, task: str, way: str) -> str:
        """The network's PSNR where it stopped, less another way's, paired by picture."""
        ours, theirs = self.by_picture(task, STOPPED), self.by_picture(task, way)
        return interval({name: ours[name] - theirs[name] for name in ours if name in theirs}, 1, sign=True)

    def psnr(self) -> str:
        rows = []
        for task in self.tasks:
            given, stopped = self.by_picture(task, "given"), self.by_picture(task, STOPPED)
            first = [task, interval(given, 1) if given else "–", interval(stopped, 1), interval(self.best(task), 1)]
            for place, way in enumerate(self.ways(task)):
                head = first if place == 0 else ["", "", "", ""]
                rows.append([*head, f"{way} {interval(self.by_picture(task, way), 1)}", self.less(task, way)])
        return table(["damage", "given", "stopped", "best step", "classical way", "stopped less classical"], rows)

    @property
    def pictures(self) -> int:
        return self.rows["picture"].n_unique()

    def error(self, what: str, step: int) -> dict[str, float]:
        here = self.curves.filter((pl.col("what") == what) & (pl.col("step") == step))
        return dict(here.group_by("picture").agg(pl.col("mse").mean()).sort("picture").rows())

    def curve(self, steps: tuple[int, ...]) -> str:
        rows = [[f"{step}", *(interval(self.error(what, step), 4) for what in GOALS)] for step in steps]
        return table(["step", *GOALS], rows)

    def first_below(self, what: str, limit: float) -> dict[str, float]:
        """Steps until the error is below a limit; the last step, where it never is."""
        here = self.curves.filter(pl.col("what") == what).sort("step")
        found = {}
        for (name,), rows in here.group_by("picture", maintain_order=True):
            below = rows.filter(pl.col("mse") < limit)["step"].to_list()
            found[str(name)] = float(below[0] if below else rows["step"].to_list()[-1])
        return found


class Toy:
    """The game whose end is known, one row a seed."""

    def __init__(self, path: Path) -> None:
        self.rows = pl.read_parquet(path)

    def told(self, what: str) -> str:
        return interval(self.rows[what].to_list(), 4)

    def most(self, what: str) -> float:
        return float(self.rows[what].max())  # pyright: ignore[reportArgumentType]

    @property
    def n(self) -> int:
        return self.rows.height

    def value(self, what: str) -> float:
        return mean_of(self.rows[what].to_list()).value
