"""`unseen restore`: pictures restored by a network that has learned nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from unseen.cli.terminal import Terminal
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    from unseen.engines.restoring import Fit


def restore_pictures(
    console: Terminal, images: Sequence[Path], task: str, fit: Fit, *, amount: float | None, mask: str, size: int,
    as_is: bool, out: Path, device: str,
) -> None:  # fmt: skip
    """Restore pictures, write what came of them below ``out``, and print PSNR where the truth is known."""
    import torch

    from unseen.engines import restorations

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    groups = restorations.loaded(images, size)
    if task == "curves":
        if len(images) != 1:
            raise UnseenError("--task curves takes one picture: it is learned beside itself with noise, scrambled, …")
        ((_, pictures),) = groups.values()
        with console.status("learning four pictures"):
            fitted = restorations.learning_curves(pictures[0], fit, device=device)
        restorations.keep_curves(fitted, out)
        _print(console, [{"picture": n, "way": "error (MSE) at the end", "psnr": f"{v:.5f}"} for n, v in
                         zip(restorations.CURVES, fitted.loss[-1])], "error")  # fmt: skip
        console.print(f"kept in {out}")
        return
    for (height, width), (names, pictures) in groups.items():
        with console.status(f"{len(names)} of {width}×{height} pixels") as status:

            def watch(step: int, status=status, names=names) -> None:
                if step % 10 == 0:
                    status.update(f"{len(names)} picture{'s' * (len(names) != 1)}, step {step} of {fit.steps}")

            found = restorations.restoration(
                names, pictures, task, fit, amount=amount, mask=mask, as_is=as_is, device=device, watch=watch
            )
        place = out if len(groups) == 1 else out / f"{width}x{height}"
        restorations.keep(found, place)
        if found.table:
            _print(console, found.table, "PSNR (dB)")
        console.print(f"kept in {place}: sheet.png has all side by side")


def _print(console: Terminal, rows: Sequence, title: str) -> None:
    table = Table("picture", "way", title)
    for row in rows:
        table.add_row(str(row["picture"]), str(row["way"]), str(row["psnr"]))
    console.print(table)
