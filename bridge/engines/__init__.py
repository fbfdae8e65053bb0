"""How a merge is run on the data: one engine a module."""

from __future__ import annotations
