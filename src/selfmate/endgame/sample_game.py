"""A game of mini-chess as runs keep one for people to look at."""

from collections.abc import Callable

import numpy as np

from selfmate.endgame.game import DRAW, GOES_ON, MATE, Game
from selfmate.endgame.notation import placement, square_name
from selfmate.endgame.rules import Squares
from selfmate.runs.sample_game import SampleGame

MOST_MOVES = 50  # of the agent, who may walk in circles
ENDINGS = {
    GOES_ON: ("*", "ply_limit"),
    MATE: ("1-0", "checkmate"),
    DRAW: ("1/2-1/2", "stalemate"),
}


def sample_game(
    game: Game, choose: Callable[[int], int], dice: np.random.Generator, agent: str
) -> SampleGame:
    """From a start by chance: `choose` gives the agent's action in a state."""
    state = int(dice.choice(game.states, p=game.start_probabilities))
    first, moves, ending = state, list[str](), GOES_ON
    while ending == GOES_ON and len(moves) < 2 * MOST_MOVES:
        after = game.afterstates[state, choose(state)]
        moves.append(_move(game, game.pieces[state], game.after_pieces[after]))
        ending = int(game.endings[after])
        if ending == GOES_ON:
            state = int(game.replies[after, dice.integers(game.reply_counts[after])])
            moves.append(_move(game, game.after_pieces[after], game.pieces[state]))
    result, reason = ENDINGS[ending]
    return SampleGame(
        start=placement(game.size, game.pieces[first].tolist()),
        moves=tuple(moves),
        result=result,
        reason=reason,
        white=agent,
        black="random",
    )


def _move(game: Game, before: Squares, after: Squares) -> str:
    """`b2b3`, of the one piece that has moved."""
    piece = int(np.flatnonzero(before != after)[0])
    return "".join(square_name(game.size, int(squares[piece])) for squares in (before, after))
