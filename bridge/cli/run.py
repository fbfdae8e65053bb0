"""The run of a verb: the Spark jobs that it starts, what shows how far they are, and what Ctrl-C does to them."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from bridge.cli.progress import Watch
from bridge.spark import RunJobs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_RUN: Final = "bridge.run"
_SECONDS: Final = 15.0
_ENDING: Final = (signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as Ctrl-C does, so that it removes what it began to write."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ended = [one for one in _ENDING if signal.getsignal(one) is signal.SIG_DFL]  # not under nohup
    for one in ended:
        signal.signal(one, _end)
    try:
        yield
    finally:
        for one in ended:
            signal.signal(one, signal.SIG_DFL)


def _end(*_: object) -> NoReturn:
    for one in _ours():  # another one does not interrupt what removes files
        signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt


def _ours() -> list[int]:
    """Return the signals, besides that of Ctrl-C, that end the verb."""
    return [one for one in _ENDING if signal.getsignal(one) is _end]


class VerbRun:
    """A verb that may start Spark.

    Attributes:
        interrupted: whether Ctrl-C has ended it.
    """

    def __init__(self, verb: str, *, quiet: bool) -> None:
        self._verb = verb
        self.quiet = quiet
        self._jobs: RunJobs | None = None
        self._watch: Watch | None = None
        self._handlers: dict[int, Any] = {}
        self.interrupted = False

    def use(self, spark: SparkSession) -> None:
        """Mark the jobs of a session from now on as those of this run; a second call changes nothing."""
        if self._jobs is not None:
            return
        self._jobs = RunJobs(spark)
        if threading.current_thread() is threading.main_thread():
            # PySpark's own handler cancels all jobs of the session, through the connection that is being read.
            self._handlers = {one: signal.signal(one, self._interrupt) for one in (signal.SIGINT, *_ours())}
        if not self.quiet and not self._jobs.can_tell:
            click.echo(
                "progress is not shown: Spark Connect reports it only from PySpark 4.0 on (--quiet hides this)",
                err=True,
            )
        elif not self.quiet:
            self._watch = Watch(self._verb, self._jobs.running)
            self._watch.start()

    def close(self) -> None:
        """End what `use` began."""
        if self._watch is not None:
            self._watch.stop()
        if self.interrupted:
            logging.disable(logging.NOTSET)
        for one, handler in self._handlers.items():
            signal.signal(one, handler)
        if self._jobs is not None and not self.interrupted:
            self._jobs.close()

    def _interrupt(self, *_: object) -> None:
        """Cancel the jobs, and end the verb when they have ended; once more Ctrl-C does not wait."""
        self.interrupted = True
        for one in self._handlers:
            signal.signal(one, signal.default_int_handler if one is signal.SIGINT else signal.SIG_IGN)
        logging.disable()  # py4j logs the end of the call that is waited for
        if self._watch is not None:
            self._watch.stop()
        # This thread's connection to Java may be in the middle of an answer.
        cancelling = threading.Thread(target=self._cancel, daemon=True)
        cancelling.start()
        cancelling.join(_SECONDS)
        raise KeyboardInterrupt

    def _cancel(self) -> None:
        with contextlib.suppress(Exception):  # the session may be gone
            if self._jobs is not None:
                self._jobs.cancel()


@contextlib.contextmanager
def run_of(context: click.Context, *, quiet: bool) -> Iterator[VerbRun]:
    """Make the run of a verb; `current_run` finds it."""
    run = context.meta[_RUN] = VerbRun(context.command.name or "", quiet=quiet)
    try:
        yield run
    except BaseException as error:
        # What is closed on the way out may fail, as its connection to Java was interrupted.
        if run.interrupted and not isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    finally:
        run.close()


def current_run() -> VerbRun | None:
    """Return the run of the verb, inside of one."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_RUN)
