"""Evaluating expressions: each merge of two states runs once, on copies, and its result is kept."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from mergers.laws import core
from mergers.laws.algebra import Gathers
from mergers.laws.equality import Equality, Failed, same_answer, same_bytes
from mergers.laws.node_table import NodeTable
from mergers.laws.nodes import Node, copied_row, levels, positions_of, row_answer, turned, within
from mergers.laws.report import Counterexample, MergeStep
from payloads.user import CallEndedError, CallGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mergers.laws.algebra import Algebra
    from mergers.laws.core import Equation, Expr, Operands, Version
    from payloads.avro import Record


_ACTS: Final = "a merge with the stored row"
_RESTORES: Final = "the constructor, of a version that was read back"

Bound = tuple[Node, ...]
"""The nodes of the operands: the row first, then the versions."""


class Evaluator:
    """Evaluates expressions over the versions of one algebra, and compares the sides of equations.

    Attributes:
        equality: when two records are equal.
        guard: watches the calls.
    """

    def __init__(
        self,
        algebra: Algebra,
        equality: Equality = same_bytes,
        other: Algebra | None = None,
        guard: CallGuard | None = None,
    ) -> None:
        """Prepare; `guard` watches the calls of the class, without a limit of time by default."""
        self.algebra = algebra
        self.guard = guard or CallGuard(algebra.name, None)
        self.equality = equality
        self._other = None if other is None else Evaluator(other, equality, guard=guard)
        self._nodes = NodeTable(algebra, self.guard)
        self._merged: dict[tuple[Node, Node], Node] = {}
        self._acted: dict[tuple[Node, Node], Node] = {}
        self._compared: dict[tuple[Node, Node], bool] = {}
        self._compiled: dict[Expr, Callable[[Bound], Node]] = {}
        self._twins: dict[Node, Node] = {}
        self._given: dict[Node, Any] = {}
        self._memos: list[dict[Any, Any]] = [
            self._nodes.known,
            self._merged,
            self._acted,
            self._compared,
            self._twins,
            self._given,
        ]
        self._twin_evaluator: Evaluator | None = None

    @property
    def algebras(self) -> tuple[Algebra, ...]:
        """The subject, and the second implementation if there is one."""
        return (self.algebra,) if self._other is None else (self.algebra, self._other.algebra)

    def forget(self) -> None:
        """Forget all values, so that earlier merges don't influence later ones."""
        for memo in self._memos:
            memo.clear()
        if self._other is not None:
            self._other.forget()

    # -- operands

    def bind(self, operands: Operands) -> Bound:
        """Return the nodes of operands."""
        return self.row(operands.row), *map(self.incoming, operands.versions)

    def row(self, row: Record | None) -> Node:
        """Return the node of a stored row."""
        node = self._nodes.row(row)
        self._given.setdefault(node, row)
        return node

    def incoming(self, version: Version) -> Node:
        """Return the node of an incoming version; building it may fail, which is then its result."""
        node = self._nodes.version("the constructor", lambda: self.algebra.incoming(version))
        self._given.setdefault(node, version)
        return node

    # -- many at once

    def gather(self, exprs: Iterable[Expr], operands: Sequence[Bound]) -> None:
        """Let algebras that merge many pairs at once do so for expressions; another merges where it is asked.

        Level by level: what a merge takes has been merged then.
        """
        sides = list(exprs)
        if isinstance(self.algebra, Gathers):
            self._gather(self.algebra, sides, operands)
        if self._other is not None and isinstance(self._other.algebra, Gathers):
            elsewhere = [tuple(map(self._elsewhere, bound)) for bound in operands]
            self._other.gather(within(sides, core.Other), elsewhere)

    def _gather(self, algebra: Gathers, sides: list[Expr], operands: Sequence[Bound]) -> None:
        for level in levels(sides):
            merges: dict[tuple[Node, Node], None] = {}
            acts: dict[tuple[Node, Node], None] = {}
            for expr in level:
                is_merge = isinstance(expr, core.Merge)
                older, newer = (expr.older, expr.newer) if isinstance(expr, core.Merge) else (expr.row, expr.newer)
                left, right = self.compiled(older), self.compiled(newer)
                pairs = dict.fromkeys((left(bound), right(bound)) for bound in operands)
                known = self._merged if is_merge else self._acted
                (merges if is_merge else acts).update((pair, None) for pair in pairs if _is_open(pair, known))
            algebra.gather(*([(one.value, other.value) for one, other in pairs] for pairs in (merges, acts)))
        anew = within(sides, core.Again)
        if anew:
            fresh = self._fresh()
            fresh.gather(anew, [self._turned(bound, fresh) for bound in operands])

    # -- equations

    def holds(self, equation: Equation, operands: Bound) -> bool:
        """Whether both sides agree; two errors of one kind do."""
        return self.agree(self.value(equation.left, operands), self.value(equation.right, operands))

    def agree(self, left: Node, right: Node) -> bool:
        """Whether two values agree, as in `holds`."""
        if left is right:
            return True
        known = self._compared.get((left, right))
        if known is None:
            known = same_answer(left.answer, right.answer, self.algebra.schema, self.equality)
            self._compared[left, right] = known
        return known

    def counterexample(self, equation: Equation, operands: Operands) -> Counterexample:
        """Return the operands with the merges of both sides."""
        bound = self.bind(operands)
        left, right = (tuple(self._steps(side, bound)) for side in equation)
        return Counterexample(equation, operands, left, right)

    def _steps(self, expr: Expr, operands: Bound) -> Iterator[MergeStep]:
        if isinstance(expr, core.Merge | core.Act):
            older, newer = (expr.older, expr.newer) if isinstance(expr, core.Merge) else (expr.row, expr.newer)
            for part in (older, newer):
                if not isinstance(part, core.Incoming | core.Row):
                    yield from self._steps(part, operands)
        yield MergeStep(core.text(expr), self.value(expr, operands).answer)

    def value(self, expr: Expr, operands: Bound) -> Node:
        """Return the node of an expression."""
        return self.compiled(expr)(operands)

    def compiled(self, expr: Expr) -> Callable[[Bound], Node]:
        """Return what gives an expression its value for operands."""
        found = self._compiled.get(expr)
        if found is None:
            found = self._compiled[expr] = self._compile(expr)
        return found

    # -- expressions

    def _compile(self, expr: Expr) -> Callable[[Bound], Node]:  # noqa: C901, PLR0911 (one a kind)
        match expr:
            case core.Row():
                return lambda operands: operands[0]
            case core.Incoming(position):
                return lambda operands: operands[position + 1]
            case core.Merge(older, newer):
                return self._pair(older, newer, self._merged, self._merge)
            case core.Act(row, newer):
                return self._pair(row, newer, self._acted, self._act)
            case core.Again(inner):
                return self._once(inner, lambda operands: self._again(inner, operands))
            case core.Restored(inner):
                compiled = self._compile(inner)
                return lambda operands: self._twin(compiled(operands))
            case core.Before(inner):
                return self._once(inner, self._operands_of(inner, runs=False))
            case core.After(inner):
                return self._once(inner, self._operands_of(inner, runs=True))
            case core.Fitted(inner):
                compiled = self._compile(inner)
                return lambda operands: self._nodes.fitted(compiled(operands))
            case core.Other(inner) if self._other is not None:
                other = self._other
                return self._once(inner, lambda operands: other.value(inner, tuple(map(self._elsewhere, operands))))
            case _:
                msg = f"{expr!r} can't be evaluated here"
                raise TypeError(msg)

    def _pair(
        self,
        older: Expr,
        newer: Expr,
        memo: dict[tuple[Node, Node], Node],
        run: Callable[[Node, Node], Node],
    ) -> Callable[[Bound], Node]:
        left, right = self._compile(older), self._compile(newer)

        def value(operands: Bound) -> Node:
            pair = left(operands), right(operands)
            found = memo.get(pair)
            if found is None:
                found = memo[pair] = run(*pair)
            return found

        return value

    def _once(self, expr: Expr, run: Callable[[Bound], Node]) -> Callable[[Bound], Node]:
        """Run once for each choice of the operands in an expression."""
        positions = sorted(positions_of(expr))
        memo: dict[Bound, Node] = {}
        self._memos.append(memo)

        def value(operands: Bound) -> Node:
            key = tuple(operands[position] for position in positions)
            found = memo.get(key)
            if found is None:
                found = memo[key] = run(operands)
            return found

        return value

    def _merge(self, older: Node, newer: Node) -> Node:
        for node in (older, newer):
            if isinstance(node.answer, Failed):
                return node
        algebra = self.algebra
        return self._nodes.version(
            "a merge of two versions", lambda: algebra.merge(algebra.copy(older.value), algebra.copy(newer.value))
        )

    def _act(self, row: Node, newer: Node) -> Node:
        for node in (row, newer):
            if isinstance(node.answer, Failed):
                return node
        try:
            stored = self.guard.call(
                _ACTS, lambda: self.algebra.act(copied_row(row.value), self.algebra.copy(newer.value))
            )
        except CallEndedError:
            raise
        except Exception as error:  # noqa: BLE001 (an error is an answer, whoever's code it comes from)
            return self._nodes.failed(error, is_row=True)
        return self._nodes.row(stored)

    def made_anew(self, row: Record | None, versions: Sequence[Version]) -> Node:
        """Return the node of two versions merged, or of one merged with a row, without copies of the objects.

        A copy has what the class serialises. From 1.1 on no payload is serialised between its constructor and a merge.
        """
        algebra = self.algebra
        for version in versions:
            failed = self._nodes.failure(functools.partial(algebra.incoming, version))
            if failed is not None:
                return failed
        if len(versions) > 1:
            return self._nodes.version(
                "a merge of two versions", lambda: algebra.merge(*map(algebra.incoming, versions))
            )
        try:
            stored = self.guard.call(_ACTS, lambda: algebra.act(copied_row(row), algebra.incoming(versions[0])))
        except CallEndedError:
            raise
        except Exception as error:  # noqa: BLE001 (as above)
            return self._nodes.failed(error, is_row=True)
        return self._nodes.row(stored)

    def _operands_of(self, call: Expr, *, runs: bool) -> Callable[[Bound], Node]:
        algebra = self.algebra
        parts = (call.older, call.newer) if isinstance(call, core.Merge) else (call.row, call.newer)  # type: ignore[attr-defined]
        compiled = [self._compile(part) for part in parts]

        def value(operands: Bound) -> Node:
            nodes = [part(operands) for part in compiled]
            if any(isinstance(node.answer, Failed) for node in nodes):
                return next(node for node in nodes if isinstance(node.answer, Failed))
            copies = [copied_row(node.value) if node.is_row else algebra.copy(node.value) for node in nodes]
            try:
                if runs and nodes[0].is_row:
                    self.guard.call(_ACTS, algebra.act, *copies)
                elif runs:
                    self.guard.call("a merge of two versions", algebra.merge, *copies)
            except CallEndedError:
                raise
            except Exception:  # noqa: BLE001, S110 (what the call leaves behind is looked at, not what it says)
                pass
            pairs = zip(nodes, copies, strict=True)
            answers = tuple(row_answer(one) if node.is_row else self._nodes.answer(one) for node, one in pairs)
            return Node(None, answers, is_row=False)

        return value

    # -- operands again

    def _twin(self, node: Node) -> Node:
        """Return a node as read back from a log."""
        found = self._twins.get(node)
        if found is None:
            is_whole = not isinstance(node.answer, Failed)
            found = self._nodes.version(_RESTORES, lambda: self.algebra.restored(node.value)) if is_whole else node
            self._twins[node] = found
        return found

    def _again(self, expr: Expr, operands: Bound) -> Node:
        """Evaluate anew, with the entries of maps the other way round."""
        fresh = self._fresh()
        fresh.forget()
        return fresh.value(expr, self._turned(operands, fresh))

    def _fresh(self) -> Evaluator:
        """Return the evaluator that merges anew."""
        if self._twin_evaluator is None:
            algebra = self.algebra.again() if isinstance(self.algebra, Gathers) else self.algebra
            self._twin_evaluator = Evaluator(algebra, guard=self.guard)
        return self._twin_evaluator

    def _turned(self, operands: Bound, fresh: Evaluator) -> Bound:
        given = [(node.is_row, self._given[node]) for node in operands]
        return tuple(
            fresh.row(turned(one)) if is_row else fresh.incoming(one._replace(record=turned(one.record)))
            for is_row, one in given
        )

    def _elsewhere(self, node: Node) -> Node:
        """Return an operand as the second implementation has it."""
        given = self._given[node]
        other = self._other
        if other is None:
            return node
        return other.row(given) if node.is_row else other.incoming(given)


def _is_open(pair: tuple[Node, Node], known: Mapping[tuple[Node, Node], Node]) -> bool:
    """Whether two values have not been merged, and can be."""
    return pair not in known and not any(isinstance(node.answer, Failed) for node in pair)
