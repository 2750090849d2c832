"""Both yardsticks on both worlds, written as one table: what docs/results/worlds.md is made from.

    python -m bench.yardsticks --meshes MODELS --device cuda --out yardsticks.parquet        # 54 classes × 50 objects
    python -m bench.yardsticks --meshes MODELS --objects 3 --views 1 --seen 1 --side 64      # all of it, tiny
    python -m bench.yardsticks --only "difficulty, everyday" --objects 12 --views 2 --out yardsticks.parquet

The table is written after each run, and a run that it holds is not made again: a session that was cut off goes on.
"""

from __future__ import annotations

import datetime
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from bench import difficulty, realism
from bench.intervals import check_table_file
from bench.machine import arguments, where
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.whole_files import written_aside

EVERYDAY, NATURAL = ["--set", "collection=everyday"], ["--set", "variation=natural"]
LEAST, MOST = 15, 20  # objects of a class of meshes: 53 classes of the set for results have 15, few have more than 20


def runs(meshes: str | None, objects: int, views: int, seen: int) -> dict[str, list[str]]:
    """The words of each run, by its name."""
    asked = ["--objects", str(objects), "--views", str(views)]
    few = ["--set", f"instances={seen}"]
    found = {
        "difficulty, everyday": ["natural-variation", *EVERYDAY, *NATURAL, "--set", "classes=54", *asked],
        "realism, everyday": ["objects", *EVERYDAY, "--set", "variation=natural-upright", *few],
        "difficulty, first": ["natural-variation", "--set", "classes=38", *asked],
        "realism, first": ["objects", *few],
    }  # fmt: skip
    if meshes is not None:
        these, few_meshes = ["--set", f"meshes={meshes}"], min(MOST, objects)
        found["difficulty, meshes"] = ["natural-variation", *these, "--set", "variation=natural",
                                       "--least", str(min(LEAST, few_meshes)), "--objects", str(few_meshes),
                                       "--views", str(views)]  # fmt: skip
        found["realism, meshes"] = ["objects", *these, "--set", "variation=natural-upright", *few]
    return found


def packed(rows: Sequence[dict[str, Any]], run: str, **told: Any) -> list[dict[str, Any]]:
    """Rows of either yardstick as rows of the one table."""
    return [
        {
            "run": run, "features": row.get("features", "ImageNet"), "class": row.get("class", row.get("category")),
            **{name: row[name] for name in ("condition", "measure", "value", "low", "high")},
            "objects": int(row["objects"]), "pictures": int(row["pictures"]), **told,
        }
        for row in rows
    ]  # fmt: skip


def table_of(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return pq.read_table(path).to_pylist() if path.is_file() else []


def measured(run: str, words: list[str], device: str) -> list[dict[str, Any]]:
    """One run, its printout as ever, and its rows with what they were made by."""
    yardstick: Callable[[Sequence[str]], int] = difficulty.main if run.startswith("difficulty") else realism.main
    module = "difficulty" if run.startswith("difficulty") else "realism"
    command = f"python -m bench.{module} {shlex.join(named_without_place(words))}"
    print(f"\n{run}: {command}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        started = time.perf_counter()
        with torch.set_grad_enabled(module == "difficulty"):
            failed = yardstick([*words, "--device", device, "--out", str(path)])
        if failed:
            raise UnseenError(f"{run} was not measured; the reason stands above.")
        return packed(
            table_of(path), run, command=command, machine=where(torch.device(device)),
            date=datetime.datetime.now(datetime.UTC).date().isoformat(), seconds=time.perf_counter() - started,
        )  # fmt: skip


def named_without_place(words: Sequence[str]) -> list[str]:
    """Words of a command without where a machine keeps its meshes."""
    return [f"meshes={Path(one.removeprefix('meshes=')).name}" if one.startswith("meshes=") else one for one in words]


def main(argv: Sequence[str] | None = None) -> int:
    parser = arguments(__doc__)
    parser.add_argument("--meshes", help="a folder of meshes; without it they are left out")
    parser.add_argument("--objects", type=int, default=50, help="of each class, for difficulty")
    parser.add_argument("--views", type=int, default=4, help="pictures of each object for each factor")
    parser.add_argument("--seen", type=int, default=realism.OBJECTS, help="objects of each class, for realism")
    parser.add_argument("--side", type=int, help="of the pictures (default: 160 and 224)")
    parser.add_argument("--only", nargs="+", metavar="RUN", help="names such as 'difficulty, everyday'")
    parser.add_argument("--out", metavar="FILE", help="the table, .parquet; runs that it has are not made again")
    args = parser.parse_args(argv)
    try:
        check_table_file(args.out)
        if args.out and Path(args.out).suffix != ".parquet":
            raise UnseenError(f"--out {args.out}: this table grows run by run and is written as .parquet.")
        each = runs(args.meshes, args.objects, args.views, args.seen)
        wrong = [name for name in args.only or () if name not in each]
        if wrong:
            raise UnseenError(
                f"no run {listed(wrong)}; there are {listed(list(each))} (those of meshes need --meshes)."
            )
        table = table_of(Path(args.out)) if args.out else []
        for run, words in each.items():
            if (args.only and run not in args.only) or any(row["run"] == run for row in table):
                continue
            table += measured(run, [*words, *(["--side", str(args.side)] if args.side else [])], args.device)
            if args.out:
                write(Path(args.out), table)
    except UnseenError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def write(path: Path, table: Sequence[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with written_aside(path) as file:
        pq.write_table(pa.Table.from_pylist(list(table)), file, compression="zstd")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
