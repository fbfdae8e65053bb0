"""Merge rules for people: in English. `payloads.records` runs them on records."""
