"""What an engine says while it thinks, read into thoughts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfmate.players.player import Thought
from selfmate.rules import Board
from selfmate.search.teacher import MATE_CENTIPAWNS

# Of a score that is no mate, and of a mate: so no mate is worth less than what is none.
MOST_CENTIPAWNS, MOST_MATE_PLIES = 9_000, 999


@dataclass
class _Info:
    rank: int = 1  # among several lines (MultiPV)
    depth: int | None = None
    nodes: int | None = None
    score_pawns: float | None = None
    mate_in: int | None = None
    wdl: tuple[float, float, float] | None = None
    is_bound: bool = False
    line: Sequence[str] = ()


class ThoughtReader:
    """Gathers the `info` lines of one search.

    Engines of limited strength look at several moves and may play one that is not the best, so
    the newest line of each first move is kept.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._newest: dict[str, Thought] = {}

    def read(self, text: str) -> Thought | None:
        """The thought in an `info` line about the best line, None when there is none to report."""
        try:
            info = _parse(iter(text.split()[1:]))
        except (ValueError, StopIteration):
            return None  # a line that makes no sense tells nothing
        line = _legal_part(self._board, info.line)
        if not line or info.is_bound:
            return None
        thought = Thought(
            best=line[0],
            line=line,
            score_pawns=info.score_pawns,
            mate_in=info.mate_in,
            wdl=info.wdl,
            depth=info.depth,
            nodes=info.nodes,
        )
        self._newest[line[0]] = thought
        return thought if info.rank == 1 else None

    def final(self, best: str) -> Thought:
        """The thought about the move that the engine settled on."""
        return self._newest.get(best) or Thought(best=best, line=(best,))


class ScoreReader:
    """Gathers what one search says of several moves (MultiPV): which has each rank, and the newest
    score of each move that is no mere bound."""

    def __init__(self, board: Board) -> None:
        self._legal = frozenset(board.legal_moves())
        self._ranks: dict[int, str] = {}
        self._centipawns: dict[str, int] = {}

    def read(self, text: str) -> None:
        try:
            info = _parse(iter(text.split()[1:]))
        except (ValueError, StopIteration):
            return
        score, move = _centipawns(info), info.line[0] if info.line else ""
        if score is None or move not in self._legal or not 1 <= info.rank <= len(self._legal):
            return
        self._ranks[info.rank] = move
        if not info.is_bound:
            self._centipawns[move] = score

    def scores(self) -> dict[str, int]:
        """Moves and centipawns for the side to move, best first.

        A search that ends in the midst of a round leaves the lower ranks as the round before had
        them: so a move may stand in two ranks, and a lower one must not score more.
        """
        scores: dict[str, int] = {}
        least = MATE_CENTIPAWNS
        for _, move in sorted(self._ranks.items()):
            if move in self._centipawns and move not in scores:
                scores[move] = least = min(least, self._centipawns[move])
        return scores


def _centipawns(info: _Info) -> int | None:
    """As the teacher counts: a mate on the n-th ply is 10000 - n."""
    if info.mate_in is not None:
        plies = 2 * info.mate_in - 1 if info.mate_in > 0 else -2 * info.mate_in
        size = MATE_CENTIPAWNS - min(plies, MOST_MATE_PLIES)
        return size if info.mate_in > 0 else -size
    if info.score_pawns is None:
        return None
    return max(-MOST_CENTIPAWNS, min(round(100 * info.score_pawns), MOST_CENTIPAWNS))


def _parse(words: Iterator[str]) -> _Info:
    info = _Info()
    for word in words:
        match word:
            case "string":
                break
            case "multipv":
                info.rank = int(next(words))
            case "depth":
                info.depth = int(next(words))
            case "nodes":
                info.nodes = int(next(words))
            case "score":
                _parse_score(info, next(words), int(next(words)))
            case "lowerbound" | "upperbound":
                info.is_bound = True
            case "wdl":
                win, draw, loss = (int(next(words)) / 1000 for _ in range(3))
                info.wdl = (win, draw, loss)
            case "pv":
                info.line = tuple(words)
    return info


def _parse_score(info: _Info, kind: str, value: int) -> None:
    if kind == "cp":
        info.score_pawns = value / 100
    elif kind == "mate":
        info.mate_in = value


def _legal_part(board: Board, moves: Sequence[str]) -> tuple[str, ...]:
    """The line up to its first move that cannot be played."""
    after = board.copy()
    played: list[str] = []
    for move in moves:
        try:
            after.push(move, past_draw=True)
        except ValueError:
            break
        played.append(move)
    return tuple(played)
