"""What Linux says of this process and of all below it, the Java VM and Python workers: memory, and processor time."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

_MIB = 1 << 20
_SECONDS = 0.5
_TIMES, _STARTED = slice(11, 13), 19
"""Where `/proc/PID/stat` has the user's and the system's time, and the start, after the name."""
_TICKS: dict[tuple[int, str], int] = {}
"""What each process had used when it was last seen, by its number and start: idle workers end in between."""


def processor_seconds() -> float:
    """Return the CPU seconds, user and system, that all these processes have used; 0 on other systems.

    What a process uses between the last look and its end is not counted.
    """
    for pid in _below(os.getpid()):
        try:
            words = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(") ")[2].split()
        except OSError:  # it has ended
            continue
        _TICKS[pid, words[_STARTED]] = sum(map(int, words[_TIMES]))
    return sum(_TICKS.values()) / os.sysconf("SC_CLK_TCK")


def ratio(used: float, other: float) -> float | None:
    """Return one number of CPU seconds over another; None where nothing was counted."""
    return used / other if used and other else None


def cell(figure: float | None) -> str:
    """Return a figure as a cell of a table, `-` for none."""
    return f"{'-':>10}" if figure is None else f"{figure:10.2f}"


class Memory:
    """The most memory of this process, its Java VM and its Python workers, while the block runs; of Linux alone."""

    def __init__(self) -> None:
        self._most: dict[int, tuple[str, int]] = {}
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watch.join()

    @property
    def found(self) -> dict[str, int]:
        """MiB by process."""
        in_order = sorted(self._most.items())
        workers = [most for _, (name, most) in in_order if name == "worker"]
        own = {name: most for _, (name, most) in in_order if name != "worker"}
        return own | {f"worker {number}": most for number, most in enumerate(workers, start=1)}

    def _look(self) -> None:
        while not self._ended.wait(_SECONDS):
            for pid in _below(os.getpid()):
                status = _status(pid)
                name = _name(pid, status.get("Name", ""))
                if name and "VmHWM" in status:
                    self._most[pid] = name, int(status["VmHWM"].split()[0]) * 1024 // _MIB


def _below(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        threads = [path for path in Path(f"/proc/{pid}/task").iterdir() if path.name != str(pid)]
        for thread in threads:
            children += (thread / "children").read_text(encoding="ascii").split()
    except OSError:  # it has ended
        return
    for child in children:
        yield from _below(int(child))


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def _name(pid: int, command: str) -> str:
    if pid == os.getpid():
        return "driver"
    if command == "java":
        return "java"
    words = _words(pid)
    if "daemon" not in words:
        return ""
    return "worker" if "daemon" in _words(int(_status(pid).get("PPid", "0"))) else "daemon"  # which starts them


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    except OSError:
        return ""
