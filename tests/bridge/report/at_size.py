"""`python -m tests.bridge.report.at_size`: the page of a replay of 100,000 keys, 20,000 differing, and what it costs.

Batches of two sizes are replayed by the command line, in a process of its own, and the page is opened in a headless
browser. Printed are seconds, the most memory of the driver's Python, the size of the page, and how long it takes to
open; the command fails if memory grows with the keys, or the first screen at 1280 x 800 does not hold the answer.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support import ROOT, pages

_COLUMNS: Final = pa.schema(
    [("id", pa.string()), ("day", pa.string()), ("ts", pa.int64()), ("city", pa.string()), ("Op", pa.string())]
)
_RUN: Final = """
import atexit, resource, sys
atexit.register(lambda: print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr))
from bridge.cli import main
main()
"""
_ANSWERS: Final = ("h1", ".figures", ".causes li:nth-child(1)", ".charts .card:nth-child(1)")
_MOST_GROWTH: Final = 100  # MiB
_EACH: Final = 5
"""One key of so many differs."""


class _Made(NamedTuple):
    seconds: float
    peak: float
    size: int


def write_batches(folder: Path, keys: int) -> None:
    """Write a batch that inserts keys, and one that gives a fifth of them versions on which 0.15 and 1.2 part."""
    days = [f"2024-06-{at % 28 + 1:02}" for at in range(keys)]
    first = [(f"k{at:07}", days[at], 10, "Oslo", "I") for at in range(keys)]
    second = [row for at in range(0, keys, _EACH) for row in _parting(at, f"k{at:07}", days[at])]
    for name, rows in (("1.parquet", first), ("2.parquet", second)):
        named = [dict(zip(_COLUMNS.names, row, strict=True)) for row in rows]
        pq.write_table(pa.Table.from_pylist(named, schema=_COLUMNS), folder / name)


def _parting(at: int, key: str, day: str) -> list[tuple[str, str, int, str | None, str]]:
    """Return a late version, a late version after a delete, or a delete that 1.2 does not recognize."""
    match at // _EACH % 4:
        case 0 | 1:
            return [(key, day, 30, "Rome", "U"), (key, day, 20, "Kyiv", "U")]
        case 2:
            return [(key, day, 30, None, "D"), (key, day, 20, "Lima", "U")]
        case _:
            return [(key, day, 30, None, "d")]


def replayed(folder: Path, page: Path) -> _Made:
    """Replay the batches of a folder with a page."""
    plan = "--payload AWSDmsAvroPayload --key id --partition day --ordering ts --from 0.15 --to 1.2 --table-type both"
    words = ["replay", "--batches", str(folder), *plan.split(), "--report", str(page), "--quiet"]
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", _RUN, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if not page.exists():
        sys.exit(done.stderr)
    peak = next(int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("peak "))
    return _Made(time.monotonic() - start, peak / 1024, page.stat().st_size)


def opened(page: Path, picture: Path | None) -> tuple[float, list[str], str]:
    """Open a page: the milliseconds it took, what the first screen does not hold, and its headline."""
    browser: Any = pages.driver()
    try:
        pages.opened(browser, page)
        if picture is not None:
            browser.save_screenshot(str(picture))
        boxes = {css: browser.find_elements("css selector", css)[0].rect for css in _ANSWERS}
        below = [css for css, box in boxes.items() if box["y"] + box["height"] > pages.HEIGHT]
        headline = browser.find_elements("css selector", "h1")[0].text
        return browser.execute_script(pages.READY), below, headline
    finally:
        browser.quit()


def main() -> None:
    """Run, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=100_000, help="how many keys; a tenth of them are replayed before")
    parser.add_argument("--picture", type=Path, help="where to save the first screen as PNG")
    asked = parser.parse_args()
    made = []
    with tempfile.TemporaryDirectory() as name:
        for keys in (asked.keys // 10, asked.keys):
            folder, page = Path(name) / str(keys), Path(name) / f"{keys}.html"
            folder.mkdir()
            write_batches(folder, keys)
            one = replayed(folder, page)
            made.append(one)
            ready, below, headline = opened(page, asked.picture)
            print(f"{keys:,} keys: {headline}")  # noqa: T201 (a command)
            figures = f"{one.seconds:.0f} s, {one.peak:.0f} MiB in the driver's Python, page {one.size:,} bytes"
            print(f"  {figures}, open after {ready:.0f} ms")  # noqa: T201 (a command)
            if below:
                sys.exit(f"the first screen does not hold {', '.join(below)}")
    if made[1].peak > made[0].peak + _MOST_GROWTH:
        sys.exit("the driver's memory grows with the keys")


if __name__ == "__main__":
    main()
