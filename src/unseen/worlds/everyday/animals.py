"""Dogs, wolves, foxes, cats, horses, cows, sheep, pigs, elephants, bears: builds and coats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.worlds.everyday import build
from unseen.worlds.everyday.build import Build, drawn
from unseen.worlds.everyday.finishes import Colour, Finish, coat, finished, mixed, shade
from unseen.worlds.everyday.quadrupeds import COATED, animal
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import bent
from unseen.worlds.rendering.mesh import Mesh, joined

HAIR: dict[str, Colour] = {
    "black": (0.25, 0.23, 0.22), "dark": (0.33, 0.26, 0.21), "brown": (0.44, 0.33, 0.24),
    "chestnut": (0.54, 0.33, 0.20), "red": (0.74, 0.45, 0.24), "tan": (0.76, 0.64, 0.48),
    "cream": (0.88, 0.80, 0.66), "white": (0.94, 0.93, 0.90),
    "grey": (0.52, 0.50, 0.48), "slate": (0.36, 0.36, 0.37), "pink": (0.94, 0.72, 0.66),
}  # fmt: skip


def tone(rng: Rng, *names: str) -> Colour:
    """One of these hairs, a little lighter or darker."""
    base = np.asarray(HAIR[str(rng.choice(names))]) * between(rng, 0.85, 1.15)
    base = base * (1 + rng.normal(0, 0.03) * np.array([1.0, 0.2, -1.0]))  # redder or paler, never green
    return shade(np.clip(base, 0.04, 0.98), 1.0)


def clouds(rng: Rng, points: np.ndarray, size: float) -> np.ndarray:
    """Smooth noise in space, about −1 to 1, with lumps of this size."""
    waves = rng.normal(size=(10, 3)) / size * 2.2
    return np.sin(points @ waves.T + rng.uniform(0, 6.28, 10)).sum(1) / 2.6


def dressed(
    rng: Rng, b: Build, pose: str, base: Colour, marks: str, other: Colour, *, paws: Colour | None = None
) -> Mesh:
    """An animal in its coat. ``marks``: plain, belly, saddle, patches, tabby, spots, points, socks, muzzle,
    wolf, fox."""
    hair = Finish(base, 0.0, b.tile, 1.0)
    dark = Finish((0.13, 0.1, 0.09), 0.2)
    horn = Finish(mixed((0.85, 0.78, 0.62), (0.25, 0.22, 0.2), rng.random()), 0.3)
    made = animal(rng, b, pose, hair, dark, horn)
    skin = Finish(base, 0.0, 0 if b.tile == 0 else 1, 1.0)
    short = ("head", "legs", "ears")
    coats = {name: (skin if name in short else hair)(*made[name]) for name in COATED}
    size, pattern = between(rng, 0.25, 0.6), int(rng.integers(2**31))
    for name, part in coats.items():  # one pattern runs over all parts
        own = np.random.default_rng(pattern)
        colours = _marked(own, part, name, marks, np.asarray(base), np.asarray(other), size)
        coats[name] = replace(part, colours=colours)
    if paws is not None:
        legs = coats["legs"]
        low = np.clip(1.6 - legs.vertices[:, 2:] / 0.22, 0, 1)
        coats["legs"] = replace(legs, colours=(legs.colours * (1 - low) + np.asarray(paws) * low).astype(np.float32))
    mane = Finish(other if marks in ("points", "socks") else shade(base, 0.7), 0.0, min(b.tile + 1, 2))
    rest = made["rest"] + [mane(part) for part in made["mane"]]
    whole = bent(joined([*coats.values(), *rest]), between(rng, -0.05, 0.05))
    return finished([whole], coat(rng))


def _marked(
    rng: Rng, part: Mesh, name: str, marks: str, base: np.ndarray, other: np.ndarray, size: float
) -> np.ndarray:
    p, up = part.vertices, part.normals[:, 2:]
    n = clouds(rng, p, size)[:, None]
    share = np.zeros((len(p), 1))
    if marks == "belly":
        share = np.clip(-up * 0.9 - 0.15, 0, 1) + (0.6 if name == "legs" else 0)
    elif marks == "saddle":
        share = (
            np.clip((up + 0.35 + 0.3 * n) * 2, 0, 1) if name in ("torso", "neck", "tail") else np.full_like(share, 0.15)
        )
    elif marks == "patches":
        share = np.clip((n - 0.05) * 12, 0, 1) if name != "legs" else np.clip((n - 0.5) * 12, 0, 1)
    elif marks == "tabby":
        bands = np.sin(p[:, :1] * (34 if name == "torso" else 46) + 2.2 * n + 3 * np.abs(p[:, 1:2]))
        share = np.clip(bands * 1.6 - 0.35, 0, 1) * 0.7 * np.clip(up + 0.9, 0, 1)
    elif marks == "spots":
        share = np.clip((clouds(rng, p, 0.12)[:, None] - 0.75) * 10, 0, 1)
    elif marks == "points":  # dark legs, ears, muzzle, tail
        share = {
            "legs": np.clip(1.25 - p[:, 2:] / 0.35, 0, 1),
            "ears": np.full_like(share, 0.8),
            "tail": np.full_like(share, 0.9),
        }.get(name, share)
    elif marks == "socks":
        share = np.clip(1.2 - p[:, 2:] / 0.28, 0, 1) if name == "legs" else share
    elif marks == "wolf":  # grey guard hair above, pale below and on the cheeks
        share = np.clip(0.9 - 1.4 * (up + 0.55) - 0.5 * n, 0, 1) if name != "legs" else np.full_like(share, 0.75)
    elif marks == "fox":
        low = p[:, 2:] < (p[:, 2:].min() + 0.42 * np.ptp(p[:, 2:]))
        share = (
            np.clip(-up * 1.2 - 0.1, 0, 1) if name in ("torso", "neck") else (0.9 * low if name == "head" else share)
        )
    elif marks == "muzzle" and name == "head":  # the front of the head is pale
        ahead = (p[:, :1] - p[:, 0].min()) / max(float(np.ptp(p[:, 0])), 1e-6)
        share = np.clip((ahead - 0.6) * 6, 0, 0.8)
    colours = base * (1 - share) + other * share
    shade_ = 1 + 0.06 * n
    if name == "ears":
        shade_ = shade_ * 0.85
    return np.clip(colours * shade_, 0, 1).astype(np.float32)


def pose(rng: Rng, sit: float = 0.0, lie: float = 0.0) -> str:
    u = rng.random()
    return (
        "sit" if u < sit else "lie" if u < sit + lie else ("walk" if u < sit + lie + 0.5 * (1 - sit - lie) else "stand")
    )


def dog(rng: Rng) -> Mesh:
    b = drawn(rng, build.DOGS[str(rng.choice(list(build.DOGS)))])
    marks = str(
        rng.choice(
            ["plain", "belly", "saddle", "patches", "spots", "points", "socks"],
            p=[0.15, 0.2, 0.25, 0.15, 0.05, 0.1, 0.1],
        )
    )
    base = tone(rng, "black", "dark", "brown", "tan", "cream", "white", "grey", "red")
    other = tone(rng, "black", "dark") if marks in ("saddle", "points", "spots") else tone(rng, "white", "cream", "tan")
    if marks in ("saddle", "spots"):
        base = tone(rng, "tan", "cream", "white", "red")
    return dressed(rng, b, pose(rng, 0.25, 0.1), base, marks, other)


def wolf(rng: Rng) -> Mesh:
    b = drawn(rng, build.WOLF)
    base, other = (
        tone(rng, "grey", "slate", "dark", "black", "brown", "white", "tan"),
        tone(rng, "cream", "white", "tan"),
    )
    return dressed(rng, b, pose(rng, 0.1, 0.1), base, "wolf", other)


def fox(rng: Rng) -> Mesh:
    b = drawn(rng, build.FOX)
    kind = str(rng.choice(["red", "red", "red", "grey", "arctic", "kit"]))
    base = {
        "red": tone(rng, "red"),
        "grey": tone(rng, "grey", "tan"),
        "arctic": tone(rng, "white", "slate"),
        "kit": tone(rng, "tan", "cream"),
    }[kind]
    if kind == "kit":
        b = replace(b, ear_size=b.ear_size * 1.5, depth=b.depth * 0.9)
    paws = tone(rng, "black") if kind == "red" else None
    return dressed(rng, b, pose(rng, 0.15, 0.1), base, "fox", tone(rng, "white"), paws=paws)


def cat(rng: Rng) -> Mesh:
    b = drawn(rng, build.CAT)
    if rng.random() < 0.3:
        b = replace(b, tile=2, tail="bushy", depth=b.depth * 1.12)
    marks = str(rng.choice(["tabby", "tabby", "patches", "plain", "points", "belly"]))
    base = tone(rng, "grey", "red", "tan", "black", "white", "cream", "brown")
    other = tone(rng, "black", "dark", "brown") if marks in ("tabby", "points") else tone(rng, "white", "cream")
    if marks in ("tabby", "points"):
        base = tone(rng, "grey", "red", "tan", "cream", "brown")
    return dressed(rng, b, pose(rng, 0.35, 0.2), base, marks, other)


def horse(rng: Rng) -> Mesh:
    b = drawn(rng, build.HORSE, 0.07)
    if rng.random() < 0.25:
        b = replace(b, neck_angle=between(rng, -30, -5), pitch=between(rng, 55, 75))  # grazing
    marks = str(rng.choice(["plain", "points", "socks", "patches"], p=[0.3, 0.35, 0.2, 0.15]))
    base = tone(rng, "chestnut", "chestnut", "brown", "dark", "black", "tan", "grey", "white", "red")
    other = tone(rng, "black", "dark") if marks == "points" else tone(rng, "white", "cream")
    return dressed(rng, b, pose(rng), base, marks, other)


def cow(rng: Rng) -> Mesh:
    b = drawn(rng, build.COW, 0.08)
    b = replace(b, horns="ox" if rng.random() < 0.55 else "")
    if rng.random() < 0.2:
        b = replace(b, neck_angle=between(rng, -45, -20), pitch=between(rng, 50, 70))
    marks = str(rng.choice(["plain", "patches", "patches", "belly", "points"]))
    base = (
        tone(rng, "white", "cream")
        if marks == "patches"
        else tone(rng, "brown", "chestnut", "black", "tan", "white", "dark", "grey")
    )
    other = tone(rng, "black", "brown", "chestnut") if marks in ("patches", "points") else tone(rng, "cream", "white")
    return dressed(rng, b, pose(rng, 0, 0.12), base, marks, other)


def sheep(rng: Rng) -> Mesh:
    b = drawn(rng, build.SHEEP, 0.08)
    b = replace(b, horns="ram" if rng.random() < 0.6 else "", wool=float(rng.choice([0.5, 1.0, 1.6])))
    if rng.random() < 0.2:
        b = replace(b, neck_angle=between(rng, -40, -15), pitch=between(rng, 50, 70))
    base = tone(rng, "white", "cream", "cream", "tan", "grey", "brown", "black")
    marks = "points" if rng.random() < 0.4 else "plain"
    return dressed(rng, b, pose(rng), base, marks, tone(rng, "black", "dark", "white"))


def pig(rng: Rng) -> Mesh:
    b = drawn(rng, build.PIG, 0.08)
    kind = str(rng.choice(["pink", "pink", "dark", "patched", "boar"]))
    if kind == "boar":
        b = replace(
            b,
            tile=2,
            ear="point",
            muzzle=b.muzzle * 1.2,
            tail="tuft",
            hump=0.06,
            wide=b.wide * 0.8,
            length=b.length * 0.85,
        )
    base = {
        "pink": tone(rng, "pink", "pink", "cream"),
        "dark": tone(rng, "black", "slate", "dark"),
        "patched": tone(rng, "pink", "cream"),
        "boar": tone(rng, "dark", "brown", "slate"),
    }[kind]
    return dressed(
        rng, b, pose(rng, 0, 0.1), base, "patches" if kind == "patched" else "plain", tone(rng, "black", "brown")
    )


def elephant(rng: Rng) -> Mesh:
    b = drawn(rng, build.ELEPHANT, 0.07)
    b = replace(b, ear_size=b.ear_size * float(rng.choice([0.6, 0.85, 1.1])))
    base = mixed(tone(rng, "grey", "slate", "grey", "tan", "brown"), HAIR["grey"], 0.7)
    return dressed(rng, b, pose(rng), base, "plain", tone(rng, "tan"))


def bear(rng: Rng) -> Mesh:
    b = drawn(rng, build.BEAR, 0.09)
    kind = str(rng.choice(["brown", "black", "polar", "sloth"]))
    base = {
        "brown": tone(rng, "brown", "dark", "tan", "chestnut"),
        "black": tone(rng, "black"),
        "polar": tone(rng, "white", "cream"),
        "sloth": tone(rng, "black", "dark"),
    }[kind]
    if kind == "polar":
        b = replace(b, hump=0.0, neck=b.neck * 1.3, ear_size=b.ear_size * 0.8)
    marks = "muzzle" if kind in ("brown", "black", "sloth") else "plain"
    return dressed(rng, b, pose(rng, 0.25, 0.1), base, marks, tone(rng, "tan", "brown"))
