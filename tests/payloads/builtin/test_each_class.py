"""Each built-in class has a file of tests here."""

from __future__ import annotations

import importlib
import pkgutil

import tests.payloads.builtin as package
from payloads import builtin_payloads


def test_each_class_has_a_file():
    names = [one.name for one in pkgutil.iter_modules(package.__path__)]
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    tested = {module.NAME for module in modules if hasattr(module, "NAME")}
    assert tested == {found.__name__ for found in builtin_payloads()}
