"""`selfmate endgame play`: one game in the terminal, played by a person or watched."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from secrets import randbelow

import numpy as np
import typer
from numpy.typing import NDArray
from rich.columns import Columns
from rich.console import Console
from rich.table import Table

from selfmate.cli.board_view import draw_ranks, has_colour, shows_pieces
from selfmate.cli.console import (
    BadInputError,
    JobFailedError,
    counted,
    escape,
    printable,
    reading_input,
)
from selfmate.minichess.game import (
    MATE,
    ONGOING,
    Game,
    compile_game,
    draw_position,
    move_name,
    square_name,
)
from selfmate.minichess.player import TrainedRun, trained_run
from selfmate.minichess.solver import greedy_actions, move_values, optimal_values
from selfmate.runs import Found, RunDirectory, RunRefusedError

WORST, BEST = (0xB0, 0x4A, 0x3C), (0x3F, 0x9B, 0x54)  # red, green
INDENT = 3
SIZE, GAMMA, DRAW_REWARD = 4, 0.85, -1.0  # unless a run or an option sets them
ENDING_NAMES = ("", "mate", "stalemate")
MAX_WATCHED_MOVES = 50  # a learned policy may go in circles
MAX_RANDOM_SEED = 10**6  # of seeds chosen at random; short enough to type again

Values = NDArray[np.floating]  # [S, A]
Choose = Callable[[int], int | None]  # state -> action; None to leave the game


def load_trained_run(path: Path, version: str = "last") -> TrainedRun:
    """Loads a checkpoint; reports those that are skipped on standard error."""
    with reading_input():
        run = RunDirectory(path)
        found = _checkpoint(run, version)
        for reason in found.passed_over:
            typer.echo(printable(reason), err=True)
        return trained_run(run, found)


def _checkpoint(run: RunDirectory, version: str) -> Found:
    try:
        return run.checkpoint(version)
    except RunRefusedError as error:
        steps = run.checkpoints().keys()
        if version in ("last", "best", *map(str, steps)) and steps:
            raise JobFailedError(str(error)) from error  # it exists, but is corrupt
        raise


def ranked_moves(game: Game, state: int, values: Values) -> list[tuple[int, str, float]]:
    """Action, name and value of the allowed moves, the best first."""
    actions = np.flatnonzero(game.allowed[state]).tolist()
    moves = [(a, move_name(game, state, a), float(values[state, a])) for a in actions]
    return sorted(moves, key=lambda move: -move[2])


class Screen:
    """Draws boards of one game in the terminal."""

    def __init__(self, game: Game) -> None:
        self.console = Console(highlight=False)
        self._game = game

    def show(self, state: int, values: Values | None = None) -> None:
        """With `values`, destinations are coloured from green (best move) to red (worst)."""
        shades = {} if values is None else _heat(ranked_moves(self._game, state, values))
        self._draw(self._game.pieces[state], shades)

    def show_end(self, afterstate: int) -> None:
        self._draw(self._game.after_pieces[afterstate], {})

    def _draw(self, pieces: NDArray[np.int16], shades: dict[str, str]) -> None:
        lines = draw_position(self._game.size, pieces.tolist()).splitlines()
        self.console.print()
        # Without colour letters are plainer than pieces.
        if has_colour(self.console) and shows_pieces(self.console):
            ranks = [line.split()[1:] for line in lines[:-1]]
            self.console.print(draw_ranks(ranks, INDENT, shades))
        else:
            self.console.print(*(" " * INDENT + line for line in lines), sep="\n")
        self.console.print()


def _heat(moves: list[tuple[int, str, float]]) -> dict[str, str]:
    """The colours of the destinations of moves, which are sorted with the best first."""
    best, worst = moves[0][2], moves[-1][2]
    colours = {}
    for _, name, value in reversed(moves):  # the better of two moves to a square counts
        quality = (value - worst) / (best - worst) if best > worst else 1.0
        mixed = (round(w + quality * (b - w)) for w, b in zip(WORST, BEST, strict=True))
        colours[name[1:]] = "#{:02x}{:02x}{:02x}".format(*mixed)
    return colours


@dataclass(frozen=True, kw_only=True)
class Advice:
    """Exact values of all moves, and those that a run has learned."""

    game: Game
    exact: NDArray[np.float64]  # [S, A]
    learned: NDArray[np.float32] | None  # [S, A]

    @property
    def values(self) -> Values:
        """The values that the watched player follows."""
        return self.exact if self.learned is None else self.learned

    def table(self, state: int) -> Table:
        """Every move and its value, the best first."""
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
    """Advice for a board of this size, or for the board of a run."""
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


class Person:
    """A player at the keyboard, asked until the answer is a move or `quit`; end of input quits."""

    def __init__(self, screen: Screen, advice: Advice) -> None:
        self._screen, self._advice = screen, advice
        screen.console.print("Type a move such as Qb3, its number, [bold]hint[/] or [bold]quit[/].")

    def choose(self, state: int) -> int | None:
        game, print_ = self._advice.game, self._screen.console.print
        actions = np.flatnonzero(game.allowed[state]).tolist()
        names = [move_name(game, state, action) for action in actions]
        self._screen.show(state)
        print_(Columns([f"[dim]{n:>2}[/] {name}" for n, name in enumerate(names, 1)]))
        answers = dict(zip((name.lower() for name in names), actions, strict=True))
        answers |= {str(number): action for number, action in enumerate(actions, 1)}
        while (answer := _ask()) != "quit":
            if answer.lower() in answers:
                return answers[answer.lower()]
            if answer == "hint":
                self._hint(state)
            else:
                allowed = "a move from the list, its number, hint or quit"
                print_(f"{answer[:20]!r} cannot be played here: type {allowed}.", markup=False)
        return None

    def _hint(self, state: int) -> None:
        self._screen.show(state, self._advice.exact)
        self._screen.console.print(self._advice.table(state))


def _ask() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        print()
        return "quit"


def play_one_game(size: int | None, run: Path | None, watch: bool, seed: int | None) -> None:
    advice = advice_of(size, run)
    seed = randbelow(MAX_RANDOM_SEED) if seed is None else seed
    screen = Screen(advice.game)
    player = "You have" if not watch else f"{escape(str(run or 'The perfect player'))} has"
    board = f"{advice.game.size} x {advice.game.size}"
    screen.console.print(f"[bold]{player} king and queen[/] (K, Q) on {board}, seed {seed};")
    screen.console.print("the other king (k) moves at random.")
    choose = _watched(screen, advice) if watch else Person(screen, advice).choose
    _play(screen, advice.game, np.random.default_rng(seed), choose)


def _watched(screen: Screen, advice: Advice) -> Choose:
    """Plays the move of the highest value, up to `MAX_WATCHED_MOVES` moves."""
    actions = greedy_actions(advice.game, advice.values)
    moves = count()

    def choose(state: int) -> int | None:
        screen.show(state, advice.values)
        if next(moves) < MAX_WATCHED_MOVES:
            return int(actions[state])
        screen.console.print("This player may go in circles for ever.")
        return None

    return choose


def _play(screen: Screen, game: Game, rng: np.random.Generator, choose: Choose) -> None:
    """Plays a game from a random start to its end, or until the player leaves."""
    state = int(rng.choice(game.states, p=game.start_probabilities))
    for number in count(1):
        action = choose(state)
        if action is None:
            screen.console.print(f"The game was left after {counted(number - 1, 'move')}.")
            return
        screen.console.print(f"{number}. [bold]{move_name(game, state, action)}[/]", end="")
        after = int(game.afterstates[state, action])
        if game.endings[after] != ONGOING:
            break
        state = int(game.replies[after, rng.integers(game.reply_counts[after])])
        screen.console.print(f", k{square_name(game.size, int(game.pieces[state, 2]))}")
    screen.console.print()
    screen.show_end(after)
    ending = "[green]Mate[/]" if game.endings[after] == MATE else "[yellow]Stalemate[/], a draw,"
    screen.console.print(f"{ending} after {counted(number, 'move')}.")
