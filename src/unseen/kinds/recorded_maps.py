"""Sections of a report about the maps that a study recorded, whatever its kind: of the first network of the conditions
that saw most, its most telling images, and whether to believe the maps."""

from __future__ import annotations

import numpy as np

from unseen.kinds.collect import REPEAT, finished_trials
from unseen.kinds.maps_page import Explained, checks_sections, maps_section
from unseen.reports.blocks import Section
from unseen.studies.explained.checked import Check
from unseen.studies.explained.drawn import Maps
from unseen.studies.explained.stored_maps import arrays_of, has_maps, shown_facts, similarities
from unseen.studies.records import Record
from unseen.studies.sound import Damaged
from unseen.studies.study import Study

MOST = 2  # networks whose maps are shown


def map_sections(study: Study) -> list[Section | str]:
    """A section for each network that is shown, or why there is none. Nothing where the recipe asks for none."""
    if not study.recipe.explanations.methods:
        return []
    found = [record for record in finished_trials(study, numbers=False) if has_maps(record)]
    if not found:
        return ["Maps over images: none was recorded; the flags say why."]
    first = {_condition(record): record for record in reversed(found)}
    parts: list[Section | str] = []
    chosen = sorted(first.values(), key=lambda one: found.index(one))[-MOST:]
    for number, record in enumerate(chosen, 1):
        try:
            parts += _of(record, number, len(chosen))
        except Damaged as error:
            parts.append(f"Maps over images: {error.why}.")
    return parts


def _condition(record: Record) -> str:
    """What tells networks apart; a draw of the design repeats one."""
    return str({key: value for key, value in record.facts["condition"].items() if key != REPEAT})


def _of(record: Record, number: int, many: int) -> list[Section | str]:
    told, checks = shown_facts(record), _checks(record)
    suffix = f"-{number}" if many > 1 else ""
    label = f" ({record.facts['label']})" if many > 1 else ""
    if not told:
        return list(checks_sections(_explained(record, checks), f"maps{suffix}-"))
    explained = _explained(record, checks)
    intro = (
        f"Maps of one network, {record.facts['label']}. Read them against the line below: a method that does not "
        "depend "
        "on the weights shows the image and not what was learned."
    )
    shown = maps_section(explained, f"maps{suffix}", f"What it looks at{label}", intro)
    return [shown, *checks_sections(explained, f"maps{suffix}-")]


def explained_of(record: Record) -> Explained:
    """What was recorded of a trial's maps, with what the checks say of each method."""
    return _explained(record, _checks(record))


def _checks(record: Record) -> dict[str, Check]:
    return {
        one.method: Check(one.method, one.order, one.steps, one.alike, None, None)
        for one in similarities(record.folder) if one.order == "cascading"
    }  # fmt: skip


def _explained(record: Record, checks: dict[str, Check]) -> Explained:
    facts, arrays, told = record.facts["explanations"], arrays_of(record.folder), shown_facts(record)
    methods = [name for name in facts["methods"] if f"maps.{name}" in arrays]
    n = len(told)
    maps = Maps(
        np.arange(n), ("",) * n, arrays["pictures"], np.zeros(n, int), np.zeros(n),
        {name: arrays[f"maps.{name}"].astype(np.float32) for name in methods},
        {name: tuple(str(one.get("notes", {}).get(name, "")) for one in told) for name in methods},
    )  # fmt: skip
    return Explained(
        record.facts["label"], "the score of the class that is answered", maps,
        tuple(str(one["title"]) for one in told), tuple(str(one["words"]) for one in told), facts.get("settings", {}),
        tuple(str(one["group"]) for one in told), checks, facts.get("unchecked", {}), facts.get("left", {}),
    )  # fmt: skip
