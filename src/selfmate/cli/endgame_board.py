"""The mini-chess in the terminal: the board, and the worth of moves as colours."""

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from selfmate.cli.drawing import draw_ranks
from selfmate.endgame.game import Game
from selfmate.endgame.notation import draw_position, move_name

WORST, BEST = (0xB0, 0x4A, 0x3C), (0x3F, 0x9B, 0x54)  # red, green
INDENT = 3

Values = NDArray[np.floating]  # [S, A]


def ranked_moves(game: Game, state: int, values: Values) -> list[tuple[int, str, float]]:
    """Action, name and value of the allowed moves, the best first."""
    actions = np.flatnonzero(game.allowed[state]).tolist()
    moves = [(a, move_name(game, state, a), float(values[state, a])) for a in actions]
    return sorted(moves, key=lambda move: -move[2])


class Screen:
    """Where boards of one game are drawn."""

    def __init__(self, game: Game) -> None:
        self.console = Console(highlight=False)
        self._game = game

    def show(self, state: int, values: Values | None = None) -> None:
        """With `values`, squares are green where the best move leads, and red where the worst."""
        shades = {} if values is None else _heat(ranked_moves(self._game, state, values))
        self._draw(self._game.pieces[state], shades)

    def show_end(self, afterstate: int) -> None:
        self._draw(self._game.after_pieces[afterstate], {})

    def _draw(self, pieces: NDArray[np.int16], shades: dict[str, str]) -> None:
        lines = draw_position(self._game.size, pieces.tolist()).splitlines()
        self.console.print()
        # Without colour both kings would look alike: letters tell them apart.
        if self.console.color_system is None or self.console.no_color:
            self.console.print(*(" " * INDENT + line for line in lines), sep="\n")
        else:
            ranks = [line.split()[1:] for line in lines[:-1]]
            self.console.print(draw_ranks(ranks, INDENT, shades))
        self.console.print()


def _heat(moves: list[tuple[int, str, float]]) -> dict[str, str]:
    """The colours of the squares that moves lead to, from moves with the best first."""
    best, worst = moves[0][2], moves[-1][2]
    colours = {}
    for _, name, value in reversed(moves):  # of two moves to a square the better one counts
        share = (value - worst) / (best - worst) if best > worst else 1.0
        mixed = (round(w + share * (b - w)) for w, b in zip(WORST, BEST, strict=True))
        colours[name[1:]] = "#{:02x}{:02x}{:02x}".format(*mixed)
    return colours
