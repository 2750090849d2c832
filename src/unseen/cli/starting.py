"""`unseen init`: from a folder of images to a recipe."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from unseen.cli.listing import bare_table, print_table
from unseen.cli.progress import print_hanging
from unseen.vocabulary.errors import UnseenError


def start_recipe(path: Path, to: Path | None, force: bool, console: Console) -> None:
    from unseen.worlds.propose import propose

    found = propose(path)
    target = to or Path(f"{path.resolve().stem}.toml")
    if target.exists() and not force:
        raise UnseenError(f"'{target}' is there already; give another name with --to, or --force to replace it.")
    where = f"template {found.template}" if found.template else f"manifest {found.manifest}"
    console.print(f"{found.images:,} images, {where}", markup=False)
    table = bare_table("factor", "kind", "levels", "first levels")
    for factor in found.factors:
        table.add_row(
            factor.name, factor.kind, str(len(factor.levels)), ", ".join(str(level) for level in factor.levels[:6])
        )
    print_table(console, table)
    for problem in found.problems:
        print_hanging(console, f"  note: {problem}")
    if found.missing:
        print_hanging(console, f"  {found.missing}")
    target.write_text(found.recipe_toml(), encoding="utf-8")
    console.print(f"recipe written to {target}. Next: unseen plan {target}", markup=False, soft_wrap=True)
