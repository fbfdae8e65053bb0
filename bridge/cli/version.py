"""`payload-bridge --version`: this release, and what it runs on and knows."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import Any

import click
import pyspark

from bridge.errors import JavaNotFoundError
from bridge.spark import find_java
from payloads import HudiRelease


def version(context: click.Context, _option: click.Parameter, value: Any) -> None:
    """Print the versions, and exit."""
    if not value or context.resilient_parsing:
        return
    try:
        own = importlib.metadata.version("hudi-payload-bridge")
    except importlib.metadata.PackageNotFoundError:
        own = "(not installed)"
    try:
        java = str(find_java())
    except JavaNotFoundError:
        java = "none that Spark runs on"
    click.echo(f"payload-bridge {own}")
    click.echo(f"Hudi releases known: {', '.join(map(str, HudiRelease))}")
    click.echo(f"Python {platform.python_version()}, Spark {pyspark.__version__}, Java: {java}")
    context.exit()
