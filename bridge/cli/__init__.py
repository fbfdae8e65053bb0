"""The command line: the group, its shared options, and one module a verb."""

from __future__ import annotations

from bridge.cli.group import main

__all__ = ["main"]
