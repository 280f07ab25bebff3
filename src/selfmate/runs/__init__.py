"""Training runs on disk: steps, checkpoints, metrics, status. This package knows no chess."""
