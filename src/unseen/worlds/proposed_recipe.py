"""The recipe that ``unseen init`` writes, from what it found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unseen.worlds.propose import Proposal

TRAIN_SHARE = 0.7  # of each cell's images, as the design's pools have it by default
MOST_DIVERSITIES = 4
SMALL = 64  # pixels


def recipe_text(found: Proposal, title: str | None = None) -> str:
    """TOML with comments; where a factor is missing, the recipe says so at its top and asks for it."""
    rows, columns = found.rows or "category", found.columns or "FILL-ME-IN"
    lines = [
        f"# Proposed by `unseen init` for {found.root}: {found.images:,} images.",
        *([f"# NOT READY: {found.missing}"] if found.missing else []),
        *(
            f"# {factor.name}: {len(factor)} levels ({_levels(factor.texts)}), {factor.kind}"
            for factor in found.factors
        ),
        *_cells(found),
        *(f"# note: {problem}" for problem in found.problems),
        "",
        f"title = {json.dumps(title or f'{found.root.name}: {rows} × {columns}', ensure_ascii=False)}",
        f"question = {json.dumps(f'Is {rows} recognised at combinations with {columns} never seen in training?')}",
        "seeds = [0, 1, 2]",
        "",
        "[world]",
        'name = "folder"',
        f"root = {json.dumps(_near(found.root), ensure_ascii=False)}  # from where you run; absolute works anywhere",
        f"template = {json.dumps(found.template, ensure_ascii=False)}"
        if found.template
        else f"manifest = {json.dumps(found.manifest or 'manifest.csv', ensure_ascii=False)}",
        *([f"factors = {json.dumps([one.name for one in found.factors])}"] if found.ignored else []),
        f"size = {json.dumps(found.size)}",
        *([f"category = {json.dumps(rows, ensure_ascii=False)}"] if rows != "category" else []),
        *_kinds(found),
        "",
        "[design]",
        'name = "hold_out_combinations"',
        f"rows = {json.dumps(rows, ensure_ascii=False)}",
        f"columns = {json.dumps(columns, ensure_ascii=False)}",
        f"images = {images(found)}  # training images in all, the same at every diversity",
        *_unbalanced(found),
        "",
        "[network]",
        *_network(found),
        "",
        "[training]",
        "epochs = 30",
        f"batch = {min(256, max(8, 2 ** (max(images(found), 8) // 8).bit_length() // 2))}",
        'normalise = "imagenet"',
        "",
        "[grid]",
        f'"design.seen_per_level" = {json.dumps(diversities(found))}',
        '"network.sharing" = ["shared", "separate"]',
    ]
    return "\n".join(lines) + "\n"


def images(found: Proposal) -> int:
    """As many training images as the least diverse split can give: one cell per level, from the scarcest cell."""
    if found.counts is None:
        return 0
    return int(TRAIN_SHARE * found.images_per_cell_min) * found.counts.shape[0]


def diversities(found: Proposal) -> list[int]:
    """Seen cells per row, thinned to a few: one row's worth is kept for the unseen."""
    most = min(found.counts.shape) - 1 if found.counts is not None else 1
    if most <= MOST_DIVERSITIES:
        return list(range(1, max(most, 1) + 1))
    steps = [1 + round(step * (most - 1) / (MOST_DIVERSITIES - 1)) for step in range(MOST_DIVERSITIES)]
    return sorted(set(steps))


def _near(root: Path) -> str:
    """A path below the working directory is written relative to it."""
    here = Path.cwd()
    return root.resolve().relative_to(here).as_posix() if root.resolve().is_relative_to(here) else root.as_posix()


def _unbalanced(found: Proposal) -> list[str]:
    """What the design must be allowed on a grid that is not square or has gaps."""
    if found.counts is None:
        return []
    rows, columns = found.counts.shape
    said = []
    if any(rows * k % columns for k in diversities(found)):
        said.append('balance = "nearly_balanced"  # levels are seen equally often, give or take one cell')
    if len(found.empty_cells):
        said.append('empty = "avoid"  # choose cells around the empty ones')
    return said


def _network(found: Proposal) -> list[str]:
    """Small pictures need a small stem; a narrow network suffices for them and for a CPU."""
    side = min(found.size) if isinstance(found.size, tuple | list) else found.size
    if side is not None and side <= SMALL:
        return ['backbone = "resnet18-w16"', 'stem = "small"']
    return ['backbone = "resnet18"  # on a CPU, resnet18-w16 is many times faster']


def _levels(texts: tuple[str, ...]) -> str:
    return ", ".join(texts) if len(texts) <= 8 else f"{', '.join(texts[:4])}, … {texts[-1]}"


def _cells(found: Proposal) -> list[str]:
    if found.counts is None:
        return []
    full = found.counts[found.counts > 0]
    said = [f"# images per cell of {found.rows} × {found.columns}: {full.min()} to {full.max()}"]
    if len(empty := found.empty_cells):
        some = ", ".join(f"{row}/{column}" for row, column in empty[:5])
        said.append(f"# {len(empty)} of {found.counts.size} cells are EMPTY: {some}{' …' if len(empty) > 5 else ''}.")
        said.append("# Where the design needs them, keep fewer levels: under [world], levels = { azimuth = [0, 90] }")
    return said


def _kinds(found: Proposal) -> list[str]:
    circular = [factor.name for factor in found.factors if factor.kind == "circular"]
    words = ", ".join(f'{json.dumps(name)} = "circular"' for name in circular)
    return [f"kinds = {{ {words} }}"] if circular else []
