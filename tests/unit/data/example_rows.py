"""Examples of random positions, and games as a tree search would leave them."""

import numpy as np

from selfmate.data.examples import ACTION_ENCODING, Examples, TreeGames, wdl_of
from selfmate.encodings.records import encode_records, legal_of, planes_of
from selfmate.rules import Board, GameBatch


def boards(count: int, seed: int = 1, plies: int = 12) -> list[Board]:
    """A board each of random games that are not over."""
    games = GameBatch(count, seed=seed)
    for _ in range(plies):
        games.step(games.random_moves())
    return [games.board(slot) for slot in range(count)]


def tree_games(count: int, seed: int = 1) -> TreeGames:
    """Positions with shares and results by chance."""
    rng = np.random.default_rng(seed)
    stored = encode_records(boards(count, seed))
    legal = legal_of(ACTION_ENCODING, stored)
    weights = rng.random(len(legal.values))
    sums = np.repeat(np.add.reduceat(weights, legal.offsets[:-1]), legal.counts)
    return TreeGames(
        stored=stored,
        results_side_to_move=rng.integers(-1, 2, count).astype(np.int8),
        wdl_side_to_move=rng.dirichlet(np.ones(3), count).astype(np.float16),
        legal_counts=legal.counts.astype(np.uint8),
        actions=legal.values.astype(np.uint16),
        shares=(weights / sums).astype(np.float16),
    )


def examples(count: int, seed: int = 1) -> Examples:
    """One move of each position, by chance, is to be learned."""
    games = tree_games(count, seed)
    legal = legal_of(ACTION_ENCODING, games.stored)
    policy = np.zeros(len(legal.values), np.float32)
    policy[legal.offsets[:-1] + np.random.default_rng(seed).integers(legal.counts)] = 1
    return Examples(
        planes=planes_of(games.stored),
        legal=legal,
        policy=policy,
        wdl_side_to_move=wdl_of(games.results_side_to_move),
    )
