"""Connection: a socket to a JVM of this machine that runs calls for Python, `CallServer` in Java."""

from __future__ import annotations

import json
import socket
import threading
from typing import TYPE_CHECKING, NamedTuple

from bridge.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Address(NamedTuple):
    """Where a JVM listens.

    Attributes:
        port: on this machine.
        secret: what a caller has to know.
    """

    port: int
    secret: str


class Connection:
    """Runs scripts with the classes of one list of jars."""

    def __init__(self, address: Address, jars: Sequence[str]) -> None:
        """Connect; `jars` are names of files that were sent to the JVM.

        Raises:
            EngineError: the JVM is gone, or can't load the classes.
        """
        try:
            connected = socket.create_connection(("127.0.0.1", address.port))
        except OSError as error:
            msg = f"the JVM of this executor can't be reached ({error}); start the job again"
            raise EngineError(msg) from error
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = connected.makefile("rwb")
        connected.close()  # the stream keeps it open
        self._turn = threading.Lock()
        self._is_interrupted = False
        self._stream.write(address.secret.encode())
        self.ask(json.dumps(list(jars)))

    def ask(self, script: str) -> str:
        """Return the answer to a script.

        Raises:
            EngineError: the JVM is gone, or can't run the script; or an earlier call was interrupted.
        """
        if self._is_interrupted:
            msg = "a call of the compiled class was interrupted, and its connection with it; start a new Spark session"
            raise EngineError(msg)
        try:
            with self._turn:
                self._stream.write(script.encode() + b"\n")
                self._stream.flush()
                line = self._stream.readline()
        except OSError as error:
            msg = f"the JVM that runs the class is gone ({error}); see the logs of the executor"
            raise EngineError(msg) from error
        except BaseException:
            self._is_interrupted = True  # the answer that is due would be taken for that of the next call
            raise
        if not line:
            msg = "the JVM that runs the class has ended the connection; see the logs of the executor"
            raise EngineError(msg)
        answer = line.decode()
        if answer.startswith('{"failed":'):
            msg = f"the JVM can't run the class: {json.loads(answer)['failed']}; see the logs of the executor"
            raise EngineError(msg)
        return answer
