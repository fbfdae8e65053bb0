"""A browser, and a page of a report in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bridge.report import Report, write_report
from bridge.spark import place_of
from tests.support import pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = pages.driver()
    yield found
    found.quit()


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Any:
    def show(report: Report, **settings: Any) -> Any:
        write_report(report, place_of(tmp_path / "page.html"))
        return pages.opened(browser, tmp_path / "page.html", **settings)

    return show
