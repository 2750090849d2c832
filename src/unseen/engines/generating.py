"""A learned generator, looked at: its pictures beside real ones and the nearest it learned from, and how far its
features are from real ones."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.measures.generated import frechet_distance, nearest_learned, nearest_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.whole_files import put_whole
from unseen.worlds.generators.generated import GeneratedWorld
from unseen.worlds.generators.translated import TranslatedWorld

if TYPE_CHECKING:
    from torch import Tensor

FEATURES = "efficientnet-lite0"  # Inception's weights are not at hand; whatever they are, the name is said


@dataclass(frozen=True, eq=False)
class Judged:
    """Numbers of a generator, one row, and its pictures ``[n, c, h, w]`` uint8, each column of a sheet."""

    row: Mapping[str, float | str]
    history: tuple[Mapping[str, float], ...]
    columns: Mapping[str, np.ndarray]


def judged(world: Any, *, images: int = 1000, model: str = FEATURES, device: str = "cpu", shown: int = 12) -> Judged:
    """Learn a world's generator if it is not kept, and judge ``images`` of its pictures.

    Distances between features of ``model`` are those of generated pictures from real ones that were not learned from,
    and, as the yardstick of what chance gives, of real ones that were from real ones that were not, all of the same
    number. ``model`` "" takes pixels instead. The nearest neighbours are by the same features.
    """
    if not isinstance(world, GeneratedWorld | TranslatedWorld):
        raise UnseenError(
            f"world '{world.name}' draws nothing by itself; the worlds 'generated' and 'translated' have generators."
        )
    if images < 2:
        raise UnseenError(f"--images {images}: at least two pictures are judged.")
    learned = world.learned(device)
    every = np.arange(len(world.samples))
    origins = world.samples.levels("origin", every)
    rng = stream(0, "judged")
    real_rows, made_rows = np.flatnonzero(origins == 0), np.flatnonzero(origins == 1)
    n = min(images, len(real_rows), len(made_rows), len(world.parted.learned))
    if isinstance(world, TranslatedWorld):  # the same instances
        picked = rng.permutation(len(real_rows))[:n]
        real_rows, made_rows = real_rows[picked], made_rows[picked]
    else:
        real_rows, made_rows = (rng.permutation(rows)[:n] for rows in (real_rows, made_rows))
    taught_rows = rng.permutation(world.parted.learned)[:n]
    real, made = (world.images(rows, device).cpu() for rows in (real_rows, made_rows))
    taught = _bytes(world.inner.images(taught_rows, device)).cpu()
    features = _features(model, device)
    of_real, of_made, of_taught = (features(one) for one in (real, made, taught))
    near = nearest_learned(of_made, of_real, of_taught)
    row: dict[str, float | str] = {
        "features": model or "pixels", "pictures": n, "distance": frechet_distance(of_made, of_real),
        "distance of real": frechet_distance(of_taught, of_real), "nearest generated": near.generated,
        "nearest real": near.real, "near": near.share,
    }  # fmt: skip
    columns = {"real": real[:shown].numpy()}
    if isinstance(world, TranslatedWorld):
        given = world.images(real_rows[:shown] - origins[real_rows[:shown]] + 2, device).cpu()
        columns = {"given": given.numpy(), "generated": made[:shown].numpy(), **columns}
        row["l1"] = float((made.float() - real.float()).abs().mean() / 127.5)
    else:
        order = np.argsort(world.samples.levels(world.category, made_rows[:shown]), kind="stable")
        columns["generated"] = made[:shown].numpy()[order]
        places = nearest_of(of_made[:shown][order], of_taught)[0]
        columns["nearest learned"] = taught.numpy()[places]
    return Judged(row, learned.history, columns)


def _features(model: str, device: str):
    import torch

    if not model:
        return lambda pictures: pictures.flatten(1).float().numpy() / 255
    from unseen.models.given import bring

    brought = bring(model, device=device)

    def of(pictures: Tensor) -> np.ndarray:
        coloured = pictures.expand(-1, 3, -1, -1) if pictures.shape[1] == 1 else pictures
        with torch.no_grad():
            parts = [brought.features(part) for part in coloured.split(128)]
        return torch.cat(parts).flatten(1).float().cpu().numpy()

    return of


def _bytes(pictures: Tensor) -> Tensor:
    import torch

    return pictures if pictures.dtype == torch.uint8 else pictures.round().clamp(0, 255).to(torch.uint8)


def keep(found: Judged, out: Path) -> None:
    """``sheet.png``, ``numbers.csv`` and ``history.csv``."""
    out.mkdir(parents=True, exist_ok=True)
    file = io.BytesIO()
    sheet(found).save(file, "PNG")
    put_whole(out / "sheet.png", file.getvalue())
    put_whole(out / "numbers.csv", _csv([found.row]).encode())
    put_whole(out / "history.csv", _csv(found.history).encode())


def sheet(found: Judged):
    """A line for each kind of picture, named at its left."""
    from PIL import Image, ImageDraw, ImageFont

    first = next(iter(found.columns.values()))
    n, _, height, width = first.shape
    scale, left = max(1, round(56 / width)), 110
    page = Image.new("RGB", (left + n * (width * scale + 2), len(found.columns) * (height * scale + 2)), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=12)
    for line, (name, pictures) in enumerate(found.columns.items()):
        y = line * (height * scale + 2)
        pen.text((4, y + height * scale / 2), name, fill="#444", font=font, anchor="lm")
        for place, picture in enumerate(pictures):
            shown = np.repeat(picture, 3, 0) if len(picture) == 1 else picture
            image = Image.fromarray(np.ascontiguousarray(shown.transpose(1, 2, 0)))
            image = image.resize((width * scale, height * scale), Image.Resampling.NEAREST)
            page.paste(image, (left + place * (width * scale + 2), y))
    return page


def _csv(rows) -> str:
    file = io.StringIO()
    rows = list(rows)
    writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()
