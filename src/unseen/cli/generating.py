"""`unseen generator`: a world's generator, learned and looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unseen.cli.rendering import open_named
from unseen.cli.terminal import Terminal
from unseen.reports.console import print_hanging


def look_at_generator(
    console: Terminal, name: str, settings: Sequence[str] | None, *, images: int, features: str, out: Path, device: str
) -> None:
    """Learn the generator where it is not kept, write its sheet and numbers below ``out``, and say them."""
    import torch

    from unseen.engines.generating import judged, keep
    from unseen.measures.generated import NEAR

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    world, _ = open_named(name, settings)
    found = judged(world, images=images, model=features, device=device)
    keep(found, out)
    row = found.row
    of = row["features"] if features else "pixels"
    print_hanging(
        console,
        f"Fréchet distance of {of}{' features' if features else ''} from real pictures: {row['distance']:.4g} "
        f"(real pictures from real ones: {row['distance of real']:.4g}; {row['pictures']} of each; no FID, which is of "
        f"Inception's features)",
    )
    print_hanging(
        console,
        f"{row['near']:.0%} of its pictures are nearer to what was learned than all but {NEAR:.0%} of the real ones: "
        f"far more than {NEAR:.0%} would mean pictures from memory",
    )
    if "l1" in row:
        print_hanging(console, f"mean difference from the real picture (L1, 0 to 2): {row['l1']:.3f}")
    last = found.history[-1]
    print_hanging(
        console,
        f"its critic at the end: D = {last['real']:.2f} on real pictures, {last['generated']:.2f} on generated ones "
        f"(0.50 on both: it cannot tell them apart)",
    )
    console.print(f"kept in {out}: sheet.png, numbers.csv, history.csv")
