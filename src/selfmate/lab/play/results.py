"""How a game in the lab ended, in words."""

from dataclasses import dataclass
from typing import Any

from selfmate.lab.play.line import Side
from selfmate.rules import Board

DRAWS = {
    "stalemate": "Draw by stalemate.",
    "insufficient_material": "Draw: nobody has enough left to mate.",
    "fifty_moves": "Draw by the fifty-move rule.",
    "threefold_repetition": "Draw: the position came up three times.",
    "time_against_bare_king": "Draw: time ran out, but against a bare king.",
}
WINS = {
    "checkmate": "by checkmate",
    "resignation": "by resignation",
    "time": "on time",
}


@dataclass(frozen=True)
class End:
    winner: Side | None
    reason: str

    @property
    def score(self) -> str:
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]

    def data(self, person: Side | None) -> dict[str, Any]:
        return {
            "score": self.score,
            "winner": self.winner,
            "reason": self.reason,
            "words": self.words(person),
        }

    def words(self, person: Side | None) -> str:
        """As told to the person who played, or to somebody who watched."""
        if self.winner is None:
            return DRAWS[self.reason]
        if person is None:
            return f"{self.winner.capitalize()} won {WINS[self.reason]}."
        if self.winner == person:
            return f"You won {WINS[self.reason]}."
        return "You resigned." if self.reason == "resignation" else f"You lost {WINS[self.reason]}."


def end_on_board(board: Board) -> End | None:
    outcome = board.outcome()
    return None if outcome is None else End(outcome.winner, outcome.reason)


def end_on_time(board: Board, loser: Side) -> End:
    """A bare king cannot mate, and so does not win on time. Other material counts as enough."""
    winner = other(loser)
    pieces = board.fen().split()[0]
    own = [piece for piece in pieces if piece.isalpha() and piece.isupper() == (winner == "white")]
    return End(None, "time_against_bare_king") if len(own) == 1 else End(winner, "time")


def other(side: Side) -> Side:
    return "black" if side == "white" else "white"
