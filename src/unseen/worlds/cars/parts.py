"""What is put onto a shell: wheels, plates, round lamps, seams, stripes, mirrors, rails, seats. All shapes are ours."""

from __future__ import annotations

import itertools

import numpy as np

from unseen.worlds.cars.form import Form
from unseen.worlds.cars.panels import CHROME, GLASS, LAMP, PAINT, PLATE, RIM, SEAT, TRIM, TYRE, UNDER, Panels
from unseen.worlds.cars.shell import BASE, CREASE, RAIL, SHOULDER, SILL, Shell, bent

# sectors around the rim, and which of them are spokes
RIMS: dict[str, tuple[int, tuple[bool, ...]]] = {
    "five": (15, (True, True, False)),
    "ten": (20, (True, False)),
    "six": (18, (True, True, False)),
    "disc": (14, (True,)),
    "steel": (12, (False,)),
    "three": (18, (True, True, True, True, False, False)),
}


def wheel(radius: float, across: float, style: str) -> Panels:
    """A wheel around the y axis, its outer face at y = 0 towards +y."""
    n, spokes = RIMS[style]
    profile = [(0.97, -across), (1.0, -0.3 * across), (0.66, 0.0), (0.19, -0.02)]
    angle = np.arange(n) * 2 * np.pi / n
    rings = [np.stack([r * radius * np.cos(angle), np.full(n, y), r * radius * np.sin(angle)], 1) for r, y in profile]
    points = np.concatenate([*rings, [[0, -across, 0], [0, 0.0, 0]]])
    here, after = np.arange(n), (np.arange(n) + 1) % n
    parts = []
    for ring in range(3):
        low, high = ring * n, ring * n + n
        corners = np.stack([low + here, high + here, high + after, low + after], 1)
        spoke = np.where(np.resize(spokes, n), RIM, TRIM if style == "steel" else UNDER)
        parts.append(Panels.quads(points, corners, spoke if ring == 2 else np.full(n, TYRE)))
    inside = np.stack([np.full(n, 4 * n), here, after], 1)
    hub = np.stack([np.full(n, 4 * n + 1), 3 * n + after, 3 * n + here], 1)
    parts.append(Panels(points, inside, np.full(n, UNDER)))
    parts.append(Panels(points, hub, np.full(n, RIM)))
    return Panels.of(parts)


def wheels(form: Form) -> Panels:
    parts = []
    for axle in form.axles:
        one = wheel(form.wheel, 0.62 * form.wheel, form.rims)
        out = form.half_width(axle) - 0.025
        left = Panels(one.points + (axle, out, form.wheel), one.faces, one.material)
        parts += [left, left.mirrored()]
    return Panels.of(parts)


def wheel_boxes(form: Form) -> Panels:
    """Dark blocks between the wheels, so that nobody looks through an arch and out at the other side."""
    parts = []
    for axle in form.axles:
        wide = form.half_width(axle) - 0.62 * form.wheel - 0.04
        places = (axle - form.arch, axle, axle + form.arch)
        high = min(form.well_z - 0.02 if form.open_at(x) else form.top(x) - 0.1 for x in places)
        high = min(high, form.wheel + 0.9 * form.arch)
        parts.append(block((places[0], -wide, form.clearance), (places[2], wide, high), UNDER))
    return Panels.of(parts)


def block(low: tuple[float, float, float], high: tuple[float, float, float], material: int) -> Panels:
    """A box between two corners."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    points = np.array([(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)])
    corners = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Panels.quads(points, np.array(corners), material)


def slab(corners: np.ndarray, towards: np.ndarray, material: int) -> Panels:
    """A closed plate: four corners and the same four moved by ``towards`` (out of the face that is seen)."""
    points = np.concatenate([np.asarray(corners, float), np.asarray(corners, float) + towards])
    sides = [(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    made = Panels.quads(points, np.array([(3, 2, 1, 0), (4, 5, 6, 7), *sides]), material)
    a, b, c = (made.points[made.faces[:, k]] for k in range(3))
    inside_out = np.einsum("ij,ij->", a - points.mean(0), np.cross(b, c) - np.cross(a, c) - np.cross(b, a)) < 0
    return Panels(made.points, made.faces[:, ::-1], made.material) if inside_out else made


def on_end(form: Form, y: tuple[float, float], z: tuple[float, float], material: int, *, rear: bool = False,
           proud: float = 0.015, pieces: int = 4) -> Panels:  # fmt: skip
    """A pad on the nose or the tail, bent with it: plates, bars, lamps."""
    sign = -1 if rear else 1
    end = -form.rear if rear else form.front
    parts = []
    ys = np.linspace(*y, pieces + 1)
    for one, two in itertools.pairwise(ys):
        low, high = sorted((end - sign * 0.05, end + sign * proud))
        parts.append(block((low, one, z[0]), (high, two, z[1]), material))
    made = Panels.of(parts)
    return Panels(bent(form, made.points), made.faces, made.material)


def round_lamp(form: Form, y: float, z: float, radius: float, material: int = LAMP, *, rear: bool = False) -> Panels:
    """A round lamp with a bright ring, on either side."""
    n, sign = 10, -1 if rear else 1
    angle = np.arange(n) * 2 * np.pi / n
    end = form.front if not rear else -form.rear
    rings = [(1.18, -0.08), (1.15, 0.015), (0.86, 0.03)]
    across, up = y + radius * np.cos(angle), z + radius * np.sin(angle)
    points = [np.stack([np.full(n, end + sign * out), y + r * (across - y), z + r * (up - z)], 1) for r, out in rings]
    corner = np.concatenate([*points, [[end + sign * 0.045, y, z]]])
    here, after = np.arange(n), (np.arange(n) + 1) % n
    rims = [np.stack([k * n + here, k * n + after, (k + 1) * n + after, (k + 1) * n + here], 1) for k in (0, 1)]
    lens = np.stack([2 * n + here, 2 * n + after, np.full(n, 3 * n)], 1)
    one = Panels.of([Panels.quads(corner, np.concatenate(rims), CHROME), Panels(corner, lens, np.full(n, material))])
    shift = bent(form, np.array([[end, y, z]]))[0] - (end, y, z)
    one = Panels(one.points + shift, one.faces if not rear else one.faces[:, ::-1], one.material)
    return Panels.of([one, one.mirrored()])


def on_side(made: Shell, x: tuple[float, float], rows: tuple[float, float], material: int, proud: float = 0.006,
            both: bool = True) -> Panels:  # fmt: skip
    """A strip on the shell between two places and two rows, just above it: seams, stripes, handles."""
    low, high = min(x), max(x)
    between = made.x[(made.x > low + 1e-6) & (made.x < high - 1e-6)]
    xs = np.array([high, *between, low])
    whole = np.arange(np.ceil(rows[0] + 1e-6), np.floor(rows[1] - 1e-6) + 1)
    rs = np.unique(np.array([rows[0], *whole, rows[1]]))
    points = made.at(xs[:, None], rs[None, :])
    along = np.gradient(points, axis=0)
    up = np.gradient(points, axis=1)
    out = np.cross(along, up)
    out = out / np.maximum(np.linalg.norm(out, axis=-1, keepdims=True), 1e-9) * -1
    points = points + out * proud * np.where((out[..., 1:2] + out[..., 2:3]) < 0, -1, 1)
    index = np.arange(points[..., 0].size).reshape(points.shape[:2])
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    one = Panels.quads(points.reshape(-1, 3), np.stack([a, b, c, d], -1).reshape(-1, 4), material)
    return Panels.of([one, one.mirrored()]) if both else one


def mirrors(made: Shell) -> Panels:
    form = made.form
    x = form.along(form.cowl) - 0.32
    foot = made.at(x, BASE)
    y, z = float(foot[1]), float(foot[2])
    arm = block((x - 0.03, y - 0.03, z + 0.02), (x + 0.03, y + 0.1, z + 0.06), TRIM)
    head = block((x - 0.05, y + 0.05, z + 0.02), (x + 0.06, y + 0.24, z + 0.16), PAINT)
    taper = np.where(head.points[:, :1] > x, 0.75, 1.0)
    middle = head.points.mean(0)
    head = Panels(middle + (head.points - middle) * np.concatenate([np.ones_like(taper), taper, taper], 1),
                  head.faces, head.material)  # fmt: skip
    one = Panels.of([arm, head])
    return Panels.of([one, one.mirrored()])


def seams(made: Shell) -> Panels:
    """Door gaps and handles at the side windows' edges."""
    form = made.form
    parts = []
    for start, stop in form.windows[:2]:
        x = stop - 0.02 if stop < start else stop
        parts.append(on_side(made, (x - 0.009, x + 0.009), (SILL + 0.2, SHOULDER + 0.7), UNDER))
        parts.append(on_side(made, (x + 0.07, x + 0.25), (CREASE + 0.50, CREASE + 0.64), CHROME, 0.02))
    first = form.windows[0][0] + 0.12 if form.windows else 0.0
    if form.windows:
        parts.append(on_side(made, (first - 0.009, first + 0.009), (SILL + 0.2, SHOULDER + 0.5), UNDER))
    return Panels.of(parts)


def rails(made: Shell) -> Panels:
    """Two bars along the roof on short feet."""
    form = made.form
    ahead, behind = form.along(form.header) - 0.15, form.along(form.roof_end) + 0.15
    xs = np.linspace(ahead, behind, 4)
    roof = made.at(xs, RAIL + 0.08)
    parts = []
    for one, two in itertools.pairwise(roof):
        corners = np.array([one, two, two, one]) + (
            (0, -0.015, 0.05),
            (0, -0.015, 0.05),
            (0, 0.02, 0.05),
            (0, 0.02, 0.05),
        )
        parts.append(slab(corners, np.array((0, 0, 0.035)), CHROME))
    for x, y, z in roof[[0, 2, 3]]:
        parts.append(block((x - 0.06, y - 0.01, z - 0.03), (x + 0.06, y + 0.015, z + 0.06), CHROME))
    one = Panels.of(parts)
    return Panels.of([one, one.mirrored()])


def wing(made: Shell) -> Panels:
    """A rear wing on two feet."""
    form = made.form
    x, half = -form.rear + 0.2, form.half_width(-form.rear) * 0.86
    z = form.top(x) + 0.14
    plane = np.array(
        [(x - 0.14, -half, z + 0.03), (x + 0.16, -half, z), (x + 0.16, half, z), (x - 0.14, half, z + 0.03)]
    )
    foot = block((x - 0.06, half * 0.62, z - 0.24), (x + 0.08, half * 0.66, z + 0.01), TRIM)
    return Panels.of([slab(plane, np.array((0, 0, 0.035)), PAINT), foot, foot.mirrored()])


def seats(made: Shell) -> Panels:
    """Two seats with head rests, a dashboard edge and a screen frame for cars without a roof."""
    form = made.form
    ahead, behind = form.along(form.open_from), form.along(form.open_to)
    x = behind + 0.42 * (ahead - behind)
    y = form.width * 0.2
    top = form.belt + 0.14
    back = block((x - 0.12, y - 0.23, form.well_z), (x + 0.06, y + 0.23, top), SEAT)
    rest = block((x - 0.1, y - 0.11, top + 0.02), (x + 0.0, y + 0.11, top + 0.18), SEAT)
    base = block((x, y - 0.23, form.well_z), (x + 0.5, y + 0.23, form.well_z + 0.22), SEAT)
    one = Panels.of([back, rest, base])
    return Panels.of([one, one.mirrored()])


def face(form: Form) -> Panels:
    """What the nose wears besides its panels: lamps that are not panels, an air intake, bars."""
    across, parts = form.half_width(form.front), []
    if form.lamps == "round":
        parts.append(round_lamp(form, 0.72 * across, form.lamp_z, 0.062 * form.width))
    top = form.top(form.front) - 0.05
    if form.lamps == "box":
        one = on_end(form, (0.55 * across, 0.88 * across), (form.lamp_z + 0.02, top), LAMP, pieces=1)
        parts += [one, one.mirrored()]
    if form.grille in ("chrome", "wide", "none"):
        z = form.clearance + 0.09
        parts.append(on_end(form, (-0.62 * across, 0.62 * across), (z, z + 0.09), TRIM, proud=0.006, pieces=2))
    if form.grille == "wide":
        z = (form.lamp_z + top) / 2
        parts.append(on_end(form, (-0.4 * across, 0.4 * across), (z - 0.012, z + 0.012), CHROME, pieces=2))
    return Panels.of(parts) if parts else block((0, -0.1, form.clearance), (0.1, 0.1, form.clearance + 0.05), UNDER)


def plates(form: Form) -> Panels:
    z = form.clearance + 0.20
    ends = [on_end(form, (-0.26, 0.26), (z, z + 0.11), PLATE, pieces=2)]
    high = (form.clearance + form.tail_lamp_z) / 2
    ends.append(on_end(form, (-0.26, 0.26), (high, high + 0.11), PLATE, rear=True, pieces=2))
    return Panels.of(ends)


def spare(form: Form) -> Panels:
    """A wheel hung on the tail."""
    one = wheel(form.wheel * 0.95, 0.2, form.rims)
    x, y, z = one.points.T
    turned = np.stack([-y, x, z], 1)  # its outer face looks back
    return Panels(turned + (-form.rear - 0.2, 0.1, form.clearance + 0.75), one.faces, one.material)


def screen(made: Shell) -> Panels:
    """A windscreen that stands alone: glass in a frame."""
    form = made.form
    low_x, high_x = form.along(form.cowl) + 0.0, form.along(form.open_from) - 0.22
    w = form.half_width(low_x) - 0.10
    z0, z1 = form.cowl_z - 0.03, form.height
    outer = np.array([(low_x, w, z0), (low_x, -w, z0), (high_x, -w * 0.82, z1), (high_x, w * 0.82, z1)])
    middle = outer.mean(0)
    inner = middle + (outer - middle) * 0.9
    normal = np.cross(outer[1] - outer[0], outer[3] - outer[0])
    normal /= np.linalg.norm(normal)
    parts = [slab(inner, normal * 0.012, GLASS)]
    for k in range(4):
        j = (k + 1) % 4
        parts.append(slab(np.array([outer[k], outer[j], inner[j], inner[k]]), normal * 0.03, TRIM))
    return Panels.of(parts)


def stripes(made: Shell, material: int, rows: tuple[float, float] = (8.45, 8.8)) -> Panels:
    """Two bands over bonnet, roof and deck; where there is glass they are cut."""
    form = made.form
    cowl, header, roof_end, deck = form.keys[:4]
    spans = [(form.front - 0.07, cowl + 0.02), (header - 0.04, roof_end + 0.04)]
    if form.open_from > 1:
        spans.append((deck - 0.02, -form.rear + 0.07))
    return Panels.of([on_side(made, span, rows, material, 0.008) for span in spans if span[0] - span[1] > 0.05])
