"""`payload-bridge --version`: this release, and what it runs on and knows."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from pathlib import Path
from typing import Any

import click
import pyspark

from bridge.errors import JavaNotFoundError
from bridge.spark import find_java
from payloads import HudiRelease

_NAME = "hudi-payload-bridge"


def version(context: click.Context, _option: click.Parameter, value: Any) -> None:
    """Print the versions, and exit."""
    if not value or context.resilient_parsing:
        return
    own = _own_version()
    try:
        java = str(find_java())
    except JavaNotFoundError:
        java = "none that Spark runs on"
    click.echo(f"payload-bridge {own}")
    click.echo(f"Hudi releases known: {', '.join(map(str, HudiRelease))}")
    click.echo(f"Python {platform.python_version()}, Spark {pyspark.__version__}, Java: {java}")
    context.exit()


def _own_version() -> str:
    """Return the version of this code: that of a checkout comes from its own file, whatever is installed beside it."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    if project.is_file():
        own = project.read_text("utf-8").partition("[project]\n")[2].partition("\n[")[0]
        found = dict(re.findall(r'^(name|version) = "(.*)"$', own, re.MULTILINE))
        if found.get("name") == _NAME:
            return f"{found['version']} (checkout {project.parent})"
    try:
        return importlib.metadata.version(_NAME)
    except importlib.metadata.PackageNotFoundError:  # an archive on the path of Python
        return "(not installed)"
