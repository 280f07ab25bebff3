"""The Endgame view: the mini-chess, true and learned."""
