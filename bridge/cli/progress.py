"""What long work shows of itself on standard error: a moving line on a terminal, in a log a line every ten seconds."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.spark import Running

_SHORT: Final = 2.0
"""Seconds that a job may take without a word."""
_LOG_EVERY: Final = 10.0
_LOOK_EVERY: Final = 0.5
_LAST_LOOK: Final = 5.0
"""Seconds that a last look may take, where Spark does not answer."""
_MINUTE: Final = 60
_HOUR: Final = 3600


@dataclasses.dataclass
class Pace:
    """A job that runs: when it was first seen, and with how many rows.

    Attributes:
        job: its number.
        since: the moment.
        rows: the rows that its stages had read.
    """

    job: int
    since: float
    rows: int

    def words(self, now: Running, moment: float) -> str:
        """Say how far a job is: rows, rate and the time left, as far as they are known."""
        rate = max(0, now.rows - self.rows) / max(moment - self.since, 0.001)
        told = [f"{now.tasks:,} of {now.of_tasks:,} tasks"] if now.tasks else []
        if now.rows:
            told.append(f"{now.rows:,}{'' if now.of_rows is None else f' of {now.of_rows:,}'} rows")
        if rate >= 1:
            told.append(f"{rate:,.0f} rows/s")
        left = self._left(now, rate, moment)
        told = told or [f"{_time(moment - self.since)} so far"]
        return ", ".join(told if left is None else [*told, f"{_time(left)} left"])

    def _left(self, now: Running, rate: float, moment: float) -> float | None:
        if now.of_rows is not None and rate >= 1:
            return (now.of_rows - now.rows) / rate
        if now.tasks:
            return (moment - self.since) / now.tasks * (now.of_tasks - now.tasks)
        return None


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    return f"{whole // _MINUTE} min" if whole < _HOUR else f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


class Watch:
    """Looks at a run in a thread of its own, and says how far it is once that takes long."""

    def __init__(
        self,
        verb: str,
        running: Callable[[], Running | None],
        *,
        stream: TextIO | None = None,
        after: float = _SHORT,
        every: float = _LOG_EVERY,
    ) -> None:
        """Take what runs; `after` and `every` are seconds: without a word, and between two lines of a log."""
        self._verb = verb
        self._running = running
        self._stream = stream or sys.stderr
        self._after, self._every = after, every
        self._end = threading.Event()
        self._pace: Pace | None = None
        self._said = 0.0
        self._bar: tuple[Progress, Any] | None = None
        self._thread = threading.Thread(target=self._look, name="payload-bridge-progress", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more, and leave no line on a terminal."""
        self._end.set()
        self._thread.join(_LAST_LOOK)

    def _look(self) -> None:
        while not self._end.wait(min(_LOOK_EVERY, self._after)):
            self._tell(self._running(), time.monotonic())
        self._close()

    def _tell(self, now: Running | None, moment: float) -> None:
        if now is None:
            self._close()
            return
        if self._pace is None or self._pace.job != now.job:
            self._pace, self._said = Pace(now.job, moment, now.rows), moment
            if self._bar is None:
                return
        if self._stream.isatty():
            if moment - self._pace.since >= self._after or self._bar is not None:
                self._draw(now, self._pace.words(now, moment))
        elif moment - self._said >= self._every:
            self._said = moment
            what = f": {now.what}" if now.what else ""
            self._stream.write(f"{self._verb}{what}: {self._pace.words(now, moment)}\n")
            self._stream.flush()

    def _draw(self, now: Running, words: str) -> None:
        if self._bar is None:
            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[words]}"))
            bar = Progress(*columns, console=Console(file=self._stream), transient=True)
            self._bar = bar, bar.add_task(now.what or self._verb, words=words)
            bar.start()
        bar, task = self._bar
        done, total = (now.tasks, now.of_tasks) if now.of_rows is None else (now.rows, now.of_rows)
        bar.update(task, description=now.what or self._verb, completed=done, total=total, words=words)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None
