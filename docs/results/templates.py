"""Pages from templates: `{{ expression }}` is a Python expression over the tables beside the template.

A decimal number cannot be typed: it is an expression, or `said(text, source)`, which quotes what no table holds (a
published number, a setting of a recipe, a time measured once) and names where it comes from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

HOLE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
DECIMAL = re.compile(r"(?<![\w.])[−-]?\d*\.\d")


class Typed(ValueError):
    """A number that was typed and not computed."""


def said(text: str, source: str) -> str:
    """Words with numbers that no table holds, and their source."""
    if not source.strip():
        raise Typed(f"'{text}' is quoted without its source")
    return text


def check(template: str) -> None:
    """Refuse a template with a decimal typed outside of `said`."""
    for line in HOLE.sub("", template).splitlines():
        if found := DECIMAL.search(re.sub(r"\]\([^)]*\)|`[^`]*`", "", line)):  # not in links and commands
            raise Typed(
                f"'{line.strip()[:90]}' types the number '{found.group()}…': compute it, or quote it with said()."
            )
    for hole in HOLE.findall(template):
        for text in _quoted(ast.parse(hole.strip(), mode="eval").body):
            if DECIMAL.search(text):
                raise Typed(f"'{text}' stands in an expression and not in said()")


def _quoted(node: ast.AST) -> list[str]:
    """Texts in an expression that are not an argument of `said`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "said":
        return []
    own = [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
    return own + [text for child in ast.iter_child_nodes(node) for text in _quoted(child)]


def rendered(template: str, names: Mapping[str, Any]) -> str:
    """The page: every expression replaced by what it gives."""
    check(template)
    names = {**names, "said": said}

    def value(hole: re.Match[str]) -> str:
        given = eval(compile(hole.group(1).strip(), "<template>", "eval"), dict(names))
        if not isinstance(given, str | int):
            raise Typed(f"'{hole.group(1).strip()}' gives {type(given).__name__}: format it")
        return str(given)

    return HOLE.sub(value, template)
