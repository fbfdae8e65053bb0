"""Constants that Java shares with Python are generated, and the modes that Java is asked for are those that it has."""

from __future__ import annotations

import re

from bridge.engines.jvm.constants import FILE, constants_java
from bridge.engines.jvm.jars import SOURCES
from bridge.engines.jvm.job import MODES_IN_JAVA


def test_the_source_is_only_generated():
    assert not (SOURCES / FILE).exists()
    assert "static final int KEEP = 2;" in constants_java()
    assert "static final long LARGEST_MILLIS = 9999999999999L;" in constants_java()
    assert 'static final String[] OPERATIONS = {"-U", "D", "I", "U"};' in constants_java()


def test_java_is_asked_for_the_merge_modes_alone_that_it_has():
    written = (SOURCES / "ModeMerger.java").read_text("utf-8")
    assert set(re.findall(r"MergeMode\.(\w+)\.equals\(mode\)", written)) == {mode.name for mode in MODES_IN_JAVA}
