"""Dates and times out of ISO text, as the java.time parsers of Hudi's JSON conversion read them."""

from __future__ import annotations

import datetime
import re

_DATE = r"([0-9]{4}|\+[0-9]{5,9}|-[0-9]{4,9})-([0-9]{2})-([0-9]{2})"
_TIME = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?"
_OFFSET = r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?)?"

_DATE_ALONE = re.compile(_DATE)
_TIME_ALONE = re.compile(_TIME)
_LOCAL = re.compile(f"{_DATE}[T ]{_TIME}")
_INSTANT = re.compile(f"{_DATE}[Tt]? ?{_TIME}{_OFFSET}")

_EPOCH = datetime.date(1970, 1, 1)
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097  # the Gregorian calendar repeats
_DAY = 86_400
_NANOS = 1_000_000_000
_MAX_OFFSET = 18 * 3600


def days(text: str) -> int:
    """Return the days from 1970-01-01 to the date `text`; years beyond 9999 carry a sign.

    Raises:
        ValueError: this is not a date.
    """
    return _days(*_groups(_DATE_ALONE, text))


def nanos_of_day(text: str) -> int:
    """Return the nanoseconds from midnight to the time of day `text`.

    Raises:
        ValueError: this is not a time of day.
    """
    return _nanos_of_day(*_groups(_TIME_ALONE, text))


def local_nanos(text: str) -> int:
    """Return the nanoseconds from 1970-01-01 to the date and time `text`, which has no zone.

    Raises:
        ValueError: this is not a date and time.
    """
    groups = _groups(_LOCAL, text)
    return _days(*groups[:3]) * _DAY * _NANOS + _nanos_of_day(*groups[3:])


def instant_nanos(text: str) -> int:
    """Return the nanoseconds from 1970-01-01 UTC to the date and time `text`; without an offset it is UTC.

    Raises:
        ValueError: this is not a date and time.
    """
    groups = _groups(_INSTANT, text)
    sign, hours, minutes, seconds = groups[7:]
    offset = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    if offset > _MAX_OFFSET or max(int(minutes or 0), int(seconds or 0)) >= 60:  # noqa: PLR2004 (minutes of an hour)
        raise ValueError(text)
    local = _days(*groups[:3]) * _DAY * _NANOS + _nanos_of_day(*groups[3:7])
    return local + (offset if sign == "-" else -offset) * _NANOS


def _groups(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    match = pattern.fullmatch(text)
    if match is None or text.startswith("-0000-"):
        raise ValueError(text)
    return match.groups()


def _days(year: str, month: str, day: str) -> int:
    cycles, rest = divmod(int(year), _CYCLE_YEARS)
    in_cycle = datetime.date(_CYCLE_YEARS + rest, int(month), int(day)) - _EPOCH
    return in_cycle.days + (cycles - 1) * _CYCLE_DAYS


def _nanos_of_day(hour: str, minute: str, second: str | None, fraction: str | None) -> int:
    time = datetime.time(int(hour), int(minute), int(second or 0))
    return (time.hour * 3600 + time.minute * 60 + time.second) * _NANOS + int((fraction or "").ljust(9, "0"))
