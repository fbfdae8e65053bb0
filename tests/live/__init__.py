"""Tables that real Hudi writes with random settings, and its answers next to ours: `python -m tests.live --help`."""
