"""Runs on a standalone cluster, an S3-compatible server and a Spark Connect server, all on loopback."""
