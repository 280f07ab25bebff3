"""The figures of a model card that are played again: matches, tactics and won endgames."""

import math
from contextlib import closing
from dataclasses import dataclass

from selfmate.arena.endgames import convert
from selfmate.arena.match import play_match
from selfmate.arena.puzzles import shipped_puzzles, solve
from selfmate.players import Player, load_player
from selfmate.weights.card import Check

STANDARD_ERRORS = 3.0  # that a figure may be off: other processors round sums in another order


@dataclass(frozen=True)
class Replay:
    """A check of a card, and what it gave this time."""

    check: Check
    points: float

    @property
    def is_exact(self) -> bool:
        return self.points == self.check.points

    @property
    def agrees(self) -> bool:
        """Whether chance explains the difference. Beside the binomial error there is half a game,
        for results of 0 or 100 % have no such error."""
        games, share = self.check.games, self.check.points / self.check.games
        error = math.sqrt(games * share * (1 - share))
        return abs(self.points - self.check.points) <= STANDARD_ERRORS * error + 0.5


def replay(check: Check) -> Replay:
    """Plays a check again; blocks for seconds. ValueError if its player cannot be loaded."""
    with closing(load_player(check.player)) as player:
        return Replay(check, _points(check, player))


def _points(check: Check, player: Player) -> float:
    if check.kind == "match":
        assert check.opponent is not None
        opponent = load_player(check.opponent)
        with closing(opponent):
            report = play_match(player, opponent, games=check.games, seed=check.seed)
        return report.wins + report.draws / 2
    if check.kind == "tactics":
        puzzles = shipped_puzzles()[: check.games]
        return sum(is_solved for _, is_solved in solve(player, puzzles, check.seed))
    return convert(player, check.kind, games=check.games, seed=check.seed).converted
