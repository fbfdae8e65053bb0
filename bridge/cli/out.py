"""`--out`: complete or absent, on any storage; and what is shown where nothing is written."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bridge.cli.options import names
from bridge.cli.writing import OVERWRITE, asks_for, may_replace, stop_if_dry
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
    form, columns = (options.pop(name) for name in ("out_format", "partition_by"))
    if out is None:
        if columns:
            msg = "--partition-by says how --out is written; add --out"
            raise click.UsageError(msg, click.get_current_context())
        return None
    target = Target(out, form, columns or (), asks_for(OVERWRITE))
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
    """Reject a folder that exists and may not be replaced, or whose parent does not exist.

    Raises:
        UsageError: saying what to name instead.
    """
    if out is None:
        return
    may_replace(out, "--out")
    if not out.absolute().parent.is_dir():
        msg = f"--out {out}: the folder {out.absolute().parent} does not exist; create it first"
        raise click.UsageError(msg, click.get_current_context())


@contextlib.contextmanager
def new_folder(out: Path | None) -> Iterator[Path]:
    """Yield a path that becomes `out` if the block succeeds, and is removed if it fails or nothing should remain.

    Raises:
        DryRunEnd: the verb has `--dry-run`.
        InputError: another process created `out` in the meantime.
    """
    stop_if_dry()
    parent = None if out is None else out.absolute().parent
    with tempfile.TemporaryDirectory(prefix=".payload-bridge-", dir=parent) as temporary:
        result = Path(temporary) / "result"
        yield result
        if out is not None:
            if asks_for(OVERWRITE) and out.exists():
                out.rename(Path(temporary) / "replaced")
            if out.exists():
                msg = f"--out {out} was created by another process in the meantime; name another folder"
                raise InputError(msg)
            result.rename(out)
