"""The API pages of the guide are those of the docstrings, and every public name says since when it exists."""

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
def test_every_public_name_says_since_when_it_exists(package: str) -> None:
    module = importlib.import_module(package)
    says = re.compile(r"^Added in \d+\.\d+\.\d+\.$", re.MULTILINE)
    assert [name for name in module.__all__ if not says.search(docstring_of(module, name))] == []


def test_the_index_links_to_the_pages() -> None:
    index = (GUIDE / "README.md").read_text("utf-8")
    assert [package for package in PACKAGES if f"(api/{package}.md)" not in index] == []
