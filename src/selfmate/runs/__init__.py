"""One run on disk: steps, checkpoints, metrics. Knows no chess."""
