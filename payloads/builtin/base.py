"""BaseAvroPayload: what the Avro payload classes share (org.apache.hudi.common.model.BaseAvroPayload)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from payloads.api import HoodieRecordPayload
from payloads.errors import NullOrderingError, PayloadFamilyError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record

IS_DELETED = "_hoodie_is_deleted"
ALL_RELEASES = tuple(HudiRelease)


class DeleteTest(NamedTuple):
    """A test for deletes that looks at one column: boolean true, or a text.

    Attributes:
        field: the top-level column.
        marker: the text that marks a delete; True for a boolean column.
        ignore_case: whether the text may be written in any case.
    """

    field: str
    marker: str | bool
    ignore_case: bool = False


class PairRule(NamedTuple):
    """Which of two rows stays, the stored or the incoming one, where one column decides it.

    It applies if the incoming row is not a delete and neither row has null in the column.

    Attributes:
        field: the top-level column that is compared; None if the incoming row always replaces the stored one.
        wins: whether the incoming row wins if the stored value is less than, equal to and greater than its own.
        holds_for_dates: whether it also applies to a column of dates.
    """

    field: str | None
    wins: tuple[bool, bool, bool] = (True, True, True)
    holds_for_dates: bool = True


class FillRule(NamedTuple):
    """How a stored and an incoming row become one: the columns of the later one, and the other's where it has null.

    It applies if neither row is a delete, nor has null in the column that is compared, and every default is null.

    Attributes:
        later: chooses the later row.
        makes_rows: whether the result is a new row where the later one has no null, too; else that one stays as it is.
    """

    later: PairRule
    makes_rows: bool


class BuiltinPayload(HoodieRecordPayload):
    """A payload class that Hudi ships.

    Attributes:
        java_name: the full name of the Java class.
        aliases: other Java names of the same class.
        shipped: the releases that contain it.
        family: the head of the classes whose `pre_combine` accept each other; Java's generics enforce it with a cast.
        takes_ordering: whether there is the constructor (record, ordering value) that a writer calls.
    """

    __slots__ = ("ordering_value", "record")

    java_name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    shipped: ClassVar[tuple[HudiRelease, ...]] = ALL_RELEASES
    family: ClassVar[type[BuiltinPayload]]
    takes_ordering: ClassVar[bool] = True

    def __init_subclass__(cls, *, heads_family: bool = False) -> None:
        """Make `cls` the family of itself and its subclasses if `heads_family` is set."""
        super().__init_subclass__()
        if heads_family:
            cls.family = cls

    @classmethod
    def insert_tests(cls, schema: AvroSchema, props: Props) -> tuple[DeleteTest, ...] | None:
        """Return the tests for deletes; a row that fails them all and has an ordering value is inserted as it is.

        They test whole columns instead of records. None: no such tests are known; each record has to be merged.
        """
        return None

    @classmethod
    def pair_rule(cls, props: Props) -> PairRule | None:
        """Return the rule by which `combine_and_get_update_value` chooses one of the two rows.

        It applies if `insert_tests` finds no delete. None: no such rule; each pair has to be merged.
        """
        return None

    @classmethod
    def fill_rule(cls, schema: AvroSchema, props: Props, ordering: Ordering | None) -> FillRule | None:
        """Return the rule by which `combine_and_get_update_value` fills one of the two rows from the other.

        Args:
            schema: that of the rows.
            props: what the merge point passes.
            ordering: an ordering value as the payload is built with; None where the table has no such column.
        """
        return None

    @classmethod
    def batch_wins(cls) -> tuple[bool, bool, bool] | None:
        """Return whether the newer of two versions of a batch stays.

        Three answers: where the ordering value of the older one is less, equal and greater. They apply to rows that
        are no deletes and have one. None: `pre_combine` does more than choose, or has another rule.
        """
        return None

    def check_family(self, older: HoodieRecordPayload) -> None:
        """Check that `pre_combine` may see `older`.

        Raises:
            PayloadFamilyError: `older` belongs to another family.
        """
        if not isinstance(older, self.family):
            raise PayloadFamilyError.from_classes(type(self), type(older))


def flag_tests(schema: AvroSchema) -> tuple[DeleteTest, ...]:
    """Return the test of `_hoodie_is_deleted`; a column that is not boolean marks no deletes."""
    field = schema.by_name.get(IS_DELETED)
    is_flag = field is not None and field.schema.non_null.kind == "boolean"
    return (DeleteTest(IS_DELETED, marker=True),) if is_flag else ()


def text_tests(schema: AvroSchema, field: str, marker: str, *, ignore_case: bool) -> tuple[DeleteTest, ...] | None:
    """Return the test of a text column; None if the column is not text."""
    found = schema.by_name.get(field)
    if found is None:
        return ()
    is_text = found.schema.non_null.kind == "string"
    return (DeleteTest(field, marker, ignore_case),) if is_text else None


class BaseAvroPayload(BuiltinPayload):
    """A record, its ordering value, and whether the record is marked as a delete."""

    __slots__ = ("flagged",)

    def __init__(self, record: Record | None, ordering_value: Ordering | None = NATURAL_ORDER) -> None:
        """Decide the delete flag, then check the ordering value, in this order.

        Raises:
            NullOrderingError: `ordering_value` is None, Java's null.
        """
        self.record = record
        self.flagged = record is None or self.is_delete_record(record)
        if ordering_value is None:
            msg = (
                f"{type(self).__name__}: the ordering value is null for the record {record}; "
                "fill the ordering field before the write"
            )
            raise NullOrderingError(msg)
        self.ordering_value = ordering_value

    @classmethod
    def insert_tests(cls, schema: AvroSchema, props: Props) -> tuple[DeleteTest, ...] | None:
        """Return the test of the delete flag."""
        return flag_tests(schema)

    def is_delete_record(self, record: Record) -> bool:
        """Whether the record marks itself as a delete: boolean true in the top-level `_hoodie_is_deleted`."""
        return record.get(IS_DELETED) is True

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        """Whether the record was null or marked when the payload was built."""
        return self.flagged

    def get_indexed_record(self, schema: AvroSchema, props: Props | None = None) -> Record | None:
        """Return the record even when it marks a delete; None only without a record."""
        return self.record

    @classmethod
    def batch_wins(cls) -> tuple[bool, bool, bool] | None:
        """Return that the greater ordering value wins, for the classes whose `pre_combine` is that rule."""
        own = BaseAvroPayload._greater_ordering_wins
        return (True, True, False) if cls.pre_combine is own else None

    def _greater_ordering_wins(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Keep the version with the greater ordering value; ties and empty older versions go to the newer one."""
        self.check_family(older)
        return older if older.record is not None and older.ordering_value > self.ordering_value else self
