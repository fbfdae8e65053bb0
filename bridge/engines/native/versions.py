"""The newer side of a merge: a batch or a log as versions, and the one of each key that the stored row meets.

Hudi folds the versions of a key in their order. The fold compares them by their ordering values, and starts anew at a
version that replaces whatever is there. So its result is a maximum: of the last start, then of the ordering value, then
of the order of arrival. Where nothing starts anew, one sort finds it; else one sort by arrival, and windows over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines.control_columns import ADDED_TYPES, ARRIVAL, COMMIT, GROUP, IS_DELETE, MADE, NEWER, ORDERING, PREFIX
from bridge.engines.native.failures import (
    DUPLICATES,
    NULL_ORDERING,
    NULL_REFUSED,
    OTHER_CLASS,
    UNLIKE_CLASSES,
    Failures,
)
from bridge.engines.native.java_values import is_delete
from bridge.engines.native.join_keys import SameKey
from bridge.engines.native.log_scan import ENTRY, TOP, described, folded
from bridge.engines.native.ordering import later
from bridge.engines.native.partial_updates import packed, with_gaps_filled
from bridge.engines.native.size import OuterJoin, broadcasts_newer
from bridge.spark import quoted, quoted_name
from payloads.rules import DeleteTests

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec
    from pyspark.sql.types import StructField

    from bridge.engines.native.lowering import Lowered
    from bridge.plan import MergePlan

DEAD, RESET, CLASS = f"{PREFIX}dead", f"{PREFIX}reset", f"{PREFIX}class"
_POSITION, _PART, _LIVE = f"{PREFIX}position", f"{PREFIX}part", f"{PREFIX}live"
_BEFORE, _NONE, _FAILURE, _HIGH = (f"{PREFIX}{name}" for name in ("before", "none", "failure", "high"))
_UNLIKE, _AFTER_RESET, _RESET_AT, _ROW_AT = (f"{PREFIX}{n}" for n in ("unlike", "after_reset", "reset_at", "row_at"))
_HELPERS = (ENTRY, _POSITION, _PART, TOP, _LIVE, _BEFORE, _NONE, _FAILURE, _HIGH, _UNLIKE, _AFTER_RESET)
NATURAL, TYPED, _OTHER = 0, 1, 2
"""The classes of ordering values: Hudi's "no ordering", that of the field, and any other."""


class Versions:
    """The names and expressions of both sides: stored rows keep their names, the newer side gets others.

    Attributes:
        rule: what a job comes down to.
        types: the data columns and their types.
        names: the data columns.
        new: their names on the newer side.
        identity: the columns that identify a key on the newer side.
        values: the columns of a combined version to compare, one after the other.
        ordering_field: the ordering field that messages name.
        stored_failures: failures of a key that has a stored row.
        failures: failures of a key by its columns on the newer side.
    """

    def __init__(
        self, rule: Lowered, plan: MergePlan, fields: tuple[StructField, ...], *, by_commit: bool = False
    ) -> None:
        """Name all columns; `by_commit`: each commit has its own combined version of a key."""
        self.rule = rule
        self._plan = plan
        self._by_commit = [COMMIT] if by_commit else []
        self.types = types = {field.name: field.dataType for field in fields}
        self.names = tuple(types)
        self.new = {name: f"{PREFIX}new_{number}" for number, name in enumerate(self.names)}
        self.key = SameKey(plan.identity, types, self.new)
        self.identity = self.key.names
        self._computes = rule.reads_log or bool(rule.gaps) or any(not kind.is_plain for kind in rule.ordering)
        compared = [name for kind in rule.ordering for name in [kind.name] * len(kind.values(sf.lit(None)))]
        computed = [f"{PREFIX}value_{number}" for number in range(len(compared))]
        self.values = computed if self._computes else [self.new[name] for name in compared]
        self.ordering_field = rule.ordering[0].name if rule.ordering else None
        told = [name for name in plan.identity if name != GROUP]
        self.stored_failures = Failures(plan, {name: name for name in told}, types)
        self.failures = Failures(plan, {name: self.new[name] for name in told}, types)

    def rows(self, side: DataFrame) -> DataFrame:
        """Return the stored rows."""
        checked = side.withColumns({name: self._checked(name) for name in self._plan.key})
        return checked.selectExpr(*map(quoted_name, self.names))

    def keys(self, side: DataFrame) -> DataFrame:
        """Return the keys of the stored rows, by which `key.matches` finds them: floating-point numbers as texts."""
        return side.select(*(self.key.compared(name, self._checked(name)).alias(name) for name in self._plan.identity))

    def outer(self, stored: DataFrame, newer: DataFrame) -> OuterJoin:
        """Return how the stored side is joined with the combined newer one."""
        twice = self.stored_failures.raised(None, DUPLICATES)
        return OuterJoin(newer, self.key.matches(), twice, broadcast=broadcasts_newer(stored, newer))

    def is_absent_above(self) -> Column:
        """Whether a row of the join has no combined version."""
        return sf.col(self.new[self._plan.key[0]]).isNull()

    def is_absent_below(self) -> Column:
        """Whether a row of the join has no stored row."""
        return quoted(self._plan.key[0]).isNull()

    def _checked(self, name: str) -> Column:
        return self.stored_failures.present(name) if name in self._plan.key else quoted(name)

    def combined(self, side: DataFrame, *, counted: bool = False, in_one: bool = False) -> DataFrame:
        """Return one version a key (and commit): data columns under their new names, what a comparison needs of it.

        If `counted`, the number of its versions, too; one task finds all if `in_one`.
        """
        versions = self.key.gathered(self._described(side), in_one=in_one)
        if self.rule.gaps:
            return self._filled_where_several(versions, counted=counted)
        if counted:
            versions = versions.withColumn(NEWER, sf.count(sf.lit(1)).over(self._whole()))
        return self._one_a_key(versions)

    def _filled_where_several(self, versions: DataFrame, *, counted: bool) -> DataFrame:
        """Return one version a key; windows that fill gaps cost several times a sort, and most keys need none."""
        versions = versions.withColumn(NEWER, sf.count(sf.lit(1)).over(self._whole()))
        several = self._one_a_key(packed(versions.where(sf.col(NEWER) > 1), self.rule.gaps, self.new, self.identity))
        alone = versions.where(sf.col(NEWER) == 1).withColumn(MADE, sf.lit(False))
        if self.rule.reads_log and self.values:
            other = self.failures.raised(self.rule.fold_point, OTHER_CLASS, field=self.ordering_field)
            alone = alone.where(sf.when(sf.col(CLASS) == _OTHER, other).otherwise(sf.lit(True)))
        found = alone.select(*several.columns).unionByName(several)
        return found if counted else found.drop(NEWER)

    def _one_a_key(self, versions: DataFrame) -> DataFrame:
        """Return the version of each key that its fold leaves."""
        if self._is_ranked:
            return self._last(versions)
        if self.rule.scans:
            return folded(versions, self._by_key(), value=self.values[0], position=_POSITION, dead=DEAD, reset=RESET)
        ranked = self._parts(versions)
        # A delete that replaced everything counts more than the entries that it outlasts.
        ranks = [_PART, _LIVE, RESET, *self.values, _POSITION]
        failure = self._failure(ranked)
        if self.rule.gaps:
            rank = sf.struct(_PART, _LIVE, *self.values)
            earlier = self._in_order().rowsBetween(Window.unboundedPreceding, -1)
            before = sf.max(rank).over(earlier)
            wins = (sf.col(_LIVE) | sf.col(RESET)) & (before.isNull() | (rank >= before))
            if failure is not None:
                ranked, failure = ranked.withColumn(_FAILURE, failure), sf.col(_FAILURE)
            ranked = ranked.withColumn(_HIGH, wins)
        ranked = ranked.withColumn(TOP, sf.max(sf.struct(*ranks)).over(self._whole()))
        stays = sf.col(_POSITION) == sf.col(TOP)[_POSITION]
        if failure is not None:
            raised = self.failures.raised(self.rule.fold_point, sf.col(_FAILURE), field=self.ordering_field)
            ranked = ranked.withColumn(_FAILURE, failure)
            stays = sf.when(sf.col(_FAILURE).isNotNull(), raised).otherwise(stays)
        filled = self._filled(ranked) if self.rule.gaps else ranked
        return filled.where(stays).drop(*_HELPERS)

    @property
    def _is_ranked(self) -> bool:
        """Whether the last version of a key wins, in the order of ordering values and then of arrival."""
        rule = self.rule
        if not self.values:
            return True
        compares_one = len(rule.ordering) == 1 or rule.refuses_nulls
        return compares_one and not (rule.reads_log or rule.gaps or self._can_reset)

    def _last(self, versions: DataFrame) -> DataFrame:
        """Return the last version of each key.

        Nulls come first, so a null that another version follows is one that Hudi compares.
        """
        versions = versions.withColumn(TOP, sf.lead(sf.lit(True)).over(self._in_order()).isNull())
        if self.rule.gaps:
            versions = self._filled(versions.withColumn(_HIGH, sf.lit(True)))
        stays = sf.col(TOP)
        if self.values and not self.rule.refuses_nulls and versions.schema[self.values[0]].nullable:
            null = self.failures.raised(self.rule.fold_point, NULL_ORDERING, field=self.ordering_field)
            stays = sf.when(~stays & sf.col(self.values[0]).isNull(), null).otherwise(stays)
        return versions.where(stays).drop(*_HELPERS)

    def _filled(self, versions: DataFrame) -> DataFrame:
        gaps, keys = self.rule.gaps, (*self.identity, *self._by_commit)
        return with_gaps_filled(versions, gaps, self.new, keys, position=_POSITION, high=_HIGH, dead=DEAD)

    # -- one version

    def _described(self, side: DataFrame) -> DataFrame:
        rule = self.rule
        entry = sf.coalesce(sf.col(IS_DELETE), sf.lit(False)) if rule.reads_log else sf.lit(False)
        marked = is_delete(self.rule.deletes, quoted)
        checked = [self._checked(name).alias(self.new[name]) for name in self._plan.key]
        control = [self._with_value(entry | marked, entry).alias(DEAD), self.position(side).alias(_POSITION)]
        if rule.ordering:
            control += self._ordering(entry, marked, has_ordering=ORDERING in side.columns)
        described = side.select("*", *checked, *self.key.of_newer(quoted), *control)
        added = [*described.columns[len(side.columns) :], *self._by_commit]
        data = [f"{quoted_name(name)} AS {new}" for name, new in self.new.items() if new not in added]
        return described.selectExpr(*data, *map(quoted_name, added))

    def position(self, side: DataFrame) -> Column:
        """Return where a version is in the order of arrival."""
        kinds = dict(side.dtypes)
        arrived = [name for name in (COMMIT, ARRIVAL) if name in kinds]
        if arrived == [ARRIVAL] and kinds[ARRIVAL] == "bigint" and self._plan.arrival is None:
            return sf.col(ARRIVAL)  # the number of the row
        # Users' orders may have ties; the rows' own order then decides.
        return sf.struct(*arrived, sf.monotonically_increasing_id().alias("row"))

    def key_columns(self) -> list[Column]:
        """Return the key columns of a newer side under their new names, and what else identifies a key."""
        named = [self._checked(name).alias(self.new[name]) for name in self._plan.identity]
        return [*named, *self.key.of_newer(quoted)]

    def _with_value(self, dead: Column, entry: Column) -> Column:
        """Return whether a version is a delete, which fails for a row whose payload refuses its null ordering value."""
        if not self.rule.refuses_nulls or len(self._plan.ordering) != 1:
            return dead  # a list of values is none of them
        (field,) = self._plan.ordering
        failures = self.stored_failures  # the columns have their own names here
        null = failures.raised(self.rule.fold_point, NULL_REFUSED, field=field)
        return sf.when(~entry & quoted(field).isNull(), null).otherwise(dead)

    def _ordering(self, entry: Column, marked: Column, *, has_ordering: bool) -> list[Column]:
        """Return value, class and whether it replaces whatever is there, of data rows and of delete entries."""
        rule = self.rule
        if not rule.reads_log:
            values = [value for kind in rule.ordering for value in kind.values(quoted(kind.name))]
            named = self._named(values) if self._computes else []
            reset = marked & sf.coalesce(values[0] == 0, sf.lit(False)) if self._can_reset else sf.lit(False)
            return [*named, reset.alias(RESET)]
        (kind,) = rule.ordering
        ordering = sf.col(ORDERING) if has_ordering else sf.lit(None).cast(ADDED_TYPES[ORDERING])
        if rule.scans:
            return described(kind, entry, ordering, self.values[0])
        kept, text = ordering["type"], ordering["value"]
        (own,) = kind.values_where_stored(quoted(kind.name))
        of_data = sf.when(own.isNull(), NATURAL).otherwise(TYPED)
        fits = kept.isin(*kind.entry_types)
        is_default = kept.isNull() | ((kept == "int") & (text == "0"))
        of_entry = sf.when(is_default & ~sf.coalesce(fits, sf.lit(False)), NATURAL).when(fits, TYPED).otherwise(_OTHER)
        value = sf.when(entry, sf.when(fits, kind.parsed(text))).otherwise(own)
        data_resets = marked & ((own == 0) if kind.is_integer else own.isNull())
        reset = sf.when(entry, is_default).otherwise(data_resets)
        class_ = sf.when(entry, of_entry).otherwise(of_data).cast("tinyint")
        is_none = (entry & kept.isNull()).alias(_NONE)
        control = [reset.alias(RESET), class_.alias(CLASS), entry.alias(ENTRY), is_none]
        if rule.resets_compare:  # there the text of an entry compares before it is converted to that of rows
            control.append((entry & (kept == "string")).alias(_UNLIKE))
        return [*self._named([value]), *control]

    def _named(self, values: list[Column]) -> list[Column]:
        return [value.alias(name) for value, name in zip(values, self.values, strict=True)]

    # -- the versions of a key

    def _by_key(self) -> WindowSpec:
        return Window.partitionBy(*map(quoted, (*self.identity, *self._by_commit)))

    def _in_order(self) -> WindowSpec:
        """Return the window of a key, in the order in which rows are sorted, once for all windows."""
        return self._by_key().orderBy(*(self.values if self._is_ranked else []), _POSITION)

    def _whole(self) -> WindowSpec:
        """Return the window of all versions of a key."""
        return self._in_order().rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)

    def _parts(self, versions: DataFrame) -> DataFrame:
        """Number the starts of a key's fold; a version is live if it takes part in comparisons."""
        in_order = self._in_order()
        so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
        reset = sf.col(RESET)
        if not self.rule.reads_log:
            part = sf.sum(reset.cast("long")).over(so_far) if self._can_reset else sf.lit(0)
            before = sf.lag(sf.struct((~reset).alias("live"), sf.col(self.values[0]).isNull().alias("null")))
            return versions.withColumns({_PART: part, _LIVE: ~reset, _BEFORE: before.over(in_order)})
        # A delete entry does not replace a delete that replaced everything; the next row does.
        earlier, starts = in_order.rowsBetween(Window.unboundedPreceding, -1), self._starts_anew()
        told = {
            _RESET_AT: sf.max(sf.when(reset, sf.col(_POSITION))).over(earlier),
            _ROW_AT: sf.max(sf.when(starts, sf.col(_POSITION))).over(earlier),
            _BEFORE: sf.lag(sf.struct(reset.alias("reset"), sf.col(CLASS).alias("class"))).over(in_order),
        }
        if not self.rule.resets_compare:
            # A row without a value does not compare with one that has a value, and replaces any other one; a delete
            # entry with a value, which ranks higher, replaces it.
            no_value = ~sf.col(ENTRY) & sf.col(self.values[0]).isNull()
            told[_PART] = sf.sum((reset | no_value).cast("long")).over(so_far)
        versions = versions.withColumns(told)
        had_row = sf.col(_RESET_AT).isNull() | sf.coalesce(sf.col(_ROW_AT) > sf.col(_RESET_AT), sf.lit(False))
        live_before = sf.when(had_row & ~sf.col(_BEFORE)["reset"], sf.col(_BEFORE)["class"])
        live = ~reset & (starts | had_row)
        versions = versions.withColumns({_LIVE: live, _BEFORE: live_before}).drop(_RESET_AT, _ROW_AT)
        if not self.rule.resets_compare:
            return versions
        # An entry of another class, or one that is a text, replaces a row.
        differs = sf.col(_UNLIKE) | (sf.col(_BEFORE) != sf.col(CLASS))
        replaces = sf.col(ENTRY) & sf.col(_LIVE) & differs
        part = sf.sum((reset | sf.coalesce(replaces, sf.lit(False))).cast("long")).over(so_far)
        return versions.withColumns({_AFTER_RESET: ~reset & ~sf.col(_LIVE), _PART: part})

    def _starts_anew(self) -> Column:
        """Whether a row of a log replaces a delete with Integer 0: any, unless that is a value which compares."""
        is_row = ~sf.col(ENTRY) & ~sf.col(RESET)
        if not self.rule.resets_compare:
            return is_row
        if self.rule.ordering[0].is_integer:
            return is_row & (sf.col(self.values[0]) >= 0)
        return is_row & (sf.col(CLASS) == NATURAL)

    @property
    def _can_reset(self) -> bool:
        rule = self.rule
        is_integer = len(rule.ordering) == 1 and rule.ordering[0].is_integer
        return rule.by_mode and rule.deletes != DeleteTests() and is_integer

    def _failure(self, versions: DataFrame) -> Column | None:
        """Return the reason of a failure where Hudi compares values that don't compare; null elsewhere."""
        if self.rule.reads_log:
            differs = ~sf.col(ENTRY) & sf.col(_LIVE) & (sf.col(_BEFORE) != sf.col(CLASS))
            if self.rule.resets_compare and not self.rule.ordering[0].is_integer:
                differs |= ~sf.col(ENTRY) & sf.col(_AFTER_RESET)
            return (
                sf.when(sf.col(CLASS) == _OTHER, OTHER_CLASS)
                .when(sf.col(_NONE) & sf.col(_BEFORE).isNotNull(), NULL_ORDERING)
                .when(differs, UNLIKE_CLASSES)
            )
        if self.rule.refuses_nulls or all(versions.schema[name].nullable is False for name in self.values):
            return None
        if len(self.rule.ordering) == 1:
            # The values before it are all compared with this one, or their maximum is.
            before, is_null = sf.col(_BEFORE), sf.col(self.values[0]).isNull()
            return sf.when(sf.col(_LIVE) & before["live"] & (is_null | before["null"]), NULL_ORDERING)
        earlier = self._in_order().rowsBetween(Window.unboundedPreceding, -1)
        held = sf.max(sf.struct(*self.values)).over(earlier)
        reached = later([held[name] for name in self.values], [sf.col(name) for name in self.values], sf.lit(None))
        return sf.when(held.isNotNull() & reached.isNull(), NULL_ORDERING)
