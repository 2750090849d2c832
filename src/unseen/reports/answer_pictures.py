"""What a report shows of single answers, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unseen.reports.grid import Grid


@dataclass(frozen=True, eq=False)
class CellPicture(Grid):
    """Answers about ``target`` in each cell of two factors, of all ``networks`` of one condition.

    ``right`` and ``asked`` are numbers of answers ``[rows, columns]``. ``seen`` marks cells that training showed. Where
    draws of the design show other cells, a cell may be seen by some networks and not by others: there are two pictures
    then, ``whose`` says of which networks, and ``asked_of`` how many of them each cell was asked of.
    """

    condition: str
    target: str
    right: np.ndarray
    asked: np.ndarray
    seen: np.ndarray
    networks: int
    main: bool = True
    whose: str = ""
    asked_of: np.ndarray | None = None

    @property
    def images(self) -> np.ndarray:
        """Test images of each cell that a network was asked; NaN where none was."""
        networks = np.full(self.asked.shape, self.networks) if self.asked_of is None else self.asked_of
        return np.divide(self.asked, networks, where=self.asked > 0, out=np.full(self.asked.shape, np.nan))

    @property
    def accuracy(self) -> np.ndarray:
        """NaN where nothing was asked."""
        return np.divide(self.right, self.asked, where=self.asked > 0, out=np.full(self.right.shape, np.nan))


@dataclass(frozen=True, eq=False)
class ConfusionPicture:
    """How often each class of ``target`` (rows) got each answer (columns) in the row set ``asked``, over all
    ``networks`` of one condition. ``main``: shown at once, the others are folded away."""

    condition: str
    target: str
    asked: str
    classes: tuple[str, ...]
    counts: np.ndarray
    networks: int
    main: bool = True


@dataclass(frozen=True, eq=False)
class Mistake:
    """An image that a network was sure of and wrong about: ``wrong`` of the ``networks`` asked took it for another
    class; the answer and its confidence are those of the surest. ``picture`` is uint8 ``[height, width, 1 or 3]``."""

    image: str
    where: str
    truth: str
    response: str
    confidence: float
    condition: str
    wrong: int
    networks: int
    picture: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Gallery:
    """The most confident mistakes about a target on cells never seen: of ``asked`` answers there ``wrong`` were wrong.
    ``others``: those of the networks that saw less, since the ones that saw most made none."""

    target: str
    mistakes: tuple[Mistake, ...]
    wrong: int
    asked: int
    others: bool = False


@dataclass(frozen=True, eq=False)
class AnswerPictures:
    """All of it. ``left`` says what could not be told and why; ``pictureless`` why mistakes come without pictures;
    ``conditions`` how many there are, of which some may not be drawn."""

    cells: tuple[CellPicture, ...] = ()
    confusions: tuple[ConfusionPicture, ...] = ()
    galleries: tuple[Gallery, ...] = ()
    left: tuple[str, ...] = ()
    pictureless: str = ""
    conditions: int = 0
