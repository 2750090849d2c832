"""What stood behind a study's numbers, in words: world, row sets, networks, machine, time."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.kinds.distances import distances
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.studies.subjects import subjects_of
from unseen.vocabulary.errors import listed
from unseen.vocabulary.stems import stem_text


def subject_tables(study: Study) -> dict[str, dict[str, str]]:
    """Whose answers from elsewhere there are, where they come from and how missing ones count."""
    told = {}
    for record in subjects_of(study)[0]:
        facts, subject = record.facts, record.subject
        counts, none = facts["counts"], facts["counts"].get("no answer", 0)
        missing = f"{none:,} without an answer, {'counted as wrong' if facts['no_answer'] == 'wrong' else 'left out'}"
        files = listed((one["name"] for one in facts.get("files", ())), 3)
        parts = [
            f"{subject.persons} people" if subject.persons else subject.kind,
            f"{counts.get('answers', 0):,} answers about {counts.get('images', 0):,} images",
            missing if none else "",
            f"from {files}, added {facts['added'][:10]}",
            subject.source,
            subject.citation,
        ]
        told[subject.name] = "; ".join(filter(None, parts))
    return {"Answers from elsewhere": told} if told else {}


def images_asked(trials: Sequence[Record], name: str) -> str:
    """How many images a set has, over all trials that have it."""
    counts = sorted({facts["sets"][name] for facts, _ in trials if name in facts["sets"]})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}" if counts else "no"


def stored_rows(trials: Sequence[Record]) -> dict[str, str]:
    """What each set holds, as far as trials tell: its number of images."""
    names = dict.fromkeys(name for facts, _ in trials for name in facts["sets"])
    return {name: f"{images_asked(trials, name)} images" for name in names}


def _stored_tables(study: Study, trials: Sequence[Record]) -> dict[str, dict[str, str]]:
    """World and rows where the images are not at hand."""
    records = trials or subjects_of(study)[0]
    world = records[0].facts["description"]["world"]
    known = {"name": str(world["name"]), "images": study.absent, "fingerprint": str(world.get("fingerprint", ""))}
    return {"World": known, "Rows": stored_rows(trials)}


def _world_tables(study: Study, trials: Sequence[Record]) -> dict[str, dict[str, str]]:
    """World and rows."""
    first = study.points[0]
    world = study.world(first)
    kind = "grey" if world.channels == 1 else "colour"
    tables: dict[str, dict[str, str]] = {}
    tables["World"] = {
        "name": world.name,
        "images": f"{len(world.samples):,} of {world.size[0]}×{world.size[1]} pixels, {kind}",
        "fingerprint": world.fingerprint,
        **{key: str(value) for key, value in world.provenance.items()},
    }
    tables["Rows"] = {}
    splits = {id(split): split for split in map(study.split, study.points)}.values()
    for name, wanted in study.split(first).sets.items():
        reasons = {split.sets[name].reason for split in splits if name in split.sets}
        between = ": " if len(reasons) == 1 else "; the first: "
        number = images_asked(trials, name) if trials else f"{study.split(first).count(world.samples, name):,}"
        tables["Rows"][name] = f"{number} images{between}{wanted.reason}"
    return tables


def facts_tables(study: Study, trials: Sequence[Record]) -> dict[str, dict[str, str]]:
    """What stood behind the numbers: world, splits, networks, machine, time."""
    tables = _stored_tables(study, trials) if study.absent else _world_tables(study, trials)
    for row in distances(study):
        title = f"Distance of held-out cells to the nearest seen {row['factor']}"
        span = f"mean {row['mean']:.3g}, {row['least']:.3g} to {row['most']:.3g} (n = {row['n']} cells)"
        key = f"{row['combinations']} combinations"
        if key in tables.get(title, {}):
            key = row["trial"].label
        tables.setdefault(title, {})[key] = span
    varied = any("network.stem" in grid for grid in study.recipe.grid)
    asked = None if varied else study.recipe.network.stem
    tables |= subject_tables(study)
    trained = [facts for facts, _ in trials if facts["network"]]
    for facts in trained:
        network = facts["network"]
        key = " ".join(filter(None, [network["backbone"], network.get("sharing")]))  # an encoder's readout has neither
        key = facts["description"]["training"].get("objective", key)
        notes = filter(None, [stem_text(network, asked), *(network.get("notes") or [])])
        size = f"{network['parameters'] / 1e6:.2f} M parameters"
        tables.setdefault("Networks", {})[key] = ", ".join([size, *map(str, notes)])
    if not trained:
        return tables
    machines = {facts["machine"]["device"] for facts in trained}
    spans = {facts["identity"]: facts["seconds_together"] / facts["packed"] for facts in trained}
    tables["Runs"] = {
        "trials": f"{len(trials)} finished of {len(study.trials)}",
        "training time": f"{sum(spans.values()):,.0f} s of device time in all",
        "machine": "; ".join(sorted(machines)),
        "precision": ", ".join(sorted({facts["description"]["training"]["precision"] for facts in trained})),
        **{
            key: ", ".join(sorted({facts["machine"].get(key, "unknown") for facts in trained}))
            for key in ("system", "python", "torch", "unseen")
        },
    }
    return tables
