"""The guide as a site has every page, and says the licences of what is installed; the extra `docs` checks its links."""

from __future__ import annotations

import re

from tests.support import licences
from tests.support.folders import GUIDE


def test_the_site_has_every_page() -> None:
    navigation = re.findall(r"[\w/]+\.(?:md|ipynb)$", (GUIDE / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    pages = {path.relative_to(GUIDE).as_posix() for kind in ("md", "ipynb") for path in GUIDE.rglob(f"*.{kind}")}
    assert sorted(navigation) == sorted(pages)


def test_the_licences_are_those_of_what_is_installed() -> None:
    """Where they are not: `python -m tests.support.licences`. What others need in turn is not pinned here."""
    page = licences.PAGE.read_text("utf-8")
    own = {name for name, by in licences.needed().items() if any(one.startswith(("this ", "extra ")) for one in by)}
    assert [name for name in sorted(own) if f"| {name} | {licences.licence_of(name)} |" not in page] == []
