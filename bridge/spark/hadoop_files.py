"""Hadoop's file systems as one of Arrow, for the schemes that Arrow has none of its own for.

The driver asks its JVM, by py4j. So do the Python workers of a local master, which are on the same machine; those of a
cluster have no way to a JVM that reads files for them.
"""

from __future__ import annotations

import functools
import io
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError, Py4JJavaError
from pyarrow import fs
from pyspark import SparkContext

from bridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LOCAL = re.compile(r"local(\[.*\])?")
_NOT_FOUND = "java.io.FileNotFoundException"


class _Gateway(NamedTuple):
    """Where the driver's JVM listens on this machine, and what a caller has to know."""

    port: int
    token: str


def hadoop_files(scheme: str) -> fs.PyFileSystem:
    """Return the file system that the active session's Hadoop has for a scheme.

    Raises:
        OSError: it has none.
    """
    files = HadoopFiles(scheme)
    files.check()
    return fs.PyFileSystem(files)


class HadoopFiles(fs.FileSystemHandler):  # type: ignore[misc]  # pyarrow has no types here
    """The file system that Hadoop's settings have for a scheme; paths are without it, as Arrow's are."""

    def __init__(self, scheme: str, gateway: _Gateway | None = None) -> None:
        self._scheme, self._gateway = scheme, gateway

    def __reduce__(self) -> tuple[Any, ...]:
        return HadoopFiles, (self._scheme, self._gateway or _gateway_of_workers())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HadoopFiles) and other._scheme == self._scheme

    def __hash__(self) -> int:
        return hash(self._scheme)

    def check(self) -> None:
        """Check that Hadoop has a class for the scheme.

        Raises:
            OSError: it has none.
        """
        jvm = self._jvm()
        try:
            jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass(self._scheme, _settings(jvm))
        except Py4JError as error:
            raise _as_os_error(error) from error

    # -- what there is

    def get_type_name(self) -> str:
        return f"hadoop+{self._scheme}"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: Sequence[str]) -> list[fs.FileInfo]:
        return [self._info(path) for path in paths]

    def get_file_info_selector(self, selector: fs.FileSelector) -> list[fs.FileInfo]:
        try:
            return list(self._below(selector.base_dir, recursive=selector.recursive))
        except FileNotFoundError:
            if selector.allow_not_found:
                return []
            raise

    def _info(self, path: str) -> fs.FileInfo:
        try:
            return _as_info(path, self._asked("getFileStatus", path))
        except FileNotFoundError:
            return fs.FileInfo(path, fs.FileType.NotFound)

    def _below(self, folder: str, *, recursive: bool) -> Iterator[fs.FileInfo]:
        for status in self._asked("listStatus", folder):
            path = f"{folder.rstrip('/')}/{status.getPath().getName()}"
            yield _as_info(path, status)
            if recursive and status.isDirectory():
                yield from self._below(path, recursive=True)

    # -- what is read

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return self.open_input_file(path)

    def open_input_file(self, path: str) -> pa.NativeFile:
        size = self._asked("getFileStatus", path).getLen()
        return pa.PythonFile(_Input(self._jvm(), self._asked("open", path), size), mode="r")

    # -- what is changed

    def open_output_stream(self, path: str, metadata: object) -> pa.NativeFile:  # noqa: ARG002 (Hadoop keeps none)
        return pa.PythonFile(_Output(self._asked("create", path)), mode="w")

    def open_append_stream(self, path: str, metadata: object) -> pa.NativeFile:  # noqa: ARG002 (as above)
        return pa.PythonFile(_Output(self._asked("append", path)), mode="w")

    def create_dir(self, path: str, recursive: bool) -> None:  # noqa: ARG002, FBT001 (Arrow's interface; Hadoop makes those above)
        self._asked("mkdirs", path)

    def delete_dir(self, path: str) -> None:
        self._asked("delete", path, True)  # with all below

    def delete_dir_contents(self, path: str, missing_dir_ok: bool = False) -> None:  # noqa: FBT001, FBT002 (Arrow's interface)
        for info in self.get_file_info_selector(fs.FileSelector(path, allow_not_found=missing_dir_ok)):
            self.delete_dir(info.path)

    def delete_root_dir_contents(self) -> None:
        self.delete_dir_contents("")

    def delete_file(self, path: str) -> None:
        self._asked("delete", path, False)

    def move(self, src: str, dest: str) -> None:
        if not self._asked("rename", src, self._path(dest)):
            msg = f"{self._scheme}://{src} can't be renamed to {dest}"
            raise OSError(msg)

    def copy_file(self, src: str, dest: str) -> None:
        with self.open_input_file(src) as old, self.open_output_stream(dest, None) as new:
            while data := old.read(_AT_ONCE):
                new.write(data)

    # -- the JVM

    def _jvm(self) -> Any:
        context = SparkContext._active_spark_context  # noqa: SLF001 (PySpark's only way to the JVM)
        if context is not None:
            return context._jvm  # noqa: SLF001 (as above)
        if self._gateway is None:
            msg = (
                f"files of {self._scheme}:// are read by the driver's JVM, which tasks on a cluster can't ask; run "
                "with --master 'local[*]', or copy them to a storage that Arrow reads (s3a, gs, abfss)"
            )
            raise InputError(msg)
        return _connected(self._gateway)

    def _path(self, path: str) -> Any:
        return self._jvm().org.apache.hadoop.fs.Path(f"{self._scheme}://{path}")

    def _asked(self, method: str, path: str, *arguments: Any) -> Any:
        jvm = self._jvm()
        place = self._path(path)
        try:
            return getattr(place.getFileSystem(_settings(jvm)), method)(place, *arguments)
        except Py4JError as error:
            raise _as_os_error(error) from error


_AT_ONCE = 1 << 20


class _Input(io.RawIOBase):
    """A file that the JVM reads."""

    def __init__(self, jvm: Any, stream: Any, size: int) -> None:
        self._jvm, self._stream, self._size, self._at = jvm, stream, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        left = max(self._size - self._at, 0)
        wanted = left if size < 0 else min(size, left)
        if not wanted:
            return b""
        try:
            self._stream.seek(self._at)
            data = bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(self._stream, wanted))
        except Py4JError as error:
            raise _as_os_error(error) from error
        self._at += len(data)
        return data

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


class _Output(io.RawIOBase):
    """A file that the JVM writes."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data)
        try:
            self._stream.write(bytearray(view))
        except Py4JError as error:
            raise _as_os_error(error) from error
        return view.nbytes

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def _settings(jvm: Any) -> Any:
    return jvm.org.apache.spark.SparkContext.getOrCreate().hadoopConfiguration()


def _as_info(path: str, status: Any) -> fs.FileInfo:
    if status.isDirectory():
        return fs.FileInfo(path, fs.FileType.Directory)
    changed = status.getModificationTime() / 1000
    return fs.FileInfo(path, fs.FileType.File, size=status.getLen(), mtime=changed)


def _as_os_error(error: Py4JError) -> OSError:
    """Return what Java threw, in its words."""
    if not isinstance(error, Py4JJavaError):
        return OSError(str(error))
    said = error.java_exception.toString()
    return FileNotFoundError(said) if said.startswith(_NOT_FOUND) else OSError(said)


def _gateway_of_workers() -> _Gateway | None:
    """Return what the workers of a local master need to ask the driver's JVM; None on a cluster."""
    context = SparkContext._active_spark_context  # noqa: SLF001 (as above)
    if context is None or not _LOCAL.fullmatch(context.master or ""):
        return None
    found = context._gateway.gateway_parameters  # type: ignore[union-attr]  # noqa: SLF001 (as above)
    return _Gateway(found.port, found.auth_token)


@functools.cache
def _connected(gateway: _Gateway) -> Any:
    return JavaGateway(gateway_parameters=GatewayParameters(port=gateway.port, auth_token=gateway.token)).jvm
