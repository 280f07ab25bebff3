"""How games that are learned from ended, as numbers."""

RESULTS = {"white": 1, "black": -1, None: 0}  # White's view, by winner
PLY_LIMIT = "ply_limit"  # the reason of games that were cut
