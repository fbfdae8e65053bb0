"""Text of floating-point numbers as `toString` of Java's Double and Float gives it, up to Java 18.

These releases do not look for the shortest digits that read back as the number: `Double.MIN_VALUE` is `4.9E-324` where
Java 19 and Python say 5. Hudi runs on the older ones, and compares such text. Not followed is an overflow in Java that
leaves the last digit of about one in some thousand floats, all of more than nine digits before the point, unrounded.
"""

from __future__ import annotations

import itertools
import math
import struct

_DOUBLE_BITS, _FLOAT_BITS = 53, 24  # significant bits, with the hidden one
_PLAIN_FROM, _PLAIN_BELOW = -3, 7  # powers of ten that are written without an exponent
_LONG_BITS = 63


def double_text(value: float) -> str:
    """Return `Double.toString(value)`: `1.0E10`, `0.001`, `NaN`, `-Infinity`."""
    return _text(value, _DOUBLE_BITS, -1074)


def float_text(value: float) -> str:
    """Return `Float.toString(value)` of a double that a float holds exactly.

    A number beyond the floats reads as infinite.
    """
    return _text(single(value), _FLOAT_BITS, -149)


def single(value: float) -> float:
    """Return the float next to a double; a number beyond the floats is infinite."""
    try:
        found: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        found = math.copysign(math.inf, value)
    return found


def _text(value: float, bits: int, least: int) -> str:
    """Write `value`, of `bits` significant bits above 2 ** `least`."""
    if math.isnan(value):
        return "NaN"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if math.isinf(value):
        return f"{sign}Infinity"
    if value == 0:
        return f"{sign}0.0"
    digits, power = _digits(abs(value), bits, least)
    if 0 <= power < _PLAIN_BELOW:
        digits = digits.ljust(power + 2, "0")
        return f"{sign}{digits[: power + 1]}.{digits[power + 1 :]}"
    if _PLAIN_FROM <= power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{power}"


def _digits(value: float, bits: int, least: int) -> tuple[str, int]:
    """Return the decimal digits that Java writes for a positive number, and the power of ten of the first."""
    fraction, exponent = math.frexp(value)
    top = exponent - 1  # the number is in [2 ** top, 2 ** (top + 1))
    numerator, denominator = value.as_integer_ratio()
    if denominator == 1 and top < _LONG_BITS:
        return _integer_digits(numerator, top, bits)
    # Half the distance to the neighbours; a quarter for powers of two, because the one below is closer.
    margin = max(top - bits + 1, least) - (2 if fraction == 0.5 else 1)  # noqa: PLR2004 (of a power of two)
    # Java's own estimate: one too great for a few numbers, and then rounding up can reach it.
    power = math.floor((2 * fraction - 1.5) * 0.289529654 + 0.176091259 + top * 0.301029995663981)
    # Scaled to [1, 10) the number is rest / unit, and its margin half / unit.
    down, up = 10 ** max(power, 0) << max(-margin, 0), 10 ** max(-power, 0)
    rest, half, unit = numerator * up << max(-margin, 0), denominator * up << max(margin, 0), denominator * down
    digits = ""
    for step in itertools.count():
        digit, rest = divmod(rest, unit)
        rest, half = rest * 10, half * 10
        low, high = rest < half, rest + half > unit * 10
        if step == digit == 0 and not high:
            power -= 1
        else:
            digits += str(digit)
        needs_more = step == 0 and not _PLAIN_FROM <= power <= _PLAIN_BELOW  # a digit after the point, before the E
        if (low or high) and not needs_more:
            break
    beyond_half = 2 * rest - 10 * unit
    if high and (not low or beyond_half > 0 or (beyond_half == 0 and digit % 2)):
        rounded = str(int(digits) + 1)
        return rounded, power + len(rounded) - len(digits)
    return digits, power


def _integer_digits(number: int, top: int, bits: int) -> tuple[str, int]:
    """Write a whole number below 2 ** 63, without the digits that lie below its spacing."""
    beyond = top - bits - 1
    dropped = int(beyond * math.log10(2)) if beyond > 1 else 0
    unit = 10**dropped
    shown = number // unit + (1 if dropped and number % unit >= unit // 2 else 0)
    text = str(shown)
    return text.rstrip("0"), len(text) - 1 + dropped
