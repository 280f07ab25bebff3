"""Players that say what their moves are worth, so that others can learn from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from selfmate.players import check_name, load_player
from selfmate.rules import Board
from selfmate.search.teacher import MoveScores

# A player with one of these plays moves that its scores do not explain.
CHANCE = ("elo", "skill", "random", "temperature")
CAN = "teacher:depth=1..6, stockfish:nodes=N, uci:path=PROGRAM and the run of a Q-net can"


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """What a player's moves are worth. As a player, it holds no state of a game."""

    name: str  # of the player, settings included
    score: Callable[[Sequence[Board]], MoveScores]  # none of the boards is over
    games_at_once: int  # boards that are worth handing over in one call
    close: Callable[[], None]  # ends whatever runs; may be called more than once


@runtime_checkable
class ScoringPlayer(Protocol):
    def scoring(self, best: int) -> Scoring:
        """So many of the best moves have a score, if there are so many; others may have none."""


def load_scoring(text: str, best: int) -> Scoring:
    """The scores of a player; ValueError says why it has none. It is tried out at once."""
    name = check_name(text)
    for key in CHANCE:
        if key in name.settings:
            raise ValueError(f"{text} cannot teach: by {key}= it plays against its scores; {CAN}")
    player = load_player(text)
    if not isinstance(player, ScoringPlayer):
        player.close()
        raise ValueError(f"{text} cannot teach: it does not score its moves; {CAN}")
    scoring = player.scoring(best)
    try:
        _try_out(scoring, best)
    except BaseException:
        scoring.close()
        raise
    return scoring


def _try_out(scoring: Scoring, best: int) -> None:
    """Whether an engine knows how to score several moves is seen when it does."""
    board = Board()
    wanted, found = min(best, len(board.legal_moves())), len(scoring.score([board]).moves)
    if found < wanted:
        raise ValueError(
            f"{scoring.name} cannot teach: of {wanted} moves of the usual start it scored {found}; "
            "it needs a higher limit, or has no MultiPV"
        )
