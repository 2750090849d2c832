"""`unseen features`: what a model makes of a world's images, what that tells untrained, and as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from unseen.cli.rendering import Progress, open_named
from unseen.reports.console import print_hanging


def show_features(
    console: Console,
    model: str,
    world: str,
    settings: Sequence[str] | None,
    *,
    checkpoint: str | None,
    preprocessing: Sequence[str] | None,
    sample: int | None,
    seed: int,
    out: Path | None,
    device: str,
    precision: str,
) -> None:
    from unseen.engines.local import find_device
    from unseen.studies.feature_tables import FORMS, feature_table
    from unseen.studies.protocol_table import RunPlace
    from unseen.studies.trusting import is_code
    from unseen.vocabulary.errors import UnseenError, listed
    from unseen.vocabulary.recipe import setting
    from unseen.vocabulary.sections import NetworkSection
    from unseen.vocabulary.trust import allow

    if out is not None and out.suffix not in FORMS:
        raise UnseenError(f"--out {out}: features are written as {listed(FORMS)}.")
    opened, _ = open_named(world, settings)
    if is_code(model):
        allow([model])  # who typed it trusts it
    told: dict[str, Any] = dict(setting(text) for text in preprocessing or ())
    network = NetworkSection(model=model, checkpoint=checkpoint, preprocessing=told)
    place = find_device(device)
    exact = ("bf16" if place.type == "cuda" else "float32") if precision == "auto" else precision
    with Progress(console, "images") as bar:
        where = RunPlace(place, exact, lambda what, done, total: bar(done, total))
        table = feature_table(network, opened, where, sample=sample, seed=seed)
    console.print(
        f"{table.told['model']} on {opened.name}: {len(table.rows):,} images ({table.computed:,} computed now), "
        f"{table.features.shape[1]:,} features each",
        markup=False,
        soft_wrap=True,
    )
    print_hanging(console, f"  fed: {table.told['input']}")
    right, asked = table.neighbours()
    print_hanging(
        console,
        f"  {table.category} by the 20 nearest images of other instances: {right:.1%} right (n = {asked:,}; cosine, "
        "weights of DINO)",
    )
    near = table.alike()
    print_hanging(
        console,
        f"  mean cosine of two images: of one instance {near.instance:.3f}, of one {table.category} "
        f"{near.category:.3f}, of two {near.other:.3f}",
    )
    if out is not None:
        table.write(out)
        console.print(f"written to {out}", markup=False, soft_wrap=True)
