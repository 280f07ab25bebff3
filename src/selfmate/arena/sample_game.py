"""A game on a board as runs keep one for people to look at."""

from selfmate.rules import Board
from selfmate.runs.sample_game import SampleGame

RESULTS = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}


def sample_of(board: Board, white: str, black: str) -> SampleGame:
    """The game that led to the board; one that is not over was cut."""
    outcome = board.outcome()
    return SampleGame(
        start=board.start_fen,
        moves=tuple(board.moves),
        result=RESULTS[outcome.winner] if outcome else "*",
        reason=outcome.reason if outcome else "ply_limit",
        white=white,
        black=black,
    )
