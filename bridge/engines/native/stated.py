"""A rule that a user's merger states, on gathered versions: what Hudi makes of what the merger gives back.

Two versions of the newer side become one as in a batch or a log: a delete without data stays a delete unless the older
version stays, and of two such deletes the older one counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql.types import StructField, StructType

from bridge.engines.native.rule_merge import RuleExpressions
from bridge.engines.native.versioned import (
    DELETED,
    NATURAL,
    NEWER_STAYS,
    OLDER_STAYS,
    OTHER,
    TYPED,
    UNORDERED,
    RuleOn,
    Versioned,
    let,
    outcome_of,
)
from bridge.merge import Action

if TYPE_CHECKING:
    from pyspark.sql import Column

    from bridge.engines.native.rule_merge import Told
    from bridge.engines.native.versions import Versions
    from payloads import AvroSchema
    from payloads.rules import MergeRule


class RuleMerge:
    """The merge that a rule states, of structs as `Versioned` describes them."""

    def __init__(self, rule: MergeRule, versions: Versions, schema: AvroSchema, types: StructType) -> None:
        """Take the rule, what a job comes down to, and the schema and columns of a row."""
        told = versions.rule
        compared = told.ordering[0] if told.ordering else None
        nullable = StructType([StructField(field.name, field.dataType) for field in types.fields])
        self._of = RuleExpressions(RuleOn(rule, schema, nullable, compared))
        self._reads_log = told.reads_log
        field = versions.ordering_field
        self._at_fold = lambda reason: versions.failures.raised(told.fold_point, reason, field=field)
        self._at_merge = lambda reason: versions.stored_failures.raised(told.merge_point, reason, field=field)

    def version(self, row: Column, dead: Column, entry: Column, ordering: Column) -> Column:
        """Return a version. A null ordering field means no ordering value in a batch, and Integer 0 in a log."""
        class_, values = self._of.ordered(row, if_null=NATURAL if self._reads_log else UNORDERED)
        kept, text, compared = ordering["type"], ordering["value"], self._of.on.compared
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

        def version(told: Told) -> Column:
            given = (
                sf.when(told.gives == OLDER_STAYS, told.older)
                .when(told.gives == NEWER_STAYS, told.newer)
                .when(told.gives == DELETED, self._of.deleted(told, self._at_fold))
                .otherwise(self._of.made(told.row).struct)
            )
            return let(given, lambda found: self._kept(told, found))

        return self._of.merged(older, newer, self._at_fold, version)

    def _kept(self, told: Told, found: Column) -> Column:
        both_empty = told.older["row"].isNull() & found["row"].isNull()
        is_entry = told.newer["row"].isNull()
        older_stays = both_empty | (is_entry & (told.gives == OLDER_STAYS))
        return sf.when(older_stays, told.older).when(is_entry, told.newer).otherwise(found)

    def outcome(self, old: Column, new: Column) -> Column:
        """Return what a stored row and a version become."""
        class_, values = self._of.ordered(old, if_null=NATURAL)
        stored = Versioned(old, sf.lit(False), class_, values, sf.lit(False)).struct

        def told(told: Told) -> Column:
            newer = told.newer
            stays = outcome_of(Action.KEEP, told.older["row"], sf.lit(False))
            deleted = outcome_of(Action.DELETE, told.older["row"], sf.lit(False))
            written = outcome_of(Action.UPDATE, newer["row"], newer["made"])
            gone = outcome_of(self._of.checked(told, Action.DELETE, self._at_merge), told.older["row"], sf.lit(False))
            return (
                sf.when(told.gives == OLDER_STAYS, stays)
                .when(told.gives == NEWER_STAYS, sf.when(newer["dead"], deleted).otherwise(written))
                .when(told.gives == DELETED, sf.when(newer["dead"], deleted).otherwise(gone))
                .when(told.row.isNull(), deleted)
                .otherwise(outcome_of(Action.UPDATE, told.row, sf.lit(True)))
            )

        return self._of.merged(stored, new, self._at_merge, told)
