"""Players without a search, each with one behaviour that the engine must cope with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event

import numpy as np
from numpy.typing import NDArray

from selfmate.players import Analysis, Choices, Limits, SearchRequest
from selfmate.rules import Board
from selfmate.uci.options import Capabilities
from selfmate.weights.calibration import Calibration, Strength

Report = Callable[[Analysis], None]
WORTH = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}


class Fake:
    """Plays a random move and records the requests."""

    parallel_games = 1
    capabilities = Capabilities()

    def __init__(self) -> None:
        self.requests: list[SearchRequest] = []
        self.asked: list[Limits] = []
        self.temperatures: list[float | None] = []
        self.searched_with: list[tuple[Mapping[str, float], int]] = []  # numbers and threads
        self.closed = False

    def allowed(self, board: Board) -> list[str]:
        """The moves that the last request allows, by name."""
        return sorted(self.requests[-1].root_moves or board.legal_moves())

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits | None = None
    ) -> Choices:
        raise NotImplementedError("the engine asks about one board at a time")

    def analyse(self, request: SearchRequest) -> Analysis:
        assert request.board.outcome() is None, "players are not asked about finished games"
        self.requests.append(request)
        self.asked.append(request.limits)
        self.temperatures.append(request.temperature)
        self.searched_with.append((request.search, request.threads))
        return self.answer(request.board, request.seed, request.stop, request.report)

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        moves = board.legal_moves()
        return Analysis(best=moves[seed % len(moves)])

    def close(self) -> None:
        self.closed = True


class Chance(Fake):
    pass


class Steady(Fake):
    """Plays the first move by name, with a complete analysis."""

    capabilities = Capabilities(has_wdl=True)

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        best = min(board.legal_moves())
        after = board.copy()
        after.push(best)
        line = (best, min(after.legal_moves())) if after.legal_moves() else (best,)
        report(Analysis(best=best, depth=1, score_pawns=0.25, nodes=20))
        return Analysis(
            best=best, line=line, depth=2, score_pawns=-0.5, wdl=(0.2, 0.5, 0.3), nodes=420
        )


class Patient(Fake):
    """Reports a move at once and searches until told to stop."""

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        analysis = Analysis(best=min(board.legal_moves()), depth=1)
        report(analysis)
        stop.wait()
        return analysis


class Deaf(Fake):
    """Ignores `stop`."""

    def __init__(self) -> None:
        super().__init__()
        self.release = Event()

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        self.release.wait()
        return super().answer(board, seed, stop, report)


class Broken(Fake):
    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        raise RuntimeError("out of\nbestmove e2e5\nluck")


class Cheat(Fake):
    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        report(Analysis(best="e1e8", score_pawns=float("nan")))
        return Analysis(best="e1e8\nbestmove e1e8")


class Miser(Fake):
    """Plays the first allowed move by name; its score is the material."""

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        ours, theirs = ("isupper", "islower") if board.turn == "white" else ("islower", "isupper")
        placement = board.fen().split()[0]

        def worth(side: str) -> int:
            return sum(WORTH.get(p.lower(), 0) for p in placement if getattr(p, side)())

        best = self.allowed(board)[0]
        return Analysis(best=best, score_pawns=float(worth(ours) - worth(theirs)), depth=1)


class Opinionated(Fake):
    """Has a policy: later names are more likely."""

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        moves = self.allowed(board)
        weights = {move: float(rank) for rank, move in enumerate(moves)}
        return Analysis(best=moves[-1], policy=weights)


class Thorough(Fake):
    """Scores every move, allowed or not: later names are better."""

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        moves = sorted(board.legal_moves())
        ranked = [
            Analysis(best=move, score_pawns=float(score), depth=1)
            for score, move in enumerate(moves)
        ][::-1]
        return replace(ranked[0], others=tuple(ranked[1:]))


class Searcher(Fake):
    """Has visits: later names have more, and the expected reply is the first by name."""

    capabilities = Capabilities(
        temperature=0.0,
        search={},
        uses_time=True,
        has_wdl=True,
        calibration=Calibration(
            "0", (Strength(800.0, 0, 1.0), Strength(1000.0, 0, 0.0), Strength(1400.0, 8, 0.0))
        ),
    )

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        moves = sorted(board.legal_moves(), reverse=True)
        visits = {move: 10 * (len(moves) - rank) for rank, move in enumerate(moves)}
        first, *others = (
            Analysis(
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
