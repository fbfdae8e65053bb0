"""Reads MERGE INTO statements of Spark SQL, and refuses what is not supported."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from bridge.engines import SOURCE, TARGET
from bridge.errors import InputError
from bridge.programs import ClauseAction, MergeClause, MergeStatement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def parsed(text: str, columns: Sequence[str], table: Sequence[str]) -> MergeStatement:
    """Parse a statement.

    Args:
        text: the statement.
        columns: those of the source.
        table: those of the table.

    Raises:
        InputError: the text is not one MERGE INTO statement, or has what is not supported.
    """
    try:
        found = sqlglot.parse(text, dialect="spark")
    except SqlglotError as error:
        message = str(error).partition("\n")[0]
        _refuse(f"Spark SQL can't be parsed: {message}", error)
    if len(found) != 1 or not isinstance(found[0], exp.Merge):
        _refuse("the text is not one MERGE INTO statement")
    return _Reader(found[0], columns, table).read()


def _refuse(problem: str, cause: Exception | None = None) -> NoReturn:
    msg = f"the operation sql_merge: {problem}; correct the statement"
    raise InputError(msg) from cause


_STRICT = (
    *(exp.Paren, exp.Not, exp.Cast, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Upper, exp.Lower),
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE),
)
"""What is null if any operand is."""


class _Reader:
    """Reads one statement."""

    def __init__(self, merge: exp.Merge, columns: Sequence[str], table: Sequence[str]) -> None:
        self._merge = merge
        self._names = {"source": _by_lower(columns), "table": _by_lower(table)}
        self._aliases: dict[str, str] = {}
        self._resolved: dict[str, str] = {}

    def read(self) -> MergeStatement:
        for role, node in (("table", self._merge.this), ("source", self._merge.args.get("using"))):
            if not isinstance(node, exp.Table):
                _refuse(f"the {role} is a subquery; name it, and give the rows of the subquery as the batch")
            self._aliases[node.alias_or_name.lower()] = role
        if len(self._aliases) < len(self._names):
            _refuse("table and source have one name; give one of them an alias")
        for node in self._merge.walk():
            if isinstance(node, exp.Subquery | exp.Select | exp.Exists):
                _refuse(f"the subquery {_text(node)} is not supported")
        whens = self._merge.args.get("whens")
        clauses = whens.expressions if whens is not None else self._merge.expressions
        if not clauses:
            _refuse("it has no WHEN")
        read = tuple(map(self._clause, clauses))
        for matched in (True, False):
            of_kind = [one for one in read if one.matched is matched]
            if any(one.condition is None for one in of_kind[:-1]):
                _refuse(f"only the last WHEN {'' if matched else 'NOT '}MATCHED may be without a condition")
        found = MergeStatement(self._on(), read, frozenset(self._names["source"]), self._resolved)
        return found._replace(is_partial=bool(found.updates) and len(found.updated) < len(self._names["table"]))

    def _on(self) -> dict[str, str]:
        """Read ON: equalities of a column of the table with a value of the source."""
        on = self._merge.args.get("on")
        whole = on.unnest() if on is not None else None
        if whole is None:
            _refuse("it has no ON")
        found: dict[str, str] = {}
        for part in whole.flatten() if isinstance(whole, exp.And) else [whole]:
            test = part.unnest()
            if not isinstance(test, exp.EQ):
                _refuse(f"ON has {_text(part)}, which is not an equality")
            sides = ((test.left, test.right), (test.right, test.left))
            matches = ((self._of_table(one), other) for one, other in sides if not self._reads(other))
            name, value = next(((name, value) for name, value in matches if name is not None), (None, None))
            if name is None or value is None:
                _refuse(f"ON has {_text(part)}, which does not compare a column of the table with the source")
            if name in found:
                _refuse(f"ON compares {name} twice")
            if (column := self._of_source(value)) is None:
                _refuse(f"ON has {_text(part)}; Hudi compares {name} only with a column of the source, cast or not")
            if column.lower() != name.lower() and name.lower() in self._names["source"]:
                _refuse(
                    f"ON has {_text(part)}, but the source has a column {name}, which Hudi takes instead; compare that "
                    "one, or rename it"
                )
            found[name] = self._sql(value)
        return found

    def _of_source(self, node: exp.Expr) -> str | None:
        """Return the column of the source that an expression is, or that it casts; None for any other."""
        inner = node.unnest()
        while isinstance(inner, exp.Cast):
            inner = inner.this.unnest()
        return self._named("source", inner)

    def _of_table(self, node: exp.Expr) -> str | None:
        """Return the column of the table that an expression is; None for any other."""
        return self._named("table", node)

    def _named(self, owner: str, node: exp.Expr) -> str | None:
        role, name, fields = self._column(node) if isinstance(node, exp.Column) else ("", "", [])
        return name if role == owner and not fields else None

    def _clause(self, when: exp.When) -> MergeClause:
        if when.args.get("source"):
            _refuse("WHEN NOT MATCHED BY SOURCE is not supported, nor is it by Hudi")
        matched, then, condition = bool(when.args.get("matched")), when.args["then"], when.args.get("condition")
        values: dict[str, exp.Expr] = {}
        if isinstance(then, exp.Update):
            action = ClauseAction.UPDATE
            values = self._star() if _is_star(then.expressions) else self._assigned(then.expressions)
            lacking = {name: node for name, node in values.items() if name.lower() not in self._names["source"]}
            for name, node in lacking.items():
                if self._of_source(node) is not None:
                    self._resolved.setdefault(name, self._sql(node))
        elif isinstance(then, exp.Insert):
            action = ClauseAction.INSERT
            values = self._star() if _is_star([then.this]) else self._inserted(then)
        elif then.name.upper() == "DELETE":
            action = ClauseAction.DELETE
        else:
            _refuse(f"{_text(when)} is not supported")
        if matched is (action is ClauseAction.INSERT):
            _refuse(f"{_text(when)} is not Spark SQL")
        in_values = [name for node in values.values() for name in self._reads(node)]
        reads = tuple(dict.fromkeys([*([] if condition is None else self._reads(condition)), *in_values]))
        if reads and not matched:
            _refuse(f"{_text(when)} reads {reads[0]} of the table, which has no such row there")
        return MergeClause(
            matched,
            action,
            None if condition is None else self._sql(condition),
            {name: self._sql(node) for name, node in values.items()},
            reads,
            bool(in_values),
            condition is None or not self._reads(condition) or self._fails_on_null(condition),
        )

    def _fails_on_null(self, test: exp.Expr) -> bool:
        """Whether a test that finds null in the columns of the table is certainly not true."""
        if isinstance(test, exp.Paren):
            return self._fails_on_null(test.this)
        if isinstance(test, exp.And | exp.Or):
            sides = [self._fails_on_null(side) for side in (test.left, test.right)]
            return any(sides) if isinstance(test, exp.And) else all(sides)
        return self._is_null(test)

    def _is_null(self, node: exp.Expr) -> bool:
        """Whether an expression that finds null in the columns of the table is certainly null."""
        if isinstance(node, exp.Column):
            return self._column(node)[0] == "table"
        return isinstance(node, _STRICT) and any(map(self._is_null, node.iter_expressions()))

    def _star(self) -> dict[str, exp.Expr]:
        """Return what `*` assigns: to each column of the table that of the source.

        Raises:
            InputError: the source lacks one.
        """
        missing = [name for lower, name in self._names["table"].items() if lower not in self._names["source"]]
        if missing:
            _refuse(f"* needs every column of the table, and the source lacks {', '.join(missing)}")
        alias = next(name for name, role in self._aliases.items() if role == "source")
        return {name: exp.column(name, table=alias) for name in self._names["table"].values()}

    def _assigned(self, assignments: Iterable[exp.Expr]) -> dict[str, exp.Expr]:
        found: dict[str, exp.Expr] = {}
        for one in assignments:
            if not isinstance(one, exp.EQ) or not isinstance(one.this, exp.Column):
                _refuse(f"SET has {_text(one)}, which assigns to no column")
            self._assign(found, one.this, one.expression)
        return found

    def _inserted(self, then: exp.Insert) -> dict[str, exp.Expr]:
        names, values = then.this.expressions, then.expression.expressions
        if len(names) != len(values):
            _refuse(f"INSERT has {len(names)} columns and {len(values)} values")
        found: dict[str, exp.Expr] = {}
        for name, value in zip(names, values, strict=True):
            self._assign(found, name, value)
        return found

    def _assign(self, found: dict[str, exp.Expr], column: exp.Expr, value: exp.Expr) -> None:
        parts = [part.name for part in column.parts] if isinstance(column, exp.Column) else [column.name]
        if len(parts) > 1 and self._aliases.get(parts[0].lower()) == "table":
            parts = parts[1:]
        name = self._names["table"].get(parts[0].lower())
        if name is None or len(parts) > 1:
            _refuse(f"{_text(column)} is no column of the table, which has {', '.join(self._names['table'].values())}")
        if name in found:
            _refuse(f"{name} is assigned twice")
        found[name] = value

    def _column(self, node: exp.Column) -> tuple[str, str, list[str]]:
        """Return whose column a name is, the column, and the fields inside it.

        Raises:
            InputError: it is nobody's, or both have it.
        """
        parts = [part.name for part in node.parts]
        role = self._aliases.get(parts[0].lower()) if len(parts) > 1 else None
        if role is not None:
            parts = parts[1:]
        owners = [role] if role is not None else [who for who in self._names if parts[0].lower() in self._names[who]]
        if len(owners) > 1:
            _refuse(f"{_text(node)} is a column of both table and source; write whose it is")
        if not owners or parts[0].lower() not in self._names[owners[0]]:
            has = "; ".join(f"the {who} has {', '.join(names.values())}" for who, names in self._names.items())
            _refuse(f"there is no column {_text(node)}: {has}")
        return owners[0], self._names[owners[0]][parts[0].lower()], parts[1:]

    def _reads(self, node: exp.Expr) -> list[str]:
        """Return the columns of the table that an expression reads."""
        found = [self._column(one) for one in node.find_all(exp.Column)]
        return [name for role, name, _ in found if role == "table"]

    def _sql(self, node: exp.Expr) -> str:
        """Return an expression as Spark SQL on the structs `SOURCE` and `TARGET`."""

        def in_struct(one: exp.Expr) -> exp.Expr:
            if not isinstance(one, exp.Column):
                return one
            role, name, fields = self._column(one)
            struct = SOURCE if role == "source" else TARGET
            return exp.Dot.build([exp.to_identifier(part, quoted=True) for part in (struct, name, *fields)])

        return node.copy().transform(in_struct).sql(dialect="spark")


def _by_lower(names: Iterable[str]) -> dict[str, str]:
    return {name.lower(): name for name in names}


def _is_star(nodes: Sequence[exp.Expr]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], exp.Star)


def _text(node: exp.Expr) -> str:
    return node.sql(dialect="spark")
