"""The values of options, read from text: names, numbers, properties, releases, operations, steps of an upgrade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from bridge.compare import is_release
from bridge.config import key_hint
from bridge.pipeline import SqlMerge
from bridge.programs import WriteOperation
from payloads import HudiRelease
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from bridge.pipeline import BatchNumber


SAID: Final = "bridge.said"
"""Warnings that were shown while the command line was read, in the meta of the context of a verb."""


def names(text: str) -> tuple[str, ...]:
    """Read column names, separated by commas; surrounding spaces are ignored."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found) or len(set(found)) < len(found):
        msg = f"{text!r} has an empty or a repeated name; write a or a,b"
        raise click.BadParameter(msg)
    return found


def numbers(text: str) -> tuple[int, ...]:
    """Read numbers of batches, from 1, separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        msg = f"{text!r}: batches are numbered 1, 2, 3; write N or N,N"
        raise click.BadParameter(msg)
    return tuple(sorted({int(part) for part in parts}))


def number_or_all(text: str | int) -> int | None:
    """Read a number, or `all`, which is None."""
    if text == "all":
        return None
    if not str(text).isdecimal():
        msg = f"{text!r} is not a number; write a number, or all"
        raise click.BadParameter(msg)
    return int(text)


def prop(text: str) -> tuple[str, str]:
    """Read one property; the first equals sign separates name and value."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        msg = f"{text!r} is not a property; write key=value"
        raise click.BadParameter(msg)
    if hint := key_hint(key.strip()):
        click.echo(f"warning: {hint}", err=True)
        click.get_current_context().meta.setdefault(SAID, []).append(hint)
    return key.strip(), value


def operation(text: str) -> tuple[int, str | SqlMerge]:
    """Read how a batch is written: `3=delete`, `3=sql_merge:FILE.sql`."""
    number, equals, name = text.partition("=")
    if not equals or not number.strip().isdecimal():
        msg = f"{text!r} does not name a batch and its operation; write N=NAME, such as 3=delete"
        raise click.BadParameter(msg)
    kind, _, path = name.strip().partition(":")
    try:
        found = WriteOperation.parse(kind)
        if (found is WriteOperation.SQL_MERGE) is not bool(path):
            msg = f"{text!r}: only sql_merge has a file, with its statement; write {number}=sql_merge:FILE.sql"
            raise click.BadParameter(msg)
        return int(number), SqlMerge.read(path) if path else found.value
    except PayloadBridgeError as error:
        raise click.BadParameter(str(error)) from error


def release(text: str) -> HudiRelease:
    """Read a release: `0.15`, `0.15.0` and so on."""
    try:
        return HudiRelease.asked(text)
    except PayloadBridgeError as error:
        raise click.BadParameter(str(error)) from error


def batch_number(text: str) -> BatchNumber:
    """Read the number of a batch from 1, or `last`."""
    if text == "last":
        return "last"
    if not text.isdecimal() or int(text) < 1:
        msg = f"{text!r} is not a batch; batches are numbered 1, 2, 3: write N, or last"
        raise click.BadParameter(msg)
    return int(text)


def upgrade_step(text: str) -> tuple[int, str]:
    """Read a step of an upgrade: `2=1.0`, or `2=1.2@8` for a writer that names the table version."""
    number, _, named = text.partition("=")
    release, _, version = named.partition("@")
    if not number.isdecimal() or not is_release(release) or ("@" in named and not version.isdecimal()):
        msg = f"{text!r} is not a step of an upgrade; write N=RELEASE or N=RELEASE@VERSION, such as 2=1.0 or 2=1.2@8"
        raise click.BadParameter(msg)
    return int(number), named
