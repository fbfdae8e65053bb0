"""Runs recorded answers of real Hudi against this project: golden vectors and table histories."""
