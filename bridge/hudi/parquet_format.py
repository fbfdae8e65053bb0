"""The definition of a Parquet footer, as of parquet.thrift 2.9.0, which parquet-mr 1.13.1 reads by."""

from __future__ import annotations

from bridge.hudi.thrift import BINARY, BOOL, BYTE, I16, I32, I64, enum, list_of, struct, union

CONVERTED = (
    *("UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS"),
    *("TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64"),
    *("INT_8", "INT_16", "INT_32", "INT_64", "JSON", "BSON", "INTERVAL"),
)
"""The names of converted types, by their numbers."""
_TYPE = enum(*range(8))
_ENCODING = enum(0, *range(2, 10))
_PAGE = enum(*range(4))
_EMPTY = struct("type", {})
_UNIT = union(dict(enumerate((("MILLIS", _EMPTY), ("MICROS", _EMPTY), ("NANOS", _EMPTY)), 1)))
_MOMENT = {1: ("isAdjustedToUTC", BOOL), 2: ("unit", _UNIT)}
_LOGICAL = union(
    {
        1: ("UTF8", _EMPTY),
        2: ("MAP", _EMPTY),
        3: ("LIST", _EMPTY),
        4: ("ENUM", _EMPTY),
        5: ("DECIMAL", struct("DecimalType", {1: ("scale", I32), 2: ("precision", I32)}, "scale", "precision")),
        6: ("DATE", _EMPTY),
        7: ("TIME", struct("TimeType", _MOMENT, "isAdjustedToUTC", "unit")),
        8: ("TIMESTAMP", struct("TimestampType", _MOMENT, "isAdjustedToUTC", "unit")),
        10: ("INTEGER", struct("IntType", {1: ("bitWidth", BYTE), 2: ("isSigned", BOOL)}, "bitWidth", "isSigned")),
        11: ("UNKNOWN", _EMPTY),
        12: ("JSON", _EMPTY),
        13: ("BSON", _EMPTY),
        14: ("UUID", _EMPTY),
    },
)
_ELEMENT = struct(
    "SchemaElement",
    {
        1: ("type", _TYPE),
        2: ("type_length", I32),
        3: ("repetition_type", enum(*range(3))),
        4: ("name", BINARY),
        5: ("num_children", I32),
        6: ("converted_type", enum(*range(len(CONVERTED)))),
        7: ("scale", I32),
        8: ("precision", I32),
        9: ("field_id", I32),
        10: ("logicalType", _LOGICAL),
    },
    "name",
)
_STATISTICS = struct(
    "Statistics",
    {
        1: ("max", BINARY),
        2: ("min", BINARY),
        3: ("null_count", I64),
        4: ("distinct_count", I64),
        5: ("max_value", BINARY),
        6: ("min_value", BINARY),
    },
)
_KEY_VALUE = struct("KeyValue", {1: ("key", BINARY), 2: ("value", BINARY)}, "key")
_COUNTED = struct(
    "PageEncodingStats",
    {1: ("page_type", _PAGE), 2: ("encoding", _ENCODING), 3: ("count", I32)},
    *("page_type", "encoding", "count"),
)
_COLUMN = struct(
    "ColumnMetaData",
    {
        1: ("type", _TYPE),
        2: ("encodings", list_of(_ENCODING)),
        3: ("path_in_schema", list_of(BINARY)),
        4: ("codec", enum(*range(8))),
        5: ("num_values", I64),
        6: ("total_uncompressed_size", I64),
        7: ("total_compressed_size", I64),
        8: ("key_value_metadata", list_of(_KEY_VALUE)),
        9: ("data_page_offset", I64),
        10: ("index_page_offset", I64),
        11: ("dictionary_page_offset", I64),
        12: ("statistics", _STATISTICS),
        13: ("encoding_stats", list_of(_COUNTED)),
        14: ("bloom_filter_offset", I64),
    },
    *("type", "encodings", "path_in_schema", "codec", "num_values"),
    *("total_uncompressed_size", "total_compressed_size", "data_page_offset"),
)
_WITH_KEY = struct(
    "EncryptionWithColumnKey", {1: ("path_in_schema", list_of(BINARY)), 2: ("key_metadata", BINARY)}, "path_in_schema"
)
_CHUNK = struct(
    "ColumnChunk",
    {
        1: ("file_path", BINARY),
        2: ("file_offset", I64),
        3: ("meta_data", _COLUMN),
        4: ("offset_index_offset", I64),
        5: ("offset_index_length", I32),
        6: ("column_index_offset", I64),
        7: ("column_index_length", I32),
        8: ("crypto_metadata", union({1: ("footer", _EMPTY), 2: ("column", _WITH_KEY)})),
        9: ("encrypted_column_metadata", BINARY),
    },
    "file_offset",
)
_SORTED = struct(
    "SortingColumn",
    {1: ("column_idx", I32), 2: ("descending", BOOL), 3: ("nulls_first", BOOL)},
    *("column_idx", "descending", "nulls_first"),
)
_GROUP = struct(
    "RowGroup",
    {
        1: ("columns", list_of(_CHUNK)),
        2: ("total_byte_size", I64),
        3: ("num_rows", I64),
        4: ("sorting_columns", list_of(_SORTED)),
        5: ("file_offset", I64),
        6: ("total_compressed_size", I64),
        7: ("ordinal", I16),
    },
    *("columns", "total_byte_size", "num_rows"),
)
_AES = struct("AesGcm", {1: ("aad_prefix", BINARY), 2: ("aad_file_unique", BINARY), 3: ("supply_aad_prefix", BOOL)})
FOOTER = struct(
    "FileMetaData",
    {
        1: ("version", I32),
        2: ("schema", list_of(_ELEMENT)),
        3: ("num_rows", I64),
        4: ("row_groups", list_of(_GROUP)),
        5: ("key_value_metadata", list_of(_KEY_VALUE)),
        6: ("created_by", BINARY),
        7: ("column_orders", list_of(union({1: ("TYPE_ORDER", _EMPTY)}))),
        8: ("encryption_algorithm", union({1: ("gcm", _AES), 2: ("ctr", _AES)})),
        9: ("footer_signing_key_metadata", BINARY),
    },
    *("version", "schema", "num_rows", "row_groups"),
)
