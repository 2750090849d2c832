"""`unseen render` and `unseen worlds show`: a world's pictures as files, and on one sheet."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from unseen.cli.interrupts import stopped_with
from unseen.reports.console import print_hanging
from unseen.vocabulary.errors import UnseenError, listed, nearest
from unseen.vocabulary.spans import clock

EVERY = 10  # seconds between lines where there is no terminal


def world_section(name: str, settings: Sequence[str] | None) -> dict[str, Any]:
    """The name and arguments of a world: one of the table, or the [world] of a recipe; ``--set`` goes last."""
    from unseen.studies.recipe_files import find_recipe
    from unseen.vocabulary.recipe import override, read_tables, setting, shipped
    from unseen.worlds import worlds

    if name in worlds():
        tables: dict[str, Any] = {"world": {"name": name}}
    elif Path(name).is_file() or name.removesuffix(".toml") in shipped() or name.endswith(".toml"):
        tables = read_tables(find_recipe(name))
    else:
        guess = nearest(name, [*worlds(), *shipped()])
        raise UnseenError(
            f"no world '{name}', and no recipe of that name; worlds: {listed(worlds())}."
            + (f" Did you mean '{guess}'?" if guess else "")
        )
    given = [setting(text) for text in settings or ()]
    for key, value in given:
        if not key.startswith("world."):
            raise UnseenError(f"--set {key}: only arguments of the world matter here, as in world.viewpoint=scale.")
        tables = override(tables, key, value)
    _choose_from_grid(name, tables, [key for key, _ in given])
    section = tables.get("world")
    if not isinstance(section, Mapping) or "name" not in section:
        raise UnseenError(f"'{name}' has no [world] with a name, so there is nothing to draw.")
    return dict(section)


def _choose_from_grid(name: str, tables: Mapping[str, Any], given: Sequence[str]) -> None:
    """A recipe may vary its world; one of them is drawn, and which is for the user to say."""
    grid = tables.get("grid", {})
    for one in [grid] if isinstance(grid, Mapping) else grid:
        inner = one.get("world", {})  # a dotted key without quotes
        varied = {key: values for key, values in one.items() if key.startswith("world.")}
        varied |= {f"world.{key}": values for key, values in inner.items()}
        for key, values in varied.items():
            if key not in given:
                raise UnseenError(f"recipe '{name}' varies {key} over {listed(values)}; choose one: --set {key}=…")


def open_named(name: str, settings: Sequence[str] | None) -> tuple[Any, dict[str, Any]]:
    """A world and the arguments it was made with."""
    from unseen.studies.tables import open_world
    from unseen.vocabulary.sections import NamedSection

    section = world_section(name, settings)
    world = open_world(NamedSection.model_validate(section))
    return world, {key: value for key, value in section.items() if key != "name"}


def _prepare(console: Console, world: Any) -> None:
    """Decode a folder of pictures once, and tell what is wrong with it."""
    for line in getattr(getattr(world, "problems", None), "lines", list)():
        print_hanging(console, f"  note: {line}")
    if hasattr(world, "prepare"):
        with Progress(console, "reading pictures") as bar:
            world.prepare(progress=bar)


def render_world(
    console: Console,
    name: str,
    settings: Sequence[str] | None,
    *,
    device: str,
    workers: int | None,
    questions: bool = False,
    **asked: Any,
) -> None:
    """``questions``: the rows that a recipe's study asks, and no others."""
    if questions:
        if asked["sample"] is not None or asked["rows"] != "all":
            raise UnseenError("--asked writes what a study asks; leave out --rows and --sample.")
        from unseen.engines import open_study

        world, arguments, asked["rows"] = asked_of(open_study(name, settings=settings or []))
    else:
        world, arguments = open_named(name, settings)
    write_images(console, world, arguments, device=device, workers=workers, **asked)


def write_images(
    console: Console, world: Any, arguments: Mapping[str, Any], *, device: str, workers: int | None = None, **asked: Any
) -> None:
    """Write rows of a world as files, and say how to read them."""
    from unseen.engines.local import find_device
    from unseen.exports.plan import plan_export
    from unseen.exports.run import run
    from unseen.vocabulary.sizes import size_text

    place = str(find_device(device))
    plan = plan_export(world, arguments=arguments, device=place, **asked)
    height, width = world.size
    shards = f"{plan.shards:,} shard{'s' * (plan.shards != 1)}"
    console.print(
        f"{world.name}: {len(plan.rows):,} of {len(world.samples):,} images, {width}×{height}, as {plan.format} in "
        f"{shards}; on {place}",
        markup=False,
    )
    console.print(f"kept in {plan.out}", markup=False, soft_wrap=True)
    _prepare(console, world)
    started = time.perf_counter()
    words = "stopped. Finished shards are kept; the same command goes on from here."
    with stopped_with(words), Progress(console, "images") as bar:
        done = run(plan, workers=workers, progress=bar, note=lambda text: print_hanging(console, f"  note: {text}"))
    spent = time.perf_counter() - started
    if done.written < done.shards:
        console.print(f"{done.shards - done.written:,} of {done.shards:,} shards were finished already")
    rate = f", {per_second(bar.drawn / (time.perf_counter() - bar.started))} images/s" if done.written else ""
    console.print(f"{done.images:,} images, {size_text(done.bytes)}, {clock(spent)}{rate}")
    if done.out_of_frame:
        share = f"{done.out_of_frame / done.images:.1%}"
        print_hanging(console, f"  note: {done.out_of_frame:,} images ({share}) show nothing of their object: it lies "
                               "out of the frame.")  # fmt: skip
    _how_to_read(console, plan)


def asked_of(study: Any) -> tuple[Any, dict[str, Any], Any]:
    """The one world of a study, its arguments, and the rows that the study asks."""
    from unseen.studies.subjects import asked_rows, one_world

    point = one_world(study)
    return study.world(point), dict(point.recipe.world.arguments), asked_rows(study)


def _how_to_read(console: Console, plan: Any) -> None:
    if plan.in_folder:
        console.print("read it back in a recipe:")
        console.print(f'  [world]\n  name = "folder"\n  root = "{plan.out}"\n  manifest = "manifest.parquet"',
                      markup=False, soft_wrap=True)  # fmt: skip
    console.print(f"how it was made: {plan.out / 'export.json'}", markup=False, soft_wrap=True)


def list_or_show(
    console: Console,
    action: str | None,
    name: str | None,
    settings: Sequence[str] | None,
    out: Path | None,
    seed: int,
    levels: int,
    device: str,
) -> None:
    """`unseen worlds` lists; `unseen worlds show NAME` draws."""
    if action is None:
        from unseen.cli.listing import list_worlds

        return list_worlds(console)
    if action != "show":
        raise UnseenError(f"there is no `unseen worlds {action}`. `unseen worlds` lists the worlds; "
                          f"`unseen worlds show {name or action}` writes a contact sheet of one.")  # fmt: skip
    if name is None:
        from unseen.worlds import worlds

        raise UnseenError(f"`unseen worlds show` needs the name of a world; possible: {listed(worlds())}.")
    return show_world(console, name, settings, out, seed, levels, device)


def show_world(
    console: Console, name: str, settings: Sequence[str] | None, out: Path | None, seed: int, levels: int, device: str
) -> None:
    from unseen.engines.local import find_device
    from unseen.exports.sheet import contact_sheet

    to = out or Path(f"{Path(name).stem}.png")
    if to.is_dir():
        raise UnseenError(f"'{to}' is a folder; --out is the PNG to write, as in {to / 'sheet.png'}.")
    if to.suffix.lower() not in (".png", ".webp", ".jpg", ".jpeg"):
        raise UnseenError(f"'{to}' is not the name of a picture; let it end with .png.")
    world, _ = open_named(name, settings)
    _prepare(console, world)
    with console.status("drawing"):
        sheet = contact_sheet(world, levels=levels, seed=seed, device=str(find_device(device)))
    to.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(to)
    space = world.samples.space
    told = ", ".join(f"{factor.name} ({len(factor)})" for factor in space.factors)
    print_hanging(console, f"{world.name}: {len(world.samples):,} images; factors: {told}")
    console.print(f"contact sheet: {to}", markup=False, soft_wrap=True)


def per_second(rate: float) -> str:
    """
    >>> per_second(1234.5), per_second(0.123)
    ('1,234', '0.12')
    """
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


class Progress:
    """``progress(done, total)`` as a bar with rate and time left, or as a line now and then where there is no terminal.

    What was there before the first call is no work of this run, and not part of the rate.
    """

    def __init__(self, console: Console, what: str) -> None:
        self.console, self.what = console, what
        self.started = self.said = time.perf_counter()
        self.first: int | None = None
        self.done = self.total = 0
        self.bar: Any = None

    def __enter__(self) -> Progress:
        if self.console.is_terminal:
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self.bar = Bar(
                BarColumn(bar_width=24), TextColumn("{task.description}"), console=self.console, transient=True
            )
            self.bar.start()
            self.task = self.bar.add_task("starting", total=None)
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    @property
    def drawn(self) -> int:
        return self.done - (self.first or 0)

    def __call__(self, done: int, total: int) -> None:
        if self.first is None:
            self.first, self.started = done, time.perf_counter()
        self.done, self.total = done, total
        now = time.perf_counter()
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=total, description=self.line(now))
        elif now - self.said > EVERY:
            self.said = now
            self.console.print(f"  {self.line(now)}", markup=False)

    def line(self, now: float) -> str:
        head = f"{self.done:,}/{self.total:,} {self.what}"
        spent = now - self.started
        if not self.drawn or spent <= 0:
            return head
        rate = self.drawn / spent
        return f"{head}, {per_second(rate)}/s, {clock((self.total - self.done) / rate)} left"
