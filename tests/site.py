"""`python -m tests.site`: the guide is built as a site, every link leads somewhere, and its search finds pages.

An environment of its own gets the packages of the extra `docs`; `--mkdocs` names one that has them. The site is built
with `--strict`, so that a broken link or anchor fails it, and then served on loopback to a headless browser: it asks no
other host, its search finds a page by a word in it, and nothing is logged as an error.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import venv
from pathlib import Path
from typing import Any, Final

from tests.support import GUIDE, ROOT, pages
from tests.support.toml import tomllib

_ELSEWHERE: Final = re.compile(r"<(?:script|img|iframe|link)\b[^>]+(?:src|href)=.?(?:https?:)?//")
_QUERY: Final = "rehearse"
_FOUND: Final = "your_table.html"
_PATIENCE: Final = 20  # seconds


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of a request."""


def generator(folder: Path) -> Path:
    """Install the packages of the extra `docs`, and return the program that builds the site."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    venv.create(folder, with_pip=True)
    packages = project["optional-dependencies"]["docs"]
    subprocess.run([folder / "bin" / "pip", "install", "-q", "--no-compile", *packages], check=True)
    return folder / "bin" / "mkdocs"


def built(mkdocs: Path, site: Path) -> None:
    """Build the site; end where it has a broken link, or asks another host for a part of a page."""
    words = [mkdocs, "build", "--strict", "-f", "migration_guide/mkdocs.yml", "-d", site]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("\n".join(line for line in done.stderr.splitlines() if not line.startswith("INFO")))
    asking = [page.name for page in site.rglob("*.html") if _ELSEWHERE.search(page.read_text("utf-8"))]
    if asking:
        sys.exit(f"pages load parts from other hosts: {', '.join(sorted(asking))}")
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    found = {one["location"].partition("#")[0] for one in index}
    written = {path.relative_to(GUIDE).with_suffix(".html").as_posix() for path in GUIDE.rglob("*.md")}
    if missing := written - {"README.html"} - found:
        sys.exit(f"the search does not know {', '.join(sorted(missing))}")


def searched(site: Path) -> list[str]:
    """Serve the site, search for a word, and return what was found; end where the page logs an error."""
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser: Any = pages.driver()
        try:
            browser.get(f"http://127.0.0.1:{server.server_port}/index.html")
            browser.find_element("css selector", "[data-md-component=search-query]").send_keys(_QUERY)
            found = _results(browser)
            errors = [one["message"] for one in browser.get_log("browser") if one["level"] == "SEVERE"]
        finally:
            browser.quit()
            server.shutdown()
    if errors:
        sys.exit(f"the page logs {errors}")
    return found


def _results(browser: Any) -> list[str]:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        results = browser.find_elements("css selector", ".md-search-result__link")
        if results:
            return [str(one.get_attribute("href")) for one in results]
        time.sleep(0.1)
    sys.exit(f"the search finds nothing for {_QUERY!r}")


def main() -> None:
    """Build the site and try it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mkdocs", type=Path, help="the program, in an environment that has the extra `docs`")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, start = Path(name), time.monotonic()
        built(asked.mkdocs or generator(folder / "tools"), folder / "site")
        found = searched(folder / "site")
        if not any(_FOUND in one for one in found):
            sys.exit(f"the search for {_QUERY!r} finds {', '.join(found)}, and not {_FOUND}")
        print(f"the site was built and searched in {time.monotonic() - start:.0f} s")  # noqa: T201 (a command)


if __name__ == "__main__":
    main()
