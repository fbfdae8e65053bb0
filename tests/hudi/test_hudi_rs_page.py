"""The page on hudi-rs has what the installed one shows of the recorded tables."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

import pytest

from tests.support.hudi_rs import PAGE, text

if TYPE_CHECKING:
    from pathlib import Path


def test_the_page_has_what_hudi_rs_shows(tables: Path) -> None:
    pytest.importorskip("hudi", reason="the package hudi is not installed")
    page = PAGE.read_text("utf-8")
    if f"hudi-rs {importlib.metadata.version('hudi')} " not in page:
        pytest.skip("the page is of another version of hudi-rs")
    assert page == text(tables)
