"""Single operations on one key: every version that came in has an outcome, even if no row is left of it."""

from __future__ import annotations

import pytest

from bridge.merge import Action
from bridge.merge.record_merge import RecordMerge
from bridge.programs import PROGRAMS
from bridge.programs.program import Arrival, Origin
from tests.support.one_key import DEFAULT, SCHEMA, plan_of, row
from tests.support.user_payloads import DoesAsTold

DELETE = row(9, deleted=True)


def outcomes_of(name, plan, *versions):
    """Return what a program emits for a key: action, whether there is a row, and what the program adds."""
    program = PROGRAMS[name].program(RecordMerge(plan, SCHEMA))
    program.start(program.merge.key_of({"id": "a"}))
    found = []

    def emit(action, carrier, *extras):
        found.append((action, carrier is not None and carrier.record is not None, *extras))

    for origin, version in versions:
        program.accept(Arrival(origin, 1, version, None), emit)
    program.finish(emit)
    return found


class NothingToStore(DoesAsTold):
    """A row that does not count as a delete, and is told to be ignored."""

    def isDeleted(self, schema, props):  # noqa: N802 (Java's name)
        return False


@pytest.mark.parametrize("release", ["0.15", "1.2"])
@pytest.mark.parametrize(("program", "extras"), [("upsert", ()), ("append", (False, None))])
def test_a_delete_of_an_unknown_key_is_ignored(program, extras, release):
    plan = plan_of(DEFAULT, release, "mor" if program == "append" else "cow")
    assert outcomes_of(program, plan, (Origin.INCOMING, DELETE)) == [(Action.SKIP, False, *extras)]


def test_a_version_that_makes_no_log_entry_is_ignored_and_one_that_does_is_not():
    plan = plan_of(f"{__name__}:NothingToStore", "0.15", inserts_to="log")
    nothing, something = (Origin.INCOMING, row(9, op="skip")), (Origin.INCOMING, row(9, op="own"))
    stored = Origin.STORED, row(1)
    assert outcomes_of("append", plan, nothing) == [(Action.SKIP, False, True, None)]
    assert outcomes_of("append", plan, something) == [(Action.INSERT, True, True, None)]
    assert outcomes_of("append", plan, stored) == [(Action.KEEP, True, False, None)]
    assert outcomes_of("append", plan, stored, nothing) == [
        (Action.KEEP, True, False, None),
        (Action.SKIP, False, True, None),
    ]
