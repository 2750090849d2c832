"""A restoration as a whole: pictures from files, the damage, networks and classical ways beside each other, and what is
written of it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unseen.engines.damage import TASKS, Damage, classical, damaged, text_mask
from unseen.engines.restoring import Fit, Restored, psnr, restore
from unseen.models.hourglass import KINDS
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.whole_files import put_whole

AMOUNTS = {
    "denoise": 25.0,
    "inpaint": 0.5,
    "jpeg": 10.0,
    "super-resolve": 4.0,
}  # (ours; σ = 25, 50 %, × 4 as in the paper)
CURVES = ("natural", "natural + noise", "scrambled", "white noise")  # the paper's Fig. 2


@dataclass(frozen=True, eq=False)
class Restoration:
    """Pictures of one size ``[n, c, h, w]`` in 0…1 with all that came of them, by name of the way; ``table`` is one row
    a picture and way: PSNR, where the truth is known."""

    names: tuple[str, ...]
    ways: Mapping[str, np.ndarray]
    fitted: Restored
    table: tuple[Mapping[str, object], ...]


def loaded(paths: Sequence[Path], longest: int) -> dict[tuple[int, int], tuple[list[str], np.ndarray]]:
    """Colour pictures in 0…1 by size, at most ``longest`` pixels a side (smaller ones stay as they are)."""
    from PIL import Image, UnidentifiedImageError

    if longest < 16:
        raise UnseenError(f"--size {longest}: pictures of at least 16 pixels are restored.")
    found: dict[tuple[int, int], tuple[list[str], list[np.ndarray]]] = {}
    for path in paths:
        if not path.is_file():
            raise UnseenError(f"no file {path}; name one or more pictures (PNG, JPEG, …).")
        try:
            with Image.open(path) as file:
                picture = file.convert("RGB")
        except (UnidentifiedImageError, OSError) as error:
            raise UnseenError(f"{path} cannot be read as a picture: {error}.") from None
        picture.thumbnail((longest, longest), Image.Resampling.LANCZOS)
        if min(picture.size) < 16:
            raise UnseenError(f"{path} is {picture.width}×{picture.height} pixels; at least 16 a side are restored.")
        names, pictures = found.setdefault((picture.height, picture.width), ([], []))
        names.append(path.stem)
        pictures.append(np.asarray(picture, dtype=np.float32).transpose(2, 0, 1) / 255)
    return {size: (names, np.stack(pictures)) for size, (names, pictures) in found.items()}


def mask_of(given: str, height: int, width: int) -> np.ndarray | None:
    """What ``--mask`` means: nothing, "text", or a picture whose black pixels are missing."""
    if not given:
        return None
    if given == "text":
        return text_mask(height, width)
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(given) as file:
            found = np.asarray(file.convert("L")) > 127
    except (UnidentifiedImageError, OSError):
        raise UnseenError(
            f'--mask {given}: no such picture; give one whose black pixels are missing, or "text".'
        ) from None
    if found.shape != (height, width):
        raise UnseenError(
            f"the mask {given} is {found.shape[1]}×{found.shape[0]} pixels, and the picture {width}×{height}; make "
            f"them alike (pictures are shrunk to --size first)."
        )
    if found.all() or not found.any():
        raise UnseenError(f"the mask {given} is all {'white' if found.all() else 'black'}; black pixels are missing.")
    return found


def check_fit(fit: Fit) -> None:
    if fit.network not in KINDS:
        raise unknown("network", fit.network, KINDS, where="--network")
    if fit.steps < 1 or not 1 <= fit.scales <= 7 or fit.width < 1:
        raise UnseenError(
            f"--steps {fit.steps}, --scales {fit.scales}, --width {fit.width}: at least one step and channel, and "
            f"1 to 7 scales."
        )


def restoration(
    names: Sequence[str], pictures: np.ndarray, task: str, fit: Fit, *, amount: float | None = None, mask: str = "",
    as_is: bool = False, beside: bool = True, device: str = "cpu", watch: Callable[[int], None] | None = None,
) -> Restoration:  # fmt: skip
    """Damage pictures (or take them ``as_is``), and restore them by a network and, ``beside``, by classical ways."""
    check_fit(fit)
    if task not in TASKS:
        raise unknown("task", task, (*TASKS, "curves"), where="--task")
    height, width = pictures.shape[-2:]
    known = mask_of(mask, height, width) if task == "inpaint" else None
    much = AMOUNTS[task] if amount is None else amount
    if as_is:
        given, damage = pictures, Damage(task, much, known)
        if task == "inpaint" and known is None:
            raise UnseenError("a picture with missing pixels needs --mask: a picture whose black pixels are missing.")
        truth = None
    else:
        if task == "super-resolve":  # sides that can be divided
            height, width = (side - side % round(much) for side in (height, width))
            pictures = pictures[..., :height, :width]
        given, damage = damaged(pictures, task, much, mask=known, seed=fit.seed)
        truth = pictures
    fitted = restore(given, damage, fit, truth=truth, device=device, watch=watch)
    ways = {"picture": truth} if truth is not None else {}
    ways |= {"given": given, f"{fit.network}, stopped": fitted.chosen, f"{fit.network}, last step": fitted.last}
    ways |= classical(given, damage) if beside else {}
    rows = []
    if truth is not None:
        for way, made in ways.items():
            if way != "picture" and made.shape == truth.shape:
                rows += [
                    {"picture": n, "way": way, "psnr": round(float(v), 3)} for n, v in zip(names, psnr(made, truth))
                ]
        assert fitted.psnr is not None
        best = fitted.psnr.argmax(0)
        for place, name in enumerate(names):
            way = f"{fit.network}, best step ({int(fitted.steps[best[place]])})"
            rows.append({"picture": name, "way": way, "psnr": round(float(fitted.psnr[best[place], place]), 3)})
    return Restoration(tuple(names), ways, fitted, tuple(rows))


def learning_curves(picture: np.ndarray, fit: Fit, *, noise: float = 25.0, device: str = "cpu") -> Restored:
    """How fast a network learns a natural picture ``[c, h, w]``, the same plus noise, its pixels scrambled, and white
    noise (the paper's Fig. 2): ``loss`` is ``[records, 4]`` in the order of ``CURVES``. Its input is not jittered."""
    check_fit(fit)
    still = replace(fit, jitter=0.0)
    return restore(curve_goals(picture, noise, fit.seed), Damage("denoise", 0.0), still, device=device)


def curve_goals(picture: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """The four pictures of ``CURVES``, ``[4, c, h, w]``."""
    rng = stream(seed, "damage", "curves")
    noisy = np.clip(picture + rng.normal(0, noise / 255, picture.shape), 0, 1)
    scrambled = picture.reshape(len(picture), -1)[:, rng.permutation(picture[0].size)].reshape(picture.shape)
    return np.stack([picture, noisy, scrambled, rng.random(picture.shape)]).astype(np.float32)


def keep(found: Restoration, out: Path) -> None:
    """Pictures as PNG, ``psnr.csv``, ``curves.csv`` and a sheet with all of them side by side."""
    import io

    from PIL import Image

    out.mkdir(parents=True, exist_ok=True)
    for way, made in found.ways.items():
        for name, picture in zip(found.names, made):
            file = io.BytesIO()
            Image.fromarray(_bytes(picture)).save(file, "PNG")
            put_whole(out / f"{name} {way}.png", file.getvalue())
    file = io.BytesIO()
    sheet(found).save(file, "PNG")
    put_whole(out / "sheet.png", file.getvalue())
    if found.table:
        put_whole(out / "psnr.csv", _csv(found.table).encode())
    put_whole(out / "curves.csv", _csv(curve_rows(found.names, found.fitted)).encode())


def curve_rows(names: Sequence[str], fitted: Restored) -> list[dict[str, object]]:
    """One row a record and picture."""
    rows = []
    for record, step in enumerate(fitted.steps):
        for place, name in enumerate(names):
            row: dict[str, object] = {"picture": name, "step": int(step), "loss": float(fitted.loss[record, place])}
            if np.isfinite(fitted.variance[record, place]):
                row["variance"] = float(fitted.variance[record, place])
            if fitted.psnr is not None:
                row["psnr"] = round(float(fitted.psnr[record, place]), 3)
            rows.append(row)
    return rows


def sheet(found: Restoration):
    """All ways side by side, a line for each picture, with PSNR below."""
    from PIL import Image, ImageDraw, ImageFont

    whole = next(iter(found.ways.values()))
    height, width = (max(one.shape[axis] for one in found.ways.values()) for axis in (-2, -1))
    scale = max(1, round(144 / width))
    height, width = height * scale, width * scale
    page = Image.new("RGB", (len(found.ways) * (width + 8) + 8, len(whole) * (height + 40) + 8), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=12)
    numbers = {(row["picture"], row["way"]): row["psnr"] for row in found.table}
    for column, (way, made) in enumerate(found.ways.items()):
        for line, (name, picture) in enumerate(zip(found.names, made)):
            x, y = column * (width + 8) + 8, line * (height + 40) + 8
            page.paste(Image.fromarray(_bytes(picture)).resize((width, height), Image.Resampling.NEAREST), (x, y))
            known = numbers.get((name, way))
            words = f"{way}\n{known:.1f} dB" if isinstance(known, float) else way
            pen.multiline_text(
                (x + width / 2, y + height + 3), words, fill="#444", font=font, anchor="ma", align="center"
            )
    return page


def _bytes(picture: np.ndarray) -> np.ndarray:
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8).transpose(1, 2, 0)


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    import io

    file = io.StringIO()
    writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def keep_curves(fitted: Restored, out: Path) -> None:
    """``curves.csv`` of four learned pictures."""
    out.mkdir(parents=True, exist_ok=True)
    put_whole(out / "curves.csv", _csv(curve_rows(CURVES, fitted)).encode())
