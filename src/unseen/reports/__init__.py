"""Numbers in, pages out: figures, tables, one HTML file. Nothing heavy is imported before a report is written."""

from unseen.reports.blocks import Chart, Html, Page, Pictures, Section, Table, Text
from unseen.reports.contents import Contents, SplitPicture, UnitPicture
from unseen.reports.finding import Finding
from unseen.reports.page import figure_files, write_report
from unseen.reports.pictures import contact_sheet
from unseen.reports.shades import pair_grids, strips
from unseen.reports.terminal import grid_text

__all__ = [
    "Chart",
    "Contents",
    "Finding",
    "Html",
    "Page",
    "Pictures",
    "Section",
    "SplitPicture",
    "Table",
    "Text",
    "UnitPicture",
    "contact_sheet",
    "figure_files",
    "grid_text",
    "pair_grids",
    "strips",
    "write_report",
]
