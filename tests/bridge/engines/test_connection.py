"""The connection to a JVM that calls compiled classes: what fails is not kept. The JVM is a thread here."""

from __future__ import annotations

import json
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from bridge.engines.jvm.calls import ClassCalls
from bridge.engines.jvm.connection import Address, Connection
from bridge.engines.jvm.errors import checked
from bridge.errors import EngineError
from payloads import parse_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "s" * 8
_HALF = "half an answer"
SCHEMAS = [parse_schema(kind) for kind in ("int", "long")]


class Jvm:
    """Answers as `CallServer` does: `connections` has what came over each, after the secret and the jars."""

    def __init__(self) -> None:
        self.connections: list[list[Any]] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = Address(self._socket.getsockname()[1], SECRET)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                accepted, _ = self._socket.accept()
            except OSError:
                return
            with accepted, accepted.makefile("rwb") as stream:
                assert stream.read(len(SECRET)).decode() == SECRET
                assert json.loads(stream.readline()) == ["a.jar"]
                self._serve(stream)

    def _serve(self, stream: Any) -> None:
        asked: list[Any] = []
        self.connections.append(asked)
        answer: object = {}
        while answer is not None:
            if answer == _HALF:
                stream.write(b'{"results": [')
                return
            stream.write(json.dumps(answer).encode() + b"\n")
            stream.flush()
            if not (line := stream.readline()):
                return
            script = json.loads(line)
            asked.append(script)
            answer = self._answer(script["steps"])
        if asked[-1]["steps"] == ["late"]:
            stream.readline()  # the end of the caller's side

    @staticmethod
    def _answer(steps: list[Any]) -> object:
        match steps:
            case ["end"] | ["late"]:
                return None
            case ["half"]:
                return _HALF
            case ["fail"]:
                return {"failed": "no such step"}
        return {
            "results": [{"skipped": True}] if steps == ["lost"] else [{"value": step} for step in steps],
            "schemas": {},
        }

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def jvm() -> Iterator[Jvm]:
    made = Jvm()
    yield made
    made.close()


def calls_of(jvm: Jvm) -> ClassCalls:
    return ClassCalls(Connection(jvm.address, ["a.jar"]).ask)


def schemas_told(asked: list[Any]) -> list[list[str]]:
    return [sorted(script["schemas"]) for script in asked]


@pytest.mark.parametrize("end", ["end", "half"])
def test_the_call_after_one_without_an_answer_connects_anew_and_tells_the_schemas_again(jvm: Jvm, end: str) -> None:
    calls = calls_of(jvm)
    for schema in SCHEMAS:
        calls.schema_number(schema)
        calls.run(["one"])
    with pytest.raises(EngineError, match="has ended the connection"):
        calls.run([end])
    assert [calls.run([step]) for step in ("two", "three")] == [[{"value": "two"}], [{"value": "three"}]]
    first, second = map(schemas_told, jvm.connections)
    assert (first, second) == ([["0"], ["1"], []], [["0", "1"], []])


def test_the_call_after_an_interrupted_one_gets_its_own_answer(jvm: Jvm) -> None:
    """The answer that was due never comes: the connection that it would come by is closed."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    calls = calls_of(jvm)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            calls.run(["late"])
    finally:
        signal.signal(signal.SIGALRM, before)
    assert calls.run(["next"]) == [{"value": "next"}]
    assert [[script["steps"] for script in asked] for asked in jvm.connections] == [[["late"]], [["next"]]]


def test_a_script_that_can_t_run_leaves_the_connection_open(jvm: Jvm) -> None:
    calls = calls_of(jvm)
    with pytest.raises(EngineError, match="can't run the class: no such step"):
        calls.run(["fail"])
    calls.run(["next"])
    assert len(jvm.connections) == 1


def test_a_jvm_that_is_gone_is_tried_again(jvm: Jvm) -> None:
    calls = calls_of(jvm)
    jvm.close()
    with pytest.raises(EngineError, match="has ended the connection"):
        calls.run(["end"])
    with pytest.raises(EngineError, match="can't be reached"):
        calls.run(["next"])


def test_an_object_that_went_with_its_connection_is_named(jvm: Jvm) -> None:
    (answer,) = calls_of(jvm).run(["lost"])
    with pytest.raises(EngineError, match=r"the object of com\.acme\.Mine was lost .* build the payload again"):
        checked(answer, "com.acme.Mine")


def test_a_jvm_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.engines.jvm.connection._PATIENCE", 0.05)
    gone = pytest.raises(EngineError, match="the JVM that runs the class is gone")
    with socket.create_server(("127.0.0.1", 0)) as silent, gone:
        Connection(Address(silent.getsockname()[1], SECRET), ["a.jar"])
