"""Constants that Java shares with Python are generated."""

from __future__ import annotations

from bridge.engines.jvm.constants import FILE, constants_java
from bridge.engines.jvm.jars import SOURCES


def test_the_source_is_only_generated():
    assert not (SOURCES / FILE).exists()
    assert "static final int KEEP = 2;" in constants_java()
    assert "static final long LARGEST_MILLIS = 9999999999999L;" in constants_java()
    assert 'static final String[] OPERATIONS = {"-U", "D", "I", "U"};' in constants_java()
