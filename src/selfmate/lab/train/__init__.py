"""The Train view: runs as they are trained."""
