"""The errors of running merges on tables: bad input or settings, a failed merge, a missing Java."""

from __future__ import annotations

import datetime
import decimal
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from bridge.redaction import shown_message
from payloads.errors import PayloadBridgeError
from payloads.visible import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping


class AlteredTableWarning(UserWarning):
    """Files that the table's commits wrote are missing, or differ in size: rows may be missing."""


class InputError(PayloadBridgeError, ValueError):
    """Data or settings that a user gave can't be used."""


class PlanError(PayloadBridgeError, ValueError):
    """The settings of a merge plan contradict each other, or are not supported."""


class ParameterError(PlanError):
    """Parameters of a verb contradict each other.

    Attributes:
        text: what is wrong, with the parameters' names between backticks.
    """

    def __init__(self, text: str) -> None:
        super().__init__(_QUOTED.sub(r"\1", text))
        self.text = text

    def of_options(self, options: Mapping[str, str] | None = None) -> str:
        """Return the sentence with options in place of the parameters; `options`: those that are spelt otherwise."""
        named = options or {}
        return _QUOTED.sub(lambda found: named.get(found[1], f"--{found[1].replace('_', '-')}"), self.text)

    def __reduce__(self) -> tuple[type[ParameterError], tuple[str]]:
        return ParameterError, (self.text,)


_QUOTED = re.compile(r"`(\w+)`")


class EngineError(PayloadBridgeError, RuntimeError):
    """An engine can't run here: a jar can't be found, or the session has no gateway to the driver's JVM.

    Or Hudi's writer failed after it had completed a commit; the message names the commit.
    """


class ClassLinkError(PayloadBridgeError, TypeError):
    """A compiled class needs what a release of Hudi does not have."""


class ConflictError(PayloadBridgeError, RuntimeError):
    """Another writer changed a table between the read of a merge and its commit."""


class RowCountsError(PayloadBridgeError, RuntimeError):
    """The row counts of a run don't balance."""


class JavaNotFoundError(PayloadBridgeError, FileNotFoundError):
    """Spark needs a Java runtime, and there is none that it can run on."""


class MergeFailedError(PayloadBridgeError, RuntimeError):
    """The merge of one key failed.

    Attributes:
        reason: what went wrong and what to do next.
        payload: the payload class or merger.
        merge_point: where the versions were merged; None for a failure outside all merge points, such as a row that
            can't be read.
        key: the columns of the record key with their values.
        field: the field at fault, if there is one.
    """

    def __init__(
        self, reason: str, payload: str, merge_point: str | None, key: Mapping[str, Any], field: str | None = None
    ) -> None:
        # All arguments reach `args`, so the error survives pickling between Spark's processes.
        super().__init__(reason, payload, merge_point, key, field)
        self.reason = reason
        self.payload = payload
        self.merge_point = merge_point
        self.key = key
        self.field = field

    def __str__(self) -> str:
        key = ", ".join(f"{column}={_shown(value)}" for column, value in self.key.items())
        where = f"key {key}" if self.field is None else f"key {key}, field {self.field!r}"
        at = "" if self.merge_point is None else f" at {self.merge_point}"
        return escaped(f"{self.payload} failed{at} ({where}): {self.reason}")


class TrustedRuleError(MergeFailedError):
    """A class gives another row than the rule that the user trusts to run in its place."""


def _shown(value: object) -> str:
    """Return a value of a key as every engine writes it: text in quotes, dates and decimals by their digits alone."""
    return str(value) if isinstance(value, (datetime.date, decimal.Decimal)) else repr(value)


# A Python worker sends its errors as the text of a traceback, to which Java adds its own stack.
_RAISED = re.compile(
    r"^(?:payloads|mergers|bridge)\.[\w.]*?(\w+Error): (.*?)"
    r"(?=\n\s*(?:at |\n|Traceback |Driver stacktrace|During |The above )|\s*\Z)",
    re.MULTILINE | re.DOTALL,
)
# The jvm engine fails with a class that the driver knows, so its sentence is recognised by its form.
_JAVA_MERGE = re.compile(
    r"^(?:Caused by: )?org\.apache\.spark\.SparkException: (\S+ failed(?: at [a-z-]+)? \(key .*)", re.MULTILINE
)
# Spark 4 puts this around the message of an expression that raises an error.
_USER_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] (.*?)(?: SQLSTATE: \w+)?$", re.MULTILINE)
_CAUSE = re.compile(r"^(?:Caused by: )?[\w.$]+(?:Exception|Error): (.+)", re.MULTILINE)

# What Java's Parquet reader says of damaged bytes, in its own words; and where Spark and the reader name the file.
_DAMAGED = re.compile(
    r"is not a Parquet file|[Cc]ould not read footer|can not read (?:class org\.apache\.parquet\.format|FileMetaData)|"
    r"shaded\.parquet\.org\.apache\.thrift\.|FAILED_TO_UNCOMPRESS|[Cc]ould not decode the dictionary"
)
_ON_THE_WAY = re.compile(
    r"\b(?:Socket|SocketTimeout|Connect|ConnectionClosed|UnknownHost|SSL|SdkClient|\w+S3|ClassNotFound)Exception\b|"
    r"NoSuchMethodError|NoClassDefFoundError|OutOfMemoryError"
)
_FILES = (
    re.compile(r"reading file (\S+?)\.?\s+(?:Details:|SQLSTATE|Could not read)"),
    re.compile(r"(\S+) is not a Parquet file"),
    re.compile(r"[Cc]ould not read footer for file:? (?:FileStatus\{path=)?([^\s;,]+)"),
)


# Errors whose messages name settings, columns and files, and quote data only where it may be shown.
_ABOUT_SETTINGS = {
    "ConflictError",
    "EngineError",
    "InputError",
    "JavaNotFoundError",
    "MergeConfigError",
    "ParameterError",
    "PayloadConfigError",
    "PayloadConstructorError",
    "PayloadFamilyError",
    "PayloadNotFoundError",
    "PlanError",
    "UnsupportedPayloadOperationError",
}
_FULL = (
    "a disk is full (no space left on device); free some, or name other disks: of executors by "
    "--conf spark.local.dir=FOLDER, of the output by --out"
)
_OLDER_JAVA = (
    "executors run an older Java than the driver ({}); run one version on both (JAVA_HOME, and "
    "--conf spark.executorEnv.JAVA_HOME=FOLDER)"
)
_DEAD_WORKER = (
    "a Python worker died: native code that the class calls crashed, or memory ran out; give it more memory (--conf "
    "spark.executor.memoryOverhead), or fix the class; a session with a master such as local[4,2], or on a cluster, "
    "retries the task and names the key"
)
# What surrounds a job: what its error has, and what to tell.
_SURROUNDINGS = {
    re.compile(
        r"(?:Spark)?FileNotFoundException: File (\S+) does not exist\s*It is possible the underlying"
    ): "{} disappeared during the job; let nothing write to this input, and run it again",
    re.compile(r"No space left on device"): _FULL,
    re.compile(
        r"(?:AccessControlException|AccessDeniedException): (?:Permission denied: )?([^\n]+)"
    ): "the storage denies access ({}); check the credentials (spark.hadoop.fs.*) and their permissions",
    re.compile(
        r"UnknownStoreException: ([^\n]+)"
    ): "there is no such bucket or container ({}); correct its name, or create it",
    re.compile(r"UnsupportedClassVersionError: ([^\n]+)"): _OLDER_JAVA,
    re.compile(r"Python worker exited unexpectedly"): _DEAD_WORKER,
}


def sentence_of(error: BaseException) -> str:
    """Return what to tell the user about an error: our own message, even if a Spark worker raised it.

    Where values are hidden, a message about data says no more than where it failed.
    """
    kind, text = _told(error)
    return text if kind in _ABOUT_SETTINGS else shown_message(text, kind)


def is_refusal(error: BaseException) -> bool:
    """Whether an error is one of this package's, even if a Spark worker raised it: not that of a lost executor."""
    text = str(error)
    return isinstance(error, PayloadBridgeError) or any(own.search(text) for own in (_RAISED, _JAVA_MERGE))


def kind_of(error: BaseException) -> str:
    """Return the name of the class of an error, or of the one behind it that a worker raised."""
    return _told(error)[0]


def input_error_of(error: BaseException) -> InputError | None:
    """Return the InputError of a worker that is behind an error of Spark's; None if there is another one behind it."""
    kind, text = _told(error)
    return InputError(text) if kind == InputError.__name__ else None


def _told(error: BaseException) -> tuple[str, str]:
    """Return the class and the message of an error, or of the one behind it that a worker raised."""
    kind, text = type(error).__name__, str(error)
    if isinstance(error, PayloadBridgeError):
        return kind, text
    if raised := _RAISED.findall(text):
        return raised[-1][0], raised[-1][1].strip()
    if merges := _JAVA_MERGE.findall(text):
        return MergeFailedError.__name__, merges[-1].strip()
    if around := _told_of_surroundings(error, text):
        return around
    causes = _USER_RAISED.findall(text) or _CAUSE.findall(text)
    lines = text.strip().splitlines() or [type(error).__name__]
    return kind, str(causes[-1] if causes else lines[0]).strip()


def _told_of_surroundings(error: BaseException, text: str) -> tuple[str, str] | None:
    """Return the class and the message of an error that storage, machine or a file is at fault for; None otherwise."""
    for pattern, sentence in _SURROUNDINGS.items():
        if found := pattern.search(text):
            return EngineError.__name__, sentence.format(*(part.strip().rstrip(".") for part in found.groups()))
    if isinstance(error, PermissionError):
        denied = f"{error.filename or error}: permission denied; run as another user, or name another path"
        return EngineError.__name__, denied
    if _DAMAGED.search(text) and not _ON_THE_WAY.search(text):
        told = next((found[1] for pattern in _FILES if (found := pattern.search(text))), "")
        file = unquote(re.sub(r"^file:/{0,2}(?=/)", "", told)) or "a Parquet file of the input"
        return InputError.__name__, f"{file} can't be read: its Parquet data is damaged or cut off; restore the file"
    return None
