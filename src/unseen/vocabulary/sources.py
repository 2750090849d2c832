"""Where Python code that a recipe names lies, and what it is made of, told from its files: nothing is imported.

``importlib.util.find_spec`` imports the packages above a dotted name, so the path is walked by hand here.
"""

from __future__ import annotations

import ast
import importlib.machinery
import re
import site
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FACTORY = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")  # module:factory
MOST_STEPS = 8  # from a name to where it is defined
MOST_FILES = 500  # followed from one module; more is no longer a network of one's own
_SUFFIXES = (
    *importlib.machinery.EXTENSION_SUFFIXES,
    *importlib.machinery.SOURCE_SUFFIXES,
    *importlib.machinery.BYTECODE_SUFFIXES,
)  # in the order in which Python looks


@dataclass(frozen=True)
class Source:
    """A module's file, and the packages above it, which run before it."""

    module: str
    file: Path
    above: tuple[Source, ...] = ()

    @property
    def is_package(self) -> bool:
        return self.file.name.partition(".")[0] == "__init__"


def names_code(backbone: str) -> bool:
    """Whether a backbone is Python code by its place, rather than a name of a table."""
    return ":" in backbone


def find_source(module: str) -> Source | None:
    """The file that ``import module`` would run, if there is one."""
    *packages, last = module.split(".")
    places, above = _roots(), list[Source]()
    for depth, part in enumerate(packages):
        file, places = _look(part, places, first=not depth)
        above += [Source(".".join(packages[: depth + 1]), file, tuple(above))] if file else []
    file, _ = _look(last, places, first=not packages)
    return Source(module, file, tuple(above)) if file else None


def is_pythons(module: str, source: Source | None) -> bool:
    """Whether a module comes with Python itself."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    return source is None or (_is_below(source.file, _PYTHONS) and not _is_below(source.file, _installed()))


def run_by(source: Source) -> tuple[Path, ...]:
    """The files that run when a module is imported: its own, those of the packages above it, and, as far as import
    statements tell, those of its own place that it imports. What is installed or comes with Python is not followed."""
    found: dict[Path, None] = {}
    waiting = [source]
    while waiting and len(found) < MOST_FILES:
        one = waiting.pop()
        if one.file in found:
            continue
        found[one.file] = None
        waiting += one.above
        for name in _with_packages(_imported(one)):
            other = find_source(name)
            if other is not None and other.file not in found and not is_installed(other.file):
                waiting.append(other)
    return tuple(sorted(found))


def is_installed(file: Path) -> bool:
    """Whether a file is of an installed package or of Python itself."""
    return _is_below(file, (*_PYTHONS, *_installed()))


def defining_files(module: str, name: str) -> frozenset[Path] | None:
    """The file of a module and the one in which what it calls ``name`` is defined; None where only running the code
    would tell (decorators, values that are computed, what is bound twice or on a condition)."""
    source = find_source(module)
    defined = _defined_in(module, name, MOST_STEPS)
    return frozenset({source.file, defined}) if source and defined else None


def _defined_in(module: str, name: str, steps: int) -> Path | None:
    source = find_source(module)
    tree = _tree(source.file) if source else None
    if source is None or tree is None or not steps:
        return None
    bound = [(node, top) for node, top in _statements(tree) for each in _binds(node) if each in (name, "*")]
    if len(bound) != 1 or not bound[0][1]:
        return None
    node = bound[0][0]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return None if node.decorator_list else source.file
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
        return _defined_in(module, node.value.id, steps - 1)
    if isinstance(node, ast.ImportFrom) and (there := _from(node, source)):
        original = next((one.name for one in node.names if (one.asname or one.name) == name), None)
        return _defined_in(there, original, steps - 1) if original else None
    return None


def _roots() -> list[Path]:
    """Where Python looks, and the working directory at the end."""
    found = dict.fromkeys(Path(place) if place else Path.cwd() for place in sys.path)
    return [*(found | {Path.cwd(): None})]


def _look(part: str, places: Sequence[Path], *, first: bool) -> tuple[Path | None, list[Path]]:
    """The file of a module or package, and where what is below it would lie; of a folder without a file: that alone."""
    portions = []
    for place in places:
        folder = place / part
        for file in (folder / f"__init__{suffix}" for suffix in _SUFFIXES):
            if _is_file(file):
                return file, [folder]
        for file in (place / f"{part}{suffix}" for suffix in _SUFFIXES):
            if _is_file(file):
                return file, []
        if folder.is_dir():
            portions.append(folder)
    return _hooked(part) if first and not portions else (None, portions)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _hooked(part: str) -> tuple[Path | None, list[Path]]:
    """What the environment's own finders say (packages installed in place have such); none runs what it finds."""
    plain = (importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, importlib.machinery.PathFinder)
    for finder in sys.meta_path:
        if finder in plain:
            continue
        try:
            spec = finder.find_spec(part, None)
            file = Path(spec.origin) if spec and spec.origin and spec.has_location else None
            inside = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
        except Exception:  # a finder of somebody else's that cannot answer does not know it
            continue
        if file is not None or inside:
            return file, inside
    return None, []


_PYTHONS = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))


@lru_cache(maxsize=1)
def _installed() -> tuple[Path, ...]:
    """Where packages are installed."""
    places = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()]
    return tuple(Path(place).resolve() for place in [*places, *site.getsitepackages()])


def _with_packages(modules: Sequence[str]) -> list[str]:
    """
    >>> _with_packages(["a.b.c"])
    ['a', 'a.b', 'a.b.c']
    """
    parts = [module.split(".") for module in modules]
    return list(dict.fromkeys(".".join(one[: end + 1]) for one in parts for end in range(len(one))))


def _is_below(file: Path, folders: Sequence[Path]) -> bool:
    return any(file.resolve().is_relative_to(folder) for folder in folders)


def _tree(file: Path) -> ast.Module | None:
    if file.suffix != ".py":
        return None
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _statements(tree: ast.AST, top: bool = True) -> Iterator[tuple[ast.stmt, bool]]:
    """Statements of a module, also those below ifs and tries (``False``), but not those of functions and classes."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt):
            yield node, top
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.expr):
            yield from _statements(node, False)


def _binds(node: ast.stmt) -> list[str]:
    """Names that a statement gives a meaning to."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import):
        return [(one.asname or one.name).partition(".")[0] for one in node.names]
    if isinstance(node, ast.ImportFrom):
        return [one.asname or one.name for one in node.names]
    targets = [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt)]
    stored = (each for one in targets for each in ast.walk(one) if isinstance(each, ast.Name))
    return [each.id for each in stored if not isinstance(each.ctx, ast.Load)]


def _from(node: ast.ImportFrom, source: Source) -> str:
    """The module that ``from … import`` names, dots counted from where it stands."""
    if not node.level:
        return node.module or ""
    parts = source.module.split(".")
    parts = parts[: len(parts) - node.level + source.is_package]
    return ".".join([*parts, *([node.module] if node.module else [])]) if parts else ""


def _imported(source: Source) -> list[str]:
    """Modules that a file imports, wherever in it; ``from a import b`` may mean the module a.b."""
    tree = _tree(source.file)
    found: dict[str, None] = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            found |= dict.fromkeys(one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and (there := _from(node, source)):
            found |= dict.fromkeys([there, *(f"{there}.{one.name}" for one in node.names if one.name != "*")])
    return list(found)
