"""Given models from ``torch.export`` files (``.pt2``), which hold a graph of torch's operators and its weights.

``torch.export.load`` unpickles parts of a file and evaluates some of its texts, and says itself that files of others
are not to be trusted. So a file is read through first: what is pickled must be tensors and plain values, the graph may
name torch's operators only, and expressions of sizes may be arithmetic only. Everything else is refused.
"""

from __future__ import annotations

import ast
import io
import json
import re
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from unseen.models.given.programs import Program
from unseen.models.given.reshaped import ChosenOutputs, InputForm
from unseen.vocabulary.errors import UnseenError

TARGETS = re.compile(
    r"torch\.ops\.(aten|prims?|higher_order|_c10d_functional|quantized_decomposed|torchvision)\.[\w.]+"
    r"|_operator\.\w+|math\.\w+|torch\.(_sym_\w+|sym_\w+)|#\w[\w.]*"
)
WORDS = frozenset(
    """
    Symbol Integer Float Rational Add Mul Pow FloorDiv Mod PythonMod CeilDiv CleanDiv Max Min Eq Ne
    Equality Unequality Lt Le Gt Ge LessThan StrictLessThan GreaterThan StrictGreaterThan And Or Not
    ModularIndexing Identity TrueDiv IntTrueDiv FloatTrueDiv CeilToInt FloorToInt True False positive
    integer nonnegative negative real finite precision
    """.split()  # noqa: SIM905
)
GUARDS = (
    ast.Expression, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Constant, ast.Name, ast.Load, ast.Subscript,
    ast.Attribute, ast.Call, ast.operator, ast.cmpop, ast.boolop, ast.unaryop, ast.Tuple, ast.List,
)  # fmt: skip
GUARD_NAMES = frozenset(("L", "args", "kwargs", "Mod", "Max", "Min", "FloorDiv", "PythonMod"))
GUARD_PARTS = frozenset(("size", "stride", "storage_offset", "shape", "ndim", "dim"))


class Exported(Program):
    """A program that was exported."""

    what = "an exported program"

    def __init__(self, name: str, program: Any, chosen: ChosenOutputs) -> None:
        super().__init__(name, chosen)
        self.program, self.taken = program, taken_by(name, program)
        self._run: Any = program.module()

    def to(self, device: torch.device) -> None:
        from torch.export.passes import move_to_device_pass

        self.program = move_to_device_pass(self.program, device)
        self._run = self.program.module()

    def run(self, images: Tensor) -> dict[str, Tensor]:
        made = self._run(images)
        if isinstance(made, dict):
            return {str(key): value for key, value in made.items() if isinstance(value, Tensor)}
        many = made if isinstance(made, tuple | list) else (made,)
        return {str(place): value for place, value in enumerate(many) if isinstance(value, Tensor)}


def read_program(name: str, file: Path) -> Any:
    """The program in a file, after a look at all that loading it would run."""
    try:
        with zipfile.ZipFile(file) as archive:
            broken = archive.testzip()
            if broken:
                raise zipfile.BadZipFile(f"'{broken}' is damaged")
            names = [one.lower() for one in archive.namelist()]  # torch's reader knows no case
            if len(set(names)) < len(names):
                raise zipfile.BadZipFile("two of its parts have the same name")
            for member in archive.namelist():
                _check(name, member, archive.read(member))
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise UnseenError(
            f"model '{name}': '{file}' could not be read ({error}). A .pt2 file is what torch.export.save writes; is "
            "it complete?"
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.export.load(str(file))
    except Exception as error:
        raise UnseenError(
            f"model '{name}': '{file}' holds no exported program that this torch ({torch.__version__}) can read "
            f"({type(error).__name__}: {str(error).partition(chr(10))[0][:200]}). Export it again with a torch as old "
            "as this one."
        ) from error


def _check(name: str, member: str, content: bytes) -> None:
    def refuse(what: str) -> UnseenError:
        return UnseenError(
            f"model '{name}': the file holds {what} ({member}); loading it could run code, so it is refused. Export "
            "the plain network (torch.export.export, torch.export.save) where you trust it."
        )

    last = member.rpartition("/")[2]
    if "/aotinductor/" in member or last.endswith((".so", ".dll", ".cpp", ".cubin", ".py", ".ptx")):
        raise refuse("compiled code")
    if last.startswith("custom_obj"):
        raise refuse("an object of somebody's class")
    packed = content[:2] == b"PK" or content[:1] == b"\x80"
    if content and (last.endswith(".pt") or (packed and last.endswith(".json"))):  # the latter: files of older torch
        try:
            torch.load(io.BytesIO(content), weights_only=True)
        except Exception as error:
            raise refuse("more than tensors") from error
        return
    if last.endswith(".json"):
        try:
            found = json.loads(content)
        except ValueError:
            return
        for key, value in _walked(found):
            if key == "target" and isinstance(value, str) and "." in value and not TARGETS.fullmatch(value):
                raise refuse(f"a call of '{value}'")
            if key == "expr_str" and not arithmetic(str(value)):
                raise refuse(f"the expression {value!r:.80}")
            if key == "guards_code" and not all(is_guard(str(one)) for one in value or ()):
                raise refuse("conditions that are more than comparisons of sizes")
            if isinstance(value, str) and "default_factory_module" in value:
                raise refuse("a table with a factory in its arguments")
            if key == "use_pickle" and value is True:
                raise refuse("pickled tensors")


def _walked(found: Any) -> Iterator[tuple[str, Any]]:
    """All keys and values below, also those of tables written as text."""
    waiting = [("", found)]
    while waiting:
        key, one = waiting.pop()
        yield key, one
        if isinstance(one, dict):
            waiting += [(str(name), value) for name, value in one.items()]
        elif isinstance(one, list):
            waiting += [("", value) for value in one]


def arithmetic(text: str) -> bool:
    """Whether an expression of sizes is arithmetic: sympy would run whatever else it is.

    >>> arithmetic("Symbol('s77', positive=True, integer=True)"), arithmetic("__import__('os')")
    (True, False)
    """
    if re.search(r"__|\.\s*[A-Za-z_]|[\[\]{}:;@\\`!]", text):
        return False
    named = re.sub(r"Symbol\(\s*['\"]\w+['\"]", "Symbol(", text)
    if "'" in named or '"' in named:
        return False
    return all(word in WORDS or re.fullmatch(r"[szu]\d+", word) for word in re.findall(r"[A-Za-z_]\w*", named))


def is_guard(text: str) -> bool:
    """Whether a condition compares sizes and does nothing else.

    >>> is_guard("L['args'][0].size()[0] >= 2"), is_guard("L.__class__")
    (True, False)
    """
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError):
        return False
    for node in ast.walk(tree):
        if not isinstance(node, GUARDS):
            return False
        if isinstance(node, ast.Name) and node.id not in GUARD_NAMES:
            return False
        if isinstance(node, ast.Attribute) and node.attr not in GUARD_PARTS:
            return False
    return True


def taken_by(name: str, program: Any) -> InputForm:
    """What pictures a program takes, from the shape it was exported with."""
    asked = list(program.graph_signature.user_inputs)
    shapes = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    tensors = [shapes[one] for one in asked if isinstance(one, str) and isinstance(shapes.get(one), Tensor)]
    if len(asked) != 1 or len(tensors) != 1:
        raise UnseenError(f"model '{name}' takes {len(asked)} inputs; a model of pictures takes one.")
    value = tensors[0]
    return InputForm(
        tuple(side if isinstance(side, int) else None for side in value.shape), str(value.dtype).split(".")[1]
    )
