"""Positions of games that nobody learns from: greedy movers with a random move now and then, from
the shipped openings."""

import numpy as np

from selfmate.arena.openings import shipped_openings
from selfmate.encodings.stored import Stored, store
from selfmate.rules import push_moves
from selfmate.search.choices import greedy_choices, random_choices
from selfmate.search.dice import roll

GAMES = 128
MOST_PLIES = 160
RANDOM_SHARE = 0.3
APART_PLIES = 6  # others begin with the same openings; after so many the games are their own
SEED = 20_261_116  # other games than anybody would train on


def reference_positions() -> Stored:
    """Always the same, in a random order."""
    chance = np.random.default_rng(SEED)
    openings = shipped_openings()
    boards = [openings[i].board() for i in chance.integers(len(openings), size=GAMES)]
    parts = list[Stored]()
    for ply in range(MOST_PLIES):
        if ply >= APART_PLIES:
            parts.append(store(boards))
        dice = roll(SEED, np.arange(len(boards)), np.array(ply))
        is_random = chance.random(len(boards)) < RANDOM_SHARE
        moves = np.where(is_random, random_choices(boards, dice), greedy_choices(boards, dice))
        outcomes = push_moves(boards, moves)
        boards = [board for board, end in zip(boards, outcomes, strict=True) if end is None]
        if not boards:
            break
    return chance.permutation(np.concatenate(parts))
