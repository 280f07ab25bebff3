"""The Play view: a game against a player, or one to watch."""
