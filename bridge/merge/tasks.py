"""A task of Spark that calls users' classes in Python: whatever they do, it ends with an error that can be told."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark import TaskContext

from bridge.spark import FAILURES
from payloads.user import Capped, no_exit, sendable, watching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bridge.plan import MergePlan

T = TypeVar("T")


@contextlib.contextmanager
def calling_users(plan: MergePlan, task: str = "") -> Iterator[None]:
    """Watch the calls of a plan's classes while a task runs.

    A call that takes too long, or ends the process, raises; what classes print goes to standard error, capped; and an
    error is one that Spark's worker can send.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(Capped(sys.stderr, plan.payload_name)))
        stack.enter_context(no_exit())
        stack.enter_context(watching(plan.call_timeout))
        note = _note_of(task)
        before = None if note is None else _read(note)
        if before is not None:
            raise before
        try:
            yield
        except Exception as error:
            sendable(error)
            if note is not None:
                with contextlib.suppress(Exception):  # an error that can't be pickled is found again
                    note.write_bytes(pickle.dumps(error))
            raise


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
            with calling_users(plan_of(given), task.__name__):
                yield from task(given, *others, **named)

        return guarded

    return decorate
