"""Evaluators, and the drivers of the core's searches."""
