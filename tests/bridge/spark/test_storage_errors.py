"""Errors of a storage's client say what is missing: a credential, a host, a way there, or the file."""

from __future__ import annotations

import contextlib
import http.server
import threading
from types import SimpleNamespace

import pytest

from bridge.hudi import TableQueries, files
from bridge.spark import advice_on, batch_places, place_of
from payloads import PayloadBridgeError

_TABLE = "s3://warehouse/orders"


@contextlib.contextmanager
def answering(status, code):
    """Give the address of an S3 that refuses everything."""

    class Refuses(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode())

        do_HEAD = do_GET  # noqa: N815 (the name that the library calls)

        def log_message(self, *_):
            """Nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def refused(monkeypatch):
    """Return what a frame and a table at an endpoint say."""
    for name, value in {"REGION": "eu-west-1", "EC2_METADATA_DISABLED": "true", "MAX_ATTEMPTS": "1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)

    def said(endpoint):
        spark = SimpleNamespace(conf=SimpleNamespace(get={"spark.hadoop.fs.s3a.endpoint": endpoint}.get))
        monkeypatch.setattr(files, "SparkSession", SimpleNamespace(getActiveSession=lambda: spark))
        with pytest.raises(PayloadBridgeError) as of_frame:
            batch_places(_TABLE, spark)
        with pytest.raises(PayloadBridgeError) as of_table:
            TableQueries(_TABLE)
        return str(of_frame.value), str(of_table.value)

    return said


def test_a_credential_that_is_missing_or_refused(refused):
    with answering(403, "AccessDenied") as endpoint:
        for said in refused(endpoint):
            assert _TABLE in said
            assert "access is denied; set spark.hadoop.fs.s3a.access.key and spark.hadoop.fs.s3a.secret.key, or" in said
            assert "AWS_ACCESS_KEY_ID" in said
            assert "cleaned" not in said


def test_a_credential_that_has_expired(refused):
    with answering(400, "ExpiredToken") as endpoint:
        of_frame, of_table = refused(endpoint)
    assert "check spark.hadoop.fs.s3a.access.key" in of_frame  # its HEAD request tells no more than that it was refused
    assert "which may have expired" in of_frame
    assert "there is no valid credential; set spark.hadoop.fs.s3a.access.key" in of_table


def test_a_host_without_an_address(refused):
    for said in refused("http://nowhere.invalid:9000"):
        assert "the name of the host can't be resolved; check the endpoint, and this machine's DNS" in said
        assert "permissions" not in said


def test_a_host_that_does_not_answer(refused):
    assert all("nothing answers there; check the endpoint" in said for said in refused("http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("scheme", "error", "advice"),
    [
        (
            "gs",
            (
                "Could not create a OAuth2 access token to authenticate the request. The underlying error message was: "
                "PerformWork() - CURL error [6]=Could not resolve hostname"
            ),
            "there is no valid credential; set GOOGLE_APPLICATION_CREDENTIALS",
        ),
        ("gs", "PerformWork() - CURL error [6]=Could not resolve hostname", "the name of the host can't be resolved"),
        ("abfss", "Failed to get token from DefaultAzureCredential.", "there is no valid credential; set spark.hadoop"),
        (
            "abfss",
            "Fail to get a new connection for: a.net. Could not resolve hostname",
            "the name of the host",
        ),
        ("oss", "java.net.ConnectException: Connection refused", "nothing answers there"),
        (
            "oss",
            "AccessControlException: denied",
            "access is denied; set the credentials of its file system",
        ),
        ("s3a", "Class org.apache.hadoop.fs.s3a.S3AFileSystem not found", "Spark lacks the connector of this storage"),
        (
            "s3a",
            "No AWS Credentials provided by EnvironmentVariable",
            "there is no valid credential; set spark",
        ),
        ("s3", "AWS Error INVALID_ACCESS_KEY_ID during ListObjectsV2 operation", "there is no valid credential"),
        ("s3", "AWS Error SLOW_DOWN", "try again"),
    ],
)
def test_what_clients_say_and_what_to_do(scheme, error, advice):
    """The words are those of Arrow 26 and Hadoop 3.3."""
    assert advice_on(error, f"{scheme}://place/rows", "try again").startswith(advice)


def test_a_local_file_has_no_credentials(tmp_path):
    assert advice_on("Permission denied", str(tmp_path), "check the path") == "check the path"
    assert place_of(tmp_path).exists()
