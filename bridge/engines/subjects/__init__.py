"""Compiled payload classes as subjects of the laws, and of whatever asks a class for its answers."""

from __future__ import annotations

from bridge.engines.subjects import java_elsewhere
from bridge.engines.subjects.compiled import Compiled, compiled

__all__ = ["Compiled", "compiled", "java_elsewhere"]
