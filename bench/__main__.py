"""All benches of this machine, one after another: ``python -m bench``.

Each prints a short table with ratios taken in one run; nothing is asserted about time. Each runs in a process of its
own, so that its peak memory is its own; ``python -m bench.training --help`` lists what each can be told.
"""

from __future__ import annotations

import subprocess
import sys

BENCHES = (
    "training",
    "probes_cached",
    "probes_many",
    "model_features",
    "harder_worlds",
    "recording",
    "planning",
    "rendering",
    "drawing",
    "transforms",
    "corruptions",
    "image_prior",
    "invariance",
    "explanations",
    "regression",
    "archives",
    "folders",
    "meshes",
    "near_copies",
    "comparing",
    "viewing",
)


def main() -> int:
    failed = [name for name in BENCHES if subprocess.run([sys.executable, "-m", f"bench.{name}"]).returncode]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
