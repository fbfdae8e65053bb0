from __future__ import annotations

import pytest

from tests.mergers.laws.tables import GUIDE, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_generated_page_is_current(name):
    assert (GUIDE / name).read_text(encoding="utf-8") == PAGES[name](), "run python -m tests.mergers.laws.tables"
