"""Matches that a training run plays: evaluation against opponents of known strength, and gating
against the best version so far.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal, get_args

from selfmate.arena.elo import Pentanomial, score_interval, unit_counts
from selfmate.arena.match import (
    DEFAULT_MAX_PLIES,
    Match,
    MatchReport,
    PlayedGame,
    RunningGame,
    make_report,
    pair_counts,
)
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.sprt import Sprt
from selfmate.arena.sprt import Verdict as Accepted
from selfmate.players import Player, load_player
from selfmate.runs import RunFailedError, Tick, unwatched

# What is recorded of a match, by the names of metrics.
EVALUATION_METRICS = {
    "score": "score",
    "won": "wins",
    "drawn": "draws",
    "lost": "losses",
    "mean_plies": "mean_plies",
    "ply_limit_games": "ply_limit_games",
}


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Matches against fixed opponents, the same games every time: only the player changes."""

    opponents: tuple[str, ...]  # names of players
    games: int  # against each opponent; even, since both sides play every opening
    seed: int = 1
    max_plies: int = DEFAULT_MAX_PLIES  # after the opening

    def __post_init__(self) -> None:
        """Refuses a wrong setting now rather than after the first cycle."""
        check_paired(self.games)
        for opponent in self.opponents:
            load_player(opponent).close()
        for name, count in Counter(map(metric_name, self.opponents)).items():
            if count > 1:
                raise ValueError(f"{count} opponents would share the metric score_{name}")

    @property
    def all_games(self) -> int:
        return self.games * len(self.opponents)

    def reports(self, player: Player, tick: Tick = unwatched) -> dict[str, MatchReport]:
        """A report by opponent's name, from the player's side. Ticks games."""
        watched = WatchedGames(tick)
        return {name: self._report(player, name, watched) for name in self.opponents}

    def _report(self, player: Player, name: str, watched: "WatchedGames") -> MatchReport:
        with closing(load_player(name)) as opponent:
            return play_paired_match(
                player,
                opponent,
                games=self.games,
                seed=self.seed,
                max_plies=self.max_plies,
                watched=watched,
            )


def evaluation_metrics(reports: Mapping[str, MatchReport]) -> dict[str, float]:
    """Flat metrics: `score_random`, `won_random` and so on, and `illegal_moves` of all games.

    Games that reached the ply limit count as draws.
    """
    metrics: dict[str, float] = {
        f"{metric}_{metric_name(opponent)}": getattr(report, attribute)
        for opponent, report in reports.items()
        for metric, attribute in EVALUATION_METRICS.items()
    }
    return metrics | {"illegal_moves": sum(report.illegal_moves for report in reports.values())}


def metric_name(opponent: str) -> str:
    """An opponent as part of a metric's name: `teacher_depth_1` for `teacher:depth=1`."""
    return re.sub(r"[^0-9A-Za-z]+", "_", opponent).strip("_")


def check_paired(games: int) -> None:
    if games < 2 or games % 2:
        raise ValueError(f"{games} games are no pairs; the number must be even and at least 2")


def play_paired_match(  # noqa: PLR0913 - the settings of a match
    player: Player,
    opponent: Player,
    *,
    games: int,
    seed: int,
    max_plies: int = DEFAULT_MAX_PLIES,
    watched: "WatchedGames | None" = None,
) -> MatchReport:
    """Plays pairs of games on the shipped openings, in an order that the seed decides.

    All games must be played out. An illegal move by a player of ours is a ValueError; a game that
    an engine forfeits says nothing about strength, so it ends the run.
    """
    check_paired(games)
    match = Match((player, opponent), shuffled(shipped_openings(), seed), seed, max_plies)
    report = make_report(list((watched or WatchedGames()).play(match, range(games))))
    check_played_out(report, player, opponent)
    return report


def check_played_out(report: MatchReport, player: Player, opponent: Player) -> None:
    if report.forfeits:
        raise RunFailedError(
            f"{report.forfeits} of {report.games} games of {player.name} against {opponent.name} "
            f"were forfeited ({next(iter(report.forfeit_reasons))}); all must be played out"
        )


@dataclass
class WatchedGames:
    """Plays games of one match or several, and ticks them all together."""

    tick: Tick = unwatched
    ended: int = 0
    moves: int = 0

    def play(self, match: Match, numbers: Sequence[int]) -> Iterator[PlayedGame]:
        before = self.moves - match.moves

        def watch(_: RunningGame) -> None:
            self.moves = before + match.moves
            self.pulse()

        match.watch = watch
        for game in match.play(numbers):
            self.ended += 1
            yield game

    def pulse(self) -> None:
        """For players that take long over a move."""
        self.tick(self.ended, moves=self.moves)


# Gating: whether a player takes the place of the best so far.

# `sprt` stops the match as soon as it accepts a hypothesis; at the last game the likelier one is.
# The others play all games: `interval` wants the whole 95 % interval of the score above one half
# less a margin, `points` a score above 55 % (Silver et al. 2017), `half` at least one half.
# `always` promotes without a match.
GatingRule = Literal["sprt", "interval", "points", "half", "always"]
MAX_GAMES = 1000  # two per shipped opening; deterministic players would only repeat themselves
POINTS = 0.55
GAMES_PER_LOOK = 20  # between two looks at the likelihood ratio


@dataclass(frozen=True, kw_only=True)
class Verdict:
    promoted: bool
    score: float  # points per game against the best
    low: float  # of the score's 95 % interval
    high: float
    games: int
    sentence: str  # for people

    def metrics(self) -> dict[str, float]:
        """Without a match there is no score."""
        score = {"score_best": self.score} if self.games else {}
        return {**score, "promoted": int(self.promoted)}

    @staticmethod
    def of(pairs: Pentanomial, promoted: bool, why: str) -> "Verdict":
        """On at least one pair of games against the best."""
        low, high = map(float, score_interval(unit_counts(pairs)))
        score, games = pairs.score, 2 * pairs.pairs
        sentence = (
            f"{'promoted' if promoted else 'not promoted'}: {100 * score:.1f} % of {games} games "
            f"against the best (95 % interval {100 * low:.1f} to {100 * high:.1f} %), {why}"
        )
        return Verdict(
            promoted=promoted, score=score, low=low, high=high, games=games, sentence=sentence
        )


UNTESTED = Verdict(
    promoted=True,
    score=0.5,
    low=0.0,
    high=1.0,
    games=0,
    sentence="promoted without a match, as promotion = 'always' says",
)


@dataclass(frozen=True, kw_only=True)
class GatingMatch:
    """A match between the player that learned and the best so far, and the rule that judges it.

    The margin of `interval` lets an equal player be promoted now and then: without it a player has
    to be surely better, and improvements too small for a match to show are never kept.
    """

    rule: GatingRule
    games: int = 200  # at most
    max_plies: int = DEFAULT_MAX_PLIES
    sprt: Sprt = field(default_factory=lambda: Sprt(0, 20))  # for `sprt`
    margin: float = 0.02  # of the score, below one half; for `interval`, like the next
    min_games: int = 100

    def __post_init__(self) -> None:
        if self.rule not in get_args(GatingRule):
            raise ValueError(f"no rule {self.rule!r}; there are: {', '.join(get_args(GatingRule))}")
        check_paired(self.games)
        if self.games > MAX_GAMES:
            raise ValueError(f"{self.games} games repeat openings; at most {MAX_GAMES} do not")
        if not 0 <= self.margin < 0.5:
            raise ValueError(f"bad margin {self.margin:g}: it must be at least 0 and below 0.5")
        if self.rule == "interval" and self.min_games > self.games:
            raise ValueError(
                f"nobody could be promoted: {self.games} games, min_games {self.min_games}"
            )

    def play(
        self, player: Player, best: Player, *, seed: int, watched: WatchedGames | None = None
    ) -> Verdict:
        """Plays the match and judges it."""
        if self.rule == "always":
            return UNTESTED
        match = Match((player, best), shuffled(shipped_openings(), seed), seed, self.max_plies)
        step = GAMES_PER_LOOK if self.rule == "sprt" else self.games
        played, watched = list[PlayedGame](), watched or WatchedGames()
        while len(played) < self.games and not self._is_clear(played):
            count = min(step, self.games - len(played))
            numbers = range(len(played), len(played) + count)
            played += watched.play(match, numbers)
            check_played_out(make_report(played), player, best)
        return self.judge(pair_counts(played))

    def judge(self, pairs: Pentanomial) -> Verdict:
        """The verdict on at least one pair of games against the best."""
        judges = {
            "sprt": self._by_sprt,
            "interval": self._by_interval,
            "points": _by_points,
            "half": _by_half,
        }
        return Verdict.of(pairs, *judges[self.rule](pairs))

    def _is_clear(self, played: list[PlayedGame]) -> bool:
        return bool(played) and self.sprt.verdict(pair_counts(played)) is not None

    def _by_sprt(self, pairs: Pentanomial) -> tuple[bool, str]:
        sprt = self.sprt
        llr, accepted = sprt.llr(pairs), sprt.verdict(pairs)
        if accepted is None:
            likelier, other = (sprt.elo1, sprt.elo0) if llr > 0 else (sprt.elo0, sprt.elo1)
            return llr > 0, (
                f"undecided at the last game, {likelier:+g} Elo is likelier than {other:+g} "
                f"(LLR {llr:+.2f})"
            )
        elo = sprt.elo1 if accepted == Accepted.H1 else sprt.elo0
        return accepted == Accepted.H1, f"the test accepts {elo:+g} Elo (LLR {llr:+.2f})"

    def _by_interval(self, pairs: Pentanomial) -> tuple[bool, str]:
        bound = 0.5 - self.margin
        if 2 * pairs.pairs < self.min_games:
            return False, f"fewer games than {self.min_games}"
        above = float(score_interval(unit_counts(pairs))[0]) > bound
        return above, f"{'above' if above else 'not all of it above'} {100 * bound:g} %"


def _by_points(pairs: Pentanomial) -> tuple[bool, str]:
    above = pairs.score > POINTS
    return above, f"{'more' if above else 'not more'} than {100 * POINTS:g} %"


def _by_half(pairs: Pentanomial) -> tuple[bool, str]:
    return (True, "at least half") if pairs.score >= 0.5 else (False, "less than half")
