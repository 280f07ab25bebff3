"""`selfmate endgame play`: one game in the terminal, played by a person or watched."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from secrets import randbelow

import numpy as np
from rich.markup import escape

from selfmate.cli.endgame_advice import Advice, advice_of
from selfmate.cli.endgame_board import Screen
from selfmate.cli.endgame_person import Person
from selfmate.endgame.game import GOES_ON, MATE, Game
from selfmate.endgame.notation import move_name, square_name
from selfmate.endgame.optimal import greedy_actions

MOST_WATCHED = 50  # moves; a learned policy may go round for ever
SEEDS = 10**6  # to choose from when nobody says which; short to type again

Choose = Callable[[int], int | None]  # state -> action; None to play no more


def play_one_game(size: int | None, run: Path | None, watch: bool, seed: int | None) -> None:
    advice = advice_of(size, run)
    seed = randbelow(SEEDS) if seed is None else seed
    screen = Screen(advice.game)
    player = "You have" if not watch else f"{escape(str(run or 'The perfect player'))} has"
    board = f"{advice.game.size} x {advice.game.size}"
    screen.console.print(f"[bold]{player} king and queen[/] (K, Q) on {board}, seed {seed};")
    screen.console.print("the other king (k) moves at random.")
    choose = _watched(screen, advice) if watch else Person(screen, advice).choose
    _play(screen, advice.game, np.random.default_rng(seed), choose)


def _watched(screen: Screen, advice: Advice) -> Choose:
    """The move of the highest value, until it takes too long."""
    actions = greedy_actions(advice.game, advice.values)
    moves = count()

    def choose(state: int) -> int | None:
        screen.show(state, advice.values)
        if next(moves) < MOST_WATCHED:
            return int(actions[state])
        screen.console.print("This player may go round for ever.")
        return None

    return choose


def _play(screen: Screen, game: Game, dice: np.random.Generator, choose: Choose) -> None:
    """From a start to the end, or until nobody chooses any more."""
    state = int(dice.choice(game.states, p=game.start_probabilities))
    for number in count(1):
        action = choose(state)
        if action is None:
            screen.console.print(f"The game was left after {_moves(number - 1)}.")
            return
        screen.console.print(f"{number}. [bold]{move_name(game, state, action)}[/]", end="")
        after = int(game.afterstates[state, action])
        if game.endings[after] != GOES_ON:
            break
        state = int(game.replies[after, dice.integers(game.reply_counts[after])])
        screen.console.print(f", k{square_name(game.size, int(game.pieces[state, 2]))}")
    screen.console.print()
    screen.show_end(after)
    ending = "[green]Mate[/]" if game.endings[after] == MATE else "[yellow]Stalemate[/], a draw,"
    screen.console.print(f"{ending} after {_moves(number)}.")


def _moves(number: int) -> str:
    return f"{number} move" if number == 1 else f"{number} moves"
