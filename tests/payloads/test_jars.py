"""The jars that a reference names, in each form in which users write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from payloads.jars import jar_paths


@pytest.mark.parametrize(
    ("jar", "paths"),
    [
        (None, ()),
        ("a.jar, b.jar,,a.jar", ("a.jar", "b.jar")),
        (["a,b.jar", Path("c.jar")], ("a,b.jar", "c.jar")),
        (Path("a,b.jar"), ("a,b.jar",)),
    ],
)
def test_paths_come_once_and_in_order(jar, paths):
    assert jar_paths(jar) == paths
