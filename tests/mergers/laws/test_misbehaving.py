"""`verify` of a class that loops, prints, or ends the process: one sentence that names it, and exit code 3."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from bridge.cli import main
from mergers.laws import check_laws, find_violation
from mergers.laws.core import Version
from payloads.user import CallEndedError
from tests.mergers.laws.lawful import LaterPayload
from tests.mergers.laws.test_defects import SETTINGS
from tests.support import ROOT


class Exits(LaterPayload):
    def pre_combine(self, older):
        sys.exit(0)


class Interrupts(LaterPayload):
    def combine_and_get_update_value(self, current, schema):
        raise KeyboardInterrupt


class Closes(LaterPayload):
    def __init__(self, record, ordering=None):
        super().__init__(record, ordering)
        raise GeneratorExit


class Leaves(LaterPayload):
    def get_insert_value(self, schema):
        os._exit(0)


class Loops(LaterPayload):
    def pre_combine(self, older):
        while True:
            with contextlib.suppress(Exception):
                os.getpid()


class Chatters(LaterPayload):
    def pre_combine(self, older):
        print("looking at", self.record)  # noqa: T201 (as users' code may)
        return super().pre_combine(older)


class Surrogate(LaterPayload):
    def pre_combine(self, older):
        raise ValueError("\ud800" + "x" * 1_000_000)


ENDING = [
    (Exits, "Exits.pre_combine raised SystemExit(0)"),
    (Interrupts, "Interrupts.combine_and_get_update_value raised KeyboardInterrupt()"),
    (Closes, "Closes.__init__ raised GeneratorExit()"),
    (Leaves, "Leaves.get_insert_value called os._exit(0)"),
]


@pytest.mark.parametrize(("ends", "how"), ENDING, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("exhaustive", [True, False])
def test_what_would_end_the_process_ends_the_check(ends, how, exhaustive):
    with pytest.raises(CallEndedError) as caught:
        check_laws(ends, **SETTINGS, laws=["action"], domain="data", exhaustive=exhaustive)
    assert str(caught.value) == f"{how}, which ends the process; raise an Exception instead"


@pytest.mark.parametrize("exhaustive", [True, False])
def test_a_call_that_does_not_come_back_ends_the_check(exhaustive):
    with pytest.raises(CallEndedError, match=r"Loops: a merge of two versions took longer than 0\.2 s"):
        check_laws(Loops, **SETTINGS, laws=["action"], domain="data", exhaustive=exhaustive, call_timeout=0.2)


def test_one_choice_of_operands_is_watched_too():
    record = {"id": "a", "ts": 1, "v": None, "n": None, "x": None, "flag": True, "tags": {}, "_hoodie_is_deleted": None}
    with pytest.raises(CallEndedError, match="SystemExit"):
        find_violation(Exits, "idempotence", None, [Version(record)], **SETTINGS)


def words_of(name, *more):
    return ["verify", name, "--exhaustive", "--domain", "data", "--output", "json", *more]


@pytest.mark.parametrize(
    ("name", "words", "code", "message"),
    [
        ("Exits", (), 3, "Exits.pre_combine raised SystemExit(0)"),
        ("Leaves", (), 3, "Leaves.get_insert_value called os._exit(0)"),
        ("Loops", ("--call-timeout", "0.5"), 3, "Loops: a merge of two versions took longer than 0.5 s"),
        ("Chatters", (), 0, "looking at {"),
        ("Surrogate", (), 3, ""),
    ],
)
def test_the_command_ends_with_a_sentence(name, words, code, message):
    done = CliRunner().invoke(main, words_of(f"{__name__}:{name}", "--laws", "associativity", *words))
    assert done.exit_code == code, done.output
    found = json.loads(done.stdout)
    assert message in done.stderr
    if name == "Surrogate":
        assert "cases fail, most with PayloadFailedError" in found["results"][0]["detail"]
        assert len(done.stdout) < 100_000


def test_a_module_that_ends_the_process_is_named(tmp_path):
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    program = "import sys; sys.argv[0] = 'payload-bridge'\nfrom bridge.cli import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", program, *words_of("leaving:Merger")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "leaving:Merger: loading it raised SystemExit(0)" in done.stderr
