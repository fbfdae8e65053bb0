"""Merges into tables that real Hudi writes and reads: `python -m tests.write --help`."""
