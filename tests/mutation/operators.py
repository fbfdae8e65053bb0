"""How a mutant differs from the code: cosmic-ray's operators, one replacement each, and three that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import parso
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

if TYPE_CHECKING:
    from collections.abc import Iterator

_COSMIC_RAY: Final = (
    "AddNot",
    "ExceptionReplacer",
    "NumberReplacer",
    "ReplaceAndWithOr",
    "ReplaceBinaryOperator_Add_Sub",
    "ReplaceBinaryOperator_BitAnd_BitOr",
    "ReplaceBinaryOperator_BitOr_BitAnd",
    "ReplaceBinaryOperator_FloorDiv_Mul",
    "ReplaceBinaryOperator_LShift_RShift",
    "ReplaceBinaryOperator_Mod_Mul",
    "ReplaceBinaryOperator_Mul_FloorDiv",
    "ReplaceBinaryOperator_Pow_Mul",
    "ReplaceBinaryOperator_RShift_LShift",
    "ReplaceBinaryOperator_Sub_Add",
    "ReplaceBreakWithContinue",
    "ReplaceComparisonOperator_Eq_NotEq",
    "ReplaceComparisonOperator_GtE_Gt",
    "ReplaceComparisonOperator_Gt_GtE",
    "ReplaceComparisonOperator_IsNot_Is",
    "ReplaceComparisonOperator_Is_IsNot",
    "ReplaceComparisonOperator_LtE_Lt",
    "ReplaceComparisonOperator_Lt_LtE",
    "ReplaceComparisonOperator_NotEq_Eq",
    "ReplaceContinueWithBreak",
    "ReplaceFalseWithTrue",
    "ReplaceOrWithAnd",
    "ReplaceTrueWithFalse",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_Delete_USub",
    "ZeroIterationForLoop",
)
"""`==` becomes `!=`, `<` becomes `<=`: of cosmic-ray's replacements of an operator, the one that is hardest to notice.

Removed decorators are left out: most are caches, which change no answer.
"""


class NegateMembership(Operator):  # type: ignore[misc]
    """`in` becomes `not in`, and back."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type == "comparison":
            for child in node.children[1::2]:
                if _words(child) in {"in", "not in"}:
                    yield child.start_pos, child.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        places = [i for i in range(1, len(node.children), 2) if _words(node.children[i]) in {"in", "not in"}]
        negated = " not in" if _words(node.children[places[index]]) == "in" else " in"
        node.children[places[index]] = parso.parse(negated)
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class ReturnNone(Operator):  # type: ignore[misc]
    """`return value` becomes `return None`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type == "return_stmt" and _words(node.children[1]) != "None":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.children[1] = parso.parse(" None")
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class DropStatement(Operator):  # type: ignore[misc]
    """A call for its effect, or an assignment to an attribute or item, is left out."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type == "simple_stmt" and _has_effect(node.children[0]):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.children[0] = parso.parse(node.get_first_leaf().prefix + "pass")
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


def _has_effect(statement: Any) -> bool:
    if statement.type == "atom_expr":  # a call
        return True
    if statement.type != "expr_stmt" or statement.children[0].type != "atom_expr":
        return False
    return not any(child.type == "annassign" and "=" not in child.get_code() for child in statement.children)


def _words(node: Any) -> str:
    return " ".join(node.get_code(include_prefix=False).split())


_OURS: Final = {operator.__name__: operator for operator in (NegateMembership, ReturnNone, DropStatement)}

COARSE: Final = frozenset(_OURS) - {NegateMembership.__name__}
"""Operators that nearly any test of a line notices."""

NAMES: Final = (*_COSMIC_RAY, *_OURS)


def operator_of(name: str) -> Any:
    """Return a new operator by its name, one of `NAMES`."""
    return _OURS[name]() if name in _OURS else get_operator(f"core/{name}")()
