"""What tests of studies stand on, here too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "studies"))

from studies_fixtures import *  # noqa: F403
