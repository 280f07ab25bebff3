"""Searches: batched MCTS with a net, the alpha-beta teacher, endgame tables, move choice."""
