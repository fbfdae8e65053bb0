"""Pages in a headless browser: where one is found, and the driver that opens them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # which a container of root can't have
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
WIDTH, HEIGHT = 1280, 800
READY = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
"""How long a page took to open, in milliseconds."""


def driver() -> Any:
    """Start a browser; skip the test, saying why, where there is none."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    service = shutil.which("chromedriver")
    if browser is None or service is None:
        pytest.skip("no chromium and chromedriver on the PATH (Debian's packages chromium and chromium-driver)")
    options = selenium.ChromeOptions()
    options.binary_location = browser
    for option in _OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return selenium.Chrome(options=options, service=selenium.ChromeService(service))


def opened(browser: Any, path: Path, *, dark: bool = False, width: int = WIDTH, media: str = "") -> Any:
    """Open a page in a window of a size, in light or dark; `media` is `print` for what is printed."""
    size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})
    browser.get(path.as_uri())
    return browser


def found(browser: Any, css: str) -> list[Any]:
    """Return the elements that a selector finds."""
    return list(browser.find_elements("css selector", css))


def lines(browser: Any) -> list[str]:
    """Return the text of each line of the list of keys."""
    return [one.text for one in found(browser, "#list > tbody > tr")]


def broken_rules(browser: Any) -> list[str]:
    """Return what an automated check of accessibility finds fault with."""
    axe = pytest.importorskip("axe_core_python.selenium", reason="axe-core-python is not installed").Axe()
    return [f"{one['id']}: {[node['target'] for node in one['nodes']]}" for one in axe.run(browser)["violations"]]


def check_timelines(rows: Sequence[Mapping[str, Any]]) -> None:
    """Check that the timeline of each listed key ends with the rows that are listed."""
    assert rows
    for one in rows:
        made = {version["label"].partition(" ")[0]: version["row"] for version in one["story"]["versions"]}
        columns = one["story"]["columns"]
        for side, row in zip(one["story"]["sides"], (one["left"], one["right"]), strict=True):
            end = None if side["end"] == "no row" else dict(zip(columns, made[side["end"]], strict=True))
            assert end == row, (one["key"], side["name"])
