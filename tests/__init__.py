"""Tests, laid out like the packages."""

from __future__ import annotations
