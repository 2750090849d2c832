"""How long `unseen examine` takes: images drawn, shown to a network, answered, and where a machine can, the page.

    python -m bench.examining --model efficientnet-lite0 --images 4000            # real weights, two CPU cores
    python -m bench.examining --model vit_base_patch16_224 --images 20000 --device cuda   # timm's, random weights

A network of timm's stands here with random weights, since time does not depend on them and no hub is asked. Seconds are
by the clock and of processor time; memory is the most that the process held. The page is written where polars is.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.machine import arguments, where
from unseen.cli.memory import keep_freed_memory


def brought(name: str) -> Any:
    """A model with a name of ours as it is; one of timm's with random weights."""
    from unseen.models.given import bring

    return name if name.startswith("efficientnet-lite") else bring(f"timm:{name}", random=0)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--model", default="efficientnet-lite0")
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--no-feeding-check", action="store_true")
    args = parser.parse_args()
    keep_freed_memory()
    import torch

    from unseen.engines import run_watched
    from unseen.engines.examining import ExamineOptions, examination, feed

    with tempfile.TemporaryDirectory() as place:
        started, spent = time.perf_counter(), time.process_time()
        options = ExamineOptions(images=args.images, map="everyday")
        found = examination(
            [brought(args.model)], options, out=Path(place) / "study", settings={"world.side": args.side}
        )
        has_polars = importlib.util.find_spec("polars") is not None
        if has_polars and not args.no_feeding_check:
            feed(found, args.device)
        outcome = run_watched(found.study, device=args.device, progress=False)
        if outcome.failed:
            raise SystemExit(f"{outcome.failed} failed: {list(found.study.failures().values())}")
        asked = time.perf_counter() - started
        if has_polars:
            from unseen.engines.opened import OpenedStudy

            OpenedStudy(found.study).report()
        seconds, processor = time.perf_counter() - started, time.process_time() - spent
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    place = where(torch.device(args.device)) if args.device != "auto" else "auto"
    print(f"{args.images:,} images of {args.side} px with {args.model}; {place}")
    print(f"  answers {asked:.1f} s, whole {seconds:.1f} s; {processor:.1f} s of processor time, {held:.2f} GB")
    told = {"images": args.images, "seconds": seconds, "answers": asked, "processor": processor, "gigabytes": held}
    print(json.dumps({**told, "page": has_polars, "model": args.model}))


if __name__ == "__main__":
    main()
