"""Strength against training time: which learners, how far, rated how, and what came out.

`results` reads and writes what was measured; nothing in it needs a learner.
"""
