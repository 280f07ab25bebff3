"""Players that need no search, each with one habit the engine must cope with."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event

import numpy as np
from numpy.typing import NDArray

from selfmate.players import Choices, Limits, Question, Thought
from selfmate.rules import Board
from selfmate.uci.traits import Traits

Report = Callable[[Thought], None]
WORTH = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}


class Fake:
    """Plays by chance, and remembers what it was asked."""

    games_at_once = 1
    traits = Traits()

    def __init__(self) -> None:
        self.asked: list[Limits] = []
        self.temperatures: list[float | None] = []
        self.searched_with: list[tuple[float | None, int]] = []  # c_puct and threads
        self.closed = False

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits | None = None
    ) -> Choices:
        raise NotImplementedError("the engine thinks on one board at a time")

    def think(self, question: Question) -> Thought:
        assert question.board.outcome() is None, "players are not asked about finished games"
        self.asked.append(question.limits)
        self.temperatures.append(question.temperature)
        self.searched_with.append((question.c_puct, question.threads))
        return self.answer(question.board, question.dice, question.stop, question.report)

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        moves = board.legal_moves()
        return Thought(best=moves[dice % len(moves)])

    def close(self) -> None:
        self.closed = True


class Chance(Fake):
    pass


class Steady(Fake):
    """The first move by name, with everything there is to tell about it."""

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        best = min(board.legal_moves())
        after = board.copy()
        after.push(best)
        line = (best, min(after.legal_moves())) if after.legal_moves() else (best,)
        report(Thought(best=best, depth=1, score_pawns=0.25, nodes=20))
        return Thought(
            best=best, line=line, depth=2, score_pawns=-0.5, wdl=(0.2, 0.5, 0.3), nodes=420
        )


class Patient(Fake):
    """Says what it would play, and thinks until told to stop."""

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        thought = Thought(best=min(board.legal_moves()), depth=1)
        report(thought)
        stop.wait()
        return thought


class Deaf(Fake):
    """Does not hear `stop`."""

    def __init__(self) -> None:
        super().__init__()
        self.release = Event()

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        self.release.wait()
        return super().answer(board, dice, stop, report)


class Broken(Fake):
    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        raise RuntimeError("out of\nbestmove e2e5\nluck")


class Cheat(Fake):
    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        report(Thought(best="e1e8", score_pawns=float("nan")))
        return Thought(best="e1e8\nbestmove e1e8")


class Miser(Fake):
    """Counts material and moves what comes first."""

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        ours, theirs = ("isupper", "islower") if board.turn == "white" else ("islower", "isupper")
        placement = board.fen().split()[0]

        def worth(side: str) -> int:
            return sum(WORTH.get(p.lower(), 0) for p in placement if getattr(p, side)())

        best = min(board.legal_moves())
        return Thought(best=best, score_pawns=float(worth(ours) - worth(theirs)), depth=1)


class Opinionated(Fake):
    """Has a policy: later names are likelier."""

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        moves = sorted(board.legal_moves())
        weights = {move: float(rank) for rank, move in enumerate(moves)}
        return Thought(best=moves[-1], policy=weights)


class Thorough(Fake):
    """Judges every move: later names are better."""

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        moves = sorted(board.legal_moves())
        ranked = [
            Thought(best=move, score_pawns=float(score), depth=1)
            for score, move in enumerate(moves)
        ][::-1]
        return replace(ranked[0], others=tuple(ranked[1:]))


class Searcher(Fake):
    """Counts visits: later names have more, and the likeliest reply to all is the first by name."""

    traits = Traits(temperature=0.0, c_puct=1.5, uses_time=True)

    def answer(self, board: Board, dice: int, stop: Event, report: Report) -> Thought:
        moves = sorted(board.legal_moves(), reverse=True)
        visits = {move: 10 * (len(moves) - rank) for rank, move in enumerate(moves)}
        first, *others = (
            Thought(
                best=move,
                line=(move, self._reply(board, move)),
                score_pawns=0.5 - rank / 4,
                wdl=(0.5 - rank / 8, 0.25, 0.25 + rank / 8) if rank < 3 else None,
                depth=2,
                nodes=sum(visits.values()),
            )
            for rank, move in enumerate(moves)
        )
        return replace(first, visits=visits, others=tuple(others))

    def _reply(self, board: Board, move: str) -> str:
        after = board.copy()
        after.push(move)
        return min(after.legal_moves())


FAKES: dict[str, type[Fake]] = {
    fake.__name__.lower(): fake
    for fake in (
        Chance,
        Steady,
        Patient,
        Deaf,
        Broken,
        Cheat,
        Miser,
        Opinionated,
        Thorough,
        Searcher,
    )
}
