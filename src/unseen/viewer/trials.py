"""Studies and their trials: how far they are, what is flagged, what failed and why, how they learned, time left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unseen.studies.explained.stored_maps import has_maps
from unseen.studies.records import Record
from unseen.studies.trials import setting_text
from unseen.viewer import written
from unseen.viewer.asked import Asked
from unseen.viewer.running import Now, at_work, curve_points, time_left, told
from unseen.viewer.shelf import Reading, Shelf
from unseen.vocabulary.spans import clock


def studies(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """Every study that is served, the one that changed last first; and pages that belong to none of them."""
    rows = [
        {
            "name": name,
            "title": one.title or name,
            "trials": one.trials,
            "finished": one.finished,
            "failed": one.failed,
            "subjects": one.subjects,
            "others": max(0, one.others),
            "running": one.running or "",
            "changed": one.changed,
            "bytes": one.bytes,
            "trouble": one.trouble,
        }
        for name, one in shelf.overviews()
    ]
    rows.sort(key=lambda row: str(row["changed"] or ""), reverse=True)
    return {"folder": str(shelf.folder), "studies": rows, "pages": written.pages(shelf)}


def study(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """One study: what it asks, and every trial with its state."""
    on_shelf = shelf[asked.text("study")]
    now = on_shelf.reading()
    store = now.stored.store
    at_it = at_work(on_shelf.path)
    running = store.busy() or ", ".join(one.words for one in at_it.living)
    rows = trial_rows(now, at_it)
    states = [row["state"] for row in rows]
    recipe = now.stored.recipe
    return {
        "name": on_shelf.name,
        "path": str(on_shelf.path),
        "title": recipe.title,
        "question": recipe.question,
        "task": recipe.task,
        "running": running,
        "left": time_left(at_it, [one for one, name in zip(now.trials, now.identities) if name is None]),
        "workers": told(at_it),
        "counts": {state: states.count(state) for state in ("finished", "failed", "missing", "damaged", "running")},
        "others": max(0, len(store.finished()) - states.count("finished") - states.count("damaged")),
        "subjects": len(store.subjects()),
        "trials": rows,
        **written.of_study(on_shelf.path),
    }


def trial_rows(now: Reading, at_it: Now | None = None) -> list[dict[str, Any]]:
    """One row per trial, finished or not, in the recipe's order."""
    failed = {(one["label"], one["seed"]): one for one in now.failures.values()}
    doing = at_it.doing if at_it else {}
    rows = []
    for place, (trial, name) in enumerate(zip(now.trials, now.identities)):
        facts = now.facts.get(name) if name else None
        failure = None if name else failed.get((trial.label, trial.seed))
        row: dict[str, Any] = {
            "place": place,
            "label": trial.label,
            "seed": trial.seed,
            "settings": {setting_name(key): value_text(value) for key, value in trial.condition.items()},
            "state": _state(name, facts, failure),
            "identity": name or "",
        }
        if facts is not None:
            row |= {"flags": facts["flags"], "finished": facts.get("finished", ""), "seconds": seconds(facts)}
        if not name and trial.label in doing:
            row |= {"state": "running", "epoch": doing[trial.label][0], "epochs": doing[trial.label][1]}
        elif failure is not None:
            row |= {key: str(failure.get(key) or "") for key in ("error", "traceback", "when")}
        rows.append(row)
    return rows


def _state(name: str | None, facts: object, failure: object) -> str:
    if name:
        return "damaged" if facts is None else "finished"
    return "failed" if failure else "missing"


def setting_name(key: str) -> str:
    """What a key of the grid is called in a column.

    >>> setting_name("design.seed"), setting_name("network.sharing")
    ('draw', 'sharing')
    """
    return "draw" if key == "design.seed" else key.rpartition(".")[2]


def value_text(value: Any) -> Any:
    """A value of the grid as a cell of a table shows it: lists in words."""
    return setting_text("x", value).partition(" ")[2] if isinstance(value, list | tuple) else value


def seconds(facts: Mapping[str, Any]) -> float | None:
    """How long a trial took of its device."""
    try:
        return float(facts["seconds_together"]) / int(facts["packed"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return None


def trial(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """All that was noted of one trial, its curves as columns."""
    now = shelf[asked.text("study")].reading()
    place = now.trial(asked.text("trial"))
    row = trial_rows(now, at_work(now.path))[place]
    facts = now.facts.get(row["identity"])
    if facts is None:
        return {**row, "facts": [], "curve": [], "sets": {}}
    return {
        **row,
        "facts": list(_facts(facts)),
        "curve": curve_points(facts["curve"]),
        "kept": facts["best_epoch"] + 1,
        "sets": facts["sets"],
        "targets": facts["targets"],
        "task": facts.get("task", "classification"),
        "layers": facts["tasks"],
        "factors": facts["factors"],
        "maps": has_maps(Record(dict(facts), now.stored.store.trials / row["identity"])),
    }


def _facts(facts: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    about, machine = facts.get("network") or {}, facts.get("machine") or {}
    told = [
        ("network", str(about.get("backbone", ""))),
        ("weights", f"{about['parameters']:,.0f}" if "parameters" in about else ""),
        ("trained on", f"{facts['sets']['train']:,} images" if "train" in facts["sets"] else ""),
        ("epochs", f"{len(facts['curve'])}, kept {facts['best_epoch'] + 1}" if facts["curve"] else ""),
        ("device", str(machine.get("device", ""))),
        ("took", clock(took) if (took := seconds(facts)) is not None else ""),
        ("finished", str(facts.get("finished", "")).replace("T", " ")),
        ("unseen", str(machine.get("unseen", ""))),
        ("identity", str(facts.get("identity", ""))),
    ]
    return [(name, words) for name, words in told if words]
