"""Published numbers to set beside ours, with where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unseen.kinds.published_distortions import SOURCE as _LECTURE
from unseen.kinds.published_distortions import in_their_form, lecture_table, told_of_form
from unseen.kinds.published_observers import OBSERVERS, observer_table
from unseen.kinds.published_observers import SOURCE as _OBSERVERS
from unseen.kinds.published_variation import SOURCE as _IBRAHIM
from unseen.kinds.published_variation import tables as _variation_tables
from unseen.vocabulary.errors import unknown

if TYPE_CHECKING:
    import polars as pl

_MADAN = (
    "recomputed from the files released with Madan et al. 2022 (geometric mean, ResNet-18); the release counts "
    "accuracy with drop_last over the full size, so its ceiling is about .986"
)

_SCHOTT = (
    "Schott et al. 2022, the best models under extrapolation (mean R², official images; what is re-rendered here "
    "shows other pictures of the same factors)"
)
_ALL = "all models"
_FAR = "extrapolation"

# figure, series, set -> number of combinations -> geometric mean; of schott2022: split -> mean R²; of geirhos2018:
# network, what it was trained on, what was asked -> group of networks -> accuracy; of ibrahim2022: table, network, what
# was asked -> what training showed -> accuracy on canonical pictures, else gap
PUBLISHED: dict[str, tuple[str, dict[tuple[str, str, str], dict[int, float] | dict[str, float]]]] = {
    "madan2022/biased-cars": (
        _MADAN,
        {
            ("Fig. 3d", "separate", "seen"): {5: 0.956, 10: 0.898, 15: 0.863, 20: 0.825},
            ("Fig. 3d", "separate", "unseen"): {5: 0.449, 10: 0.622, 15: 0.720, 20: 0.742},
            ("Fig. 3d", "shared", "seen"): {5: 0.960, 10: 0.909, 15: 0.870, 20: 0.847},
            ("Fig. 3d", "shared", "unseen"): {5: 0.441, 10: 0.466, 15: 0.534, 20: 0.585},
        },
    ),
    "madan2022/ilab": (
        _MADAN,
        {
            ("Fig. 3c", "separate", "unseen"): {6: 0.356, 12: 0.496, 18: 0.582, 24: 0.705, 30: 0.810},
            ("Fig. 3c", "shared", "unseen"): {6: 0.350, 12: 0.415, 18: 0.510, 24: 0.538, 30: 0.600},
        },
    ),
    "schott2022/dsprites": (
        _SCHOTT,
        {(_ALL, "PCL", "test"): {_FAR: 0.667}, (_ALL, "densenet121", "test"): {_FAR: 0.644}},
    ),
    "schott2022/shapes3d": (
        _SCHOTT,
        {(_ALL, "resnet101", "test"): {_FAR: 0.678}, (_ALL, "resnet50", "test"): {_FAR: 0.628}},
    ),
    "schott2022/mpi3d": (
        _SCHOTT,
        {
            (_ALL, "resnet50 pretrained (21k)", "test"): {_FAR: 0.541},
            (_ALL, "resnet101 pretrained (21k)", "test"): {_FAR: 0.416},
        },
    ),
    "geirhos2018/table": (_LECTURE, dict(lecture_table())),
    OBSERVERS: (_OBSERVERS, dict(observer_table())),
    "ibrahim2022/tables": (_IBRAHIM, dict(_variation_tables())),
}


def check_published(name: str) -> None:
    if name and name not in PUBLISHED:
        raise unknown("published table", name, PUBLISHED, where="recipe key 'published'")


def published_numbers(name: str) -> tuple[pl.DataFrame | None, str]:
    """The table a recipe asks for by name, and its source."""
    if not name:
        return None, ""
    check_published(name)
    import polars as pl

    source, tables = PUBLISHED[name]
    rows = [
        {"figure": figure, "series": series, "x": x if isinstance(x, str) else float(x), "set": asked, "value": value}
        for (figure, series, asked), points in tables.items()
        for x, value in points.items()
    ]
    return pl.DataFrame(rows), source


def published_beside(name: str, levels: Sequence[str]) -> tuple[pl.DataFrame | None, str]:
    """The same for a study that asks ``levels`` of a factor: names are those of the form of a condition that it asks,
    and the source says which form that is."""
    import polars as pl

    numbers, source = published_numbers(name)
    if numbers is None:
        return None, source
    renamed = [
        pl.Series(column, [in_their_form(words, levels) for words in numbers[column]]) for column in ("series", "set")
    ]
    return numbers.with_columns(renamed), source + told_of_form(levels)
