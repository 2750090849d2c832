"""Vega, Vega-Lite and vega-embed as one script: made once for a process, which takes a second or two."""

from __future__ import annotations

import threading
from functools import lru_cache

_making = threading.Lock()


def vega() -> str:
    """The script; ``window.vegaEmbed`` draws a specification."""
    with _making:  # who comes while it is made waits for it
        return _made()


@lru_cache(maxsize=1)
def _made() -> str:
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", "6.4")
