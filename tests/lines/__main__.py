"""python -m tests.lines: the lines of PySpark that users' clusters have, each in Python 3.10.

One environment has the dependencies, another those of the tests too; the PySpark of a line is put before its own. In
each line `tests.lines.smoke` runs, or pytest with the arguments after `--`: `python -m tests.lines --line 3.3 -- -m
native`. There a test may end in the refusal of what the line lacks (`tests.lines.refused`), and classes of Hudi come
from the bundles that Maven Central gives (`tests.lines.bundles`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.environment import clean_environment
from tests.support.folders import ROOT

LINES: Final = ("3.3", "3.4", "3.5", "4")
"""The newest one of each, which needs Python 3.10 at least."""
_PYTHON: Final = "3.10"


def run(*words: str | Path, **changes: str) -> None:
    """Run a command; end with what it printed where it fails."""
    environment = clean_environment(**changes)
    done = subprocess.run(list(map(str, words)), cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}")


def interpreter(given: str | None) -> str:
    """Return a Python of the version that all lines run on; pyenv, where `python3.10` is its, is told which one."""
    name = given or shutil.which(f"python{_PYTHON}") or ""
    program = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"
    environment = clean_environment(PYENV_VERSION=_PYTHON)
    done = name and subprocess.run([name, "-c", program], env=environment, capture_output=True, text=True, check=False)
    version, _, path = (done.stdout.strip() if done else "").partition(" ")
    if version != _PYTHON:
        sys.exit(f"PySpark 3.3 runs on Python {_PYTHON} at most; name one with --python (tried: {name or 'the PATH'})")
    return path


def main() -> None:
    """Make the environment, and run each line in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--line", choices=LINES, action="append", help="only this; may be repeated")
    parser.add_argument("--python", help=f"a Python {_PYTHON}; that of the PATH otherwise")
    parser.add_argument("--folder", type=Path, help="keeps the environments; a temporary one otherwise")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest, after --")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (asked.folder or Path(temporary)).absolute()
        environment = folder / ("tests" if asked.pytest else "smoke")
        python = environment / "bin" / "python"
        # Most modules are never imported.
        pip = (python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check")
        if not python.exists():
            run(interpreter(asked.python), "-m", "venv", environment)
            run(*pip, f"{ROOT}{'[test]' if asked.pytest else ''}")
        for line in asked.line or LINES:
            start = time.monotonic()
            own = folder / f"pyspark-{line}"
            if not own.exists():
                run(*pip, "--target", own, f"pyspark=={line}.*")
            path = os.pathsep.join(map(str, (own, ROOT)))
            installed = time.monotonic() - start
            words = (
                ("pytest", "-p", "tests.lines.refused", "-p", "tests.lines.bundles", "-n", "0", *asked.pytest)
                if asked.pytest
                else ("tests.lines.smoke",)
            )
            run(python, "-m", *words, PYTHONPATH=path)
            print(f"{line}: {time.monotonic() - start:.0f} s, {installed:.0f} s of them to install", flush=True)  # noqa: T201 (a command)


if __name__ == "__main__":
    main()
