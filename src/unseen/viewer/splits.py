"""The split of a trial as a picture: what is seen in training, what is asked, and the rule of each set."""

from __future__ import annotations

import json
from typing import Any

from unseen.designs import audit
from unseen.kinds.pictures import grid_pictures, pair_pictures
from unseen.kinds.visit_pictures import is_repeated
from unseen.reports.palette import themed
from unseen.reports.pictures import count_words, large_split
from unseen.viewer.asked import Asked
from unseen.viewer.shelf import Reading, Shelf
from unseen.viewer.trials import setting_name, value_text


def split(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """One split of a study: its pictures, its sets with their reasons, what an audit found."""
    on_shelf = shelf[asked.text("study")]
    with on_shelf.held() as now:
        study = now.study
        if study.absent:
            return {"why": f"{study.absent}, and a split is made from them.", "splits": []}
        there = distinct(now)
        places = [one["trial"] for one in there]
        wanted = asked.whole("trial", places[0], 0, 10**9)
        wanted = wanted if wanted in places else places[0]
        trial = study.points[wanted]
        made, world = study.split(trial), study.world(trial)
        found = now.__dict__.setdefault("audits", {}).get(wanted) or audit(made, world.samples)
        now.__dict__["audits"][wanted] = found
        pictures = []
        if found.shares or found.counts:
            draw = pair_pictures if found.shares else grid_pictures
            pictures = draw(study, trial, found, examples=True)
        return {
            "why": "" if pictures else "a split of one factor, or of files, has no grid to be drawn.",
            "splits": there,
            "trial": wanted,
            "factors": made.factors,
            "repeated": is_repeated(made),
            "pictures": [
                {"title": one.title, "words": count_words(one), "note": one.note, "svg": themed(large_split(one).svg())}
                for one in pictures
            ],
            "sets": [
                {"name": name, "images": made.count(world.samples, name), "reason": rows.reason, "pool": rows.pool}
                for name, rows in made.sets.items()
            ],
            "verdicts": found.verdicts,
            "problems": found.problems,
        }


def distinct(now: Reading) -> list[dict[str, Any]]:
    """The distinct splits of a study, each by the first point that has it and what it is called."""
    found: dict[str, dict[str, Any]] = {}
    for place, trial in enumerate(now.study.points):
        recipe = trial.recipe
        key = json.dumps([recipe.world.model_dump(), recipe.design.model_dump()], sort_keys=True, default=str)
        told = [
            f"{setting_name(name)} {value_text(value)}"
            for name, value in trial.condition.items()
            if name.startswith(("design.", "world."))
        ]
        found.setdefault(key, {"trial": place, "label": " · ".join(told) or recipe.design.name})
    return list(found.values())
