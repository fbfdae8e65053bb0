"""What a shell completes besides verbs and options: the names of payload classes, merge modes and releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mergers import RecordMergeMode
from payloads import HudiRelease, builtin_payloads

if TYPE_CHECKING:
    import click


def payloads_from(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """Return the short names of Hudi's classes that begin with a text."""
    names = {one.java_name.rpartition(".")[2] for one in builtin_payloads()}
    return sorted(name for name in names if name.startswith(start))


_RELEASES = [one.value.partition(" ")[0] for one in HudiRelease.__members__.values()]
"""The releases as they are written, previews among them, which iteration leaves out."""


def releases_from(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """Return the releases that begin with a text."""
    return [name for name in _RELEASES if name.startswith(start)]


MERGE_MODES = [mode.value for mode in RecordMergeMode if mode is not RecordMergeMode.CUSTOM]


def modes_from(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """Return the merge modes that begin with a text."""
    return [name for name in MERGE_MODES if name.startswith(start)]


def rules_from(context: click.Context, option: click.Parameter, start: str) -> list[str]:
    """Return the merge modes and payload classes that begin with a text."""
    return modes_from(context, option, start) + payloads_from(context, option, start)


def targets_from(context: click.Context, option: click.Parameter, start: str) -> list[str]:
    """Return the releases, merge modes and payload classes that begin with a text: what `--to` takes."""
    return releases_from(context, option, start) + rules_from(context, option, start)
