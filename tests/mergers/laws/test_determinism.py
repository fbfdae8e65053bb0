from __future__ import annotations

import collections
import json
import subprocess
import sys
import textwrap
import threading
from typing import ClassVar

import pytest
from click.testing import CliRunner

from bridge.cli import main
from mergers import AvroRecordMerger
from mergers.laws import (
    LawNotCheckedError,
    Verdict,
    check_laws,
    find_violation,
    interpreter,
    law_cases,
    repetition,
)
from mergers.laws.conditions import OTHERS, OURS
from mergers.laws.evaluate import Evaluator
from mergers.laws.jobs import answered, jobs_of
from mergers.laws.modes import MODES
from mergers.laws.repetition import Repetition, is_ours
from mergers.laws.rules import DETERMINISM
from mergers.laws.subject import subject_of as judged_subject
from mergers.laws.universe import small_universe
from payloads import builtin_payloads
from tests.mergers.laws.faulty import FirstMapEntry, Merger, TiesByHash
from tests.mergers.laws.lawful import CamelCase, Inherits, LaterPayload, LaterWins
from tests.mergers.laws.test_defects import SETTINGS
from tests.mergers.laws.together import PROGRAM, Together
from tests.mergers.laws.undetermined import DETERMINED, IDENTITY, UNDETERMINED, DeletesByHour
from tests.support import ROOT


def subject_of(subject, **settings):
    given = {**SETTINGS, "laws": ["determinism"], "domain": "data", "exhaustive": True, **settings}
    (result,) = check_laws(subject, **given).results
    return result


# -- what decides a tie


@pytest.fixture(scope="module")
def together():
    """Return what starts interpreters for all that is undetermined at once."""
    return Together([one for one, _ in UNDETERMINED], **SETTINGS, release="1.2", props={})


@pytest.mark.parametrize(("subject", "cause"), [pytest.param(*one, id=one[0].__name__) for one in UNDETERMINED])
def test_what_decides_a_tie_is_found_and_named(subject, cause, together, monkeypatch):
    monkeypatch.setenv("PAYLOAD_TIES", "older")
    if cause != IDENTITY:  # which depends on the objects that others made before
        monkeypatch.setattr(interpreter, "_PROGRAM", PROGRAM)
        monkeypatch.setattr(repetition, "Interpreters", together)
    result = subject_of(subject)
    assert result.verdict is Verdict.VIOLATED, str(result)
    assert cause in result.counterexample.cause
    assert result.counterexample.cause in str(result)


def test_what_decides_only_about_deletes_is_found_among_them():
    report = check_laws(DeletesByHour, **SETTINGS, laws=["determinism"], domain=("data", "flagged"), exhaustive=True)
    data, flagged = report.results
    assert (data.verdict, flagged.verdict) == (Verdict.PROVED, Verdict.VIOLATED)
    assert "clock" in flagged.counterexample.cause


ADDRESSES = """
from mergers.laws.process_conditions import shuffled_memory

move = shuffled_memory(1)
found = set()
for _ in range(100):
    move()
    found.add(id(object()))
print(len(found))
"""


def test_objects_that_are_dropped_at_once_lie_at_many_addresses():
    told = subprocess.run([sys.executable, "-c", ADDRESSES], check=True, capture_output=True, cwd=ROOT)
    assert int(told.stdout) > 50


ASKED_BEFORE = """
import datetime
from mergers.laws.conditions import Conditions
from mergers.laws.process_conditions import apply_conditions

def year():
    return datetime.datetime.now().year, datetime.datetime.utcnow().year

for _ in range({looks}):
    year()
apply_conditions(Conditions(clock=1), 0)
exec("print(datetime.datetime.now().year, datetime.datetime.utcnow().year)")
year()
"""


@pytest.mark.parametrize("looks", [1, 99])
def test_what_starts_python_may_have_asked_for_the_time(looks):
    """Python remembers what it has found in a class, without a reference of its own."""
    words = [sys.executable, "-c", ASKED_BEFORE.format(looks=looks)]
    told = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    assert told.stdout.split() == ["2001", "2001"]


@pytest.mark.parametrize("subject", DETERMINED, ids=lambda value: value.__name__)
def test_what_decides_nothing_is_not_a_defect(subject):
    result = subject_of(subject)
    assert result.verdict is Verdict.PROVED, str(result)
    assert result.detail.endswith("; alike in 3 other processes")


def test_other_processes_repeat_merges_where_examples_alone_are_tried():
    result = subject_of(UNDETERMINED[1][0], exhaustive=False, examples=5)
    assert (result.verdict, result.detail) == (Verdict.VIOLATED, "in another process")


def test_one_choice_of_operands_is_repeated_elsewhere_too():
    subject = next(one for one, cause in UNDETERMINED if cause == "calls")
    row, versions = subject_of(subject).counterexample.operands
    found = find_violation(subject, "determinism", row, versions, **SETTINGS)
    assert found is not None
    assert find_violation(DETERMINED[0], "determinism", row, versions, **SETTINGS) is None


def test_the_equality_of_the_check_holds_for_other_processes():
    result = subject_of(FirstMapEntry, equality=lambda left, right, _schema: {**left, "v": 0} == {**right, "v": 0})
    assert result.verdict is Verdict.PROVED


BUILT_IN = [*(one.__name__ for one in builtin_payloads("1.2")), MODES[0], MODES[3]]
AS_THEY_ARE = {"schema": None, "key": (), "ordering_fields": None, "release": "1.2", "props": {}}


@pytest.fixture(scope="module")
def built_in_together():
    return Together(BUILT_IN, "flagged", **AS_THEY_ARE)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_classes_repeat_alike_everywhere(name, built_in_together, monkeypatch):
    monkeypatch.setattr(interpreter, "_PROGRAM", PROGRAM)
    monkeypatch.setattr(repetition, "Interpreters", built_in_together)
    found = judged_subject(name, **AS_THEY_ARE)
    universe = small_universe(found.spec, "flagged", lambda _version: False)
    assert Repetition(Evaluator(found.algebra), jobs_of(DETERMINISM, universe)).difference() is None


class CountsMerges(LaterPayload):
    merged: ClassVar[collections.Counter[str]] = collections.Counter()

    def pre_combine(self, older):
        self.merged[repr((older.record, older.ordering_value, self.record, self.ordering_value))] += 1
        return super().pre_combine(older)


def test_each_round_merges_anew():
    """A class that rolls dice where versions tie is found by the number of its rolls."""
    found = judged_subject(CountsMerges, **SETTINGS, release="1.2", props={})
    jobs = jobs_of(DETERMINISM, small_universe(found.spec, "data", lambda _version: False))
    CountsMerges.merged.clear()
    assert len(answered(found.algebra, jobs, OURS)) == len(jobs.operands) * jobs.rounds
    assert {*CountsMerges.merged.values()} == {jobs.rounds}


# -- classes that no module holds


CLASS = """
    import sys
    from datetime import datetime
    from mergers.laws import check_laws

    LIMIT = 12

    class Late:
        def __init__(self, record, ordering_value):
            self.record, self.ordering_value = record, ordering_value

        def pre_combine(self, older):
            return older if {decides} else self

        def combine_and_get_update_value(self, current, schema):
            return self.record

        def get_insert_value(self, schema):
            return self.record

    def check():
        print("checking")
        print(check_laws(Late, laws=["determinism"], domain="data", exhaustive=True))
"""
GUARDED = '\nif __name__ == "__main__":\n    check()\n'


OPEN = "\ncheck()\n"
CLOCK = "datetime.now().hour < LIMIT", ["determinism [data]: violated", "changes with the clock"]
FIXED = "LIMIT > 20", ["determinism [data]: proved", "alike in 3 other processes"]


@pytest.mark.parametrize(
    ("end", "decides", "told"),
    [
        pytest.param(GUARDED, *CLOCK, id="guarded"),
        pytest.param(OPEN, *FIXED, id="open"),
        pytest.param(GUARDED, *FIXED, id="guarded, fixed", marks=pytest.mark.long),
        pytest.param(OPEN, *CLOCK, id="open, clock", marks=pytest.mark.long),
    ],
)
def test_the_class_of_a_script_is_repeated_elsewhere(tmp_path, end, decides, told):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(CLASS.format(decides=decides)) + end, "utf-8")
    words = [sys.executable, str(script)]
    answer = subprocess.run(words, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert answer.stdout.count("checking") == 1
    for words in told:
        assert words in answer.stdout


def test_the_class_of_a_notebook_is_repeated_elsewhere():
    cell = textwrap.dedent(CLASS.format(decides="datetime.now().hour < LIMIT")) + "\ncheck()\n"
    answer = subprocess.run([sys.executable, "-"], cwd=ROOT, input=cell, capture_output=True, text=True, check=True)
    assert "changes with the clock" in answer.stdout


def test_a_class_inside_a_function_is_repeated_elsewhere():
    class Local(TiesByHash):
        pass

    assert subject_of(Local).verdict is Verdict.VIOLATED


# -- what no other process could repeat


class Locked(Merger):
    """It can't be pickled."""

    def __init__(self):
        self.lock = threading.Lock()

    def merge(self, older, newer, schema, props):
        with self.lock:
            return self.later(older, newer)


MODULE = """
import os, sys
from tests.mergers.laws.lawful import LaterWins

if "mergers.laws.process_conditions" in sys.modules:
    {crash}

class Mine(LaterWins):
    pass
"""


@pytest.fixture
def crashing(tmp_path, monkeypatch):
    """Return what makes a merger of a statement that its module runs in other interpreters."""
    monkeypatch.syspath_prepend(tmp_path)

    def made(crash):
        (tmp_path / "crashing_merger.py").write_text(MODULE.format(crash=crash), "utf-8")
        return "crashing_merger:Mine"

    yield made
    sys.modules.pop("crashing_merger", None)


@pytest.mark.parametrize(
    ("crash", "reason"),
    [
        ("raise RuntimeError('no seat')", "ended with exit code 1 (RuntimeError: no seat)"),
        ("os._exit(3)", "ended with exit code 3;"),
        ("os.abort()", "ended with signal 6;"),
    ],
)
def test_an_interpreter_that_ends_does_not_count_as_agreement(crashing, crash, reason):
    result = subject_of(crashing(crash))
    assert result.verdict is Verdict.NOT_CHECKED
    assert reason in result.detail


def test_an_interpreter_that_never_answers_does_not_count_as_agreement(crashing, monkeypatch):
    monkeypatch.setattr(interpreter, "_TIMEOUT", 1)
    result = subject_of(crashing("import time; time.sleep = None\n    while True: pass"))
    assert result.verdict is Verdict.NOT_CHECKED
    assert "sent no result within 1 seconds" in result.detail


def test_what_cannot_be_sent_is_not_checked():
    result = subject_of(Locked())
    assert result.verdict is Verdict.NOT_CHECKED
    assert "it can't be sent to another interpreter" in result.detail
    assert "lock" in result.detail


def test_without_cloudpickle_a_local_class_is_not_checked(monkeypatch):
    class Local(TiesByHash):
        pass

    monkeypatch.setattr(interpreter, "_by_value", lambda: None)
    result = subject_of(Local)
    assert result.verdict is Verdict.NOT_CHECKED
    assert "put it in a module, or install cloudpickle" in result.detail


def test_a_test_of_what_is_not_checked_fails():
    (case,) = law_cases(Locked(), **SETTINGS, domain="data", laws=["determinism"], exhaustive=True)
    with pytest.raises(LawNotCheckedError, match="not-checked"):
        case.check()


def test_the_command_says_what_was_not_checked(crashing):
    words = ["verify", crashing("sys.exit(5)"), "--laws", "determinism", "--domain", "data", "--exhaustive"]
    answer = CliRunner().invoke(main, [*words, "--output", "json"])
    found = json.loads(answer.stdout)
    assert answer.exit_code == 3
    assert CliRunner().invoke(main, [*words, "--allow", "determinism"]).exit_code == 0
    assert found["results"][0]["verdict"] == "not-checked"
    assert found["verdict"].endswith("no violation was found; not checked: determinism; seed 0.")


def test_the_command_names_the_cause():
    name = f"tests.mergers.laws.undetermined:{UNDETERMINED[0][0].__name__}"
    words = ["verify", name, "--laws", "determinism", "--domain", "data", "--exhaustive"]
    answer = CliRunner().invoke(main, [*words, "--output", "json"])
    (result,) = json.loads(answer.stdout)["results"]
    assert answer.exit_code == 1
    assert result["counterexample"]["cause"] == "The result changes with the clock."
    assert "The result changes with the clock." in " ".join(CliRunner().invoke(main, words).output.split())


def test_a_users_subclass_is_not_ours():
    settings = {"schema": None, "key": (), "ordering_fields": None, "release": "1.2", "props": {}}
    ours = ("DefaultHoodieRecordPayload", AvroRecordMerger("DefaultHoodieRecordPayload"), MODES[0])
    users = (Inherits, LaterPayload, LaterWins, CamelCase, AvroRecordMerger(LaterPayload))
    assert all(is_ours(judged_subject(one, **settings).algebra) for one in ours)
    assert not any(is_ours(judged_subject(one, **settings).algebra) for one in users)


def test_the_first_two_conditions_oppose_each_other():
    first, second, third = OTHERS
    assert all(a != b for a, b in zip(first, second, strict=True))
    assert third.environment == 0
