"""The Analyse view: what players think of a position."""
