"""A person who plays the mini-chess by typing."""

import numpy as np
from rich.columns import Columns

from selfmate.cli.endgame_advice import Advice
from selfmate.cli.endgame_board import Screen
from selfmate.endgame.notation import move_name


class Person:
    """Asked until the answer is a move; who quits, or is not there, moves no more."""

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
