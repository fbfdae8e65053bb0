"""Speed as ratios of two jobs in one run; never asserted."""
