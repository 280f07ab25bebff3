"""Slow peers: the same algorithms in plain Python. Benchmarks race them, oracles trust them."""
