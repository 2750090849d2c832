"""What the documentation says exists: links, commands, recipes, keys; and it names nobody's machine."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from unseen.cli.app import app
from unseen.kinds.published import PUBLISHED
from unseen.vocabulary.recipe import recipe_from, setting, shipped

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLACEHOLDER = re.compile(r"[A-Z_]+$")  # RECIPE, STUDY, PATH
MACHINE = re.compile(r"(?<![\w.~-])/(?:work|root|Users)/|(?<![\w.~-])/home/(?!author/)")
REGISTRY = re.compile(r"index-url|extra-index|UV_INDEX|UV_DEFAULT_INDEX|PIP_INDEX|/simple\b|pythonhosted|artifactory")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[str]:
    return [body for language, body in BLOCK.findall(page.read_text(encoding="utf-8")) if language in languages]


def prose(page: Path) -> str:
    return BLOCK.sub("", page.read_text(encoding="utf-8"))


def commands(page: Path) -> Iterator[list[str]]:
    """Words after `unseen` in shell blocks and in code within sentences."""
    lines = [line for body in blocks(page, "bash", "sh", "console") for line in body.splitlines()]
    lines += [code.replace("\n", " ") for code in re.findall(r"`([^`]+)`", prose(page))]
    for line in lines:
        for part in line.partition("  #")[0].split("&&"):
            found = re.fullmatch(r"(?:\$ )?(?:uv run (?:--no-sync )?)?unseen( .*)?", part.strip())
            if found and found.group(1) and found.group(1).strip() != "...":
                yield shlex.split(found.group(1).partition(" > ")[0])


def cases(of) -> list:
    return [pytest.param(page, case, id=f"{name_of(page)}: {case}") for page in PAGES for case in of(page)]


def links(page: Path) -> list[str]:
    found = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return sorted({link for link in found if not re.match(r"https?:|mailto:|#", link)})


@pytest.mark.parametrize(("page", "link"), cases(links))
def test_every_relative_link_leads_somewhere(page, link):
    assert (page.parent / link.partition("#")[0]).exists(), f"{name_of(page)} links to {link}"


@functools.cache
def whole_command() -> typer.core.TyperGroup:
    return typer.main.get_command(app)


@pytest.mark.parametrize(("page", "command"), cases(lambda page: sorted({shlex.join(c) for c in commands(page)})))
def test_every_command_shown_exists_with_its_options_and_recipes(page, command):
    words = shlex.split(command)
    group = whole_command()
    if words[0].startswith("-"):
        assert words[0] in {option for p in group.params for option in p.opts}
        return
    assert words[0] in group.commands, f"{name_of(page)} shows `unseen {command}`; there is no such command"
    found = group.commands[words[0]]
    if hasattr(found, "commands") and len(words) > 1:  # a group of commands
        assert words[1] in found.commands, f"{name_of(page)} shows `unseen {command}`; there is no such command"
        found, words = found.commands[words[1]], words[1:]
    rest = [word for word in words[1:] if word != "..."]
    told = [p for p in found.params if p.param_type_name == "argument"]
    options = {o: p for p in found.params if p.param_type_name == "option" for o in (*p.opts, *p.secondary_opts)}
    given = []
    while rest:
        word, *rest = rest
        if not word.startswith("--"):
            given.append(word)
            continue
        assert word in options, f"{name_of(page)} shows `unseen {command}`; `{words[0]}` has no option {word}"
        if not options[word].is_flag and rest:  # a bare option in a sentence has no value
            value, *rest = rest
            if word == "--set" and value != "KEY=VALUE":
                setting(value)
    many = any(p.nargs == -1 for p in told)
    assert many or len(given) <= len(told), f"`unseen {command}` gives {given}; `{words[0]}` takes {len(told)}"
    if told and told[0].name == "recipe" and given:
        own = given[0].endswith(".toml") or PLACEHOLDER.fullmatch(given[0])
        assert own or given[0] in shipped(), f"{name_of(page)} runs '{given[0]}', which does not ship"


def recipe_names(page: Path) -> list[str]:
    return sorted(
        set(
            re.findall(
                r"\b(?:own|madan2022|schott2022|zaidi2020|geirhos2018|ibrahim2022)/[\w-]+(?![\w*-]|\.(?:png|svg|csv|md|parquet|toml))",
                page.read_text(encoding="utf-8"),
            )
        )
    )


@pytest.mark.parametrize(("page", "recipe"), cases(recipe_names))
def test_every_recipe_named_ships(page, recipe):
    assert recipe in shipped() or recipe in PUBLISHED


@pytest.mark.parametrize("recipe", shipped())
def test_every_recipe_that_a_recipe_names_ships(recipe):
    unknown = [name for name in recipe_names(shipped()[recipe]) if name not in shipped() and name not in PUBLISHED]
    assert not unknown, f"recipe {recipe} names {', '.join(unknown)}"


def test_the_table_of_recipes_in_the_guide_is_complete():
    page = (ROOT / "docs/guide/recipes.md").read_text(encoding="utf-8").partition("## Recipes that ship")[2]
    listed = set(re.findall(r"^\| `([\w/-]+)` \|", page, re.MULTILINE))
    assert listed == set(shipped())


@pytest.mark.parametrize(("page", "text"), [(p, t) for p in PAGES for t in blocks(p, "toml")])
def test_toml_parses_and_whole_recipes_are_recipes(page, text):
    tables = tomllib.loads(text)
    if "title" in tables and "extends" not in tables:
        recipe_from(tables, name_of(page))


def test_the_guide_names_every_key_of_a_recipe():
    from unseen.vocabulary import recipe

    guide = (ROOT / "docs/guide/recipes.md").read_text(encoding="utf-8")
    sections = (
        recipe.Recipe, recipe.NetworkSection, recipe.TrainingSection, recipe.SearchSection, recipe.CalibrationSection,
        recipe.RecordingsSection, recipe.AnswersSection, recipe.MeasuresSection, recipe.PretrainingSection,
        recipe.ExplanationsSection,
    )  # fmt: skip
    outside = {
        "network",
        "training",
        "readout",
        "search",
        "calibration",
        "recordings",
        "explanations",
        "measures",
        "answers",
        "pretraining",
    }  # own tables
    keys = {key for section in sections for key in section.model_fields} - outside
    assert sorted(key for key in keys if f"`{key}`" not in guide) == []


def test_the_readme_is_short_and_its_picture_small():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130
    assert (ROOT / "docs/images/accuracy.png").stat().st_size < 300_000


def text_files() -> Iterator[Path]:
    """Files that git tracks or would track."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(asked, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    for path in (ROOT / name for name in names if name):
        if path.is_file() and path != Path(__file__).resolve() and b"\0" not in path.read_bytes()[:8192]:
            yield path


@pytest.mark.parametrize(
    ("what", "pattern"),
    [("a developer's machine", MACHINE), ("a package registry", REGISTRY)],
    ids=["machine", "registry"],
)
def test_no_text_file_names_a_machine_or_a_registry(what, pattern):
    found = [
        f"{name_of(path)}:{number}: {line.strip()[:100]}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"{what} is named in\n" + "\n".join(found)


def test_the_lock_file_is_not_tracked():
    assert ROOT / "uv.lock" not in list(text_files())
