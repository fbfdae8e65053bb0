# ruff: noqa: DTZ005, DTZ011, N802, NPY002, PTH109, PTH208, S311 (what users write)
"""Mergers that let chance or their surroundings decide a tie, each by what its docstring names."""

from __future__ import annotations

import datetime
import itertools
import os
import platform
import random
import secrets
import socket
import time
import uuid
from datetime import date

import numpy as np

from tests.mergers.laws.faulty import Merger


class Tie(Merger):
    """The later version wins; of two that tie the older one where `older_wins` says so."""

    def merge(self, older, newer, schema, props):
        if older.ordering_value == newer.ordering_value:
            return older if self.older_wins(older, newer) else newer
        return self.later(older, newer)


def tie(cause, description):
    """Return what makes a merger of a function (older, newer), known by the word that its cause has."""

    def made(older_wins):
        namespace = {"older_wins": staticmethod(older_wins), "__module__": __name__, "__doc__": description}
        kind = type(older_wins.__name__, (Tie,), namespace)
        UNDETERMINED.append((kind, cause))
        return kind

    return made


UNDETERMINED = []
"""Each with a word of the sentence that names its cause."""

CLOCK, RANDOM, IDENTITY, ENVIRONMENT, CALLS = "clock", "random", "identity", "environment", "calls"


@tie(CLOCK, "seconds since the epoch")
def Seconds(older, newer):
    return int(time.time()) % 2


@tie(CLOCK, "the year, far from now")
def Year(older, newer):
    return time.time_ns() > 2_000_000_000 * 10**9


@tie(CLOCK, "the hour")
def Hour(older, newer):
    return datetime.datetime.now().hour < 12


@tie(CLOCK, "the hour of another time zone")
def HourInUtc(older, newer):
    return datetime.datetime.now(datetime.timezone.utc).hour % 2


@tie(CLOCK, "the weekend")
def Weekend(older, newer):
    return date.today().weekday() >= 5


@tie(CLOCK, "the local hour")
def LocalTime(older, newer):
    return time.localtime().tm_hour % 2


@tie(CLOCK, "the day of the year")
def DayOfYear(older, newer):
    return time.gmtime().tm_yday % 2


@tie(CLOCK, "the month")
def Month(older, newer):
    return time.strftime("%m") < "06"


@tie(CLOCK, "the time since some start")
def Uptime(older, newer):
    return time.monotonic() > 10**9


@tie(RANDOM, "one time in a thousand")
def Seldom(older, newer):
    return random.random() < 0.001


@tie(RANDOM, "a choice")
def Choice(older, newer):
    return random.choice((True, False))


@tie(RANDOM, "generators of their own")
def OwnGenerator(older, newer):
    return random.Random().random() < 0.5


@tie(RANDOM, "uuids")
def Uuids(older, newer):
    return uuid.uuid4() < uuid.uuid4()


@tie(RANDOM, "numpy's generators")
def Numpy(older, newer):
    return np.random.default_rng().random() < 0.5


@tie(RANDOM, "numpy's old generator")
def OldNumpy(older, newer):
    return np.random.random() < 0.5


@tie(RANDOM, "the system's entropy")
def Entropy(older, newer):
    return os.urandom(1)[0] < 128


@tie(RANDOM, "secrets")
def Secrets(older, newer):
    return secrets.token_hex(1) < secrets.token_hex(1)


@tie("hashes", "hashes of texts")
def TextHashes(older, newer):
    return hash(str(older.record["v"])) < hash(str(newer.record["v"]))


@tie("hashes", "the order of a set")
def SetOrder(older, newer):
    return next(iter({str(older.record), str(newer.record)})) == str(older.record)


@tie(IDENTITY, "ids")
def Ids(older, newer):
    return id(older.record) < id(newer.record)


@tie(IDENTITY, "hashes of objects")
def Hashes(older, newer):
    return hash(object()) % 7 < 3  # of all bits of an address


@tie(IDENTITY, "the order of a set of objects")
def ObjectSets(older, newer):
    first, second = Tie(), Tie()
    return next(iter({first, second})) is first


@tie(ENVIRONMENT, "the time zone")
def Zone(older, newer):
    return time.tzname[0].startswith("U")


@tie(ENVIRONMENT, "a variable that the system sets")
def Language(older, newer):
    return os.environ.get("LANG", "").startswith("tr")


@tie(ENVIRONMENT, "a variable of the user's")
def Variable(older, newer):
    return "PAYLOAD_TIES" in os.environ


@tie(ENVIRONMENT, "the working folder")
def Folder(older, newer):
    return "payloads" in os.listdir()


@tie(ENVIRONMENT, "the host")
def Host(older, newer):
    return socket.gethostname() > "m"


@tie(ENVIRONMENT, "the host, by another name")
def Node(older, newer):
    return platform.node() > "m"


@tie("process", "the process id")
def ProcessId(older, newer):
    return os.getpid() % 2


_numbers = itertools.count()
_seen = {}


@tie(CALLS, "every other call")
def EveryOther(older, newer):
    return next(_numbers) % 2


_first = itertools.count()


@tie(CALLS, "the first call")
def FirstCall(older, newer):
    return next(_first) == 0


_many = itertools.count()


@tie(CALLS, "a cache that is full one day")
def LaterCalls(older, newer):
    return next(_many) > 60


@tie(CALLS, "whichever was seen first")
def FirstSeen(older, newer):
    ordering = older.ordering_value.value
    return _seen.setdefault(ordering, str(older.record)) == str(older.record)


@tie("map", "the first entry of a map")
def FirstEntry(older, newer):
    return next(iter(older.record["tags"] or {"a": 0})) == "a"


class DeletesByHour(Merger):
    """The clock decides whether a delete that ties is kept; rows that are no deletes merge alike at any time."""

    def merge(self, older, newer, schema, props):
        has_delete = any(version.record is None or version.marked_delete for version in (older, newer))
        if has_delete and older.ordering_value == newer.ordering_value and datetime.datetime.now().hour < 12:
            return older
        return self.later(older, newer)


class WithSeed(Tie):
    """Random numbers with a seed of their own are the same everywhere."""

    def older_wins(self, older, newer):
        random.seed(7)
        first, generator = random.random(), random.Random("seed")
        return (first < 0.5) == (generator.choice((True, False)) and generator.getrandbits(8) > 7)


class WithClockUnseen(Tie):
    """It looks at everything, and lets nothing of it decide."""

    def older_wins(self, older, newer):
        looked_at = [time.time(), datetime.datetime.now(), uuid.uuid4(), id(older), hash("v"), os.getpid()]
        looked_at += [os.getcwd(), socket.gethostname(), {"a", "b"}, random.sample(range(1000), 600), os.environ.copy()]
        random.shuffle(looked_at)
        random.gauss()
        assert isinstance(datetime.datetime.now(), datetime.datetime)
        assert sorted(random.sample(range(40), 40)) == list(range(40))
        return len(looked_at) == 0


class Timed(Tie):
    """It waits, and compares times that belong together."""

    def older_wins(self, older, newer):
        start = time.monotonic()
        while time.monotonic() < start + 0.002:
            time.sleep(0.001)
        before = time.time()
        return datetime.datetime.now().timestamp() + 1 < before


DETERMINED = (WithSeed, WithClockUnseen, Timed)
