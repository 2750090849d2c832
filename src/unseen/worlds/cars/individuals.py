"""Cars that are each their own category: forms between models, with paint, stripes, racks and faces of their own.

As with faces, the individuals share one plan and differ in many small things at once (ours).
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from unseen.worlds.cars import parts
from unseen.worlds.cars.bodies import BODIES, built, reshaped, varied
from unseen.worlds.cars.form import Form
from unseen.worlds.cars.panels import MATERIALS, RIM, SECOND
from unseen.worlds.cars.shell import CREASE, SILL, shell
from unseen.worlds.rendering.mesh import Mesh

LAMPS = ("corner", "round", "slim", "tall", "box")
GRILLES = ("wide", "low", "full", "chrome", "none")
SHADES = ((0.92, 0.92, 0.90), (0.08, 0.08, 0.09), (0.75, 0.10, 0.10), (0.10, 0.20, 0.55), (0.93, 0.75, 0.12),
          (0.12, 0.42, 0.25), (0.85, 0.45, 0.10), (0.45, 0.30, 0.18))  # fmt: skip


def individual(rng: np.random.Generator) -> Mesh:
    """One car that no other car is: its mesh in metres."""
    form = face_of(between(rng), rng)
    made = shell(form)
    extras = []
    if rng.random() < 0.3 and not form.roofless:
        extras.append(parts.stripes(made, SECOND, ((8.45, 8.8), (8.15, 8.95), (8.72, 8.98))[int(rng.integers(3))]))
    if rng.random() < 0.4:
        low = (SILL + 0.35, CREASE + 0.05, CREASE + 0.45)[int(rng.integers(3))]
        reach = form.axles[0] - form.arch * 1.2, form.axles[1] + form.arch * 1.2
        extras.append(parts.on_side(made, reach, (low, low + 0.22), SECOND, 0.007))
    return built(made, tuple(extras), _materials(rng))


def between(rng: np.random.Generator) -> Form:
    """A form on the way from one model to another, then varied."""
    names = list(BODIES)
    first, other = (BODIES[str(name)] for name in rng.choice(names, 2, replace=False))
    mixable = first.open_from > 1 and other.open_from > 1
    share = rng.uniform(0, 0.35) if mixable else 0.0
    numbers = {
        field.name: getattr(first, field.name) * (1 - share) + getattr(other, field.name) * share
        for field in fields(Form)
        if isinstance(getattr(first, field.name), float) and not field.name.startswith("open")
    }
    return varied(reshaped(first, **numbers), rng, amount=1.5)


def face_of(form: Form, rng: np.random.Generator) -> Form:
    """Lamps, grille, rims, paint and rails of its own."""
    return replace(
        form,
        lamps=str(rng.choice(LAMPS)),
        grille=str(rng.choice(GRILLES)),
        rims=str(rng.choice(sorted(parts.RIMS))),
        two_tone=bool(rng.random() < 0.3) and not form.roofless,
        blacked=bool(rng.random() < 0.4),
        cladding=bool(rng.random() < 0.3),
        rails=bool(rng.random() < 0.35) and form.open_from > 1,
        wing=bool(rng.random() < 0.25) and form.open_from > 1 and form.height < 1.55,
        lamp_inner=float(rng.uniform(0.4, 0.75)),
    )


def _materials(rng: np.random.Generator) -> tuple:
    table = list(MATERIALS)
    table[SECOND] = (SHADES[int(rng.integers(len(SHADES)))], 0.0, 0.7)
    if rng.random() < 0.35:
        table[RIM] = (((0.12, 0.12, 0.13), (0.75, 0.62, 0.30), (0.9, 0.9, 0.9))[int(rng.integers(3))], 0.0, 0.9)
    return tuple(table)
