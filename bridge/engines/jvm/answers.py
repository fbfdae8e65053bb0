"""What Java answers to the steps of `PayloadCalls`, in the types of its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class JavaCause(TypedDict):
    """An exception: its full class name and its message."""

    type: str
    message: str | None


class JavaError(JavaCause):
    """An exception that a step raised, with the innermost methods of its stack and what caused it.

    Attributes:
        reason: what to tell where the exception alone does not say it: a class that is missing, a call that was ended.
    """

    at: list[str]
    causes: list[JavaCause]
    reason: NotRequired[str]


class JavaAnswer(TypedDict, total=False):
    """The answer to a step; which entries there are depends on the step.

    Attributes:
        deletes: whether what a merger answered is a delete.
        current_after: the stored row after the call, where that changed it; base64 of Avro.
        error: what the step raised; there is nothing else then.
        misfit: why the record does not fit its own schema; there is no `record` then.
        outcome: `record`, `empty` or `sentinel`.
        record: base64 of Avro.
        schema: the number of the record's schema.
        side: which of the objects given to a merger it returned: `older`, `newer`, `new`.
        skipped: the payload could not be built, or went with a connection that failed.
        value: what a getter returns: an ordering value as type and text, a boolean, metadata.
        winner: which of the objects given to a method it returned: `self`, `older`, `newer`, `own`, `current`,
            `new`, `null`; of a merger, whose data it is.
    """

    current_after: str | None
    deletes: bool
    error: JavaError
    misfit: str
    outcome: str
    record: str | None
    schema: int
    side: str
    skipped: bool
    value: list[str] | dict[str, str] | bool | str | None
    winner: str
