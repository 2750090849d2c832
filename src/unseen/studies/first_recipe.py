"""The recipe that ``unseen init`` writes: what it asks, how to run it, what was guessed, what is left out."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unseen.studies.first_study import DOMAINS, Start
from unseen.studies.first_training import CORES
from unseen.vocabulary.unfilled import FILL_ME_IN

WIDTH = 78
FEW = 8  # levels that are all named


def recipe_text(start: Start, name: str = "recipe.toml", title: str | None = None) -> str:
    """TOML with comments; where something is missing, the recipe says so at its top."""
    found, rows, columns = start.found, start.found.rows or "category", start.found.columns or FILL_ME_IN
    words = {
        "title": title or f"{found.root.name or 'images'}: {rows} × {columns}",
        "question": f"Is the {rows} recognised in a {columns} never seen in training?"
        if start.study == DOMAINS
        else f"Is the {rows} recognised at combinations with {columns} never seen in training?",
    }
    lines = [
        *_opening(start, name, words["question"]),
        "",
        *(f"{key} = {value_text(value)}" for key, value in words.items()),
        *([f"targets = {value_text(list(start.targets))}{_also(start)}"] if start.targets else []),
        _seeds(start),
        "",
        "[world]",
        'name = "folder"',
        *(f"{key} = {value_text(value)}" for key, value in start.world.items()),
        *_size(start),
        "",
        "[design]",
        *_design(start, rows, columns),
        *_training(start),
        "",
        "[grid]",
        *(f"{value_text(key)} = {value_text(value)}" for key, value in start.grid.items()),
    ]
    return "\n".join(lines if start.grid else lines[:-2]) + "\n"


def _seeds(start: Start) -> str:
    seeds = start.training.seeds if start.training else 3
    if "design.seed" in start.grid:
        return 'seeds = [0]  # of first weights, the same in all; "design.seed" below repeats with other images'
    return f"seeds = {value_text(list(range(seeds)))}" + ("  # [0, 1, 2] shows how much chance matters" * (seeds < 3))


def _also(start: Start) -> str:
    return "" if start.study == DOMAINS else f"  # {start.found.columns} may be asked too".replace("\n", " ")


def _opening(start: Start, name: str, question: str) -> list[str]:
    found, told = start.found, shlex.quote(name)
    lines = [*_comment(question), *_comment(f"{found.images:,} images in {found.world['root']}", wrap=False), "#"]
    if start.missing:
        lines += _comment(f"NOT READY: {start.missing}")
        lines += _comment("What is written below is a beginning; `unseen init` again once there is more.")
    else:
        minutes = max(1, round(start.training.seconds / 60)) if start.training else 1
        lines += _comment(f"Check:    unseen check {told}  (trains nothing: are the splits sound?)", wrap=False)
        lines += _comment(f"Plan:     unseen plan {told}  (what it would do, and how long)", wrap=False)
        lines += _comment(f"Run:      unseen run {told}  (about {minutes} min on {CORES} CPU cores)", wrap=False)
    lines += _list("Factors", [_factor(start, factor) for factor in found.factors])
    lines += _list("Guessed", start.guessed)
    lines += _list("Uses", [start.used] if start.used else [])
    lines += _list("Left out", start.left_out)
    lines += _list("Note", start.notes)
    return lines


def _factor(start: Start, factor: Any) -> str:
    texts = factor.texts
    shown = ", ".join(texts) if len(texts) <= FEW else f"{', '.join(texts[:4])}, … {texts[-1]}"
    kind = "category" if factor.name == start.found.rows else factor.kind  # as the terminal's table has it
    return f"{factor.name}: {len(factor)} levels ({shown}), {kind}"


def _list(head: str, sentences: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for number, text in enumerate(sentences):
        lines += _comment(f"{head + ':' if not number else '':<10}{text}", hanging=10)
    return lines


def _comment(text: str, hanging: int = 0, wrap: bool = True) -> list[str]:
    """Lines of a comment. TOML allows no control characters there."""
    plain = _plain(text)
    lead = plain[: len(plain) - len(plain.lstrip())]
    if not wrap:
        return [f"# {plain}".rstrip()]
    wrapped = textwrap.wrap(
        plain.strip(), WIDTH - 2, initial_indent=lead, subsequent_indent=" " * hanging, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return [f"# {line}".rstrip() for line in wrapped] or ["#"]


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _size(start: Start) -> list[str]:
    if start.training is None:
        return []
    size = start.training.size
    own = start.found.own_size
    same = own is not None and own == ((size, size) if isinstance(size, int) else size)
    said = "the images' own" if same else "pixels a side; with a GPU, 128 or 224"
    return [f"size = {value_text(list(size) if isinstance(size, tuple) else size)}  # {said}"]


def _design(start: Start, rows: str, columns: str) -> list[str]:
    if not start.design:
        unknown = {"rows": rows, "columns": columns, "seen_per_level": FILL_ME_IN}
        return ['name = "hold_out_combinations"', *(f"{key} = {value_text(value)}" for key, value in unknown.items())]
    by = start.design.get("disjoint_by")
    apart = {
        "nothing": "training, validation and test may share images",
        "image": "training, validation and test may share objects",
    }.get(str(by), f"images of one {_plain(str(by))} stay in one of training, validation and test")
    said = {
        "images": "  # training images in all, the same in every trial",
        "balance": "  # levels are seen equally often, give or take one combination",
        "empty": "  # choose combinations around those that have too few images",
        "disjoint_by": f"  # {apart}",
        "shares": "  # of each combination's images: train, validation, test",
    }
    return [f"{key} = {value_text(value)}{said.get(key, '')}" for key, value in start.design.items()]


def _training(start: Start) -> list[str]:
    chosen = start.training
    if chosen is None:
        return []
    large = "" if chosen.stem == "small" else "  # with a GPU, resnet18"
    return [
        "",
        "[network]",
        f"backbone = {value_text(chosen.backbone)}{large}",
        f"# stem: {chosen.stem}, chosen by the size of the images",
        "",
        "[training]",
        f"epochs = {chosen.epochs}",
        f"batch = {chosen.batch}",
        'schedule = "cosine"',
        *([f"augment = {value_text(start.augment)}  # each picture anew at every epoch"] if start.augment else []),
        'normalise = "imagenet"',
    ]


def value_text(value: Any) -> str:
    """Plain data as TOML on one line; texts are escaped as TOML wants it, which JSON does not.

    >>> value_text({"a b": ["x\\x7f", 1, True]})
    '{ "a b" = ["x\\\\u007F", 1, true] }'
    """
    if isinstance(value, Mapping):
        inner = ", ".join(f"{value_text(str(key))} = {value_text(one)}" for key, one in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | Path):
        marks = {'"': '\\"', "\\": "\\\\"}
        return '"' + "".join(marks.get(c, c if c.isprintable() else _code(c)) for c in str(value)) + '"'
    return str(value)


def _code(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04X}" if number < 0x10000 else f"\\U{number:08X}"
