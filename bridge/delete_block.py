"""What an ordering value becomes on its way through a delete block of a log file, until release 0.15.

Source: HoodieDeleteBlock version 3 of 0.15.0, whose Avro wrappers know few types: what comes back may have another
Java class than what was written, and then no longer compares with the ordering values of data rows.
"""

from __future__ import annotations

import decimal

from payloads import Ordering, UnsupportedPayloadOperationError

_SAME = frozenset({"int", "long", "float", "double", "boolean", "bytes", "string", "local_date"})
_DECIMAL_DIGITS, _DECIMAL_SCALE = 30, 15


def read_back(ordering: Ordering) -> Ordering:
    """Return `ordering` as a reader of the block gets it.

    Strings come back as java.lang.String, timestamps as Instant, decimals with scale 15.

    Raises:
        UnsupportedPayloadOperationError: Hudi can't write a value of this type, or a decimal with so many digits.
    """
    java_type = ordering.java_type
    if java_type in _SAME:
        return ordering
    if java_type == "utf8":
        return Ordering("string", ordering.value)
    if java_type == "timestamp":
        return Ordering("instant", ordering.value // 1000)
    if java_type == "decimal":
        return Ordering("decimal", _rescaled(ordering.value))
    msg = f"a delete with an ordering value of type {java_type} can't be written to a log; use another ordering field"
    raise UnsupportedPayloadOperationError(msg)


def _rescaled(value: decimal.Decimal) -> decimal.Decimal:
    with decimal.localcontext(prec=10_000):
        scaled = value.quantize(decimal.Decimal(1).scaleb(-_DECIMAL_SCALE))
    if scaled != value or len(scaled.as_tuple().digits) > _DECIMAL_DIGITS:
        msg = (
            f"the ordering value {value} does not fit a delete block, which holds {_DECIMAL_DIGITS} digits, "
            f"{_DECIMAL_SCALE} of them after the point; use another ordering field"
        )
        raise UnsupportedPayloadOperationError(msg)
    return scaled
