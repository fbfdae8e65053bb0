"""`--out`: complete or absent, on any storage; and what is shown where nothing is written."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bridge.cli.options import names
from bridge.errors import InputError
from bridge.spark import OUTPUT_FORMATS, Target, check_target, is_local, place_of
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

F = TypeVar("F", bound="Callable[..., Any]")

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--out",
        metavar="PATH",
        help="Write the rows to this folder, local or on a storage (s3a://bucket/rows). Default: print them.",
    ),
    click.option(
        "--out-format",
        type=click.Choice(OUTPUT_FORMATS),
        default=OUTPUT_FORMATS[0],
        show_default=True,
        help="The format of --out.",
    ),
    click.option("--partition-by", type=names, metavar="a[,b]", help="The columns whose values name folders in --out."),
    click.option("--overwrite", is_flag=True, help="Replace what --out has, once the new rows are complete."),
)


def out_options(command: F) -> F:
    """Add `--out` and how it is written; `target_of` reads them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def target_of(out: str | None, options: dict[str, Any]) -> Target | None:
    """Take the options of `out_options` out of `options`; None if rows are printed.

    Raises:
        UsageError: a local output that exists, or whose folder does not; options that need `--out`.
    """
    form, columns, overwrite = (options.pop(name) for name in ("out_format", "partition_by", "overwrite"))
    if out is None:
        if columns or overwrite:
            msg = "--partition-by and --overwrite say how --out is written; add --out"
            raise click.UsageError(msg, click.get_current_context())
        return None
    target = Target(out, form, columns or (), overwrite)
    if is_local(out):
        try:
            check_target(target, place_of(out))
        except PayloadBridgeError as error:
            raise click.UsageError(str(error), click.get_current_context()) from error
    return target


class Shown:
    """What a verb shows instead of writing it: frames that Spark keeps, by the names under which they were written."""

    def __init__(self) -> None:
        self.frames: dict[str, DataFrame] = {}

    def write(self, frame: DataFrame, name: str = "") -> None:
        """Compute a frame once, and keep its rows."""
        self.frames[name] = self.aside(frame, name)

    def aside(self, frame: DataFrame, _name: str) -> DataFrame:
        """Compute a frame that later frames are made from."""
        kept = frame.persist()
        kept.write.format("noop").mode("overwrite").save()
        return kept

    def drop(self, name: str) -> None:
        """Keep what `aside` computed: the later frames read it."""


def check_out(out: Path | None) -> None:
    """Reject a folder that exists, or whose parent does not.

    Raises:
        UsageError: saying what to name instead.
    """
    if out is None:
        return
    if out.exists() or out.is_symlink():
        msg = f"--out {out} already exists and is never overwritten; name a new folder or remove it"
        raise click.UsageError(msg, click.get_current_context())
    if not out.absolute().parent.is_dir():
        msg = f"--out {out}: the folder {out.absolute().parent} does not exist; create it first"
        raise click.UsageError(msg, click.get_current_context())


@contextlib.contextmanager
def new_folder(out: Path | None) -> Iterator[Path]:
    """Yield a path that becomes `out` if the block succeeds, and is removed if it fails or nothing should remain.

    Raises:
        InputError: another process created `out` in the meantime.
    """
    parent = None if out is None else out.absolute().parent
    with tempfile.TemporaryDirectory(prefix=".payload-bridge-", dir=parent) as temporary:
        result = Path(temporary) / "result"
        yield result
        if out is not None:
            if out.exists():
                msg = f"--out {out} was created by another process in the meantime; name another folder"
                raise InputError(msg)
            result.rename(out)
