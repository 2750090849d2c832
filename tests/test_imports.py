"""No module imports another in a circle: imports inside functions, and those for types alone, count too.

`lint-imports` refuses circles as well (`acyclic_siblings` in pyproject.toml), and neither check holds the other. The
linter also sees a circle between two folders whose modules have none. It does not see one of a folder's `__init__` with
a module in it, nor imports for types alone, which it leaves out of all contracts. This test does.
"""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def modules() -> dict[str, Path]:
    """Every module of the package by its name."""
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in SOURCE.rglob("*.py")
    }


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that a module names, wherever it does."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively"
            whole = node.module or ""
            found |= {f"{whole}.{one.name}" if f"{whole}.{one.name}" in known else whole for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return {one for one in found if one in known and one != name}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which leads to all others of its group."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen, todo = set(), list(graph[start])
        while todo:
            if (one := todo.pop()) not in seen:
                seen.add(one)
                todo += graph[one]
        reached[start] = seen
    groups = {tuple(sorted(a for a in reached[b] if b in reached[a])) for b in graph if b in reached[b]}
    return [list(group) for group in sorted(groups)]


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_no_module_imports_another_in_a_circle():
    known = modules()
    assert circles({name: imported(name, path, known) for name, path in known.items()}) == []
