"""The rule of `selfmate uci` for clocks against the rule before it, on simulated clocks.

python experiments/clock_rule.py [--games 200] [--net alphazero-swift] [--speed 20000]

A clock counts simulations, so many a second, instead of time: games are the same on every machine,
busy or not. The rule before stopped every search at a fixed share of the clock.
"""

import argparse
from contextlib import closing

from selfmate.arena.elo import Pentanomial, estimate_elo
from selfmate.arena.openings import Opening, shipped_openings, shuffled
from selfmate.players import Player, RootStatistics, SearchRequest, load_player
from selfmate.rules import Board
from selfmate.uci.time_management import TimeBudget, TimeManager, clock_budget

CLOCK_MS, INCREMENT_MS, OVERHEAD_MS = 10_000, 100, 10
OLD_MOVES_AHEAD, OLD_INCREMENT_FRACTION = 40, 0.7
MAX_PLIES = 400


class Side:
    """A player with a clock, and a rule for it."""

    def __init__(self, player: Player, speed: float, *, adapts: bool) -> None:
        """`speed` is in simulations a second."""
        self.player, self.clock_ms, self._adapts = player, float(CLOCK_MS), adapts
        self._visits_per_ms = speed / 1000
        self._last_value: float | None = None

    def move(self, board: Board) -> str:
        """Searches, and takes from the clock what that cost."""
        if len(board.legal_moves()) == 1:
            return board.legal_moves()[0]
        manager = TimeManager(self._budget(), self._last_value)
        began, spent_ms = None, 0.0

        def is_enough(root: RootStatistics) -> bool:
            nonlocal began, spent_ms
            began = root.visits if began is None else began
            spent_ms = (root.visits - began) / self._visits_per_ms
            manager.observe(spent_ms, root)
            self._last_value = root.value
            return spent_ms >= manager.end_ms()

        best = self.player.analyse(SearchRequest(board=board, is_enough=is_enough)).best
        self.clock_ms += INCREMENT_MS - spent_ms - OVERHEAD_MS
        return best

    def _budget(self) -> TimeBudget:
        if self._adapts:
            return clock_budget(self.clock_ms, INCREMENT_MS, 0, OVERHEAD_MS)
        usable = max(self.clock_ms - OVERHEAD_MS, 0.0)
        share = usable / OLD_MOVES_AHEAD + OLD_INCREMENT_FRACTION * INCREMENT_MS
        target = min(share, usable / 2)
        return TimeBudget(target, target, target, usable, usable)


def play(opening: Opening, sides: tuple[Side, Side]) -> float:
    """Points of White."""
    board = opening.board()
    while board.outcome() is None and len(board.moves) < MAX_PLIES:
        side = sides[0 if board.turn == "white" else 1]
        board.push(side.move(board))
        if side.clock_ms < 0:
            return 0.0 if side is sides[0] else 1.0
    outcome = board.outcome()
    return 0.5 if outcome is None or outcome.winner is None else float(outcome.winner == "white")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--net", default="alphazero-swift:sims=1000000")
    parser.add_argument("--speed", type=float, default=20_000, help="simulations a second")
    given = parser.parse_args()
    openings, points = shuffled(shipped_openings(), 1), list[float]()
    for number in range(given.games):
        with closing(load_player(given.net)) as new, closing(load_player(given.net)) as old:
            ours, theirs = Side(new, given.speed, adapts=True), Side(old, given.speed, adapts=False)
            opening = openings[number // 2]
            if number % 2 == 0:
                points.append(play(opening, (ours, theirs)))
            else:
                points.append(1 - play(opening, (theirs, ours)))
        if number % 20 == 19:
            report(points)


def report(points: list[float]) -> None:
    pairs = zip(points[::2], points[1::2], strict=True)
    found = estimate_elo(Pentanomial.of_points(a + b for a, b in pairs))
    wins, losses = points.count(1.0), points.count(0.0)
    print(
        f"{found.games} games: {wins} won, {points.count(0.5)} drawn, {losses} lost, "
        f"{found.elo:+.0f} Elo ({found.elo_low:+.0f} to {found.elo_high:+.0f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
