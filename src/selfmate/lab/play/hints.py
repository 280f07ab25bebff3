"""What somebody else would do in a person's place."""

from contextlib import suppress
from threading import Event
from typing import Any

from selfmate.lab.play.seats import Seat
from selfmate.lab.play.thoughts import judgement, says_something
from selfmate.players import Thought, load_player
from selfmate.rules import Board

TEACHER = "teacher:depth=3"
MOST_SECONDS = 3.0


def hint(seat: Seat, board: Board) -> dict[str, Any]:
    """A move, by the player, or by the teacher where the player has nothing to say. Blocks."""
    name, thought = seat.name, _thought(seat, board)
    if thought is None:
        name = TEACHER
        thought = Seat(load_player(TEACHER), TEACHER).ask(board, Event(), MOST_SECONDS)
    return {
        "by": name,
        "move": thought.best,
        "san": board.san(thought.best),
        "judgement": judgement(thought),
    }


def _thought(seat: Seat, board: Board) -> Thought | None:
    with suppress(Exception):  # a player that fails has no hint
        thought = seat.ask(board, Event(), MOST_SECONDS)
        if says_something(thought):
            return thought
    return None
