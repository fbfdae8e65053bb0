"""The API pages of the guide are those of the docstrings; a name that came after the first version says when."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.support import GUIDE
from tests.support.api_pages import PACKAGES, docstring_of, page_of, text_of


@pytest.mark.parametrize("package", PACKAGES)
def test_a_page_is_current(package: str) -> None:
    """Where it is not: `python -m tests.support.api_pages`."""
    assert page_of(package).read_text("utf-8") == text_of(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if not docstring_of(module, name)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_version_that_a_public_name_says_is_a_later_one_than_the_first(package: str) -> None:
    module = importlib.import_module(package)
    *later, _first = re.findall(r"^## (\S+)$", (GUIDE / "changelog.md").read_text("utf-8"), re.MULTILINE)
    said = {name: re.findall(r"^Added in (.+)\.$", docstring_of(module, name), re.MULTILINE) for name in module.__all__}
    assert {name: versions for name, versions in said.items() if not set(versions) <= set(later)} == {}


def test_the_index_links_to_the_pages() -> None:
    index = (GUIDE / "README.md").read_text("utf-8")
    assert [package for package in PACKAGES if f"(api/{package}.md)" not in index] == []
