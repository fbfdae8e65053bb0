"""The conditions under which another process repeats merges: the environment, which must not influence the result."""

from __future__ import annotations

import enum
import os
from typing import Final, NamedTuple


class Aspect(enum.Enum):
    """One thing that is varied from process to process; the value describes it for a sentence.

    In the order in which a cause is looked for: whatever varies moves objects in memory, so identity comes first.
    """

    PROCESS = "the process: its id, or the identity of its objects"
    IDENTITY = "the identity of objects: their id or default hash"
    CLOCK = "the clock"
    RANDOMNESS = "random numbers"
    HASHES = "the hashes of texts, which order sets"
    ENVIRONMENT = "the environment: variables, time zone, locale, working folder or host name"
    CALLS = "the calls that came before: their number or their order"
    MAPS = "the order of a map's entries"


class Conditions(NamedTuple):
    """A setting for each aspect: 0 as in this process, 1 and 2 opposed to each other, 3 apart from both."""

    process: int = 0
    clock: int = 0
    randomness: int = 0
    hashes: int = 0
    identity: int = 0
    environment: int = 0
    calls: int = 0
    maps: int = 0

    def varied(self, aspect: Aspect, other: Conditions) -> Conditions:
        """Return these conditions with one aspect as in `other`."""
        name = aspect.name.lower()
        return self._replace(**{name: getattr(other, name)})


OURS: Final = Conditions()
"""Those of this process, as far as they can be repeated."""
OTHERS: Final = (
    Conditions(1, 1, 1, 1, 1, 1, 1, 0),
    Conditions(2, 2, 2, 2, 2, 2, 2, 1),
    # The environment stays, for what can't run without it.
    Conditions(3, 3, 3, 3, 3, 0, 3, 1),
)
"""Three that differ from this process and from each other; whatever has two sides differs between the first two."""

CLOCKS: Final = (None, 981_173_106_100_000_000, 2_111_169_041_901_000_001, 1_371_553_923_400_000_000)
"""Where the clock starts, in nanoseconds of the epoch; None for now.

1 is Saturday, 2001-02-03 04:05:06.1; 2 is Monday, 2036-11-24 19:50:41.9: every part of them is opposed
in parity and in half, in UTC as in the time zones of both settings.
"""
ZONES: Final = (None, 3, -3, None)
"""Time zones, in hours east of Greenwich; None for ours."""
HOSTS: Final = (None, "localhost", "worker-7", None)
"""Names of the host; None for ours."""
_HASH_SEEDS: Final = ("0", "2", "6", "11")
"""2 and 6 order most pairs of short texts in opposite ways."""
_LOCALES: Final = (None, "C", "tr_TR.UTF-8", None)
_NEEDED: Final = (
    *("PATH", "LD_", "DYLD_", "PYTHON", "PYSPARK_", "JAVA", "SPARK_", "HADOOP_", "VIRTUAL_ENV", "CONDA"),
    *("SYSTEMROOT", "TEMP", "TMP"),
)
"""What processes and libraries can't start without; any other variable is absent in setting 1."""


def environment(conditions: Conditions, folder: str) -> dict[str, str]:
    """Return the variables of a process that works in `folder`."""
    setting = conditions.environment
    found = dict(os.environ)
    seed = os.environ.get("PYTHONHASHSEED", "")
    found["PYTHONHASHSEED"] = seed if not conditions.hashes and seed.isdigit() else _HASH_SEEDS[conditions.hashes]
    if not ZONES[setting]:
        return found
    if setting == 1:
        found = {name: value for name, value in found.items() if name.upper().startswith(_NEEDED)}
    zone = -(ZONES[setting] or 0)  # POSIX counts them to the west
    return found | {
        "HOME": folder,
        "HOSTNAME": HOSTS[setting] or "",
        "LANG": _LOCALES[setting] or "",
        "LC_ALL": _LOCALES[setting] or "",
        "LOGNAME": f"user{setting}",
        "PATH": os.pathsep.join(filter(None, (found.get("PATH", os.defpath), folder))),
        "PWD": folder,
        "TZ": f"XXX{zone}",
        "USER": f"user{setting}",
    }
