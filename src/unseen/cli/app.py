"""All commands of `unseen`, in the order in which its help lists them: a module adds its own to the app."""

from __future__ import annotations

# ruff: noqa: F401, I001
from unseen.cli import study_commands
from unseen.cli import result_commands
from unseen.cli import model_commands
from unseen.cli import compare_commands
from unseen.cli import answer_commands
from unseen.cli import catalogue_commands
from unseen.cli.root import app

__all__ = ["app"]
