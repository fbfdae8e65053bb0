"""The guide as a site has every page, and says the licences of what is installed; the extra `docs` checks its links."""

from __future__ import annotations

import re
import shlex

from bridge.cli import main
from tests.support import licences
from tests.support.folders import GUIDE


def test_the_site_has_every_page() -> None:
    navigation = re.findall(r"[\w/]+\.(?:md|ipynb)$", (GUIDE / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    pages = {path.relative_to(GUIDE).as_posix() for kind in ("md", "ipynb") for path in GUIDE.rglob(f"*.{kind}")}
    assert sorted(navigation) == sorted(pages)


def test_pages_link_to_files_of_the_guide() -> None:
    """What the site has not, such as a file of the repository, is named and not linked."""
    outside = [
        f"{page.relative_to(GUIDE)}: {target}"
        for page in GUIDE.rglob("*.md")
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", page.read_text("utf-8"))
        if not ((found := (page.parent / target).resolve()).is_relative_to(GUIDE) and found.exists())
    ]
    assert outside == []


def test_the_licences_are_those_of_what_is_installed() -> None:
    """Where they are not: `python -m tests.support.licences`. What others need in turn is not pinned here."""
    page = licences.PAGE.read_text("utf-8")
    own = {name for name, by in licences.needed().items() if any(one.startswith(("this ", "extra ")) for one in by)}
    assert [name for name in sorted(own) if f"| {name} | {licences.licence_of(name)} |" not in page] == []


def test_the_commands_of_the_pages_of_classes_have_the_options_that_they_name() -> None:
    commands = [
        shlex.split(line)
        for page in (GUIDE / "classes").iterdir()
        for line in re.findall(r"^payload-bridge (.+)$", page.read_text("utf-8"), re.MULTILINE)
    ]
    assert len(commands) >= 9 * 4
    for verb, *words in commands:
        known = {name for option in main.commands[verb].params for name in option.opts}
        assert {word for word in words if word.startswith("--")} <= known
