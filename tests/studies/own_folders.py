"""Folders of images as people have them, drawn at random: odd names, gaps, few images, pools, manifests, views."""

import csv
import io
import itertools
from pathlib import Path

import numpy as np
from PIL import Image

ODD = (
    "plain", "with space", "Größe", "日本", "it's", 'say "x"', "[a]", "{b}", "back\\slash", "a.b", "50%", "#1", "~x",
    "$HOME", "tab_", "-dash", "a=b", "e\u0301", "😀", "x*y", "why?", "comma,semi;colon", "$(ls)", "A", "B", "C", "dog",
    "cat",
)  # fmt: skip
DOMAINS = ("photo", "sketch", "cartoon", "art_painting", "Real World", "quickdraw")
LAYOUTS = (
    "{c}/{a}/{n}", "{a}/{c}/{n}", "{c}_{a}_{n}", "{c}/{c}-{a}-{n}", "obj{i}__{a}", "{c}/{n}", "img_{n}", "{c}/{a}_{n}",
    "{p}/{c}/{a}/{n}", "{c}/{p}/{a}/{n}", "set one/x/{c}/y/{a}/z/{n}", "{d}/{c}/{n}", "{d}/{c}/pic_{n}",
    "{c}/{d}/{a}/{n}", "c{i}/az{a}/{n}", "{d}/{n}", "{c}/{i}/{a}-{n}", "{c}/{a}", "{d}/{c}/{a}/{n}",
    "location_{i}/{c}/{n}",
)  # fmt: skip
PICTURE = {}


def picture(suffix, size=(8, 8)):
    """The bytes of a small picture; the same again and again, since only names matter here."""
    if (suffix, size) not in PICTURE:
        there = io.BytesIO()
        form = {"png": "PNG", "jpg": "JPEG", "JPG": "JPEG", "bmp": "BMP"}[suffix]
        Image.new("RGB", size, "teal").save(there, form)
        PICTURE[suffix, size] = there.getvalue()
    return PICTURE[suffix, size]


def seconds(rng):
    """Levels of a second factor."""
    count = int(rng.choice([1, 2, 3, 4, 5, 7, 12, 36]))
    return [
        [360 * k // count for k in range(count)],
        list(range(count)),
        [round(0.5 * k - 1, 2) for k in range(count)],
        [int(x) for x in sorted(rng.choice(500, count, replace=False))],
        [f"{k:03}" for k in range(0, 5 * count, 5)],
        list(rng.permutation(ODD[:12])[: min(count, 6)]),
        list(DOMAINS[: min(count, len(DOMAINS))]),
    ][int(rng.integers(7))]


def counts(rng, cells):
    """Images of each combination."""
    kind = int(rng.integers(8))
    if kind < 5:
        each = np.full(cells, (1, 2, 3, 4, 11)[kind])
    else:
        each = rng.integers(0, (4, 10, 30)[kind - 5], cells)
    if rng.random() < 0.3:
        each[rng.integers(cells)] = 0
    return each


def make_folder(place: Path, seed: int) -> Path:
    """A folder of images, or a manifest beside one; at most a few hundred files."""
    rng = np.random.default_rng(seed)
    layout = LAYOUTS[int(rng.integers(len(LAYOUTS)))]
    names = [str(name) for name in rng.permutation(ODD)[: int(rng.integers(1, 8))]]
    others, domains = seconds(rng), DOMAINS[: int(rng.integers(1, 5))] if "{d}" in layout else ("photo",)
    if "{d}" in layout:
        others = others[:3]
    pools = (
        [("train", "val", "test"), ("Train", "Test"), ("training",)][int(rng.integers(3))] if "{p}" in layout else ("",)
    )
    suffixes = [("png",), ("png", "jpg"), ("JPG", "jpg")][int(rng.choice(3, p=(0.7, 0.2, 0.1)))]
    size = [(8, 8), (40, 30), (100, 90)][int(rng.choice(3, p=(0.8, 0.1, 0.1)))]
    cells = list(itertools.product(names, others, domains, pools))[:250]
    padded, number, files = rng.random() < 0.5, 0, []
    root = place / str(rng.choice(["photos", "my photos", "ünï", "it's [a] set", "back\\slash"]))
    for (c, a, d, p), many in zip(cells, counts(rng, len(cells))):
        for own in range(int(many)):
            number += 1
            n = own if rng.random() < 2 and seed % 2 else number
            text = layout.format(c=c, a=a, d=d, p=p, i=names.index(c) + 1, n=f"{n:04}" if padded else n)
            suffix = suffixes[number % len(suffixes)]
            file = root / f"{text}.{suffix}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"" if rng.random() < 0.003 else picture(suffix, size))
            files.append((file, c, a, d, p))
    root.mkdir(parents=True, exist_ok=True)
    if not files or seed % 7:
        return root
    return manifest(root, files, rng)


def manifest(root: Path, files, rng) -> Path:
    table = root / "table.csv"
    unique = {file: rest for file, *rest in files if "\\" not in str(file.relative_to(root))}
    with table.open("w", newline="", encoding="utf-8") as there:
        writer = csv.writer(there)
        columns = ["kind of thing", "angle", "place", "pool"] if rng.random() < 0.5 else ["label", "x", "😀", "note"]
        writer.writerow(["path", *columns])
        for number, (file, (c, a, d, p)) in enumerate(unique.items()):
            last = p.strip() or "train" if columns[-1] == "pool" else f"note {number}"
            writer.writerow([file.relative_to(root).as_posix(), c, a, d, last])
    return table if unique else root
