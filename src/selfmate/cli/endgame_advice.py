"""What the moves of the mini-chess are worth, for players and those who watch them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from selfmate.cli.endgame_board import Values, ranked_moves
from selfmate.cli.endgame_run import load_trained_run
from selfmate.cli.errors import BadInputError
from selfmate.endgame.game import Game, compile_game
from selfmate.endgame.optimal import move_values, optimal_values

SIZE, GAMMA, DRAW_REWARD = 4, 0.85, -1.0  # where neither a run nor a person says otherwise
ENDING_NAMES = ("", "mate", "stalemate")


@dataclass(frozen=True, kw_only=True)
class Advice:
    """The truth, and what a run has learned of it."""

    game: Game
    exact: NDArray[np.float64]  # [S, A]
    learned: NDArray[np.float32] | None  # [S, A]

    @property
    def values(self) -> Values:
        """Those to play by."""
        return self.exact if self.learned is None else self.learned

    def table(self, state: int) -> Table:
        """Every move and its worth, the best first."""
        table = Table("move", box=None, padding=(0, 2, 0, 0))
        table.add_column("worth", justify="right")
        if self.learned is not None:
            table.add_column("learned", justify="right")
        for action, name, value in ranked_moves(self.game, state, self.exact):
            worth = [value] if self.learned is None else [value, self.learned[state, action]]
            ending = ENDING_NAMES[self.game.endings[self.game.afterstates[state, action]]]
            table.add_row(name, *(f"{number:.4f}" for number in worth), ending)
        return table


def advice_of(size: int | None, run: Path | None) -> Advice:
    """Advice on a board of this size, or on the board of a run."""
    if run is None:
        game = compile_game(size or SIZE)
        return Advice(game=game, exact=_exact(game, GAMMA, DRAW_REWARD), learned=None)
    trained = load_trained_run(run)
    game = trained.game
    if size not in (None, game.size):
        raise BadInputError(f"{run} plays on {game.size} x {game.size}, not on {size} x {size}")
    exact = _exact(game, trained.gamma, trained.draw_reward)
    return Advice(game=game, exact=exact, learned=trained.values)


def _exact(game: Game, gamma: float, draw_reward: float) -> NDArray[np.float64]:
    return move_values(game, optimal_values(game, gamma, draw_reward).after)
