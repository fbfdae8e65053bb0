"""Rules that users' classes state, on gathered versions: what Hudi makes of what the class gives back.

`RuleMerge` is a merger's from 1.1 on, `PayloadMerge` that of a payload class there, and `WrittenMerge` what a writer
until 1.0 makes of the objects of a payload class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql.types import StructField, StructType

from bridge.engines.native.rule_merge import MergedPair, RuleExpressions
from bridge.engines.native.versioned import (
    COPIED,
    DELETED,
    IS_NEWER,
    MADE,
    NATURAL,
    NEWER_STAYS,
    OLDER_STAYS,
    OTHER,
    TYPED,
    UNORDERED,
    RuleOn,
    Versioned,
    inserted,
    is_natural,
    let,
    outcome_of,
)
from bridge.merge import Action, MergePoint, refused_inserts, refused_reads

if TYPE_CHECKING:
    from pyspark.sql import Column

    from bridge.engines.native.merges import MergeInputs
    from bridge.merge import StatedRules
    from payloads import AvroSchema


class RuleMerge:
    """The merge that a merger's rule states, of structs as `Versioned` describes them.

    Two versions of the newer side become one as in a batch or a log: a delete without data stays a delete unless the
    older version stays, and of two such deletes the older one counts.
    """

    def __init__(self, rules: StatedRules, inputs: MergeInputs, schema: AvroSchema, types: StructType) -> None:
        """Take the rules, where versions meet, and the schema and columns of a row."""
        compared = inputs.ordering
        nullable = StructType([StructField(field.name, field.dataType) for field in types.fields])
        self._folded, self._stored = (
            RuleExpressions(RuleOn(rule, schema, nullable, compared)) for rule in (rules.folded, rules.stored)
        )
        alone = None if rules.alone is None else RuleExpressions(RuleOn(rules.alone, schema, nullable, compared))
        self._is_gone = (lambda _row: sf.lit(False)) if alone is None else alone.deletes
        self._number = self._folded.on.number
        self._reads_log = inputs.reads_log
        field, failures = None if compared is None else compared.name, inputs.failures
        self._at_fold = lambda reason: failures.raised(inputs.fold_point, reason, field=field)
        self._at_merge = lambda reason: inputs.stored_failures.raised(inputs.merge_point, reason, field=field)
        self._tests_rows = compared is not None
        if inputs.reads_log:
            self._refused = failures.raised(inputs.merge_point, refused_reads(inputs.release).empty)
        else:
            refused = refused_inserts(inputs.release, tests_rows=self._tests_rows)
            self._refused = failures.raised(MergePoint.INSERT, refused.empty)

    def version(self, row: Column, dead: Column, entry: Column, ordering: Column) -> Column:
        """Return a version. A null ordering field means no ordering value in a batch, and Integer 0 in a log."""
        class_, values = self._folded.ordered(row, if_null=NATURAL if self._reads_log else UNORDERED)
        kept, text, compared = ordering["type"], ordering["value"], self._folded.on.compared
        is_default = kept.isNull() | ((kept == "int") & (text == "0"))
        fits = sf.lit(False) if compared is None else sf.coalesce(kept.isin(*compared.entry_types), sf.lit(False))
        natural = TYPED if compared is not None and compared.is_integer else NATURAL
        of_entry = sf.when(fits, TYPED).when(is_default, natural).otherwise(OTHER)
        if compared is not None:
            parsed = sf.when(fits, compared.parsed(text))
            own = sf.coalesce(parsed, sf.lit(0)) if compared.is_integer else parsed
            values = (sf.when(entry, own).otherwise(values[0]), *values[1:])
        return Versioned(row, dead, sf.when(entry, of_entry).otherwise(class_), values, sf.lit(False)).struct

    def fold(self, older: Column, newer: Column) -> Column:
        """Merge two versions of the newer side."""

        def version(pair: MergedPair) -> Column:
            given = (
                sf.when(pair.gives == OLDER_STAYS, pair.older)
                .when(pair.gives == NEWER_STAYS, pair.newer)
                .when(pair.gives == DELETED, self._folded.deleted(pair, self._at_fold))
                .otherwise(self._folded.made(pair.row).struct)
            )
            return let(given, lambda found: self._kept(pair, found))

        return self._folded.merged(older, newer, self._at_fold, version)

    def _kept(self, pair: MergedPair, found: Column) -> Column:
        both_empty = pair.older["row"].isNull() & found["row"].isNull()
        is_entry = pair.newer["row"].isNull()
        older_stays = both_empty | (is_entry & (pair.gives == OLDER_STAYS))
        return sf.when(older_stays, pair.older).when(is_entry, pair.newer).otherwise(found)

    def outcome(self, old: Column, new: Column) -> Column:
        """Return what a stored row and a version become."""

        def outcome(pair: MergedPair) -> Column:
            newer = pair.newer
            stays = outcome_of(Action.KEEP, pair.older["row"], sf.lit(False))
            deleted = outcome_of(Action.DELETE, pair.older["row"], sf.lit(False))
            written = outcome_of(Action.UPDATE, newer["row"], newer["made"])
            action = self._stored.checked(pair, Action.DELETE, self._at_merge)
            gone = outcome_of(action, pair.older["row"], sf.lit(False))
            return (
                sf.when(pair.gives == OLDER_STAYS, stays)
                .when(pair.gives == NEWER_STAYS, sf.when(newer["dead"], deleted).otherwise(written))
                .when(pair.gives == DELETED, sf.when(newer["dead"], deleted).otherwise(gone))
                .when(pair.row.isNull(), deleted)
                .otherwise(outcome_of(Action.UPDATE, pair.row, sf.lit(True)))
            )

        return self._stored.merged(self._of_stored(old, if_null=NATURAL).struct, new, self._at_merge, outcome)

    def insert(self, new: Column) -> Column:
        """Return what a version without a stored row becomes."""
        return inserted(new)

    def _of_stored(self, row: Column, *, if_null: int) -> Versioned:
        """Return a stored row as a version; `if_null` is the class of an ordering value that is null."""
        class_, values = self._stored.ordered(row, if_null=if_null)
        return Versioned(row, sf.lit(False), class_, values, sf.lit(False))


class PayloadMerge(RuleMerge):
    """The merge of a payload class from 1.1 on: a class that deletes gives no row, and a row that it makes is data.

    Source: BufferedRules and CustomMerger. The class sees the ordering value of a stored row, and of what came before
    in a log, in its columns, and Integer 0 in place of null elsewhere. Hudi itself looks at what versions carry: a
    delete with Integer 0 replaces whatever is there, and a new delete has the greater value.
    """

    def version(self, row: Column, dead: Column, entry: Column, ordering: Column) -> Column:
        """Return a version; of a delete in a batch, and of what the class has no row for, a merge gets no row.

        A writer asks the class for deletes only where there is no ordering field.
        """
        if self._reads_log:
            return super().version(row, dead, entry, ordering)
        is_gone = sf.coalesce(self._is_gone(row), sf.lit(True))
        version = super().version(row, dead if self._tests_rows else dead | is_gone, entry, ordering)
        return version.withField("row", sf.when(~(dead | is_gone), row))

    def fold(self, older: Column, newer: Column) -> Column:
        """Merge two versions of the newer side."""
        replaces = self._resets(older) | self._resets(newer)
        if self._reads_log:
            replaces |= older["row"].isNull()
            sides = self._in_columns(older), newer
        else:
            sides = self._as_seen(older), self._as_seen(newer)

        def version(pair: MergedPair) -> Column:
            is_gone = (pair.gives == DELETED) | ((pair.gives == COPIED) & newer["row"].isNull())
            given = sf.when(pair.gives == OLDER_STAYS, older)
            if self._reads_log:  # an entry stays one, whatever the class makes of it
                given = given.when((pair.gives == NEWER_STAYS) | newer["row"].isNull(), newer)
            else:
                given = given.when((pair.gives == NEWER_STAYS) | (pair.gives == COPIED), newer)
                is_gone |= (pair.gives == MADE) & self._is_gone(pair.row)
            deleted = self._folded.deleted(pair._replace(older=older, newer=newer), self._at_fold)
            return given.when(is_gone, deleted).otherwise(self._folded.made(pair.row).struct)

        merged = self._folded.merged(*sides, self._at_fold, version)
        given = sf.when(replaces, newer).otherwise(merged)
        return let(given, lambda found: sf.when(older["row"].isNull() & found["row"].isNull(), older).otherwise(found))

    def outcome(self, old: Column, new: Column) -> Column:
        """Return what a stored row and a version become; of a key that has a row the class tells deletes."""
        if not self._reads_log:
            new = new.withField("dead", new["dead"] | new["row"].isNull())
        stored = self._of_stored(old, if_null=NATURAL).struct
        deleted, row = outcome_of(Action.DELETE, old, sf.lit(False)), new["row"]

        def outcome(pair: MergedPair) -> Column:
            action = self._stored.checked(pair._replace(older=stored, newer=new), Action.DELETE, self._at_merge)
            gone = sf.when(new["dead"], deleted).otherwise(outcome_of(action, old, sf.lit(False)))
            is_gone = (pair.gives == DELETED) | ((pair.gives == COPIED) & row.isNull())
            is_gone |= (pair.gives == NEWER_STAYS) & (row.isNull() | self._is_gone(row))
            return (
                sf.when(pair.gives == OLDER_STAYS, outcome_of(Action.KEEP, old, sf.lit(False)))
                .when(is_gone, gone)
                .when(pair.gives == NEWER_STAYS, outcome_of(Action.UPDATE, row, new["made"]))
                .otherwise(outcome_of(Action.UPDATE, pair.row, sf.lit(True)))
            )

        sides = self._of_stored(old, if_null=UNORDERED).struct, self._as_seen(new)
        merged = self._stored.merged(*sides, self._at_merge, outcome)
        return sf.when(self._resets(new), deleted).otherwise(merged)

    def insert(self, new: Column) -> Column:
        """Return what a version without a stored row becomes; a reader asks the class for its insert value."""
        is_gone = self._is_gone(new["row"]) if self._reads_log else new["row"].isNull()
        return sf.when(sf.when(~new["dead"] & is_gone, self._refused).otherwise(True), inserted(new))

    def _resets(self, one: Column) -> Column:
        version = Versioned.of(one, self._number)
        return version.dead & is_natural(version, self._stored.on.compared)

    def _as_seen(self, one: Column) -> Column:
        """Return a version as the class sees it: without an ordering value it carries Integer 0."""
        version = Versioned.of(one, self._number)
        class_, values, compared = version.class_, version.values, self._stored.on.compared
        if compared is not None and compared.is_integer:
            values = (sf.when(class_ == UNORDERED, 0).otherwise(values[0]),)
        natural = TYPED if compared is not None and compared.is_integer else NATURAL
        return version._replace(class_=sf.when(class_ == UNORDERED, natural).otherwise(class_), values=values).struct

    def _in_columns(self, one: Column) -> Column:
        """Return a version with the ordering value of its columns."""
        class_, values = self._folded.ordered(one["row"], if_null=UNORDERED)
        return Versioned.of(one, self._number)._replace(class_=class_, values=values).struct


class WrittenMerge(RuleMerge):
    """What a writer until 1.0 makes of payloads: objects that carry an ordering value, and say which are deletes.

    Source: OptionRules and PayloadWriter. An object of two others carries the value of the later one.
    """

    def version(self, row: Column, dead: Column, entry: Column, ordering: Column) -> Column:
        """Return a version; the class says which are deletes."""
        return super().version(row, dead | sf.coalesce(self._is_gone(row), sf.lit(True)), entry, ordering)

    def fold(self, older: Column, newer: Column) -> Column:
        """Merge two versions of a batch."""
        first, last = (Versioned.of(one, self._number) for one in (older, newer))

        def version(pair: MergedPair) -> Column:
            is_newer = pair.order == IS_NEWER
            class_, *values = (
                sf.when(is_newer, one).otherwise(other)
                for one, other in zip((last.class_, *last.values), (first.class_, *first.values), strict=True)
            )
            is_dead = self._is_gone(pair.row)
            made = Versioned(pair.row, is_dead, class_, tuple(values), sf.lit(True))
            deleted = last._replace(row=sf.lit(None).cast(self._folded.on.types), dead=sf.lit(True), made=sf.lit(False))
            return (
                sf.when(pair.gives == OLDER_STAYS, older)
                .when((pair.gives == NEWER_STAYS) | (pair.gives == COPIED), newer)
                .when(pair.gives == DELETED, deleted.struct)
                .otherwise(made.struct)
            )

        return self._folded.merged(older, newer, self._at_fold, version)

    def outcome(self, old: Column, new: Column) -> Column:
        """Return what a stored row and a version become."""
        row = new["row"]

        def outcome(pair: MergedPair) -> Column:
            is_gone = (pair.gives == DELETED) | ((pair.gives == COPIED) & row.isNull())
            is_gone |= (pair.gives == NEWER_STAYS) & new["dead"]
            return (
                sf.when(pair.gives == OLDER_STAYS, outcome_of(Action.KEEP, old, sf.lit(False)))
                .when(is_gone, outcome_of(Action.DELETE, old, sf.lit(False)))
                .when(pair.gives == NEWER_STAYS, outcome_of(Action.UPDATE, row, new["made"]))
                .otherwise(outcome_of(Action.UPDATE, pair.row, sf.lit(True)))
            )

        return self._stored.merged(self._of_stored(old, if_null=UNORDERED).struct, new, self._at_merge, outcome)
