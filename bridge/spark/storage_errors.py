"""What the client of a storage can't do, and what to do about it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class _Kind(NamedTuple):
    """A kind of failure.

    Attributes:
        said: what its clients say (those of Arrow for S3, Google and Azure, and Hadoop's).
        advice: what to do; `{credentials}` stands for where the scheme takes its credentials from.
    """

    said: re.Pattern[str]
    advice: str


def _kind(said: str, advice: str) -> _Kind:
    return _Kind(re.compile(said, re.IGNORECASE), advice)


_KINDS: Final = (  # in this order: a token that can't be fetched may name a host
    _kind(
        r"class \S*FileSystem not found|no filesystem for scheme",
        "Spark lacks the connector of this storage; add it, for S3 by --package org.apache.hadoop:hadoop-aws:VERSION "
        "in the version of Spark's own Hadoop (3.3.4 for PySpark 3.5)",
    ),
    _kind(
        r"access token|failed to get token|unable to load credentials|no \w* ?credentials|unauthenticated"
        r"|invalid_access_key_id|signature_does_not_match|expired_?token|authentication ?(failed|exception)",
        "there is no valid credential; set {credentials}",
    ),
    _kind(
        r"resolve host|unknown_?host|name or service not known",
        "the name of the host can't be resolved; check the endpoint, and this machine's DNS and proxy",
    ),
    _kind(
        r"access_?denied|permission_denied|permission denied|accesscontrol|authorization|forbidden|\b403\b",
        "access is denied; set {credentials}, and check that these credentials may read it",
    ),
    _kind(
        r"network_connection|refused|timed? ?out|curlcode|curl error|fail to get a new connection",
        "nothing answers there; check the endpoint, and this machine's network and proxy",
    ),
    _kind(r"http status 400", "the request is refused; check {credentials}, which may have expired, and the region"),
)
_CREDENTIALS: Final = {
    "s3": "spark.hadoop.fs.s3a.access.key and spark.hadoop.fs.s3a.secret.key, or AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY in the environment",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS in the environment",
    "abfs": "spark.hadoop.fs.azure.account.key.HOST, or AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET in "
    "the environment",
}
"""Where the credentials of a storage come from, by how its schemes begin."""


def storage_errors() -> tuple[type[Exception], ...]:
    """Return what the clients of storages raise; not all of Arrow's errors are those of the operating system."""
    from pyarrow import ArrowException  # noqa: PLC0415 (asked once something has failed)

    return OSError, ArrowException


def advice_on(said: str, path: str, otherwise: str) -> str:
    """Return what to do about a storage that can't be read.

    Args:
        said: what its client says.
        path: the URI, or a local path.
        otherwise: the advice where the error is of no known kind.
    """
    scheme, separator, _ = path.partition("://")
    found = next((one.advice for one in _KINDS if one.said.search(said)), None)
    if found is None or not separator:
        return otherwise
    credentials = next((said for start, said in _CREDENTIALS.items() if scheme.startswith(start)), None)
    return found.format(credentials=credentials or "the credentials of its file system (--conf spark.hadoop.fs.*)")
