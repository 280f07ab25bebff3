"""The search tree of one game, and what it says about the moves at its root."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from selfmate.players.candidates import Candidates
from selfmate.players.player import Analysis, RootStatistics, pawns_of
from selfmate.rules import Board, Ragged, uci_code, uci_text
from selfmate.searches.config import SearchConfig
from selfmate.searches.endings import DRAW, Endings, move_endings
from selfmate.searches.tree import (
    BatchedTreeSearch,
    Evaluate,
    MoveOutlooks,
    RootMoves,
    Roots,
    sample_moves,
)

SLOT = np.zeros(1, np.int64)  # of a search of a single game

Floats = NDArray[np.float32]


class GameTree:
    """The search tree of one game and the cache of evaluations, kept between requests."""

    def __init__(self, evaluate: Evaluate, config: SearchConfig) -> None:
        self._evaluate, self._config = evaluate, config
        self._search = BatchedTreeSearch(evaluate, config, batch=config.leaves_per_game)
        self._board = Board()
        self._game: tuple[str, list[str]] | None = None  # the FEN of its start, and its moves
        self._is_restricted = False  # not all moves of the root are in the tree

    def is_made_with(self, evaluate: Evaluate, config: SearchConfig) -> bool:
        return self._evaluate is evaluate and self._config == config

    def set(self, board: Board, root_moves: Sequence[str] | None) -> None:
        """Makes this the tree of a board. It keeps the subtree if the board continues the game."""
        if root_moves is not None or not self._follow(board):
            self._search.reset(SLOT, [board])
        self._is_restricted = root_moves is not None
        if root_moves is not None:
            codes = np.array([uci_code(move) for move in root_moves], np.uint16)
            self._search.restrict_root(0, codes)
        self._board, self._game = board, (board.start_fen, board.moves)

    def _follow(self, board: Board) -> bool:
        """Advances to a board whose moves continue this game's. Returns whether they do."""
        start, ours = self._game or ("", [])
        new_moves = board.moves[len(ours) :]
        if board.start_fen != start or board.moves[: len(ours)] != ours:
            return False
        if self._is_restricted and not new_moves:
            return False
        for move in new_moves:
            self._search.advance(SLOT, np.array([uci_code(move)], np.uint16))
        return True

    def deepen(self, simulations: int) -> Iterator[None]:
        """As `BatchedTreeSearch.deepen`."""
        return self._search.deepen(SLOT, simulations)

    @property
    def visits(self) -> int:
        return int(self._search.roots(SLOT).visits[0])

    @property
    def best(self) -> int:
        return int(self._search.roots(SLOT).best[0])

    def is_as_deep_as(self, plies: int | None) -> bool:
        """Whether the principal variation has this many plies; None: never."""
        if plies is None:
            return False
        row = self._search.moves(SLOT).moves.tolist().index(self.best)
        return len(self._search.outlooks(0).lines[row]) >= plies

    def statistics(self) -> RootStatistics:
        roots, found = self._search.roots(SLOT), self._search.moves(SLOT)
        is_best = found.moves == roots.best[0]
        win, _, loss = roots.best_wdl_side_to_move[0].tolist()
        return RootStatistics(
            best=uci_text(int(roots.best[0])),
            visits=int(roots.visits[0]),
            best_visits=int(found.visits[is_best].sum()),
            second_visits=int(found.visits[~is_best].max(initial=0)),
            value=win - loss,
        )

    def analysis(self, temperature: float, seed: int, kept_nodes: int) -> Analysis:
        """The result so far: the chosen move first, the others by visits."""
        roots, found = self._search.roots(SLOT), self._search.moves(SLOT)
        chosen = sample_moves(roots, found, np.array([temperature]), np.array([seed], np.uint64))
        outlooks = self._search.outlooks(0)
        return self._analysis(int(chosen[0]), outlooks, found.shares, kept_nodes)

    def policy_analysis(
        self, temperature: float, seed: int, kept_nodes: int, exact_endings: bool
    ) -> Analysis:
        """As it plays without search: the chosen move first, the others by the policy."""
        roots, found = self._search.roots(SLOT), self._search.moves(SLOT)
        candidates = policy_candidates([self._board], roots, found, exact_endings)
        chosen = candidates.chosen(temperature, np.array([seed], np.uint64))
        outlooks = with_draws(self._search.outlooks(0), candidates.endings)
        return self._analysis(int(chosen[0]), outlooks, found.priors, kept_nodes)

    def _analysis(
        self, chosen: int, outlooks: MoveOutlooks, policy: Floats, kept_nodes: int
    ) -> Analysis:
        nodes = self.visits
        roots, found = self._search.roots(SLOT), self._search.moves(SLOT)
        first, *others = np.lexsort((-found.priors, -found.visits, found.moves != chosen)).tolist()
        moves = [uci_text(int(move)) for move in found.moves]
        visits = dict(zip(moves, found.visits.tolist(), strict=True))
        return replace(
            outlook_analysis(outlooks, first, nodes, roots.wdl_side_to_move[0]),
            policy=dict(zip(moves, policy.tolist(), strict=True)),
            visits=visits if any(visits.values()) else None,
            kept_nodes=kept_nodes,
            hashfull=self._hashfull,
            others=tuple(outlook_analysis(outlooks, row, nodes) for row in others),
        )

    @property
    def _hashfull(self) -> int | None:
        """Of a cache that answers may depend on; a cache with exact keys is not told of."""
        size = 0 if self._config.exact_cache_key else self._config.cache_size
        return 1000 * self._search.cached // size if size else None


def policy_candidates(
    boards: Sequence[Board], roots: Roots, found: RootMoves, exact_endings: bool
) -> Candidates:
    """The moves of trees without simulations, by their priors. With exact endings a draw is
    compared with the net's value of the position."""
    moves = Ragged(found.moves.astype(np.int32), found.offsets)
    with np.errstate(divide="ignore"):  # a prior may be too small for a float
        logits = np.log(found.priors)
    if not exact_endings:
        return Candidates.by_score(moves, logits)
    values = roots.wdl_side_to_move[:, 0] - roots.wdl_side_to_move[:, 2]
    return Candidates.by_policy(move_endings(boards).of(moves), logits, values)


def with_draws(outlooks: MoveOutlooks, endings: Endings) -> MoveOutlooks:
    """Of one game, with the WDL of moves that draw; endings [M]."""
    draw = np.array([0, 1, 0], np.float32)
    wdl = np.where((endings == DRAW)[:, None], draw, outlooks.wdl_side_to_move)
    return replace(outlooks, wdl_side_to_move=wdl)


def move_analysis(
    line: Sequence[int],
    wdl_side_to_move: NDArray[np.float32],
    plies_to_mate: int = 0,
    nodes: int | None = None,
) -> Analysis:
    """The analysis of the first move of `line`. A WDL [3] of zeros means that it is unknown."""
    texts = tuple(uci_text(move) for move in line)
    win, draw, loss = wdl_side_to_move.tolist()
    is_known = win + draw + loss > 0
    return Analysis(
        best=texts[0],
        line=texts,
        score_pawns=float(pawns_of(np.array(win - loss, np.float32))) if is_known else None,
        mate_in=_moves_to_mate(plies_to_mate),
        wdl=(win, draw, loss) if is_known else None,
        depth=len(texts),
        nodes=nodes,
    )


def outlook_analysis(
    outlooks: MoveOutlooks, row: int, nodes: int, root_wdl: Floats | None = None
) -> Analysis:
    """The analysis of one of a tree's moves. If it was never visited, the WDL of the root [3]
    stands for its own, where it is given."""
    wdl = outlooks.wdl_side_to_move[row]
    if root_wdl is not None and not wdl.any():
        wdl = root_wdl
    return move_analysis(outlooks.lines[row], wdl, int(outlooks.plies_to_mate[row]), nodes)


def _moves_to_mate(plies: int) -> int | None:
    """Moves of the mating side, which moves last; negative when the side to move is mated."""
    if plies == 0:
        return None
    return (plies + 1) // 2 if plies > 0 else -(-plies // 2)


def move_comment(analysis: Analysis) -> str:
    """The analysis as chess programs comment moves: score for the side to move in pawns, depth,
    nodes and WDL per mille, as far as known: `+0.31/10 201n wdl 331 300 369`."""
    words = [f"{_score(analysis)}/{len(analysis.line)}"] if _score(analysis) else []
    if analysis.nodes is not None:
        words.append(f"{analysis.nodes}n")
    if analysis.wdl is not None:
        win, loss = round(1000 * analysis.wdl[0]), round(1000 * analysis.wdl[2])
        words.append(f"wdl {win} {max(0, 1000 - win - loss)} {loss}")
    return " ".join(words)


def _score(analysis: Analysis) -> str:
    if analysis.mate_in is not None:
        return f"{'+' if analysis.mate_in > 0 else '-'}M{abs(analysis.mate_in)}"
    return "" if analysis.score_pawns is None else f"{analysis.score_pawns:+.2f}"
