"""The run of a verb: the Spark jobs that it starts, what shows how far they are, and what Ctrl-C does to them."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

import click

from bridge.cli.progress import Watch
from bridge.spark import RunJobs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_RUN: Final = "bridge.run"
_SECONDS: Final = 15.0


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
        self._handler: Any = None
        self.interrupted = False

    def use(self, spark: SparkSession) -> None:
        """Mark the jobs of a session from now on as those of this run; a second call changes nothing."""
        if self._jobs is not None:
            return
        self._jobs = RunJobs(spark)
        if threading.current_thread() is threading.main_thread():
            # PySpark's own handler cancels all jobs of the session, through the connection that is being read.
            self._handler = signal.signal(signal.SIGINT, self._interrupt)
        if not self.quiet and not self._jobs.can_tell:
            click.echo("progress is not shown: Spark Connect tells it from PySpark 4.0 on (--quiet)", err=True)
        elif not self.quiet:
            self._watch = Watch(self._verb, self._jobs.running)
            self._watch.start()

    def close(self) -> None:
        """End what `use` began."""
        if self._watch is not None:
            self._watch.stop()
        if self.interrupted:
            logging.disable(logging.NOTSET)
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._jobs is not None and not self.interrupted:
            self._jobs.close()

    def _interrupt(self, *_: object) -> None:
        """Cancel the jobs, and end the verb when they have ended; once more Ctrl-C does not wait."""
        self.interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
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
