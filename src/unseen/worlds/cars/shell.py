"""A car's shell: cross-sections along x, swept into one closed surface whose panels know what they are made of.

A section is half a loop of ten rows (bottom, sill, crease, shoulder, window base, window top, roof edge, roof, ridge);
its mirror image closes it. Stations lie where something changes (screens, wheel arches, ends), so that windows, lamps
and arches are panels of the shell itself: nothing floats, nothing cracks. The construction is ours.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from unseen.worlds.cars.form import Form
from unseen.worlds.cars.panels import GLASS, INSIDE, PAINT, SECOND, TRIM, UNDER, Panels

ROWS = 10
CENTRE, EDGE, SILL, CREASE, SHOULDER, BASE, TOP, RAIL, ROOF, RIDGE = range(ROWS)
ARCH_STEPS = 6


@dataclass(frozen=True, eq=False)
class Shell:
    """Half sections ``half[station, row]`` (y ≥ 0), before and after the ends are bent into shape."""

    form: Form
    x: np.ndarray  # [stations], front first
    half: np.ndarray  # [stations, rows, 3] unbent

    def at(self, x: float | np.ndarray, row: float | np.ndarray) -> np.ndarray:
        """The bent left surface at ``x`` (unbent) and a fractional ``row``: where decals and mirrors sit."""
        x, row = np.broadcast_arrays(np.asarray(x, float), np.asarray(row, float))
        place = np.interp(-x, -self.x, np.arange(len(self.x)))
        i = np.minimum(place.astype(int), len(self.x) - 2)
        j = np.minimum(row.astype(int), ROWS - 2)
        s, t = (place - i)[..., None], (row - j)[..., None]
        grid = self.half
        low = grid[i, j] * (1 - s) + grid[i + 1, j] * s
        high = grid[i, j + 1] * (1 - s) + grid[i + 1, j + 1] * s
        return bent(self.form, low * (1 - t) + high * t)


def shell(form: Form) -> Shell:
    x = _stations(form)
    return Shell(form, x, np.stack([_section(form, float(here)) for here in x]))


def bent(form: Form, points: np.ndarray) -> np.ndarray:
    """Bow the nose and the tail in plan and lean them in profile, fading out towards the wheels."""
    x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)
    half = form.width / 2
    for sign, bow, lean in ((1, form.bow, form.lean), (-1, form.tail_bow, form.tail_lean)):
        end, room = (form.front, form.nose_room) if sign > 0 else (form.rear, form.tail_room)
        share = np.clip(1 - (end - sign * x) / room, 0, 1.1)
        back = bow * np.abs(y / half) ** 2.4 + lean * np.clip(z - form.bumper, 0, None)
        back = back + 0.3 * np.clip(form.bumper - 0.15 - z, 0, None)
        x = x - sign * share**1.4 * np.clip(back, -0.6 * room, 0.6 * room)  # never folds over
    return np.stack([x, y, z], -1)


def _stations(form: Form) -> np.ndarray:
    """Front to rear: the keys of the side profile, the arches, and enough between them to stay smooth."""
    keys = [form.front, form.front - 0.06, form.front - form.lamp_reach, -form.rear, -form.rear + 0.06, *form.keys]
    keys += [x for pair in form.windows for x in pair]
    radius = form.arch
    angles = np.linspace(0, np.pi, ARCH_STEPS + 1)
    arches = [w + s * radius * 1.04 for w in form.axles for s in (1, -1)]
    arches += [w + radius * np.cos(a) for w in form.axles for a in angles]
    found = sorted(set(keys), reverse=True)
    found = [x for i, x in enumerate(found) if i == 0 or found[i - 1] - x > 1e-3]
    for x in arches:
        if min(abs(x - other) for other in found) > 0.012:
            found.append(x)
    found.sort(reverse=True)
    filled: list[float] = []
    for here, there in itertools.pairwise(found):
        pieces = max(1, int(np.ceil((here - there) / form.gap)))
        filled += [here + (there - here) * k / pieces for k in range(pieces)]
    return np.array([*filled, found[-1]])


def _section(form: Form, x: float) -> np.ndarray:
    top, across = form.top(x), form.half_width(x)
    floor = form.underside(x)
    shoulder = min(form.belt_at(x), top - 0.05)
    crease = float(np.clip(form.crease_at(x), floor + 0.07, shoulder - 0.03))
    sill = float(np.clip(form.sill, floor + 0.035, crease - 0.02))
    base = shoulder + 0.015
    tall = max(top - base, 0.01)
    inner = across - 0.02 - form.shelf
    full = max(form.height - base, 0.2)
    narrow = inner * (1 - form.tumble)

    def side(z: float) -> float:
        return inner - (inner - narrow) * min((z - base) / full, 1.0) ** 1.2

    edge = top - max(0.05 * tall, min(form.crown, 0.55 * tall))
    head = base + 0.84 * (edge - base)
    rail = side(edge) - 0.03 * min(tall / 0.3, 1.0)
    share = form.ridge_share(x)
    rows = [(0.0, floor), (across - 0.05, floor), (across - form.tuck * 0.35, sill), (across, crease),
            (across - 0.02, shoulder), (inner, base), (side(head), head), (rail, edge),
            (rail * share, top - 0.18 * (top - edge)), (0.0, top)]  # fmt: skip
    if form.open_at(x):
        low, wall = form.well_z, inner - 0.06
        rows[TOP:] = [(wall, base), (wall - 0.03, low), (wall * share, low), (0.0, low)]
    return np.array([(x, y, z) for y, z in rows])


def skin(made: Shell) -> Panels:
    """The closed surface: both halves, both ends, each face with its material."""
    form, half = made.form, made.half
    n = len(made.x)
    mirror = half[:, RIDGE - 1 : CENTRE : -1] * (1, -1, 1)
    ring = np.concatenate([half, mirror], axis=1)  # [n, 18, 3]: left side up, right side down
    around = ring.shape[1]
    index = np.arange(n * around).reshape(n, around)
    a, b = index[:-1], index[1:]
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    quads = np.stack([a, b, c, d], -1).reshape(-1, 4)
    station = np.repeat(np.arange(n - 1), around)
    row = np.tile(np.minimum(np.arange(around), around - 1 - np.arange(around)), n - 1)
    middle = (made.x[:-1] + made.x[1:]) / 2
    table = np.array([[_material(form, float(x), j) for j in range(RIDGE)] for x in middle])
    sides = Panels.quads(bent(form, ring.reshape(-1, 3)), quads, table[station, row])
    return Panels.of([sides, _end(made, 0), _end(made, n - 1)])


def _end(made: Shell, station: int) -> Panels:
    """The nose or the tail: a grid of levels (rows of the section) and columns (where the upper rows end)."""
    form, rows = made.form, made.half[station]
    front = station == 0
    upper = rows[SHOULDER:]
    share = upper[:, 1] / upper[0, 1]
    columns = np.concatenate([share, -share[-2::-1]])
    crown = np.concatenate([upper, upper[-2::-1] * (1, -1, 1)])
    lip = np.where(np.abs(columns) > 0.3, np.sign(columns), 0.0)  # three points, which the underside has too
    levels = [
        np.stack([np.full(len(columns), rows[r, 0]), shares * rows[r, 1], np.full(len(columns), rows[r, 2])], -1)
        for r, shares in ((EDGE, lip), (SILL, columns), (CREASE, columns))
    ]
    grid = np.stack([*levels, crown])  # [4, columns, 3]
    index = np.arange(grid[..., 0].size).reshape(grid.shape[:2])
    corners = [index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]]
    quads = np.stack(corners if front else corners[::-1], -1).reshape(-1, 4)
    quads = quads[:, ::-1] if not _outwards(grid.reshape(-1, 3), quads, 1 if front else -1) else quads
    width = len(columns) - 1
    materials = []
    for level in range(3):
        for column in range(width):
            place = min(column, width - 1 - column) + SHOULDER  # the row that bounds this column outside
            materials.append(form.face(front, level, place >= ROOF))
    return Panels.quads(bent(form, grid.reshape(-1, 3)), quads, np.array(materials))


def _outwards(points: np.ndarray, quads: np.ndarray, sign: int) -> bool:
    a, b, c = (points[quads[:, k]] for k in range(3))
    return bool((np.cross(b - a, c - a)[:, 0] * sign).sum() > 0)


def _material(form: Form, x: float, row: int) -> int:
    if row == CENTRE:
        return UNDER
    if form.open_at(x):
        return INSIDE if row >= TOP else PAINT
    return _closed(form, x, row)


def _closed(form: Form, x: float, row: int) -> int:
    cowl, header, roof_end, deck = form.keys[:4]
    if row == EDGE:
        return TRIM if form.cladding else PAINT
    if row == SILL and form.cladding and form.over_arch(x):
        return TRIM
    lamp = form.side_lamp(x, row)
    if lamp is not None:
        return lamp
    if row in (RAIL, ROOF) and (
        header + 0.02 < x < cowl - 0.02 or (deck + 0.02 < x < roof_end - 0.02 and form.backlight)
    ):
        return GLASS
    if row == BASE and any(low < x < high for high, low in form.windows):
        return GLASS
    if row == BASE and form.blacked and deck < x < cowl:
        return TRIM
    if form.two_tone and row >= BASE and deck - 0.01 < x < cowl:
        return SECOND
    return PAINT
