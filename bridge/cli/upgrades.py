"""The options by which another writer takes the same table over: where, by way of which release, at which version."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.options import refuse
from bridge.compare import is_release
from bridge.config import WRITE_TABLE_VERSION
from bridge.programs import Takeover, check_upgrade
from payloads import HudiRelease
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bridge.plan import MergePlan

LAST = "last"


def upgrade_point(text: str) -> int:
    """Read the number of a batch from 1, or `last`, which becomes -1."""
    if text == LAST:
        return -1
    if not text.isdecimal() or int(text) < 1:
        msg = f"{text!r} is not a batch; batches are numbered 1, 2, 3: write N, or {LAST}"
        raise click.BadParameter(msg)
    return int(text)


def upgrade_step(text: str) -> tuple[int, HudiRelease, str]:
    """Read a step of an upgrade: `2=1.0`, or `2=1.2@8` for a writer that names the table version."""
    number, _, named = text.partition("=")
    release, _, version = named.partition("@")
    if not number.isdecimal() or not is_release(release) or ("@" in named and not version.isdecimal()):
        msg = f"{text!r} is not a step of an upgrade; write N=RELEASE or N=RELEASE@VERSION, such as 2=1.0 or 2=1.2@8"
        raise click.BadParameter(msg)
    return int(number), HudiRelease.parse(release), version


def upgrade_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--upgrade-after`, `--via` and `--keep-table-version`."""
    for option in (_KEEPS, _VIA, _AFTER):
        command = option(command)
    return command


_AFTER = click.option(
    "--upgrade-after",
    "--downgrade-after",
    "upgrade_after",
    type=upgrade_point,
    metavar="N|last",
    help="The other side is the same table, upgraded after batch N, or downgraded for an older release; last: only the "
    "reader changes. Default: a new table of the new release.",
)
_VIA = click.option(
    "--via",
    type=upgrade_step,
    multiple=True,
    metavar="N=R[@VERSION]",
    help="The table is upgraded in steps: after batch N to this release, or to the table version that its writer "
    "names; may be repeated.",
)
_KEEPS = click.option("--keep-table-version", is_flag=True, help="The new release writes the table as it is.")


def via_of(given: Sequence[tuple[int, HudiRelease, str]], plan: MergePlan) -> tuple[Takeover, ...]:
    """Return who takes the table of a plan over before `--to` does, in order."""
    found = []
    for after, release, version in sorted(given):
        props = {**plan.props, **({WRITE_TABLE_VERSION.key: version} if version else {})}
        found.append(Takeover(after, dataclasses.replace(plan, release=release, props=props)))
    return tuple(found)


def check_upgrades(plans: Iterable[MergePlan]) -> None:
    """Refuse plans, in order, of which one does not take the table of the one before over.

    Raises:
        BadParameter: as `refuse` words it.
    """
    old: MergePlan | None = None
    for new in plans:
        try:
            if old is not None:
                check_upgrade(old, new)
        except PayloadBridgeError as error:
            refuse(error)
        old = new


def check_options(  # noqa: PLR0913 (one parameter an option)
    to: str | None,
    after: int | None,
    commits: int,
    via: Sequence[tuple[int, HudiRelease, str]],
    *,
    keeps: bool,
    plain: bool = False,
) -> None:
    """Refuse options that contradict each other.

    Raises:
        UsageError: naming the option.
    """
    points = [number for number, *_ in via]
    message = None
    if after is None:
        given = {
            "--keep-table-version says what an upgrade does; add --upgrade-after": keeps,
            "--plain says how another writer takes the table over; add --upgrade-after": plain,
            "--via is a step on the way to --to; add --upgrade-after": bool(via),
        }
        message = next((text for text, holds in given.items() if holds), None)
    elif to is not None and not is_release(to):
        message = f"an upgrade goes to a release, and --to names {to!r}; leave out --upgrade-after"
    elif after > commits:
        message = f"--upgrade-after {after}: there are {commits} batches; name one of them, or {LAST}"
    elif len(set(points)) < len(points) or any(not 1 <= number < after for number in points):
        message = f"--via names a batch from 1 on, before --upgrade-after {after}, and each once; correct the numbers"
    if message is not None:
        raise click.UsageError(message, click.get_current_context())
