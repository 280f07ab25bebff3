"""What an engine says while it thinks, read into thoughts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfmate.players.player import Thought
from selfmate.rules import Board


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
