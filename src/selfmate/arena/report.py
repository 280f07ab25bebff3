"""What a match says, from the first player's side."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from selfmate.arena.elo import NO_GAMES, Pentanomial, Wdl, estimate_elo
from selfmate.arena.match import PlayedGame
from selfmate.arena.sprt import Sprt


@dataclass(frozen=True)
class SprtReport:
    elo0: float
    elo1: float
    llr: float
    lower_bound: float
    upper_bound: float
    verdict: str | None

    def sentence(self) -> str:
        """For people."""
        bounds = f"LLR {self.llr:.2f} in [{self.lower_bound:.2f}, {self.upper_bound:.2f}]"
        if self.verdict is None:
            return f"{bounds}: undecided between {self.elo0:g} and {self.elo1:g} Elo"
        accepted = self.elo1 if self.verdict == "H1" else self.elo0
        return f"{bounds}: {self.verdict} accepted, {accepted:+g} Elo"


@dataclass(frozen=True, kw_only=True)
class MatchReport:
    """`elo` is null when one side won everything; then only one bound is known."""

    wins: int
    draws: int
    losses: int
    ply_limit_games: int  # among the draws
    score: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    los: float  # likelihood of superiority
    pentanomial: tuple[int, int, int, int, int]
    games: int
    distinct_games: int
    mean_plies: float
    ends: dict[str, int]
    forfeits: int
    forfeit_reasons: dict[str, int]
    illegal_moves: int
    sprt: SprtReport | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def pair_counts(games: Sequence[PlayedGame]) -> Pentanomial:
    """Complete pairs by the points that the first player took from them."""
    points = {game.number: game.points_of_a for game in games}
    return Pentanomial.of_points(
        points[n] + points[n + 1] for n in points if n % 2 == 0 and n + 1 in points
    )


def make_report(games: Sequence[PlayedGame], sprt: Sprt | None = None) -> MatchReport:
    """Counts games and pairs and estimates Elo; no games give an even, empty report."""
    tally = Counter(game.points_of_a for game in games)
    pairs, unpaired = pair_counts(games), _unpaired(games)
    estimate = estimate_elo(pairs, unpaired) if games else None
    ends = Counter("forfeit" if game.forfeit else game.reason for game in games)
    return MatchReport(
        wins=tally[1.0],
        draws=tally[0.5],
        losses=tally[0.0],
        ply_limit_games=ends["ply_limit"],
        score=estimate.score if estimate else 0.5,
        elo=estimate.elo if estimate else None,
        elo_low=estimate.elo_low if estimate else None,
        elo_high=estimate.elo_high if estimate else None,
        los=estimate.los if estimate else 0.5,
        pentanomial=pairs.counts,
        games=len(games),
        distinct_games=len({(game.opening.fen, game.moves) for game in games}),
        mean_plies=fmean(len(game.moves) for game in games) if games else 0.0,
        ends=dict(ends.most_common()),
        forfeits=ends["forfeit"],
        forfeit_reasons=dict(Counter(game.reason for game in games if game.forfeit).most_common()),
        illegal_moves=sum(game.reason.startswith("illegal_move") for game in games),
        sprt=_sprt_report(sprt, pairs) if sprt else None,
    )


def _unpaired(games: Sequence[PlayedGame]) -> Wdl:
    numbers = {game.number for game in games}
    alone = [game.points_of_a for game in games if game.number ^ 1 not in numbers]
    if not alone:
        return NO_GAMES
    return Wdl(alone.count(1.0), alone.count(0.5), alone.count(0.0))


def _sprt_report(sprt: Sprt, pairs: Pentanomial) -> SprtReport:
    verdict = sprt.verdict(pairs)
    return SprtReport(
        sprt.elo0,
        sprt.elo1,
        sprt.llr(pairs),
        sprt.lower_bound,
        sprt.upper_bound,
        str(verdict) if verdict else None,
    )
