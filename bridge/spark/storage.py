"""Storage: the only module that knows what a path is; a path is local, or a URI of any storage that Spark reaches.

Frames are read and written by Spark. What the driver lists and Python workers read byte by byte goes through Arrow's
file systems, with the credentials of `spark.hadoop.fs.*`, or those that the storage's own client finds.
"""

from __future__ import annotations

import dataclasses
import io
import posixpath
import re
import urllib.parse
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

from bridge.errors import InputError
from bridge.spark.storage_errors import advice_on, storage_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

_BUFFER = 1 << 20
STAGED = "_payload_bridge_"
"""How the names begin of folders that a run writes to before its output is complete."""
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):")  # two letters at least: C: is a drive
_OF_SPARK = re.compile(r"([\\*?\[\]{}])")
_USER_INFO = re.compile(r"[^/@:]*:[^@]*@")
_JAVA_CLASS = re.compile(r"^(?:[a-z]\w*\.)+[A-Z][\w$]*: (?=\S)")
_NO_SECRETS = re.compile(r"//[^/@]*@")


@dataclasses.dataclass(frozen=True)
class Place:
    """A file or folder; it can be sent to Spark's tasks.

    Attributes:
        path: its absolute path; of a storage, with the bucket.
        scheme: the scheme of its storage, `s3a` for example; empty for the local disk.
        system: the file system of Arrow; None for the local disk.
        is_known_folder: what a listing said, so that it is not listed again.
    """

    path: str
    scheme: str = ""
    system: Any = dataclasses.field(default=None, compare=False, repr=False)
    is_known_folder: bool | None = dataclasses.field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.path}" if self.scheme else self.path

    @property
    def name(self) -> str:
        """The last part of the path."""
        return posixpath.basename(self.path)

    @property
    def suffixes(self) -> list[str]:
        """The suffixes of the name, in lower case."""
        return [suffix.lower() for suffix in PurePosixPath(self.name).suffixes]

    @property
    def uri(self) -> str:
        """The path in Spark's syntax, of a place that is not a pattern."""
        text = _OF_SPARK.sub(r"\\\1", self.path)
        return f"{self.scheme}://{text}" if self.scheme else f"file:{text}"

    def below(self, name: str) -> Place:
        """Return a file or folder in this folder."""
        return Place(posixpath.join(self.path, name), self.scheme, self.system)

    def exists(self) -> bool:
        """Whether it is a file or folder.

        Raises:
            InputError: the storage does not say.
        """
        return Path(self.path).exists() if self.system is None else _info(self).type.name != "NotFound"

    def is_folder(self) -> bool:
        """Whether it is a folder.

        Raises:
            InputError: the storage does not say.
        """
        if self.is_known_folder is not None:
            return self.is_known_folder
        return Path(self.path).is_dir() if self.system is None else _info(self).type.name == "Directory"

    def entries(self) -> list[Place]:
        """Return the files and folders in this folder in the order of their names.

        Raises:
            InputError: it can't be listed.
        """
        if self.system is None:
            named = asked(self, lambda: {entry.name: entry.is_dir() for entry in Path(self.path).iterdir()})
        else:
            from pyarrow import fs  # noqa: PLC0415 (a command without storage does not load it)

            found = asked(self, lambda: self.system.get_file_info(fs.FileSelector(self.path)))
            named = {info.base_name: info.type is fs.FileType.Directory for info in found if info.base_name}
        return [dataclasses.replace(self.below(name), is_known_folder=named[name]) for name in sorted(named)]

    def open(self) -> BinaryIO:
        """Open a file for reading at any place.

        Raises:
            OSError: it can't be read.
        """
        if self.system is None:
            return Path(self.path).open("rb")
        # Readers take a few bytes at a time, and each read is a request.
        return io.BufferedReader(self.system.open_input_file(self.path), _BUFFER)

    def size(self) -> int:
        """Return the bytes of a file.

        Raises:
            InputError: the storage does not say.
        """
        return Path(self.path).stat().st_size if self.system is None else _info(self).size or 0

    def stamp(self) -> tuple[int, int | None]:
        """Return the bytes of a file, and when it changed (nanoseconds since 1970; None where the storage has no time).

        Raises:
            InputError: the storage does not say.
        """
        if self.system is None:
            found = asked(self, Path(self.path).stat)
            return found.st_size, found.st_mtime_ns
        info = _info(self)
        return info.size or 0, info.mtime_ns

    def write(self, data: bytes) -> None:
        """Write a file at once.

        Raises:
            OSError: it can't be written.
        """
        if self.system is None:
            Path(self.path).write_bytes(data)
            return
        with self.system.open_output_stream(self.path) as stream:
            stream.write(data)


# -- from texts to places


def is_local(text: str) -> bool:
    """Whether a path is on the local disk; `file:` is."""
    found = _SCHEME.match(text)
    return found is None or found[1] == "file" or Path(text).exists()


def local_path(text: str | Path) -> Path:
    """Return a local path, written plainly or with `file:`."""
    plain = str(text)
    if plain.startswith("file:"):  # file:/a or file:///a
        plain = f"/{plain.removeprefix('file:').lstrip('/')}"
    return Path(plain).absolute()


def place_of(text: str | Path, spark: SparkSession | None = None) -> Place:
    """Return the place that a user names.

    Args:
        text: a local path, or a URI.
        spark: the session whose settings have the credentials of the storage.

    Raises:
        InputError: there is no way to a storage of this scheme, or the path has credentials.
    """
    named = str(text)
    if is_local(named):
        return Place(str(local_path(named)))
    scheme, _, rest = named.partition(":")
    path = rest.lstrip("/").rstrip("/")
    if scheme == "dbfs" and Path("/dbfs").is_dir():  # where Databricks mounts it, on every machine
        return Place(f"/dbfs/{path}")
    system = _system(scheme, path, spark)
    _read_as_s3a(scheme, spark)
    if _USER_INFO.match(path):
        msg = f"{scheme}: a path does not take credentials; give them as settings, such as --conf spark.hadoop.fs.*"
        raise InputError(msg)
    return Place(path, scheme, system)


def _settings_of(spark: SparkSession | None) -> Callable[[str], str | None]:
    if spark is None:
        return lambda _name: None
    return lambda name: spark.conf.get(f"spark.hadoop.fs.{name}", None) or None


def _read_as_s3a(scheme: str, spark: SparkSession | None) -> None:
    """Let Hadoop's s3a read `s3://` and `s3n://` where the session has no file system for them, unlike EMR's."""
    if scheme not in {"s3", "s3n"} or not hasattr(spark, "_jsc"):
        return
    settings = spark._jsc.hadoopConfiguration()  # type: ignore[union-attr]  # noqa: SLF001 (PySpark's only way there)
    if settings.get(f"fs.{scheme}.impl") is None:
        settings.set(f"fs.{scheme}.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem")


def _system(scheme: str, path: str, spark: SparkSession | None) -> object:
    """Return a file system of Arrow for a storage: its own, or else Hadoop's."""
    from pyarrow import ArrowException, fs  # noqa: PLC0415 (as above)

    bucket, setting = path.split("/", maxsplit=1)[0], _settings_of(spark)
    try:
        match scheme:
            case "s3" | "s3a" | "s3n":
                return fs.S3FileSystem(**_s3(bucket, setting))
            case "abfs" | "abfss":
                container, _, host = bucket.partition("@")
                return fs.SubTreeFileSystem(
                    container,
                    fs.AzureFileSystem(host.split(".")[0], account_key=setting(f"azure.account.key.{host}")),
                )
            case "gs" | "gcs":
                return fs.FileSystem.from_uri(f"{scheme}://{path}")[0]
            case _:
                return _of_hadoop(scheme, path, spark)
    except (ArrowException, OSError, ValueError, TypeError) as error:
        msg = (
            f"{scheme}://{bucket}: this storage can't be reached ({_first_line(error)}); give a local path, a URI of "
            "s3, s3a, gs or abfss, or one of a file system of Hadoop that the session of Spark has"
        )
        raise InputError(_NO_SECRETS.sub("//", msg)) from error


def _of_hadoop(scheme: str, path: str, spark: SparkSession | None) -> Any:
    """Return Arrow's own client of a scheme, which needs Hadoop's library in C, or else that of the session's JVM."""
    from pyarrow import ArrowException, fs  # noqa: PLC0415 (as above)

    try:
        return fs.FileSystem.from_uri(f"{scheme}://{path}")[0]
    except (ArrowException, OSError):
        if not hasattr(spark, "_jsc"):  # there is none, or one of Spark Connect
            raise
    from bridge.spark.hadoop_files import hadoop_files  # noqa: PLC0415 (most commands need none)

    return hadoop_files(scheme)


def _s3(bucket: str, setting: Callable[[str], str | None]) -> dict[str, object]:
    """Translate the settings of Hadoop's s3a, those of the bucket first; what is not set, the environment decides."""

    def of(name: str) -> str | None:
        return setting(f"s3a.bucket.{bucket}.{name}") or setting(f"s3a.{name}")

    endpoint = of("endpoint") or ""
    parts = urllib.parse.urlsplit(endpoint if "//" in endpoint else f"//{endpoint}")
    scheme = parts.scheme or ("http" if of("connection.ssl.enabled") == "false" else "https")
    wanted = {
        "access_key": of("access.key"),
        "secret_key": of("secret.key"),
        "session_token": of("session.token"),
        "endpoint_override": parts.netloc or None,
        "region": of("endpoint.region"),
        "scheme": scheme,
    }
    anonymous = "AnonymousAWSCredentialsProvider" in (of("aws.credentials.provider") or "")
    found = {name: value for name, value in wanted.items() if value}
    return {**found, **({"anonymous": True} if anonymous else {}), "connect_timeout": 10, "request_timeout": 60}


# -- asking a storage


def _info(place: Place) -> Any:
    return asked(place, lambda: place.system.get_file_info(place.path))


def asked(place: Place, question: Callable[[], object]) -> Any:
    """Return the answer of a storage.

    Raises:
        InputError: it gives none, saying why.
    """
    try:
        return question()
    except storage_errors() as error:
        advice = advice_on(str(error), str(place), "check bucket, address and permissions")
        msg = f"{place} can't be listed ({_first_line(error)}); {advice}"
        raise InputError(msg) from error


def _first_line(error: BaseException) -> str:
    """Return the first line of an error, which may be Java's, without the name of a Java class before its message."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(". ")
    return _JAVA_CLASS.sub("", line)
