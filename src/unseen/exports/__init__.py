"""Exports: rows of a world → files that any other program reads, and a sheet that shows what each factor does."""

from __future__ import annotations

from unseen.exports.plan import FORMATS, plan_export
from unseen.exports.run import Exported, export
from unseen.exports.sheet import contact_sheet, row_sheet

__all__ = ["FORMATS", "Exported", "contact_sheet", "export", "plan_export", "row_sheet"]
