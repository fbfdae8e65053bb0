"""A storage that fails every tenth request, drops connections, is slow or fails for good: right rows, or a sentence."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import itertools
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from tests.reliability.faults import ROOT, wait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.java, pytest.mark.long]

_HERE = "127.0.0.1"
_KEYS = ("of-this-test", "of-this-test-alone")
_BUSY = b"<Error><Code>SlowDown</Code><Message>reduce your rate</Message></Error>"
_BROKEN = b"<Error><Code>InternalError</Code><Message>broken</Message></Error>"
ROWS = 500


class Proxy(http.server.ThreadingHTTPServer):
    """Passes requests on, but for those with which a test does something else."""

    def __init__(self, port: int, fault: Callable[[int], str | None]) -> None:
        super().__init__((_HERE, 0), _Request)
        self.store, self.fault = port, fault
        self.numbers = itertools.count(1)
        self.failed = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match self.server.fault(next(self.server.numbers)):
            case "drop":
                self.server.failed += 1
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            case "busy" | "broken" as what:
                self.server.failed += 1
                self._answer(503 if what == "busy" else 500, [], _BUSY if what == "busy" else _BROKEN)
                return
            case "slow":
                self.server.failed += 1
                time.sleep(0.3)
        store = http.client.HTTPConnection(_HERE, self.server.store)
        store.request(self.command, self.path, body, dict(self.headers))
        found = store.getresponse()
        kept = [(name, text) for name, text in found.getheaders() if name.lower() not in _HOP]
        self._answer(found.status, kept, found.read(), found.getheader("Content-Length"))
        store.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], data: bytes, size: str | None = None) -> None:
        self.send_response(status)
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Length", size if self.command == "HEAD" and size else str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass  # noqa: N815 (the names that the server looks for)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


_HOP = {"connection", "content-length", "transfer-encoding", "date", "server"}


@pytest.fixture(scope="module")
def store() -> Iterator[int]:
    """Run S3 on a port, with two batches of one bucket."""
    with socket.socket() as free:
        free.bind((_HERE, 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "moto.server", "-H", _HERE, "-p", str(port)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(lambda: _answers(port))
        bucket = _bucket(port)
        bucket.create_dir("days")
        for day in (1, 2):
            rows = pa.table({"id": [str(one) for one in range(ROWS)], "ts": [day] * ROWS})
            for part in range(5):
                with bucket.open_output_stream(f"days/{day}/{part}.parquet") as out:
                    pq.write_table(rows.slice(part * 100, 100), out)
        yield port
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((_HERE, port), 1):
        return True
    return False


def _bucket(port: int) -> fs.S3FileSystem:
    given = {"access_key": _KEYS[0], "secret_key": _KEYS[1], "region": "us-east-1", "scheme": "http"}
    return fs.S3FileSystem(endpoint_override=f"{_HERE}:{port}", allow_bucket_creation=True, **given)


def _merge(proxy: Proxy, out: str, *confs: str) -> subprocess.CompletedProcess[str]:
    given = [f"endpoint=http://{_HERE}:{proxy.server_port}", "endpoint.region=us-east-1", "path.style.access=true"]
    given += [f"access.key={_KEYS[0]}", f"secret.key={_KEYS[1]}", *confs]
    words = [
        "merge",
        "upsert",
        "--mode",
        "COMMIT_TIME_ORDERING",
        "--key",
        "id",
        "--quiet",
        "--out",
        f"s3a://days/{out}",
    ]
    words += [
        "--stored",
        "s3a://days/1",
        "--incoming",
        "s3a://days/2",
        "--package",
        "org.apache.hadoop:hadoop-aws:3.3.4",
    ]
    words += [word for one in given for word in ("--conf", f"spark.hadoop.fs.s3a.{one}")]
    program = "import sys; from bridge.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=500)


def _names(port: int) -> list[str]:
    found = _bucket(port).get_file_info(fs.FileSelector("days", recursive=True))
    return [one.path for one in found if one.is_file and not one.path.startswith(("days/1/", "days/2/"))]


@pytest.mark.parametrize("what", ["busy", "broken", "drop", "slow"])
def test_requests_that_fail_now_and_then_change_no_row(store: int, what: str) -> None:
    proxy = Proxy(store, lambda number: what if number % 10 == 0 else None)
    found = _merge(proxy, what)
    assert found.returncode == 0, found.stderr
    assert proxy.failed > 3
    rows = pq.read_table(f"days/{what}", filesystem=_bucket(store))
    assert sorted(zip(rows["id"].to_pylist(), rows["ts"].to_pylist(), strict=True)) == sorted(
        (str(one), 2) for one in range(ROWS)
    )
    assert [name for name in _names(store) if "payload_bridge" in name] == []


@pytest.mark.parametrize("after", [5, 40, 80])
def test_a_store_that_fails_for_good_is_told_in_one_sentence(store: int, after: int) -> None:
    proxy = Proxy(store, lambda number: "broken" if number > after else None)
    found = _merge(proxy, f"gone-{after}", "attempts.maximum=1", "retry.limit=1", "retry.interval=10ms")
    assert proxy.failed > 0, "the command needed fewer requests"
    told = [line for line in found.stderr.splitlines() if line.startswith("error: ")]
    assert (found.returncode, len(told)) == (3, 1), found.stderr
    assert "Traceback" not in found.stderr
    assert [name for name in _names(store) if name.startswith(f"days/gone-{after}")] == []
