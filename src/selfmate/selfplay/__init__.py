"""Batched self-play: games that learners learn from."""
