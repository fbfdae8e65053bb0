"""What the compilers that Spark carries can't do: Janino 3.0 (PySpark 3.3) and 3.1."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bridge.engines

_SOURCES = sorted(Path(bridge.engines.__file__).parent.glob("java/*.java"))
_LONG_OF_INT = re.compile(r"\bstatic final long \w+ = -?\d+;")


@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: source.stem)
def test_a_constant_long_is_written_as_one(source):
    """Janino 3.0 gives such a field a constant of the literal's type, and Java refuses the class."""
    assert _LONG_OF_INT.findall(source.read_text("utf-8")) == []
