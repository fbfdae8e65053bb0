"""A task of Spark that calls users' classes in Python: whatever they do, it ends with an error that can be told."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark import TaskContext

from bridge.spark import FAILURES
from payloads.user import Capped, end_copy_of, no_exit, sendable, watching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bridge.plan import MergePlan

T = TypeVar("T")


def watched(plan: MergePlan, task: str, results: Iterator[T]) -> Iterator[T]:
    """Give the results of a task that calls a plan's classes, and watch the calls.

    A call that takes too long, or ends the process, raises; what classes print goes to standard error, capped; an error
    is one that Spark's worker can send. A copy of the process that a class forks ends before it gives a result.
    """
    process = os.getpid()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(Capped(sys.stderr, plan.payload_name)))
        stack.enter_context(no_exit())
        stack.enter_context(watching(plan.call_timeout))
        if isinstance(results, Generator):  # which ends while it is watched, too
            stack.callback(results.close)
        note = _note_of(task)
        before = None if note is None else _read(note)
        if before is not None:
            raise before
        try:
            for found in results:
                end_copy_of(process)
                yield found
        except Exception as error:
            end_copy_of(process)
            sendable(error)
            if note is not None:
                with contextlib.suppress(Exception):  # an error that can't be pickled is found again
                    note.write_bytes(pickle.dumps(error))
            raise
        finally:
            end_copy_of(process)


def _note_of(task: str) -> Path | None:
    """Return where this task notes why it failed; None where no second attempt would find it."""
    context, folder = TaskContext.get(), os.environ.get(FAILURES)
    if context is None or folder is None or not Path(folder).is_dir():
        return None
    note = Path(folder, f"{task}-{context.stageId()}-{context.partitionId()}")
    if context.attemptNumber() == 0:  # one of an earlier session, whose stages had the same numbers
        note.unlink(missing_ok=True)
    return note


def _read(note: Path) -> Exception | None:
    """Return why the attempt before failed; None for a worker that died, or the first attempt."""
    try:
        found: Exception = pickle.loads(note.read_bytes())  # noqa: S301 (this user's own, noted above)
    except Exception:  # noqa: BLE001 (there is none, or it was cut off)
        return None
    return found


def users_called(
    plan_of: Callable[[Any], MergePlan],
) -> Callable[[Callable[..., Iterator[T]]], Callable[..., Iterator[T]]]:
    """Make a task, a generator, of one that calls the classes of a plan; `plan_of` finds it in the first argument."""

    def decorate(task: Callable[..., Iterator[T]]) -> Callable[..., Iterator[T]]:
        @functools.wraps(task)
        def guarded(given: object, *others: object, **named: object) -> Iterator[T]:
            return watched(plan_of(given), task.__name__, task(given, *others, **named))

        return guarded

    return decorate
