from __future__ import annotations

import importlib
import pkgutil
import types
from pathlib import Path

import pytest


def _pinned() -> dict[str, list[str]]:
    """Return the names by package: written out in a file, so that a change of one shows up as a decision."""
    names: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("public_names.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            names[line.strip("[]")] = package = []
        elif line and not line.startswith("#"):
            package.append(line)
    return names


PUBLIC = _pinned()


@pytest.mark.parametrize("package", PUBLIC)
def test_all_is_what_is_promised(package):
    assert sorted(importlib.import_module(package).__all__) == PUBLIC[package]


@pytest.mark.parametrize("package", PUBLIC)
def test_every_promised_name_is_there(package):
    module = importlib.import_module(package)
    assert [name for name in PUBLIC[package] if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PUBLIC)
def test_no_module_takes_the_place_of_a_public_name(package):
    found = importlib.import_module(package)
    for module in pkgutil.iter_modules(found.__path__):
        importlib.import_module(f"{package}.{module.name}")
    assert [name for name in found.__all__ if isinstance(getattr(found, name), types.ModuleType)] == []
