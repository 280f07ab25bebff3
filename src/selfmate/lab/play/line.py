"""The moves of a game in the lab: for looking through, and as PGN."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from selfmate.lab.position_data import choices_of
from selfmate.rules import Board
from selfmate.rules.pgn import ROSTER, movetext, tag_text

Side = Literal["white", "black"]


@dataclass(frozen=True, kw_only=True)
class Ply:
    """A move that was made, with the position after it and what its player thought."""

    side: Side
    move: str
    san: str
    fen: str
    check: bool
    thought: Mapping[str, Any] | None


class GameLine:
    def __init__(self, start: Board) -> None:
        self.board = start.copy()
        self.plies: list[Ply] = []

    def push(self, move: str, thought: Mapping[str, Any] | None = None) -> None:
        """ValueError when it is not legal or the game is over."""
        board = self.board
        side, san = board.turn, board.san(move)
        board.push(move)
        self.plies.append(
            Ply(
                side=side,
                move=move,
                san=san,
                fen=board.fen(),
                check=board.is_check(),
                thought=thought,
            )
        )

    def cut(self, length: int) -> None:
        """Takes back all but so many moves."""
        while len(self.plies) > length:
            self.board.pop()
            self.plies.pop()

    def data(self, mover: Side | None) -> dict[str, Any]:
        """All there is to show; `mover` is who may move a piece if it is his turn."""
        board = self.board
        return {
            "start": {"fen": board.start_fen, "check": Board(board.start_fen).is_check()},
            "turn": board.turn,
            **choices_of(board, None if board.turn == mover else ()),
            "moves": [vars(ply) for ply in self.plies],
        }

    def read(self, text: str) -> str:
        """The UCI text of a move as somebody may type it: `g1f3`, `Nf3`, `nf3`, `0-0`, `e8=Q+`."""
        typed = text.strip().rstrip("+#!?").replace("0", "O")
        if typed.lower() in self.board.legal_moves():
            return typed.lower()
        for spelling in (typed, typed[:1].upper() + typed[1:], typed.upper()):
            try:
                return self.board.parse_san(spelling)
            except ValueError:
                continue
        if f"{typed.lower()}q" in self.board.legal_moves():
            raise ValueError(f"a pawn becomes another piece there: {typed.lower()}q for a queen")
        raise ValueError(f"{text[:20]!r} is not possible here; moves look like Nf3 or g1f3")

    def pgn(self, tags: Mapping[str, str], result: str) -> str:
        start = self.board.start_fen
        given = ROSTER | dict(tags) | {"Result": result}
        if start != Board().fen():
            given |= {"SetUp": "1", "FEN": start}
        sans = [ply.san for ply in self.plies]
        return f"{tag_text(given)}\n{movetext(sans, result, start)}"
