"""Values as JSON holds them: no NaN, no numpy, no tuple keys."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """A value as JSON knows it; what is not finite is null.

    >>> plain({"a": float("nan"), 1: np.int64(3), "b": (np.bool_(True), np.array([0.5]))})
    {'a': None, '1': 3, 'b': [True, [0.5]]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | range):
        return [plain(one) for one in value]
    return value.isoformat() if isinstance(value, date) else str(value)


def as_json(value: Any) -> bytes:
    """As JSON, in UTF-8."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
