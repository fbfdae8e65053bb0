"""Files and folders of this machine that the command line names, and what is spelt like one that is not there."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bridge.spark import is_local, is_schema_text, local_path
from payloads.errors import did_you_mean
from payloads.jars import jar_paths

if TYPE_CHECKING:
    import os

    AnyType = click.ParamType[Any]
else:
    AnyType = click.ParamType  # before click 8.4 it takes no type

_MOST: Final = 1000
"""The entries of a folder that are looked at."""


class InputFile(click.Path):
    """A file that must exist."""

    def __init__(self, **settings: Any) -> None:
        """Take other settings of `click.Path`."""
        super().__init__(exists=True, dir_okay=False, **settings)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Check that it is there."""
        if not Path(value).exists():
            self.fail(absent("File", str(value)), param, ctx)
        return super().convert(value, param, ctx)


class JarFiles(InputFile):
    """Jars that must exist: one file, or several with commas between them, as `spark-submit --jars` takes them."""

    name = "jars"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return their paths; a file whose own name has a comma is one jar."""
        paths = (value,) if Path(value).exists() else jar_paths(value)
        return tuple(super(JarFiles, self).convert(path, param, ctx) for path in paths)


class InputPath(AnyType):
    """A file or folder to read; a local one must exist."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a local path."""
        text = str(value)
        if is_local(text) and not Path(local_path(text)).exists():
            self.fail(absent("Path", text), param, ctx)
        return text


class SchemaInput(InputPath):
    """A schema, or the file that has it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a local path; what is neither a file nor a schema may have been meant as either."""
        text = str(value)
        if is_schema_text(text):
            return text
        if is_local(text) and not Path(local_path(text)).exists():
            self.fail(f"{absent('Path', text)} A schema is written like 'id string, ts bigint'.", param, ctx)
        return text


def absent(kind: str, path: str) -> str:
    """Say that there is no such `File`, `Directory` or `Path` on this machine, and what is spelt like it beside it."""
    return f"{kind} {path!r} does not exist{spelt_like(path) or '.'}"


def spelt_like(path: str) -> str:
    """Return the end of a message: what the folder of a local path has that is spelt like it; empty for nothing."""
    place = Path(local_path(path))
    try:
        names = [one.name for one in itertools.islice(place.parent.iterdir(), _MOST)]
    except OSError:
        return ""
    return did_you_mean(place.name, names)
