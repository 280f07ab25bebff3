"""How a player does against opponents of known strength, in figures that a learner reports."""

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

from selfmate.arena.match import DEFAULT_MAX_PLIES, Match
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.report import MatchReport, make_report
from selfmate.players import Player, load_player
from selfmate.runs.errors import RunFailedError


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The same games every time: what changes is the player."""

    opponents: tuple[str, ...]  # names of players
    games: int  # against each of them; even, for every opening is played by both sides
    seed: int = 1
    max_plies: int = DEFAULT_MAX_PLIES  # after the opening

    def __post_init__(self) -> None:
        """A wrong setting is refused here, not after the first cycle."""
        check_paired(self.games)
        for opponent in self.opponents:
            load_player(opponent).close()
        for name, count in Counter(map(figure_name, self.opponents)).items():
            if count > 1:
                raise ValueError(f"{count} opponents would share the figure score_{name}")

    def reports(self, player: Player) -> dict[str, MatchReport]:
        """A report for each opponent's name, from the player's side."""
        return {name: self._report(player, name) for name in self.opponents}

    def _report(self, player: Player, name: str) -> MatchReport:
        with closing(load_player(name)) as opponent:
            return meet(
                player, opponent, games=self.games, seed=self.seed, max_plies=self.max_plies
            )


def figures_of(reports: Mapping[str, MatchReport]) -> dict[str, float]:
    """Flat, for metrics: `score_random`, `mean_plies_random`, `ply_limit_games_random` and so on.

    Games that reached the ply limit count as draws in the score."""
    return {
        f"{figure}_{figure_name(opponent)}": getattr(report, figure)
        for opponent, report in reports.items()
        for figure in ("score", "mean_plies", "ply_limit_games")
    }


def figure_name(opponent: str) -> str:
    """`teacher:depth=1` as part of a name: `teacher_depth_1`."""
    return re.sub(r"[^0-9A-Za-z]+", "_", opponent).strip("_")


def check_paired(games: int) -> None:
    if games < 2 or games % 2:
        raise ValueError(f"{games} games are no pairs; it must be an even number of at least 2")


def meet(
    player: Player, opponent: Player, *, games: int, seed: int, max_plies: int = DEFAULT_MAX_PLIES
) -> MatchReport:
    """Plays pairs of games on the shipped openings, in an order that the seed decides.

    All must be played out. An illegal move of ours is a ValueError of the rules; what an engine
    forfeits says nothing of strength and ends the run.
    """
    check_paired(games)
    match = Match((player, opponent), shuffled(shipped_openings(), seed), seed, max_plies)
    report = make_report(list(match.play(range(games))))
    check_played_out(report, player, opponent)
    return report


def check_played_out(report: MatchReport, player: Player, opponent: Player) -> None:
    if report.forfeits:
        raise RunFailedError(
            f"{report.forfeits} of {report.games} games of {player.name} against {opponent.name} "
            f"were forfeited ({next(iter(report.forfeit_reasons))}); all must be played out"
        )
