"""The pictures of the guide are those that the code draws; everybody can read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from tests.support import GUIDE, pages
from tests.support.measured import README, speed_table
from tests.support.pictures import COLOURS, FOLDER, PICTURES

if TYPE_CHECKING:
    from collections.abc import Iterator

SVG = "{http://www.w3.org/2000/svg}"
PAIRS = (
    *(("text", back) for back in ("page", "card", "other", "one")),
    *(("soft", back) for back in ("page", "card", "one")),
    ("bad", "page"),
    *(("card", back) for back in ("good", "bad")),
)
"""What is written on what."""
OUTSIDE = """
const page = document.documentElement.getBoundingClientRect();
return [...document.querySelectorAll("text")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.left < page.left || box.top < page.top || box.right > page.right || box.bottom > page.bottom;
}).map((one) => one.textContent);
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = pages.driver()
    yield found
    found.quit()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_current_and_described(name: str) -> None:
    """Where it is not: `python -m tests.support.pictures`."""
    text = (FOLDER / name).read_text("utf-8")
    assert text == PICTURES[name]()
    root = ET.fromstring(text)  # noqa: S314 (our own file)
    named = (root.find(f"{SVG}{one}") for one in ("title", "desc"))
    assert [one.get("id") for one in named if one is not None and one.text] == root.get("aria-labelledby", "").split()


def test_the_readme_has_the_speed_that_was_measured() -> None:
    """Where it has not: `python -m tests.support.measured`."""
    assert speed_table() in README.read_text("utf-8")


def test_every_picture_is_shown_with_a_text_instead() -> None:
    texts = [page.read_text("utf-8") for page in GUIDE.glob("*.md")]
    shown = [found for text in texts for found in re.findall(r"!\[([^]]+)\]\(pictures/([\w.]+)\)", text)]
    assert sorted(name for _, name in shown) == sorted(PICTURES) == sorted(one.name for one in FOLDER.iterdir())


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), PAIRS)
def test_colours_have_contrast(front: str, back: str, mode: int) -> None:
    """At least 4.5 to 1, as WCAG asks of text."""
    light, dark = sorted((luminance(COLOURS[name][mode]) for name in (front, back)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    channels = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels)
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_leaves_the_picture(name: str, browser: Any) -> None:
    assert pages.opened(browser, FOLDER / name).execute_script(OUTSIDE) == []
