"""The lines of PySpark that users' clusters have: one environment each, and what has to run in it."""
