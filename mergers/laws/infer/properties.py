"""Which properties a class reads, and what they change: the class is asked again under other values of them."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.laws.infer.held import first_difference
from mergers.laws.infer.read_properties import ReadProperties
from mergers.laws.merger_algebra import MergerAlgebra
from mergers.laws.payload_algebra import PayloadAlgebra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mergers.laws import Subject
    from mergers.laws.infer.held import OtherAnswer
    from mergers.laws.infer.inference import Inferred

_NAME: Final = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)+")
_MOST_NAMES, _MOST_VALUES = 8, 12
_PAIRS: Final = 400
"""How many of the pairs are asked again: the first ones, which differ in one column."""
_USUAL: Final = ("true", "false", "1", "0")


class PropertyEffect(NamedTuple):
    """A property that changes what a class does.

    Attributes:
        name: the property.
        value: the value that was tried.
        found: what was asked without it.
        shows: the smallest pair of versions that has another result.
    """

    name: str
    value: str
    found: Inferred
    shows: OtherAnswer


def property_effects(
    found: list[Inferred], subject: Subject, under: Callable[[Mapping[str, str]], Subject]
) -> Iterator[PropertyEffect]:
    """Give the properties that a class reads, one value of each that changes a result.

    A class in Python shows which properties it reads; the names are those that its own code reads, dotted texts in it,
    and the given properties, as far as it reads them. Of a compiled class they are the dotted texts and the given
    properties. Values are those that the code names, and truth values. A property that changes no result of the pairs
    that were asked is not told.

    Args:
        found: what was asked of the class at each point.
        subject: the class as it was asked.
        under: returns it with other properties.
    """
    given = dict(subject.spec.props)
    constants = [one for one in getattr(subject.algebra, "constants", ()) if isinstance(one, str)]
    named = _read([*(one for one in constants if _NAME.fullmatch(one)), *given], found, subject)
    columns = subject.spec.schema.by_name
    values = list(dict.fromkeys([*_USUAL, *(one for one in constants if one not in named), *columns]))
    for name in [one for one in named if one not in columns][:_MOST_NAMES]:
        for value in [one for one in values if one and one != given.get(name)][:_MOST_VALUES]:
            other = under({**given, name: value})
            effects = (
                PropertyEffect(name, value, one, shows)
                for one in found
                if (shows := first_difference(_few(one), other)) is not None
            )
            effect = next(effects, None)
            if effect is not None:
                yield effect
                break


def _read(names: list[str], found: list[Inferred], subject: Subject) -> list[str]:
    """Return the names that the class reads, of these and of all that its own code asks for; all if that is unknown."""
    algebra = subject.algebra
    if not isinstance(algebra, PayloadAlgebra | MergerAlgebra):
        return list(dict.fromkeys(names))
    read = ReadProperties(dict(algebra.props))
    noting = copy.copy(algebra)
    noting.props = read
    for one in found:
        first_difference(_few(one), subject._replace(algebra=noting))
    known = names if read.are_all else [name for name in names if name in read.names]
    return list(dict.fromkeys([*read.by_user, *known]))


def _few(found: Inferred) -> Inferred:
    return found._replace(pairs=found.pairs[:_PAIRS])
