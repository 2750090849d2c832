"""Car models: forms with names, and their meshes in metres. ``car`` gives any model, for the table of objects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.vocabulary.errors import unknown
from unseen.worlds.cars import parts
from unseen.worlds.cars.form import Form
from unseen.worlds.cars.panels import MATERIALS, TAIL, Panels, panelled
from unseen.worlds.cars.shell import Shell, shell, skin
from unseen.worlds.rendering.mesh import Mesh, upright

BODIES: dict[str, Form] = {
    "saloon": Form(
        length=4.75, width=1.82, height=1.45, wheelbase=2.78, overhang=0.90, wheel=0.33, clearance=0.18,
        nose_z=0.76, cowl=0.285, cowl_z=0.98, header=0.455, roof_end=0.68, deck=0.835, deck_z=1.07, tail_z=1.03,
        belt=0.93, belt_rear=0.99, lamp_z=0.54, tail_lamp_z=0.74, screen_bulge=0.05, back_bulge=0.05, roof_bulge=0.03,
        glazing=((0.34, 0.505), (0.525, 0.66), (0.675, 0.745)), grille="chrome", lamps="corner", lamp_inner=0.5,
    ),
    "hatchback": Form(
        length=4.0, width=1.76, height=1.50, wheelbase=2.55, overhang=0.80, wheel=0.32, clearance=0.17,
        nose_z=0.80, cowl=0.25, cowl_z=1.02, header=0.43, roof_end=0.86, deck=0.965, deck_z=1.00, tail_z=0.96,
        belt=0.94, belt_rear=1.02, lamp_z=0.66, tail_lamp_z=0.80, screen_bulge=0.05, back_bulge=0.05, roof_bulge=0.06,
        bonnet_bulge=0.06, glazing=((0.33, 0.53), (0.555, 0.74)), grille="low", lamps="round", bow=0.3, tails="corner",
        tumble=0.22, lean=0.35, rims="ten",
    ),
    "estate": Form(
        length=4.85, width=1.84, height=1.47, wheelbase=2.82, overhang=0.90, wheel=0.33, clearance=0.17,
        nose_z=0.74, cowl=0.275, cowl_z=0.97, header=0.44, roof_end=0.915, deck=0.975, deck_z=0.99, tail_z=0.94,
        belt=0.92, belt_rear=0.97, lamp_z=0.66, tail_lamp_z=0.72, screen_bulge=0.05, back_bulge=0.02, roof_bulge=0.03,
        glazing=((0.335, 0.50), (0.52, 0.66), (0.68, 0.885)), blacked=True, rails=True, grille="full", lamps="slim",
        lamp_inner=0.42, tails="corner", rims="six",
    ),
    "suv": Form(
        length=4.6, width=1.92, height=1.76, wheelbase=2.72, overhang=0.88, wheel=0.385, clearance=0.27,
        nose_z=1.0, cowl=0.25, cowl_z=1.18, header=0.40, roof_end=0.89, deck=0.965, deck_z=1.18, tail_z=1.12,
        belt=1.10, belt_rear=1.17, lamp_z=0.78, tail_lamp_z=0.92, screen_bulge=0.04, back_bulge=0.04, roof_bulge=0.05,
        glazing=((0.31, 0.485), (0.51, 0.665), (0.69, 0.84)), cladding=True, rails=True, grille="wide", lamps="slim",
        lean=0.15, bow=0.18, sill_height=0.2, rims="five", tumble=0.18, lamp_inner=0.55,
    ),
    "pickup": Form(
        length=5.3, width=1.92, height=1.80, wheelbase=3.25, overhang=0.92, wheel=0.39, clearance=0.32,
        nose_z=1.06, cowl=0.245, cowl_z=1.18, header=0.345, roof_end=0.545, deck=0.575, deck_z=1.12, tail_z=1.12,
        belt=1.10, belt_rear=1.10, lamp_z=0.80, tail_lamp_z=0.85, screen_bulge=0.03, back_bulge=0.0, roof_bulge=0.03,
        glazing=((0.285, 0.41), (0.425, 0.53)), open_from=0.585, open_to=0.985, well_z=0.80, grille="wide",
        lamps="tall", lean=0.05, bow=0.10, tail_bow=0.03, tail_lean=0.0, nose_taper=0.05, tail_taper=0.02, rims="six",
        cladding=True, tumble=0.15, lamp_inner=0.68, tails="none",
    ),
    "van": Form(
        length=4.9, width=1.95, height=2.05, wheelbase=3.0, overhang=0.88, wheel=0.34, clearance=0.20,
        nose_z=0.90, cowl=0.135, cowl_z=1.22, header=0.285, roof_end=0.975, deck=0.99, deck_z=1.12, tail_z=1.06,
        belt=1.10, belt_rear=1.10, lamp_z=0.74, tail_lamp_z=0.80, screen_bulge=0.04, back_bulge=0.0, roof_bulge=0.04,
        glazing=((0.23, 0.37),), grille="low", lamps="tall", lamp_inner=0.72, tails="corner", backlight=True, bow=0.28,
        lean=0.25, tail_bow=0.03, tail_lean=0.0, tail_taper=0.03, rims="steel", tumble=0.10,
    ),
    "coupe": Form(
        length=4.6, width=1.86, height=1.33, wheelbase=2.70, overhang=0.86, wheel=0.34, clearance=0.14,
        nose_z=0.72, cowl=0.36, cowl_z=0.94, header=0.525, roof_end=0.66, deck=0.90, deck_z=0.97, tail_z=0.95,
        belt=0.90, belt_rear=0.95, lamp_z=0.53, tail_lamp_z=0.74, screen_bulge=0.05, back_bulge=0.06, roof_bulge=0.03,
        glazing=((0.425, 0.61), (0.63, 0.73)), grille="wide", lamps="box", lamp_inner=0.35, tails="band", rims="five",
        bow=0.12, lean=-0.15, tumble=0.26,
    ),
    "roadster": Form(
        length=3.95, width=1.73, height=1.18, wheelbase=2.33, overhang=0.80, wheel=0.31, clearance=0.14,
        nose_z=0.66, cowl=0.37, cowl_z=0.89, header=0.39, roof_end=0.40, deck=0.72, deck_z=0.88, tail_z=0.80,
        belt=0.83, belt_rear=0.83, lamp_z=0.50, tail_lamp_z=0.62, roof_bulge=0.0, bonnet_bulge=0.05, glazing=(),
        roofless=True, open_from=0.41, open_to=0.70, well_z=0.42, grille="low", lamps="round", bow=0.34, tail_bow=0.25,
        lean=0.4, tails="round", rims="ten", backlight=False, crown=0.06,
    ),
    "city-car": Form(
        length=2.72, width=1.62, height=1.55, wheelbase=1.85, overhang=0.44, wheel=0.285, clearance=0.18,
        nose_z=0.86, cowl=0.165, cowl_z=1.06, header=0.40, roof_end=0.87, deck=0.97, deck_z=1.02, tail_z=0.98,
        belt=0.98, belt_rear=1.04, lamp_z=0.68, tail_lamp_z=0.74, screen_bulge=0.07, back_bulge=0.04, roof_bulge=0.08,
        bonnet_bulge=0.05, glazing=((0.30, 0.60), (0.64, 0.80)), two_tone=True, grille="none", lamps="tall",
        lamp_inner=0.66, bow=0.30, rims="three", tumble=0.18,
    ),
    "minibus": Form(
        length=4.5, width=1.86, height=2.02, wheelbase=2.45, overhang=1.05, wheel=0.34, clearance=0.24,
        nose_z=1.16, cowl=0.03, cowl_z=1.20, header=0.095, roof_end=0.94, deck=0.985, deck_z=1.18, tail_z=1.14,
        belt=1.12, belt_rear=1.12, lamp_z=0.98, tail_lamp_z=0.88, screen_bulge=0.03, roof_bulge=0.05, back_bulge=0.03,
        glazing=((0.10, 0.27), (0.30, 0.47), (0.50, 0.67), (0.70, 0.87)), two_tone=True, grille="none", lamps="round",
        bow=0.32, tail_bow=0.22, lean=0.05, rims="disc", tumble=0.12, lamp_inner=0.6,
    ),
    "off-roader": Form(
        length=4.05, width=1.82, height=1.92, wheelbase=2.40, overhang=0.66, wheel=0.41, clearance=0.34,
        nose_z=1.16, cowl=0.31, cowl_z=1.22, header=0.365, roof_end=0.975, deck=0.985, deck_z=1.20, tail_z=1.18,
        belt=1.17, belt_rear=1.17, lamp_z=0.88, tail_lamp_z=0.90, screen_bulge=0.02, roof_bulge=0.015, back_bulge=0.0,
        bonnet_bulge=0.01, glazing=((0.385, 0.56), (0.60, 0.74), (0.77, 0.93)), cladding=True, spare=True, bow=0.02,
        tail_bow=0.0, lean=0.0, tail_lean=0.0, nose_taper=0.02, tail_taper=0.0, tumble=0.07, crown=0.03, lamps="round",
        grille="wide", lamp_inner=0.45, rims="steel", shelf=0.06, tails="corner",
    ),
    "limousine": Form(
        length=6.5, width=1.90, height=1.46, wheelbase=4.45, overhang=0.92, wheel=0.34, clearance=0.18,
        nose_z=0.82, cowl=0.225, cowl_z=1.0, header=0.33, roof_end=0.80, deck=0.875, deck_z=1.06, tail_z=1.02,
        belt=0.96, belt_rear=0.99, lamp_z=0.57, tail_lamp_z=0.72, screen_bulge=0.03, back_bulge=0.03, roof_bulge=0.02,
        glazing=((0.265, 0.375), (0.39, 0.515), (0.53, 0.655), (0.67, 0.775)), blacked=True, grille="chrome",
        lamps="box", lamp_inner=0.55, bow=0.10, lean=0.0, gap=0.6, rims="disc", tails="band",
    ),
    "sports-car": Form(
        length=4.5, width=1.98, height=1.13, wheelbase=2.65, overhang=0.98, wheel=0.34, clearance=0.11,
        nose_z=0.50, cowl=0.255, cowl_z=0.80, header=0.455, roof_end=0.56, deck=0.83, deck_z=0.90, tail_z=0.88,
        belt=0.77, belt_rear=0.86, lamp_z=0.40, tail_lamp_z=0.70, screen_bulge=0.05, roof_bulge=0.02, back_bulge=0.04,
        glazing=((0.345, 0.535),), blacked=True, wing=True, grille="low", lamps="slim", lamp_reach=0.45,
        lamp_inner=0.6, bow=0.30, lean=0.7, bonnet_bulge=0.04, rims="ten", tails="band", tumble=0.3,
    ),
}  # fmt: skip


def built(made: Shell, extras: tuple[Panels, ...] = (), materials: tuple = MATERIALS) -> Mesh:
    """The mesh of a shell with all its parts, standing on z = 0, in metres."""
    form = made.form
    pieces: list[Panels] = [skin(made), parts.wheels(form), parts.wheel_boxes(form), parts.plates(form)]
    pieces += [parts.mirrors(made), parts.face(form), *extras]
    if form.glazing:
        pieces.append(parts.seams(made))
    if form.tails == "round":
        pieces.append(
            parts.round_lamp(form, form.half_width(-form.rear) * 0.7, form.tail_lamp_z, 0.08, TAIL, rear=True)
        )
    if form.rails:
        pieces.append(parts.rails(made))
    if form.wing:
        pieces.append(parts.wing(made))
    if form.spare:
        pieces.append(parts.spare(form))
    if form.roofless:
        pieces += [parts.seats(made), parts.screen(made)]
    mesh = panelled(Panels.of(pieces), materials)
    low = float(mesh.vertices[:, 2].min())
    return replace(mesh, vertices=mesh.vertices - np.array([0, 0, low], np.float32))


def body(name: str, rng: np.random.Generator) -> Mesh:
    """An instance of a model: the same car with slightly different measures."""
    if name not in BODIES:
        raise unknown("car model", name, BODIES)
    return built(shell(varied(BODIES[name], rng)))


def car(rng: np.random.Generator) -> Mesh:
    """Any car, normalised: its longest edge is 1."""
    return upright(body(list(BODIES)[int(rng.integers(len(BODIES)))], rng))


def reshaped(form: Form, **numbers: float) -> Form:
    """A form with other numbers; side windows and openings move along with the screens and pillars."""
    new = replace(form, **numbers)
    old_keys, new_keys = ([0.0, f.cowl, f.header, f.roof_end, f.deck, 1.0] for f in (form, new))

    def follow(share: float) -> float:
        return float(np.interp(share, old_keys, new_keys)) if share <= 1 else share

    glazing = tuple((follow(a), follow(b)) for a, b in form.glazing)
    return replace(new, glazing=glazing, open_from=follow(form.open_from), open_to=follow(form.open_to))


def varied(form: Form, rng: np.random.Generator, amount: float = 1.0) -> Form:
    """A form with slightly other measures and perhaps other rims; ``amount`` scales how much (ours)."""

    def by(share: float) -> float:
        return float(1 + amount * share * rng.uniform(-1, 1))

    lengthwise, crosswise, upwards = by(0.025), by(0.015), by(0.02)
    heights = ("height", "nose_z", "cowl_z", "deck_z", "tail_z", "belt", "belt_rear", "lamp_z", "tail_lamp_z", "well_z")
    numbers = {name: getattr(form, name) * upwards for name in heights}
    numbers |= {name: getattr(form, name) * lengthwise for name in ("length", "wheelbase", "overhang")}
    numbers |= {"width": form.width * crosswise, "wheel": form.wheel * by(0.03), "bow": form.bow * by(0.1)}
    numbers |= {"header": form.header + 0.008 * amount * rng.uniform(-1, 1), "lamp_inner": form.lamp_inner * by(0.06)}
    shift = 0.008 * amount * rng.uniform(-1, 1)
    if not form.roofless and form.roof_end + shift < form.deck - 0.008:
        numbers["roof_end"] = form.roof_end + shift
    rims = form.rims if rng.random() < 0.6 else str(rng.choice(sorted(parts.RIMS)))
    return replace(reshaped(form, **numbers), rims=rims)
