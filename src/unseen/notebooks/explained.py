"""What a network looks at, in a notebook: maps over images that show themselves, with what is to be said of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.notebooks.handed import handed
from unseen.notebooks.html import card, line, picture, table
from unseen.notebooks.network import OpenedNetwork
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    from unseen.explanations import Explanation
    from unseen.studies.explained.checked import Check
    from unseen.studies.explained.looked import Looked

SHOWN = 12  # images in a cell of a notebook
TILE = 112  # pixels of a picture there


def explain_images(
    model: Any, images: Any, method: str = "gradient", asked: Any = None, *, target: str | None = None, **settings: Any
) -> OpenedExplanation:
    """What :func:`unseen.explain` does; its words are there."""
    from unseen.explanations import Difference, Score, Unit, explain

    looked = looked_at(model, target)
    pictures = pictures_for(looked, images)
    if isinstance(asked, str):
        asked = looked.class_number(asked)
    if asked is None or (isinstance(asked, int) and not isinstance(asked, bool)):
        asked = Score(asked, looked.target)
    if not isinstance(asked, Score | Difference | Unit):
        raise UnseenError(
            f"asked = {asked!r:.60} must be a class (its name or number), or a Score, a Difference or a Unit of "
            "unseen.explanations."
        )
    found = explain(looked.model, pictures, method, asked, **settings)
    return OpenedExplanation(looked, pictures, asked, found)


def looked_at(model: Any, target: str | None = None) -> Looked:
    """Whoever is looked into: a name, a given model, a network of a split or a study, a torch module, a function."""
    from torch import nn

    from unseen.models.given import GivenModel, bring
    from unseen.studies.explained.looked import Looked, given_looked, sized

    if isinstance(model, str | Path):
        model = bring(model)
    if isinstance(model, GivenModel):
        return given_looked(model)
    if isinstance(model, OpenedNetwork):
        targets = {one.name: one for one in model.targets}
        name = next(iter(targets)) if target is None else target
        classes = tuple(map(str, targets[name].classes)) if name in targets else ()
        world = model.study.world(model.trial)
        frame = sized(world.size, world.channels)
        about = str(model.module.description["backbone"])
        return Looked(about, model.module, {}, classes, frame, "as its world draws them", name)
    if not isinstance(model, nn.Module) and not callable(model):
        raise UnseenError(
            f"{model!r:.80} is no model: give a name, a network of unseen, a torch module, or a function from images "
            "to scores."
        )
    name = getattr(model, "__name__", type(model).__name__)
    return Looked(name, model, {}, (), lambda images: images, "as they were given", target)


def pictures_for(looked: Looked, images: Any) -> Any:
    """Pictures ``[n, c, h, w]`` as the network takes them, from tensors, arrays, or files and folders."""
    import torch

    from unseen.explanations.anatomy import as_images
    from unseen.studies.explained.album import of_files

    if isinstance(images, str | Path):
        images = [images]
    if isinstance(images, list | tuple) and images and all(isinstance(one, str | Path) for one in images):
        if looked.fed == "as they were given":
            raise UnseenError(
                f"how image files are fed to this {looked.name} is not known; give a tensor as it takes them, or bring "
                "the model with its preprocessing: unseen.models.given.bring(model, preprocessing={...})."
            )
        album = of_files(images, looked.frame)
        return album.fetch(range(len(album)))
    if not isinstance(images, torch.Tensor | np.ndarray):
        raise UnseenError(
            f"images are a tensor or an array [n, channels, height, width], or files; given {images!r:.60}."
        )
    pictures = as_images(images)
    return looked.frame(pictures) if pictures.dtype == torch.uint8 else pictures


class OpenedExplanation:
    """What :func:`unseen.explain` gives. ``maps`` ``[n, h, w]``: more where there is more evidence. ``images`` are as
    the network saw them, ``answers`` what it answered to each, ``notes`` why a map should not be looked at, or ""."""

    maps: np.ndarray = handed("inner.maps")
    notes: tuple[str, ...] = handed("inner.notes")
    method: str = handed("inner.method")

    def __init__(self, looked: Looked, images: Any, asked: Any, found: Explanation) -> None:
        self.looked, self.images, self.asked, self.inner = looked, images, asked, found
        self._check: Check | None = None
        self._answers: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(self.looked.class_name(int(one)) for one in self._answered()[0])

    def _answered(self) -> tuple[np.ndarray, np.ndarray]:
        from unseen.studies.explained.looked import answers

        if self._answers is None:
            self._answers = answers(self.looked, self.images)
        return self._answers

    def __len__(self) -> int:
        return len(self.maps)

    def check(self) -> str:
        """Whether the maps depend on the weights, in words; layers are drawn anew for it."""
        return self._checked().verdict.words

    def similarity(self) -> dict[str, np.ndarray]:
        """How alike maps are before and after each step of the randomisation, ``{measure: [steps, images]}``."""
        return dict(self._checked().alike)

    def _checked(self) -> Check:
        from unseen.studies.explained.checked import check, checkable

        if why := checkable(self.looked, self.method):
            raise UnseenError(f"{self.method} of {self.looked.name} cannot be checked: {why}.")
        if self._check is None:
            told = {self.method: dict(self.inner.settings)}
            self._check = check(self.looked, self.images, self.asked, told, None)[self.method]
        return self._check

    def sheet(self, columns: int = 6) -> np.ndarray:
        """Each image beside its map, as one picture ``[h, w, 3]``."""
        from unseen.explanations.drawing import over, pictures_of, sheet

        images = self.images[: len(self)].detach().cpu().numpy()
        pictures, drawn = pictures_of(images), over(images, self.maps)
        tiles = [one for pair in zip(pictures, drawn) for one in pair]
        enlarge = max(1, TILE // max(images.shape[2:]))
        return sheet(tiles, columns=2 * max(1, columns // 2), enlarge=enlarge)

    def save(self, path: str | Path) -> Path:
        """The sheet as a PNG, or the maps as .npy, by the name's ending."""
        from unseen.explanations.drawing import write_png

        path = Path(path)
        if path.suffix.lower() == ".png":
            return write_png(path, self.sheet())
        if path.suffix.lower() == ".npy":
            np.save(path, self.maps)
            return path
        raise UnseenError(f"'{path}' ends with '{path.suffix}'; an explanation is saved as .png or .npy.")

    def __repr__(self) -> str:
        said = sum(map(bool, self.notes))
        blank = f", {said} not to be looked at" if said else ""
        return f"<{self.method} of {len(self)} images by {self.looked.name}{blank}>"

    def _repr_html_(self) -> str:
        from unseen.explanations.drawing import over, pictures_of, png, sheet
        from unseen.studies.explained.looked import asked_words

        images = self.images[:SHOWN].detach().cpu().numpy()
        pictures, drawn = pictures_of(images), over(images, self.maps[:SHOWN])
        shown = [self._pair(at, pictures[at], drawn[at], png, sheet) for at in range(len(images))]
        grid = f'<div style="display:flex;flex-wrap:wrap;gap:12px">{"".join(shown)}</div>'
        verdict = f"This method {self._check.verdict.words}." if self._check is not None else ""
        more = f"{len(self) - SHOWN:,} more images." if len(self) > SHOWN else ""
        hint = "" if self._check is not None else ".check() says whether such maps depend on the weights"
        about = table(("", ""), [(key, value) for key, value in self.inner.settings.items() if key != "batch"])
        return card(
            f"{self.method}: {asked_words(self.looked, self.asked)}", grid, line(verdict), line(more, muted=True),
            about if self.inner.settings else "", line("Red is evidence for, blue against.", muted=True),
            line(hint, muted=True),
        )  # fmt: skip

    def _pair(self, at: int, image: np.ndarray, drawn: np.ndarray, png: Any, sheet: Any) -> str:
        enlarge = max(1, TILE // max(image.shape[:2]))
        side: Sequence[np.ndarray] = [image] if self.notes[at] else [image, drawn]
        made = sheet(side, len(side), enlarge=enlarge)
        width = made.shape[1] * TILE / max(TILE, enlarge * max(image.shape[:2]))
        sure = self._answered()[1][at]
        said = f"{self.answers[at]} ({sure:.2f})" + (f": {self.notes[at]}" if self.notes[at] else "")
        return (
            f'<div style="max-width:{max(width, 180):.0f}px">{picture(png(made), said, width=width)}{line(said)}</div>'
        )
