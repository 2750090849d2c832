"""A user's own modules run from their source, never from a compiled file beside it.

Trust goes by the text of the source (`vocabulary.trust`). A file in ``__pycache__`` need not be that text compiled, and
Python runs one marked as unchecked without a look at the source. This holds for all that is imported from then on, also
for what a network imports only when it is made.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from unseen.vocabulary.sources import is_installed

_OURS = Path(__file__).resolve().parents[1]


class _FromSource(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Finder(importlib.abc.MetaPathFinder):
    """What Python's own finder finds by its path, which would be asked next."""

    def find_spec(
        self,
        fullname: str,
        path: Any,  # of a folder without a file of its own no sequence
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return None
        file = Path(spec.loader.path)
        if is_installed(file) or file.resolve().is_relative_to(_OURS):
            return None
        spec.loader, spec.cached = _FromSource(spec.loader.name, spec.loader.path), None
        return spec


_finder = _Finder()


def run_from_source() -> None:
    """From now on, in this process."""
    if _finder not in sys.meta_path:
        own = importlib.machinery.PathFinder
        place = sys.meta_path.index(own) if own in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(place, _finder)
