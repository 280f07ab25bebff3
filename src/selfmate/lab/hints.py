"""What somebody else would do in a person's place."""

from contextlib import suppress
from threading import Event

from selfmate.lab.game_thoughts import judgement, says_something
from selfmate.lab.seats import Seat
from selfmate.players import Thought, load_player
from selfmate.rules import Board

TEACHER = "teacher:depth=3"
MOST_SECONDS = 3.0


def hint(seat: Seat, board: Board) -> tuple[str, str]:
    """A move, and words; by the teacher where the player has nothing to say. Blocks."""
    name, thought = seat.name, _thought(seat, board)
    if thought is None:
        teacher = Seat(load_player(TEACHER), TEACHER)
        name, thought = "The teacher", teacher.ask(board, Event(), MOST_SECONDS)
    judged = judgement(thought)
    words = f"{name} would play {board.san(thought.best)}"
    return thought.best, f"{words} ({judged})." if judged else f"{words}."


def _thought(seat: Seat, board: Board) -> Thought | None:
    with suppress(Exception):  # a player that fails has no hint
        thought = seat.ask(board, Event(), MOST_SECONDS)
        if says_something(thought):
            return thought
    return None
