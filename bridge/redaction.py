"""Redaction: which values of data are hidden where values become text, and what stands in their place.

A hidden value becomes its type and a keyed hash: equal values stay equal, null stays null, and nothing else can be told
without the key. Whatever turns values into text for people or programs asks `current` here.
"""

from __future__ import annotations

import ast
import contextlib
import contextvars
import dataclasses
import datetime
import decimal
import functools
import hashlib
import itertools
import json
import os
import re
import secrets
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from typing_extensions import Self

_T = TypeVar("_T")

ALL: Final = "all"
"""What stands for every column."""

KEY_VARIABLE: Final = "PAYLOAD_BRIDGE_REDACT_KEY"
"""The environment variable with the key, if hashes are to be the same in several runs."""

REASON: Final = "_pb_reason"
"""The control column that says why a key could not be merged; it may quote any value."""

_CONTROL: Final = "_pb_"
_ORDERING: Final = "_pb_ordering"
_OF_DATA: Final = frozenset({_ORDERING, "_pb_left", "_pb_right"})
_OF_KEYS: Final = frozenset({"_hoodie_record_key", "_hoodie_partition_path"})
_META: Final = "_hoodie_"
_DIGEST: Final = 8  # bytes: two of a million values are alike once in 30 million runs
_KEY_BYTES: Final = 32


@dataclasses.dataclass(frozen=True)
class Redaction:
    """The columns whose values are hidden, and the key of their hashes.

    Attributes:
        columns: names of columns, at any depth, in lower case as Spark compares names; `all` for every one.
        key: what the hashes are keyed with, at most 64 bytes.
        used: those of `columns` that were asked about, so that a misspelt one is noticed.
        known: the columns that data has, in lower case, as far as they were learnt.
    """

    columns: frozenset[str] = frozenset()
    key: bytes = dataclasses.field(default=b"", repr=False)
    used: set[str] = dataclasses.field(default_factory=set, compare=False, repr=False)
    known: set[str] = dataclasses.field(default_factory=set, compare=False, repr=False)

    @classmethod
    def of(cls, columns: Iterable[str]) -> Redaction:
        """Hide columns under the key of `PAYLOAD_BRIDGE_REDACT_KEY`, or a random one."""
        given = os.environ.get(KEY_VARIABLE, "")
        key = hashlib.blake2b(given.encode("utf-8")).digest() if given else secrets.token_bytes(_KEY_BYTES)
        return cls(frozenset(column.lower() for column in columns), key)

    @property
    def is_active(self) -> bool:
        """Whether anything is hidden."""
        return bool(self.columns)

    def hides(self, column: str) -> bool:
        """Whether the values of a column are hidden.

        So are the ordering values that Hudi notes and, as they are made of other columns, record keys and partition
        paths.
        """
        if not self.columns:
            return False
        if column.startswith(_CONTROL):
            return column == _ORDERING  # rows of data in a control column are asked about column by column
        if (name := column.lower()) in self.columns:
            self.used.add(name)
            return True
        return ALL in self.columns or column in _OF_KEYS

    @property
    def unused(self) -> frozenset[str]:
        """The columns that nothing that became text so far has had."""
        return self.columns - self.used - {ALL}

    def learn(self, schema: Mapping[str, object]) -> None:
        """Take note of the columns of data, at any depth: of a schema as `StructType.jsonValue` gives it."""
        if self.is_active:
            self.known.update(name.lower() for name in _names(schema))

    @property
    def misspelt(self) -> frozenset[str]:
        """The columns that no data has; none where the columns of data were not learnt."""
        if not self.known:
            return frozenset()
        return frozenset(name for name in self.unused - self.known if not name.startswith(_META))

    def hides_ordering(self, columns: Iterable[str]) -> bool:
        """Whether ordering values of these columns are hidden; without columns nobody knows, so they are."""
        names = tuple(columns)
        return self.is_active and (not names or any(map(self.hides, names)))

    def token(self, value: object, shown: object) -> str:
        """Return what stands for a value that is not null: its type, and the hash of its JSON value `shown`."""
        text = json.dumps(shown, sort_keys=True, ensure_ascii=False, default=str)
        kind = _kind(value)
        return f"{kind} {hashlib.blake2b(f'{kind} {text}'.encode(), key=self.key, digest_size=_DIGEST).hexdigest()}"

    def text(self, column: str, text: str) -> str:
        """Return a value that is text already, or what stands for it; the empty text stands for null."""
        return self.token(text, text) if text and self.hides(column) else text

    def joined(self, other: Redaction) -> Redaction:
        """Return what hides the columns of both, under the key of this one if it hides any."""
        if not self.is_active or self == other:
            return other
        return dataclasses.replace(self, columns=self.columns | other.columns) if other.is_active else self

    def activate(self) -> contextvars.Token[Redaction]:
        """Hide the values from here on, until the context ends."""
        return _CURRENT.set(self)

    @contextlib.contextmanager
    def applied(self) -> Iterator[Redaction]:
        """Hide the values in a `with` block."""
        before = self.activate()
        try:
            yield self
        finally:
            _CURRENT.reset(before)


def _names(kind: object) -> Iterator[str]:
    """Give the names of fields in a type as Spark writes it in JSON."""
    if not isinstance(kind, dict):
        return
    for field in kind.get("fields", ()):
        yield field["name"]
        yield from _names(field["type"])
    for part in ("elementType", "keyType", "valueType"):
        yield from _names(kind.get(part))


_NOTHING: Final = Redaction()
_CURRENT: Final = contextvars.ContextVar("bridge.redaction", default=_NOTHING)


def current() -> Redaction:
    """Return what is hidden here; nothing, if nobody asked for it."""
    return _CURRENT.get()


def redacted(*columns: str) -> contextlib.AbstractContextManager[Redaction]:
    """Hide the values of columns in the reports that are made in a `with` block.

    In reports, traces and JSON a hidden value becomes its type and a keyed hash: equal values stay equal, and nulls
    stay visible. DataFrames keep their values, and so do messages of exceptions that leave the block. A notebook still
    hides them when it shows a report that was made in the block; call `to_json` and the like in the block. The key is
    random, or the text in the environment variable `PAYLOAD_BRIDGE_REDACT_KEY`.

    Args:
        columns: names, at any depth of a record; `all` for every column.
    """
    return Redaction.of(columns).applied()


class cached_as_hidden(functools.cached_property[_T]):  # noqa: N801 (named like what it stands for)
    """A cached property that has values of data: made once for each redaction under which it is asked for."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> _T: ...

    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> Self | _T:
        """Return the value as it is shown here."""
        if instance is None:
            return self
        made: dict[Redaction, _T] = vars(instance).setdefault(f"_{self.attrname}_as_hidden", {})
        if (hidden := current()) not in made:
            made[hidden] = self.func(instance)
        return made[hidden]


def shown_values(row: Mapping[str, str]) -> dict[str, str]:
    """Return values that are text already, by column, or what stands for those that are hidden."""
    return {name: current().text(name, text) for name, text in row.items()}


def is_control(column: str) -> bool:
    """Whether a column, with all that it holds, is the project's own and has no data."""
    return column.startswith(_CONTROL) and column not in _OF_DATA


_KINDS: Final = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "text"),
    (bytes | bytearray, "binary"),
    (decimal.Decimal, "decimal"),
    (datetime.datetime, "timestamp"),
    (datetime.date, "date"),
    (datetime.time, "time"),
    (list, "list"),
)
"""The types of values in a word; the first that fits."""


def _kind(value: object) -> str:
    return next((word for kind, word in _KINDS if isinstance(value, kind)), "record")


# -- messages

_LOCATED: Final = re.compile(
    r"^(?P<start>.*? failed(?: at [a-z-]+)? )\(key (?P<key>.*?)(?P<field>, field '[^']*')?\): ", re.DOTALL
)
_PAIR: Final = re.compile(r"(?P<name>\w+)=(?P<value>b?'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[^'\",\s]+)(?:, |$)")


def shown_message(message: str, what: str = "an error") -> str:
    """Return a message about data; where values are hidden, without what it may quote.

    Of a failed merge stay the class, the merge point, the field, and the key as far as it is not hidden. Of anything
    else stays `what`, the class of the error.
    """
    if not current().is_active:
        return message
    found = _LOCATED.match(message)
    if found is None:
        return f"{what}: redaction hides the message, which may quote values; run without it where they may be seen"
    pairs = list(_PAIR.finditer(found["key"]))
    is_whole = "".join(pair[0] for pair in pairs) == found["key"]
    names = [pair["name"] for pair in pairs]
    values = [_shown(pair["name"], pair["value"]) for pair in pairs] if is_whole else []
    key = ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=False)) or "hidden"
    return f"{found['start']}(key {key}{found['field'] or ''}): redaction hides the reason, which may quote values"


def _shown(name: str, source: str) -> str:
    """Return a value that a message has as Python writes it; text and integers get the hash of their column."""
    if not current().hides(name) or source == "None":
        return source
    try:
        value = ast.literal_eval(source)
    except (ValueError, SyntaxError):
        return "hidden"
    return current().token(value, value) if isinstance(value, str | int) else "hidden"


# -- secrets of settings

_USER_INFO: Final = re.compile(r"(://|:/(?!/)(?=[^@\s\"':/]*:))[^@\s\"':]*:[^@\s\"']*@|(https?://)[^@\s\"'/?#]+@")
"""A user with a password, or alone, which may be a token; in other schemes a name alone may be a container.

A URL that was taken for a path has one slash.
"""
_PARAMETER: Final = re.compile(
    r"([;?&](?:token|sig|signature|access_token|x-(?:amz|goog)-[\w-]+|password|secret|user_id)=)[^;&\s\"']+",
    re.IGNORECASE,
)
_AUTHORIZATION: Final = re.compile(r"\b(Bearer +|Authorization[\"']?[=:] *[\"']?(?:(?:Basic|Bearer) +)?)[^\s,;\"']+")
_SECRETS: Final = r"password|passwd|secret|token|credential|access\.?key|account\.key"
_SECRET_NAME: Final = re.compile(_SECRETS, re.IGNORECASE)
_NAMED: Final = rf"(?:{_SECRETS})[\w.-]{{0,99}}"
_QUOTED: Final = re.compile(
    rf"({_NAMED}(?:\\?[\"'])?[ \t]*[=:][=>]?[ \t]*(\\?[\"']))(?:(?!\2)(?:\\.|[^\\\n]))+(?=\2)", re.IGNORECASE
)
_SETTING: Final = re.compile(
    rf"({_NAMED}(?:\\?[\"'])?[ \t]*(?:=[=>]?|(?<![\"'])(?<!exception)(?<!error):)[ \t]*(?:\\?[\"'])?)[^\s,;\"']+",
    re.IGNORECASE,
)
"""What follows a colon without quotes is a message, not a value, after a quoted column or the name of an exception."""
_MARKS: Final = ("=", ":", "@", "Bearer ")
_WORDS: Final = ("passw", "secret", "token", "credential", "access", "account", "bearer", "authorization")
"""Each that `_AUTHORIZATION` or `_SECRETS` finds has one of them; to look for these is ten times as fast."""
HIDDEN: Final = "***"


def without_credentials(text: str) -> str:
    """Return a text without user names and passwords in URLs, and without the values of settings that hold secrets."""
    if not any(map(text.__contains__, _MARKS)):
        return text  # as most values do
    if ":/" in text:
        text = _USER_INFO.sub(rf"\1\2{HIDDEN}@", text)
    if "=" in text:
        text = _PARAMETER.sub(rf"\1{HIDDEN}", text)
    if not any(map(text.lower().__contains__, _WORDS)):
        return text
    text = _AUTHORIZATION.sub(rf"\1{HIDDEN}", text)
    return _SETTING.sub(rf"\1{HIDDEN}", _QUOTED.sub(rf"\1{HIDDEN}", text))


def scrubbed(value: object) -> Any:
    """Return a value with its texts, at any depth, `without_credentials`.

    A report is scrubbed before it becomes a page, JSON or a table: there a match would run on into the next value.
    """
    match value:
        case str():
            return without_credentials(value)
        case dict():
            found: dict[Any, Any] = {}
            for name, one in value.items():
                found[_unique_name(scrubbed(name), found)] = scrubbed(one)
            return found
        case tuple() if hasattr(value, "_make"):
            return value._make(map(scrubbed, value))
        case list() | tuple() | frozenset():
            kind = next(one for one in (list, tuple, frozenset) if isinstance(value, one))  # a Row takes no iterable
            return kind(map(scrubbed, value))
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            own = {one.name: scrubbed(getattr(value, one.name)) for one in dataclasses.fields(value) if one.init}
            return dataclasses.replace(value, **own)
        case _:
            return value


def _unique_name(name: object, taken: Container[Any]) -> object:
    """Return the name of an entry, with a number where that of another one has become the same."""
    if name not in taken:
        return name
    return next(other for number in itertools.count(2) if (other := f"{name} ({number})") not in taken)


def setting_shown(name: str, value: str) -> str:
    """Return the value of a setting, or what stands for a secret."""
    return HIDDEN if _SECRET_NAME.search(name) else value
