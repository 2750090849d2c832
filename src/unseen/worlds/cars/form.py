"""The form of a car in numbers, in metres: what makes a saloon a saloon. Proportions are ours, after common cars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unseen.worlds.cars.panels import AMBER, CHROME, LAMP, PAINT, TAIL, TRIM


@dataclass(frozen=True)
class Form:
    """Front along +x. ``cowl``, ``header``, ``roof_end`` and ``deck`` are shares of the length from the nose: where the
    windscreen starts and ends, where the rear window starts and ends. ``*_z`` are heights over the ground."""

    length: float
    width: float
    height: float
    wheelbase: float
    overhang: float  # from the nose to the front axle
    wheel: float  # radius
    clearance: float
    nose_z: float
    cowl: float
    cowl_z: float
    header: float
    roof_end: float
    deck: float
    deck_z: float
    tail_z: float
    belt: float  # height of the shoulder under the windows, at the front …
    belt_rear: float  # … and at the rear
    lamp_z: float  # lower edge of the head lamps
    tail_lamp_z: float
    bonnet_bulge: float = 0.03
    screen_bulge: float = 0.03
    roof_bulge: float = 0.03
    back_bulge: float = 0.02
    sill_height: float = 0.10  # over the clearance
    crease: float = 0.55  # share of the way from sill to belt
    tumble: float = 0.2  # how much narrower the roof is
    shelf: float = 0.04
    crown: float = 0.05
    tuck: float = 0.1
    bow: float = 0.22  # how far the nose's corners lie behind its middle
    tail_bow: float = 0.14
    lean: float = 0.3  # how the face leans back above the bumper
    tail_lean: float = 0.15
    nose_taper: float = 0.10
    tail_taper: float = 0.07
    glazing: tuple[tuple[float, float], ...] = ((0.30, 0.56), (0.59, 0.80))  # side windows, shares of the length
    backlight: bool = True
    blacked: bool = False  # pillars between the side windows are black
    cladding: bool = False
    two_tone: bool = False
    roofless: bool = False
    open_from: float = 2.0  # shares of the length between which the car has no roof
    open_to: float = 2.0
    well_z: float = 0.45
    lamps: str = "corner"  # corner, round, slim, tall, box
    lamp_reach: float = 0.22
    lamp_inner: float = 0.6
    grille: str = "wide"  # wide, low, full, chrome, none
    tails: str = "corner"  # corner, band, round, none
    rims: str = "five"
    rails: bool = False
    spare: bool = False
    wing: bool = False
    gap: float = 0.42  # the longest distance between stations

    # --- places along x -------------------------------------------------------------------------------------------

    def along(self, share: float) -> float:
        return self.length * (0.5 - share)

    @property
    def front(self) -> float:
        return self.length / 2

    @property
    def rear(self) -> float:
        return self.length / 2

    @property
    def axles(self) -> tuple[float, float]:
        first = self.front - self.overhang
        return first, first - self.wheelbase

    @property
    def nose_room(self) -> float:
        """How much of the nose may be bent: the arch must stay around its wheel."""
        return max(self.overhang - 1.04 * self.arch, 0.12)

    @property
    def tail_room(self) -> float:
        return max(self.length - self.overhang - self.wheelbase - 1.04 * self.arch, 0.12)

    @property
    def arch(self) -> float:
        return self.wheel * 1.17

    @property
    def keys(self) -> tuple[float, ...]:
        cowl, header, roof_end, deck = (self.along(s) for s in (self.cowl, self.header, self.roof_end, self.deck))
        span = cowl - header
        more = (cowl - span / 3, cowl - 2 * span / 3, (roof_end + deck) / 2)
        edges = () if self.open_from > 1 else tuple(
            self.along(s) + e for s in (self.open_from, self.open_to) for e in (0.006, -0.006))  # fmt: skip
        return (cowl, header, roof_end, deck, *more, *edges)

    @property
    def windows(self) -> tuple[tuple[float, float], ...]:
        return tuple((self.along(start), self.along(stop)) for start, stop in self.glazing)

    @property
    def bumper(self) -> float:
        return self.clearance + 0.28

    @property
    def sill(self) -> float:
        return self.clearance + self.sill_height

    # --- curves over x --------------------------------------------------------------------------------------------

    def top(self, x: float) -> float:
        """The ridge of the side profile: straight pieces, each with its bulge."""
        cowl, header, roof_end, deck = (self.along(s) for s in (self.cowl, self.header, self.roof_end, self.deck))
        pieces = [
            (self.front, self.nose_z, cowl, self.cowl_z, self.bonnet_bulge),
            (cowl, self.cowl_z, header, self.height - self.roof_bulge * 0.6, self.screen_bulge),
            (header, self.height - self.roof_bulge * 0.6, roof_end, self.height - self.roof_bulge, self.roof_bulge),
            (roof_end, self.height - self.roof_bulge, deck, self.deck_z, self.back_bulge),
            (deck, self.deck_z, -self.rear, self.tail_z, 0.01),
        ]
        if self.roofless:
            pieces[1:4] = [(cowl, self.cowl_z, deck, self.deck_z, 0.0)]
        for x0, z0, x1, z1, bulge in pieces:
            if x >= x1 - 1e-9:
                t = (x0 - x) / max(x0 - x1, 1e-9)
                z = z0 + (z1 - z0) * t + 4 * bulge * t * (1 - t)
                return self._rounded(x, z)
        return self.tail_z

    def _rounded(self, x: float, z: float) -> float:
        """The edges of nose and tail are rounded over the last centimetres."""
        end = min(self.front - x, x + self.rear)
        return z - 0.05 * max(0.0, 1 - end / 0.06) ** 2

    def half_width(self, x: float) -> float:
        first, last = self.axles
        ahead = max(0.0, (x - first) / max(self.front - first, 1e-6))
        behind = max(0.0, (last - x) / max(self.rear + last, 1e-6))
        return self.width / 2 * (1 - self.nose_taper * ahead**2 - self.tail_taper * behind**2)

    def underside(self, x: float) -> float:
        for axle in self.axles:
            away = abs(x - axle)
            if away < self.arch * 1.02:
                return self.wheel + float(np.sqrt(max(self.arch**2 - away**2, 0.0)))
        return self.clearance

    def over_arch(self, x: float) -> bool:
        return any(abs(x - axle) < self.arch * 1.05 for axle in self.axles)

    def belt_at(self, x: float) -> float:
        return float(np.interp(x, [-self.rear, self.along(self.cowl)], [self.belt_rear, self.belt]))

    def crease_at(self, x: float) -> float:
        level = self.sill + self.crease * (self.belt - self.sill)
        places = [-self.rear, -self.rear + 0.7, self.front - 0.7, self.front]
        return float(np.interp(x, places, [self.tail_lamp_z, level, level, self.lamp_z]))

    def ridge_share(self, x: float) -> float:
        """How far out the row between roof edge and ridge lies: at the nose it is the lamps' inner edge."""
        return float(np.interp(x, [self.along(self.cowl), self.front], [0.55, self.lamp_inner]))

    def open_at(self, x: float) -> bool:
        return self.along(self.open_to) <= x <= self.along(self.open_from)

    # --- what the ends are made of --------------------------------------------------------------------------------

    def face(self, front: bool, level: int, middle: bool) -> int:
        """The material of the nose or tail: ``level`` 0 lip, 1 bumper, 2 lamps; ``middle`` between the lamps."""
        if level == 0:
            return TRIM
        if front:
            if level == 1:
                return TRIM if middle and self.grille in ("low", "full") else PAINT
            if middle:
                return {"wide": TRIM, "full": TRIM, "chrome": CHROME}.get(self.grille, PAINT)
            return LAMP if self.lamps in ("corner", "slim", "tall") else TRIM if self.lamps == "box" else PAINT
        if level == 2 and (self.tails == "band" or (self.tails == "corner" and not middle)):
            return TAIL
        return PAINT

    def side_lamp(self, x: float, row: int) -> int | None:
        """The material where lamps reach around a corner, if they do here."""
        if row == 3 and x > self.front - self.lamp_reach and self.lamps in ("corner", "slim", "tall"):
            return LAMP
        if row == 3 and x > self.front - self.lamp_reach and self.lamps == "box":
            return AMBER
        if row == 3 and x < -self.rear + 0.06 and self.tails in ("corner", "band"):
            return TAIL
        return None
