"""A program in a process of its own that ends in time, with every process that it started."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def run_bounded(
    command: Sequence[str], given: str, folder: str, environment: Mapping[str, str], limit: float
) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder` with a text as its input.

    Args:
        command: program and arguments.
        given: its standard input.
        folder: where it runs.
        environment: its environment.
        limit: the seconds that it may take.

    Raises:
        subprocess.TimeoutExpired: it took longer, and was ended.
    """
    # A session of its own: Java, which it starts, must end with it.
    with subprocess.Popen(  # noqa: S603 (our own script)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=dict(environment),
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(given, limit)
        except BaseException:  # out of time, or Ctrl-C
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)
