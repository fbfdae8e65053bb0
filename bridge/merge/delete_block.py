"""What an ordering value becomes on its way through a delete block of a log file.

Source: HoodieDeleteBlock. Version 2 is Kryo and keeps the objects. Version 3, from 0.14 on, has Avro wrappers for few
types: what comes back may have another Java class than what was written, and then no longer compares with the ordering
values of data rows.
"""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING

from bridge.config import capabilities
from payloads import HudiRelease, Ordering, UnsupportedPayloadOperationError

if TYPE_CHECKING:
    from collections.abc import Callable

_SAME = frozenset({"int", "long", "float", "double", "boolean", "bytes", "string"})
DECIMAL_DIGITS, DECIMAL_SCALE = 30, 15


def read_back(ordering: Ordering, release: HudiRelease) -> Ordering:
    """Return `ordering` as a reader of the block gets it.

    Until 0.13 it is the same. From 0.14 on strings come back as java.lang.String and decimals with scale 15; timestamps
    come back as Instant until 0.15. From 1.0 on a date can be written inside a list alone.

    Raises:
        UnsupportedPayloadOperationError: Hudi can't write a value of this type, or a decimal with so many digits.
    """
    if capabilities(release).delete_block_utf8 is not None:
        return ordering
    if ordering.java_type == "array":
        return Ordering("array", tuple(_element(element, release) for element in ordering.value))
    if ordering.java_type == "local_date" and not capabilities(release).delete_block_dates:
        raise _refusal(ordering)
    return _converted(ordering, release)


def _element(ordering: Ordering | None, release: HudiRelease) -> Ordering | None:
    return None if ordering is None else _converted(ordering, release)


def _converted(ordering: Ordering, release: HudiRelease) -> Ordering:
    if ordering.java_type in _SAME:
        return ordering
    convert = _CONVERSIONS.get(ordering.java_type)
    if convert is None:
        raise _refusal(ordering)
    return convert(ordering, release)


def _timestamp(ordering: Ordering, release: HudiRelease) -> Ordering:
    return Ordering("instant", ordering.value // 1000) if capabilities(release).delete_block_instants else ordering


def _decimal(ordering: Ordering, _release: HudiRelease) -> Ordering:
    with decimal.localcontext(decimal.Context(prec=10_000)):
        scaled = ordering.value.quantize(decimal.Decimal(1).scaleb(-DECIMAL_SCALE))
    if scaled != ordering.value or len(scaled.as_tuple().digits) > DECIMAL_DIGITS:
        msg = (
            f"the ordering value {ordering.value} does not fit a delete block, which stores {DECIMAL_DIGITS} digits, "
            f"{DECIMAL_SCALE} of them after the point; use another ordering field"
        )
        raise UnsupportedPayloadOperationError(msg)
    return Ordering("decimal", scaled)


_CONVERSIONS: dict[str, Callable[[Ordering, HudiRelease], Ordering]] = {
    "utf8": lambda ordering, _release: Ordering("string", ordering.value),
    "local_date": lambda ordering, _release: ordering,
    "timestamp": _timestamp,
    "decimal": _decimal,
}


def _refusal(ordering: Ordering) -> UnsupportedPayloadOperationError:
    return UnsupportedPayloadOperationError(
        f"a delete with an ordering value of type {ordering.java_type} can't be written to a log; "
        "use another ordering field"
    )
