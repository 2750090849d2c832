"""Rules about failures as `unseen results STUDY --rules --format csv` writes them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from docs.results.numbers import percent, table


class FailureTable:
    """One study's rules."""

    def __init__(self, path: Path) -> None:
        self.rows = pl.read_csv(path, schema_overrides={"holds": pl.Boolean, "why": pl.String})

    @property
    def lists(self) -> int:
        """How many lists were asked for: one for each subject and question."""
        return self.rows.select("subject", "target").unique().height

    @property
    def told(self) -> int:
        """How many of them tell failures apart."""
        return self.rows.filter("tells").select("subject", "target").unique().height

    def shown(self, subject: str, target: str) -> str:
        """The list of one subject as a table."""
        own = self.rows.filter(pl.col("subject") == subject, pl.col("target") == target)
        if not own.height:
            raise KeyError(f"no rules of {subject}, {target}")
        rows = [
            ["otherwise" if row["rule"] == "otherwise" else f"{'else if' if row['place'] else 'if'} {row['rule']}",
             f"{percent(row['wrong'])} % [{percent(row['low'])}, {percent(row['high'])}]", f"{row['rows']:,}",
             f"{row['objects']:,}", "" if row["holds"] is None else "holds" if row["holds"] else "open"]
            for row in own.to_dicts()
        ]  # fmt: skip
        return table(["rule", "wrong [95 %]", "answers", "objects", "by itself"], rows)

    def why(self, subject: str, target: str) -> str:
        """Why somebody has no rule."""
        own = self.rows.filter(pl.col("subject") == subject, pl.col("target") == target)
        if own["tells"].any():
            raise AssertionError(f"{subject}, {target} has rules")
        return str(own["why"][0])
