"""`payload-bridge --version`: this release, and what it runs on and knows."""

from __future__ import annotations

import datetime
import importlib.metadata
import platform
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pyspark

from bridge.errors import JavaNotFoundError
from bridge.redaction import current, setting_shown, without_credentials
from bridge.spark import find_java
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def origin_of(words: Sequence[str]) -> str:
    """Return what made a report, for its readers: this version, the time, and the command line without secrets.

    Values that are redacted may stand in the command line, which is left out then.
    """
    now = datetime.datetime.now(datetime.timezone.utc)
    made = f"payload-bridge {_own_version().partition(' ')[0]}, {now:%Y-%m-%d %H:%M} UTC"
    if current().is_active:
        return made
    return f"{made}: {shlex.join(['payload-bridge', *map(_shown, words)])}"


def _shown(word: str) -> str:
    """Return a word of a command line without the secrets of an address or of a setting, also after its option."""
    option, sign, setting = word.partition("=")
    if sign and option.startswith("--") and "=" in setting:
        return f"{option}={_shown(setting)}"
    return without_credentials(f"{option}={setting_shown(option, setting)}" if sign else word)


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
