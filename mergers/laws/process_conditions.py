"""Another clock, other random numbers, object identities and host name for the interpreter that this runs in.

Only interpreters that were started to repeat merges run this, before they load the subject.
"""

from __future__ import annotations

import datetime
import functools
import gc
import itertools
import os
import random
import socket
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from mergers.laws.conditions import CLOCKS, HOSTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergers.laws.conditions import Conditions

_SECOND: Final = 1_000_000_000
_TICK: Final = 1_001
"""How far each look at the clock moves it: so that the same calls see the same times, and a loop that waits ends."""
_POWER: Final = 8
"""How strongly random numbers lean: so that a choice with small odds is made, and none that repeats hangs."""
_BLOCKS: Final = 2_000
_POOLED: Final = range(48, 513, 16)
"""The sizes of the blocks that CPython keeps pools of, as far as bytes objects can have them."""
_REPLACED: Final[list[Any]] = []
"""Methods that are no longer in their class: code that has run keeps no reference of its own to them."""


def apply_conditions(conditions: Conditions, now: int) -> None:
    """Take on conditions; `now` is the time of setting 0, in nanoseconds of the epoch."""
    _set_clock(CLOCKS[conditions.clock] or now)
    _set_randomness(conditions.randomness)
    host = HOSTS[conditions.environment]
    if host is not None:
        _set_host(host)


# -- the clock


def _set_clock(start: int) -> None:
    """Let every clock start at a time and go on with each look at it."""
    looks = itertools.count(start, _TICK)
    slept = [0]

    def now_ns() -> int:
        return next(looks) + slept[0]

    def now() -> float:
        return now_ns() / _SECOND

    def sleep(seconds: float) -> None:
        slept[0] += int(seconds * _SECOND)

    times: dict[str, Any] = {"sleep": sleep}
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        times[name], times[f"{name}_ns"] = now, now_ns
    if hasattr(time, "clock_gettime"):
        times["clock_gettime"], times["clock_gettime_ns"] = lambda _clock: now(), lambda _clock: now_ns()
    for name in ("gmtime", "localtime", "ctime"):
        times[name] = _with_default(getattr(time, name), now)
    localtime = times["localtime"]
    times["asctime"] = _with_default(time.asctime, localtime)
    formatted = time.strftime
    times["strftime"] = lambda form, moment=None: formatted(form, localtime() if moment is None else moment)
    for name, function in times.items():
        if hasattr(time, name):
            setattr(time, name, function)
    _set_datetime(now)


def _with_default(function: Callable[[Any], Any], default: Callable[[], Any]) -> Callable[..., Any]:
    return lambda moment=None: function(default() if moment is None else moment)


def _set_datetime(now: Callable[[], float]) -> None:
    """Let datetime tell the same time; the class stays what it is, for libraries that know it already."""

    def now_of(cls: type[datetime.datetime], tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return cls.fromtimestamp(now(), tz)

    def utcnow_of(cls: type[datetime.datetime]) -> datetime.datetime:
        return cls.fromtimestamp(now(), datetime.timezone.utc).replace(tzinfo=None)

    # A class written in C lets nobody set its attributes, but they are in a dict. `time` alone would leave out the hour
    # that `now` tells; `date.today` asks `time.time`.
    (methods,) = (held for held in gc.get_referents(datetime.datetime.__dict__) if isinstance(held, dict))
    _REPLACED.extend((methods["now"], methods["utcnow"]))
    methods |= {"now": classmethod(now_of), "utcnow": classmethod(utcnow_of)}
    _forget_lookups()


def _forget_lookups() -> None:
    """Let Python look attributes of classes up anew: what has started it, such as a `sitecustomize`, may know `now`."""
    forget = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache  # noqa: SLF001 (of Python 3.13, and before)
    forget()


# -- random numbers


class _Random(random.Random):
    """Numbers from one seed, unless the user states another: those are the same everywhere as they are.

    Attributes:
        setting: where numbers lean to: small ones in 1, great ones in 2.
        seeds: what generators without a seed get.
    """

    setting = 0
    seeds = itertools.count()
    _lean = 0

    def seed(self, a: Any = None, version: int = 2) -> None:
        self._lean = self.setting if a is None else 0
        super().seed(next(self.seeds) if a is None else a, version)

    def setstate(self, state: Any) -> None:
        self._lean = 0
        super().setstate(state)

    def random(self) -> float:
        return _leaning(super().random(), self._lean)

    def getrandbits(self, k: int, /) -> int:
        if not self._lean or k < 1:
            return super().getrandbits(k)
        top = min(k, 32)
        return int(self.random() * (1 << top)) << (k - top) | super().getrandbits(k - top)


def _set_randomness(setting: int) -> None:
    """Draw everything random from one seed, of the generators that libraries and the system offer."""
    _Random.setting, _Random.seeds = setting, itertools.count(setting << 32)
    _Random.__module__, _Random.__qualname__ = "random", "Random"
    source, everyones = _Random(), _Random()

    def urandom(size: int) -> bytes:
        return bytes(int(source.random() * 256) for _ in range(size))

    os.urandom = urandom
    random._urandom = urandom  # type: ignore[attr-defined]  # noqa: SLF001 (what SystemRandom and secrets draw from)
    for name in (name for name in dir(random) if hasattr(random.Random, name) and not name.startswith("_")):
        setattr(random, name, getattr(everyones, name))
    random.Random = _Random  # type: ignore[misc]


def _leaning(drawn: float, lean: int) -> float:
    match lean:
        case 1:
            return drawn**_POWER
        case 2:
            return 1 - 2**-53 - drawn**_POWER * (1 - 2**-52)
    return drawn


# -- the host and memory


def _set_host(name: str) -> None:
    socket.gethostname = lambda: name
    if hasattr(os, "uname"):
        system = os.uname()
        renamed = os.uname_result((system.sysname, name, system.release, system.version, system.machine))
        os.uname = lambda: renamed
    if "platform" in sys.modules:
        sys.modules["platform"]._uname_cache = None  # type: ignore[attr-defined]  # noqa: SLF001 (it may know the host already)


def shuffled_memory(setting: int) -> Callable[[], None]:
    """Free blocks of every size in random order, so that new objects don't lie in the order in which they are made.

    Setting 0 leaves memory as it is.

    Returns:
        What moves the block that the next object of each size gets. Without it, one that is made and dropped in every
        merge lies at one address throughout, and its hash decides alike in a process for all of its merges.
    """
    if not setting:
        return lambda: None
    order = random.Random(setting)  # noqa: S311 (nothing secret)
    empty = sys.getsizeof(b"")
    makers: list[Callable[[], Any]] = [object, dict, list]
    makers += (functools.partial(bytes, size - empty) for size in _POOLED)
    kept = []
    for make in makers:
        blocks = [make() for _ in range(_BLOCKS)]
        order.shuffle(blocks)
        del blocks[_BLOCKS // 2 :]
        kept.append((make, blocks))

    def move() -> None:
        at = int(order.random() * (_BLOCKS // 2))
        for make, blocks in kept:
            blocks[at] = make()  # takes the block that is free first, and frees another one, which is then the first

    return move
