"""`python -m tests.release`: wheel and sdist, built from this checkout, installed and tried in clean environments.

Each is installed without the checkout in reach, and then: its files are those of the packages, `--version`, a page and
the JSON Schema come out of it, mypy checks a user's module against it (`py.typed`), and the wheel runs `demo`.
`--environment` takes one that has the dependencies, in which the package is replaced; otherwise one is made, of
`--pyspark` or with the oldest versions that pyproject.toml allows (`--lowest`).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path
from typing import Final

from tests.support.folders import ROOT
from tests.support.toml import tomllib

_PACKAGES: Final = ("payloads", "mergers", "bridge")
_NAME: Final = "hudi-payload-bridge"
_VERDICT: Final = re.compile(r"^All \d+ answers are real Hudi's", re.MULTILINE)
_USER: Final = """\
from bridge import MergePlan, Verification, verify
from mergers import LawReport
from payloads import HudiRelease

plan: MergePlan = MergePlan(payload="EventTimeAvroPayload", release="0.15", key="id")
release: HudiRelease = plan.release
found: Verification = verify("EventTimeAvroPayload", release=HudiRelease.latest())
report: LawReport = found.report
wrong: int = plan.payload_name
"""
_WRONG: Final = "user.py:9: error: Incompatible types in assignment"
_DATA: Final = "from bridge.report import envelope_schema; assert envelope_schema()['$schema']"


def run(*words: str | Path, cwd: Path, fails: bool = False) -> str:
    """Run a command outside the checkout, and return what it printed; end where it fails, or does not and should."""
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    command = [str(word) for word in words]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if bool(done.returncode) is not fails:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def built(folder: Path) -> tuple[Path, Path]:
    """Build the wheel and the sdist from a copy of the checkout, and compare the files of the wheel with it."""
    tools, copy = folder / "tools", folder / "copy"
    venv.create(tools, with_pip=True)
    run(tools / "bin" / "pip", "install", "-q", "hatchling>=1.27", cwd=folder)
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, copy, ignore=ignored)
    run(tools / "bin" / "python", "-m", "hatchling", "build", "-d", folder / "dist", cwd=copy)
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as files:
        packed = {name for name in files.namelist() if ".dist-info/" not in name}
    own = {
        path.relative_to(copy).as_posix()
        for package in _PACKAGES
        for path in (copy / package).rglob("*")
        if path.is_file()
    }
    if packed != own:
        sys.exit(f"the wheel has other files than the packages: {sorted(packed ^ own)}")
    return wheel, sdist


def lowest() -> list[str]:
    """Return the oldest version of each dependency that pyproject.toml allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    bounds = (re.match(r"([\w-]+)>=([\d.]+)", one) for one in project["dependencies"])
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound is not None and bound[1] != "setuptools"]


def try_out(package: Path, environment: Path, folder: Path, *, demo: bool) -> None:
    """Install a package in place of what an environment has of it, and use it as users do."""
    bin_ = environment / "bin"
    run(bin_ / "pip", "install", "-q", "--force-reinstall", "--no-deps", package, cwd=folder)
    program, page = bin_ / "payload-bridge", folder / "page.html"
    run(program, "--version", cwd=folder)
    run(program, "payloads", "EventTimeAvroPayload", "--report", page, "--overwrite", cwd=folder)
    if "<style>" not in page.read_text("utf-8"):
        sys.exit(f"{page.name} has no style")
    run(bin_ / "python", "-c", _DATA, cwd=folder)
    (folder / "user.py").write_text(_USER)
    mypy = (sys.executable, "-m", "mypy", "--strict", "--python-executable", bin_ / "python", "--cache-dir", folder)
    told = run(*mypy, "user.py", cwd=folder, fails=True)
    errors = [line for line in told.splitlines() if ": error:" in line]
    if [line.partition(" (")[0] for line in errors] != [_WRONG]:
        sys.exit(f"mypy, from outside, says something else than the one mistake:\n{told}")
    if demo and not _VERDICT.search(run(program, "demo", cwd=folder)):
        sys.exit("the demo does not end as it should")


def main() -> None:
    """Build, install, try."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", type=Path, help="one that has the dependencies")
    parser.add_argument("--pyspark", help="the PySpark of a new environment, as 4.*; that of the extra java otherwise")
    parser.add_argument("--lowest", action="store_true", help="a new environment with the oldest versions allowed")
    asked = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, sdist = built(folder)
        environment = asked.environment
        if environment is None:
            environment = folder / "environment"
            venv.create(environment, with_pip=True)
            extra = "" if asked.pyspark or asked.lowest else "[java]"
            more = [f"pyspark=={asked.pyspark}"] if asked.pyspark else []
            more = lowest() if asked.lowest else more
            run(environment / "bin" / "pip", "install", "-q", f"{_NAME}{extra} @ {wheel.as_uri()}", *more, cwd=folder)
        away = folder / "away"
        away.mkdir()
        for package in (sdist, wheel):
            try_out(package, environment.absolute(), away, demo=package == wheel)
            print(f"{package.name}: as it should be, {time.monotonic() - start:.0f} s")  # noqa: T201 (a command)
        versions = run(environment.absolute() / "bin" / "payload-bridge", "--version", cwd=away)
        print(versions.strip())  # noqa: T201 (a command)


if __name__ == "__main__":
    main()
