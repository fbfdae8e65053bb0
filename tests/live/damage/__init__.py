"""Recorded tables with one file or folder damaged, read by real Hudi and by this project."""
