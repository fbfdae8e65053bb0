"""Connection: a socket to a JVM of this machine that runs calls for Python, `CallServer` in Java."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.errors import EngineError

if TYPE_CHECKING:
    import io
    from collections.abc import Sequence


_PATIENCE: Final = 60.0
"""Seconds in which a JVM answers that it is there, and has the classes."""


class Address(NamedTuple):
    """Where a JVM listens.

    Attributes:
        port: on this machine.
        secret: what a caller has to know.
    """

    port: int
    secret: str


class Connection:
    """Runs scripts with the classes of one list of jars; after a failure the next one connects anew."""

    def __init__(self, address: Address, jars: Sequence[str]) -> None:
        """Connect; `jars` are names of files that were sent to the JVM.

        Raises:
            EngineError: the JVM is gone, or can't load the classes.
        """
        self._address = address
        self._jars = json.dumps(list(jars))
        self._turn = threading.Lock()
        self._stream: io.BufferedRWPair | None = self._connected()

    def ask(self, script: str) -> str:
        """Return the answer to a script.

        Raises:
            EngineError: the JVM is gone, or can't run the script.
        """
        with self._turn:
            # Not kept where anything fails: the answer that is due would be taken for that of the next call.
            stream, self._stream = self._stream or self._connected(), None
            answer = _answer(stream, script)
            self._stream = stream
        return _checked(answer)

    def _connected(self) -> io.BufferedRWPair:
        try:
            connected = socket.create_connection(("127.0.0.1", self._address.port), _PATIENCE)
        except OSError as error:
            msg = f"the JVM of this executor can't be reached ({error}); start the job again"
            raise EngineError(msg) from error
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = connected.makefile("rwb")
        stream.write(self._address.secret.encode())
        try:
            _checked(_answer(stream, self._jars))
            connected.settimeout(None)  # a call ends by its own limit
        except EngineError:
            stream.close()
            raise
        finally:
            connected.close()  # the stream keeps it open
        return stream


def _answer(stream: io.BufferedRWPair, line: str) -> str:
    """Return the line that answers `line`; where there is none, the stream is closed."""
    answer = b""
    try:
        stream.write(line.encode() + b"\n")
        stream.flush()
        answer = stream.readline()
    except OSError as error:
        msg = f"the JVM that runs the class is gone ({error}); see the logs of the executor"
        raise EngineError(msg) from error
    finally:
        if not answer.endswith(b"\n"):  # half an answer is none
            with contextlib.suppress(OSError):
                stream.close()
    if not answer.endswith(b"\n"):
        msg = "the JVM that runs the class has ended the connection; see the logs of the executor"
        raise EngineError(msg)
    return answer.decode()


def _checked(answer: str) -> str:
    if answer.startswith('{"failed":'):
        msg = f"the JVM can't run the class: {json.loads(answer)['failed']}; see the logs of the executor"
        raise EngineError(msg)
    return answer
