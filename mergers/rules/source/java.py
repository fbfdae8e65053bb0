"""The rule of a merger in Java: the method that merges two versions, with the methods and imports that it needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.rules.source.java_parts import (
    IMPORTS,
    NEEDS,
    SPELLED,
    TYPES,
    is_common,
    java_default,
    java_literal,
    operator_of,
    turned,
    unstated,
)
from mergers.rules.source.merger import NotStatedError
from payloads.backports import assert_never
from payloads.records import error_text_of
from payloads.rules import (
    DATA,
    IS_DELETED,
    META_COLUMNS,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Concat,
    Constant,
    Effect,
    Error,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    How,
    IfElse,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    JoinedLists,
    LaterIs,
    Least,
    MergeRule,
    Not,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from payloads.avro import AvroSchema, Field
    from payloads.rules import Column, Gives, Later, Test

WIDTH: Final = 120


class JavaRule(NamedTuple):
    """A rule in Java.

    Attributes:
        body: the lines of the method `merged(Version older, Version newer)`, and of `newerWins` where it has one.
        helpers: the names of further methods that these call.
        imports: what they need.
    """

    body: tuple[str, ...]
    helpers: frozenset[str]
    imports: frozenset[str]


def java_rule(rule: MergeRule, schema: AvroSchema) -> JavaRule:
    """Return a rule, which is complete, in Java.

    Raises:
        NotStatedError: naming the node that Java has no form of.
    """
    return _Writer(rule, schema).written()


class _Writer:
    """Writes one rule; what it calls is collected."""

    def __init__(self, rule: MergeRule, schema: AvroSchema) -> None:
        self._rule, self._schema = rule, schema
        self._helpers: set[str] = set()
        self._imports: set[str] = set()
        self._named: set[str] | None = None  # of the versions `later` and `earlier`, where they are variables

    def written(self) -> JavaRule:
        if self._rule.deletes.marker is not None:
            msg = f"Java source can't express {self._rule.deletes.marker!r}, which Hudi looks for itself"
            raise NotStatedError(msg)
        lines: list[str] = []
        cases = list(self._rule.cases)
        while cases and cases[-1].gives == self._rule.result:
            cases.pop()
        for case in cases:
            lines += [*self._if(case.when), *self._gives(case.gives, "      "), "    }"]
        lines += self._gives(self._rule.result, "    ")
        own = [] if isinstance(self._rule.later, ByArrival) else self._comparison(self._rule.later)
        for name in tuple(self._helpers):
            self._helpers.update(NEEDS.get(name, ()))
        for name in self._helpers:
            self._imports.update(IMPORTS.get(name, ()))
        return JavaRule(("\n".join(lines), *own), frozenset(self._helpers), frozenset(self._imports))

    def _call(self, helper: str, *arguments: str) -> str:
        self._helpers.add(helper)
        return f"{helper}({', '.join(arguments)})"

    def _if(self, test: Test) -> list[str]:
        """Write a test as the head of a block, a part a line where it is long."""
        line = f"    if ({self._test(test)}) {{"
        if len(line) <= WIDTH or not isinstance(test, AllOf | AnyOf) or len(test.tests) == 1:
            return [line]
        sign = "&&" if isinstance(test, AllOf) else "||"
        first, *others = (self._test(one, inner=True) for one in test.tests)
        rest = [f"        {sign} {one}" for one in others]
        return [f"    if ({first}", *rest[:-1], f"{rest[-1]}) {{"]

    # -- what it yields

    def _gives(self, gives: Gives, indent: str) -> list[str]:
        match gives:
            case Effect.CURRENT | Effect.SENTINEL:
                return [f"{indent}return older;"]
            case Effect.INCOMING | Effect.COPY:
                return [f"{indent}return newer;"]
            case Effect.WINNER:
                return [f"{indent}return {self._later()};"]
            case Effect.DELETE:
                return [f"{indent}return null;"]
            case Effect.NEW:
                return [indent[4:] + line for line in self._made()]
            case Error(fault):
                self._imports.add("org.apache.hudi.exception.HoodieException")
                return [f"{indent}throw new HoodieException({json.dumps(error_text_of(fault))});"]
            case Effect.FILLED | Effect.CHANGED | Effect.EDITED:
                raise unstated(gives)
            case other:
                assert_never(other)

    def _later(self) -> str:
        return "newer" if isinstance(self._rule.later, ByArrival) else "newerWins(older, newer) ? newer : older"

    def _made(self) -> list[str]:
        """Return the lines that make a new row: a loop for the columns that the rule does not name, then the others."""
        self._imports |= {"org.apache.avro.Schema", "org.apache.avro.generic.GenericData"}
        self._imports.add("org.apache.avro.generic.GenericRecord")
        columns = dict(self._rule.columns)
        others = columns.pop(DATA)
        names = [name for name in columns if name not in META_COLUMNS]
        if isinstance(others, FirstNonDefault) or not is_common(others):
            rest = [field.name for field in self._schema.fields if field.name not in META_COLUMNS]
            names = [*(name for name in rest if name not in columns), *names]
            columns |= {name: others for name in names if name not in columns}
            others = Take(Role.LATER)
        self._named = set()
        later = self._side(Role.LATER)
        simple = later if others == Take(Role.LATER) else None
        value = f"{simple}.get(field.name())" if simple else self._value(others, None, "field.name()")
        is_plain = simple is not None or (isinstance(others, Take) and self._side(others.role) == later)
        if not is_plain:
            self._imports.add("org.apache.hudi.common.model.HoodieRecord")
            test = "HoodieRecord.HOODIE_META_COLUMNS_NAME_TO_POS.containsKey(field.name())"
            value = f"{test}\n          ? {later}.get(field.name()) : {value}"
        lines = [
            "    GenericRecord row = new GenericData.Record((newer.row == null ? older : newer).row.getSchema());",
            "    for (Schema.Field field : row.getSchema().getFields()) {",
            f"      row.put(field.pos(), {value});",
            "    }",
        ]
        for name, text in ((name, json.dumps(name)) for name in names):
            value = self._value(columns[name], self._schema.by_name[name], text)
            lines.append(f"    {self._call('put', 'row', text, value)};")
        lines.append(f"    return new Version(row, {later}.ordering, false);")
        named, self._named = self._named, None
        locals_ = [
            f"    Version {name} = newerWins(older, newer) ? {sides};"
            for name, sides in (("later", "newer : older"), ("earlier", "older : newer"))
            if name in named
        ]
        return [*locals_, *lines]

    # -- which version is later

    def _side(self, role: Role) -> str:
        match role:
            case Role.OLDER | Role.NEWER:
                return str(role.value)
            case Role.LATER | Role.EARLIER:
                if isinstance(self._rule.later, ByArrival):
                    return "newer" if role is Role.LATER else "older"
                if self._named is not None:
                    self._named.add(role.value)
                    return str(role.value)
                sides = "newer : older" if role is Role.LATER else "older : newer"
                return f"(newerWins(older, newer) ? {sides})"
            case other:
                assert_never(other)

    def _comparison(self, later: Later) -> list[str]:
        match later:
            case ByArrival():
                return []
            case ByOrdering(tie, reverse, how, unlike_wins):
                if how is not How.JAVA or unlike_wins:
                    raise unstated(later)
                self._imports.add("org.apache.hudi.exception.HoodieException")
                return [
                    "    if (older.ordering == null || newer.ordering == null) {",
                    '      throw new HoodieException("an ordering value is null; fill the ordering field");',
                    "    }",
                    f"    return newer.ordering.compareTo(older.ordering) {operator_of(tie, reverse=reverse)} 0;",
                ]
            case ByColumn(names, against, tie, reverse, how, consistent):
                kinds = [self._schema.by_name[name].schema.non_null for name in names if name in self._schema.by_name]
                plain = len(kinds) == len(names) and all(kind.logical != "decimal" for kind in kinds)
                if how is not How.JAVA or against is not Against.COLUMN or consistent or not plain:
                    raise unstated(later)
                return self._by_columns(names, operator_of(tie, reverse=reverse))
            case other:
                assert_never(other)

    def _by_columns(self, names: Sequence[str], operator: str) -> list[str]:
        self._helpers.add("order")
        self._imports.add("org.apache.hudi.exception.HoodieException")
        (*first, last) = (json.dumps(name) for name in names)
        lines = []
        for name in (*first, last):
            null = json.dumps(f"{json.loads(name)} is null; fill it")
            tests = [f"newer.get({name}) == null"]
            if first:  # several columns compare as lists, in which no null compares
                tests.insert(0, f"older.get({name}) == null")
            else:
                lines += [f"    if (older.get({name}) == null) {{", "      return true;", "    }"]
            lines += [f"    if ({' || '.join(tests)}) {{", f"      throw new HoodieException({null});", "    }"]
            if name != last:
                lines += [
                    f"    if (order(older, newer, {name}) != 0) {{",
                    f"      return order(older, newer, {name}) {turned(operator)} 0;",
                    "    }",
                ]
        return [*lines, f"    return order(older, newer, {last}) {turned(operator)} 0;"]

    # -- tests

    def _test(self, test: Test, *, inner: bool = False) -> str:  # noqa: C901, PLR0911, PLR0912 (one a node)
        match test:
            case IsEmpty(role):
                return f"{self._side(role)}.row == null"
            case IsDelete(role):
                flag = IS_DELETED in self._schema.by_name
                side = self._side(role)
                return (
                    f"({side}.isDelete || {self._call('is', side, json.dumps(IS_DELETED), 'true')})"
                    if flag
                    else (f"{side}.isDelete")
                )
            case IsNatural(role):
                return f"Integer.valueOf(0).equals({self._side(role)}.ordering)"
            case IsUnordered(role):
                return f"{self._side(role)}.ordering == null"
            case LaterIs(role):
                if isinstance(self._rule.later, ByArrival):
                    return str(role is Role.NEWER).lower()
                return f"{'' if role is Role.NEWER else '!'}newerWins(older, newer)"
            case ColumnIs(role, column, value):
                written = java_literal(value, self._schema.by_name[column].schema.non_null.kind)
                return self._call("is", self._side(role), json.dumps(column), written)
            case TextIs(role, column, text, letters):
                own = self._call("string", self._side(role), json.dumps(column))
                return f"{java_literal(text, 'string')}.{SPELLED[letters].format(own)}"
            case AllOf(tests):
                return self._joined(tests, " && ", inner=inner) if tests else "true"
            case AnyOf(tests):
                return self._joined(tests, " || ", inner=inner) if tests else "false"
            case Not(IsEmpty(role)):
                return f"{self._side(role)}.row != null"
            case Not(IsUnordered(role)):
                return f"{self._side(role)}.ordering != null"
            case Not(AllOf((one,)) | AnyOf((one,))):
                return self._test(Not(one))
            case Not(one):
                return f"!{self._test(one, inner=True)}"
            case IsListed():
                raise unstated(test)
            case other:
                assert_never(other)

    def _joined(self, tests: Sequence[Test], sign: str, *, inner: bool) -> str:
        text = sign.join(self._test(one, inner=True) for one in tests)
        return f"({text})" if inner and len(tests) > 1 else text

    # -- values of columns

    def _value(self, node: Column, field: Field | None, name: str) -> str:  # noqa: C901, PLR0911, PLR0912 (one a node)
        match node:
            case Take(role):
                return f"{self._side(role)}.get({name})"
            case FirstNonNull(values):
                return self._first(values, "null", field, name)
            case FirstNonDefault(values):
                return self._first(values, java_default(node, field), field, name)
            case FirstNonMarker(values, marker):
                return self._first(values, java_literal(marker, "string"), field, name)
            case Least():
                return self._call("least", "older", "newer", name)
            case Greatest():
                return self._call("greatest", "older", "newer", name)
            case Sum():
                kind = TYPES[field.schema.non_null.kind] if field is not None else ""
                return self._call(f"sum{kind}", f"older.get({name})", f"newer.get({name})")
            case Concat():
                return self._call("concat", f"older.get({name})", f"newer.get({name})")
            case Union():
                return self._call("union", f"older.get({name})", f"newer.get({name})")
            case JoinedLists():
                raise unstated(node)
            case Constant(value):
                return java_literal(value, "" if field is None else field.schema.non_null.kind)
            case IfElse(test, then, otherwise):
                both = self._value(then, field, name), self._value(otherwise, field, name)
                return f"{self._test(test, inner=True)} ? {both[0]} : {both[1]}"
            case other:
                assert_never(other)

    def _first(self, values: Sequence[Column], gap: str, field: Field | None, name: str) -> str:
        first, *others = values
        written = self._value(first, field, name)
        return self._call("firstNot", gap, written, self._first(others, gap, field, name)) if others else written
