"""Measuring strength: matches, Elo, SPRT, ratings and the ladder, gating, puzzles, endgames."""
