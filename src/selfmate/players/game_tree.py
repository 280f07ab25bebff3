"""The tree of one game that a player thinks about, from one question to the next."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from selfmate.players.judged_move import judged_outlook
from selfmate.players.player import Thought
from selfmate.rules import Board, uci_code, uci_text
from selfmate.search.tree import Evaluate, Forest, TreeSettings, chosen_moves

SLOT = np.zeros(1, np.int64)


class GameTree:
    def __init__(self, board: Board, evaluate: Evaluate, settings: TreeSettings) -> None:
        self._evaluate, self._settings = evaluate, settings
        self._forest = Forest(evaluate, settings, batch=settings.leaves_per_game)
        self._forest.plant(SLOT, [board])
        self._start, self._moves = board.start_fen, board.moves

    def is_made_of(self, evaluate: Evaluate, settings: TreeSettings) -> bool:
        return self._evaluate is evaluate and self._settings == settings

    def follow(self, board: Board) -> bool:
        """Plays on to a board whose line continues this one, and keeps what is known of it;
        whether it does."""
        moves, ours = board.moves, len(self._moves)
        if board.start_fen != self._start or moves[:ours] != self._moves:
            return False
        for move in moves[ours:]:
            self._forest.advance(SLOT, np.array([uci_code(move)], np.uint16))
        self._moves = moves
        return True

    def deepen(self, simulations: int) -> Iterator[None]:
        """Searches until there were so many simulations here; whoever has seen enough leaves."""
        return self._forest.deepen(SLOT, simulations)

    @property
    def visits(self) -> int:
        return int(self._forest.roots(SLOT).visits[0])

    @property
    def best(self) -> int:
        return int(self._forest.roots(SLOT).best[0])

    def thought(self, temperature: float, dice: int, nodes: int) -> Thought:
        """What is known by now, the chosen move first, then by visits."""
        roots, found = self._forest.roots(SLOT), self._forest.moves(SLOT)
        chosen = chosen_moves(roots, found, np.array([temperature]), np.array([dice], np.uint64))
        first, *others = np.lexsort((-found.priors, -found.visits, found.moves != chosen)).tolist()
        seen = self._forest.outlooks(0)
        moves = [uci_text(int(move)) for move in found.moves]
        visits = dict(zip(moves, found.visits.tolist(), strict=True))
        return replace(
            judged_outlook(seen, first, nodes, roots.wdl_side_to_move[0]),
            policy=dict(zip(moves, found.shares.tolist(), strict=True)),
            visits=visits if any(visits.values()) else None,
            others=tuple(judged_outlook(seen, row, nodes) for row in others),
        )
