"""Whether a player takes the place of the best so far: a match between them, and a rule."""

from dataclasses import dataclass
from typing import Literal, get_args

from selfmate.arena.elo import Pentanomial, score_interval, unit_counts
from selfmate.arena.evaluation import check_paired, meet
from selfmate.arena.match import DEFAULT_MAX_PLIES
from selfmate.players import Player

# How surely the player must be no worse: `interval` by the whole 95 % interval, but for a margin;
# `seed` by points alone, a tie being enough.
Rule = Literal["interval", "seed"]
MOST_GAMES = 1000  # two of every shipped opening; players without chance would only repeat theirs


@dataclass(frozen=True, kw_only=True)
class Verdict:
    promoted: bool
    score: float  # points per game against the best
    low: float  # of the score's 95 % interval
    high: float
    games: int
    sentence: str  # for people

    @staticmethod
    def of(pairs: Pentanomial, promoted: bool, why: str) -> "Verdict":
        """On pairs of games against the best, of which there is at least one."""
        low, high = map(float, score_interval(unit_counts(pairs)))
        score, games = pairs.score, 2 * pairs.pairs
        sentence = (
            f"{'promoted' if promoted else 'not promoted'}: {100 * score:.1f} % of {games} games "
            f"against the best (95 % interval {100 * low:.1f} to {100 * high:.1f} %), {why}"
        )
        return Verdict(
            promoted=promoted, score=score, low=low, high=high, games=games, sentence=sentence
        )


@dataclass(frozen=True, kw_only=True)
class Promotion:
    """The margin is what lets an equal be promoted now and then: without it a player has to be
    surely better, and steps forward that are smaller than a match can show are never kept."""

    rule: Rule = "interval"
    games: int = 200
    margin: float = 0.02  # of the score, below one half; for `interval` alone, like the next
    least_games: int = 100

    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise ValueError(f"no rule {self.rule!r}; there are: {', '.join(get_args(Rule))}")
        check_paired(self.games)
        if self.games > MOST_GAMES:
            raise ValueError(f"{self.games} games repeat openings; at most {MOST_GAMES} do not")
        if not 0 <= self.margin < 0.5:
            raise ValueError(f"bad margin {self.margin:g}: it must be at least 0 and below 0.5")
        if self.rule == "interval" and self.least_games > self.games:
            raise ValueError(
                f"nobody could be promoted: {self.games} games, least_games {self.least_games}"
            )

    def contest(
        self, player: Player, best: Player, *, seed: int, max_plies: int = DEFAULT_MAX_PLIES
    ) -> Verdict:
        """Plays the match and judges it."""
        report = meet(player, best, games=self.games, seed=seed, max_plies=max_plies)
        return self.judge(Pentanomial(report.pentanomial))

    def judge(self, pairs: Pentanomial) -> Verdict:
        """What pairs of games against the best, of which there is at least one, come to."""
        rule = self._by_interval if self.rule == "interval" else _by_points
        return Verdict.of(pairs, *rule(pairs))

    def _by_interval(self, pairs: Pentanomial) -> tuple[bool, str]:
        bound = 0.5 - self.margin
        if 2 * pairs.pairs < self.least_games:
            return False, f"fewer games than {self.least_games}"
        above = float(score_interval(unit_counts(pairs))[0]) > bound
        return above, f"{'above' if above else 'not all of it above'} {100 * bound:g} %"


def _by_points(pairs: Pentanomial) -> tuple[bool, str]:
    return (True, "at least half") if pairs.score >= 0.5 else (False, "less than half")
