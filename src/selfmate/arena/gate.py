"""Whether a net that learned plays on in place of the best so far: a match that ends when its
result is clear."""

from dataclasses import dataclass
from typing import Literal

from selfmate.arena.elo import Pentanomial
from selfmate.arena.evaluation import check_paired, check_played_out
from selfmate.arena.match import DEFAULT_MAX_PLIES, Match, PlayedGame
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.promotion import MOST_GAMES, Verdict
from selfmate.arena.report import make_report, pair_counts
from selfmate.arena.sprt import Sprt
from selfmate.arena.sprt import Verdict as Accepted
from selfmate.players import Player

# `sprt` ends the match as soon as one hypothesis is accepted; at the cap the likelier one is.
# `points` plays all games and takes more than 55 %, as the seed does. `always` plays none.
Rule = Literal["sprt", "points", "always"]
POINTS = 0.55
GAMES_A_LOOK = 20  # between two looks at the ratio


@dataclass(frozen=True, kw_only=True)
class Gate:
    rule: Rule
    games: int  # at most
    sprt: Sprt
    max_plies: int = DEFAULT_MAX_PLIES

    def __post_init__(self) -> None:
        check_paired(self.games)
        if self.games > MOST_GAMES:
            raise ValueError(f"{self.games} games repeat openings; at most {MOST_GAMES} do not")

    def contest(self, player: Player, best: Player, *, seed: int) -> Verdict:
        if self.rule == "always":
            return Verdict(
                promoted=True, score=0.5, low=0.0, high=1.0, games=0,
                sentence="promoted without a match, as promotion = 'always' says",
            )  # fmt: skip
        openings = shuffled(shipped_openings(), seed)
        match = Match((player, best), openings, seed, self.max_plies)
        played: list[PlayedGame] = []
        while len(played) < self.games and not self._is_clear(played):
            count = min(GAMES_A_LOOK, self.games - len(played))
            played += match.play(range(len(played), len(played) + count))
            check_played_out(make_report(played), player, best)
        return self.judge(pair_counts(played))

    def _is_clear(self, played: list[PlayedGame]) -> bool:
        if self.rule != "sprt" or not played:
            return False
        return self.sprt.verdict(pair_counts(played)) is not None

    def judge(self, pairs: Pentanomial) -> Verdict:
        """What pairs of games against the best, of which there is at least one, come to."""
        rule = self._by_sprt if self.rule == "sprt" else self._by_points
        return Verdict.of(pairs, *rule(pairs))

    def _by_sprt(self, pairs: Pentanomial) -> tuple[bool, str]:
        sprt = self.sprt
        llr, accepted = sprt.llr(pairs), sprt.verdict(pairs)
        if accepted is None:
            likelier, other = (sprt.elo1, sprt.elo0) if llr > 0 else (sprt.elo0, sprt.elo1)
            return llr > 0, (
                f"undecided at the cap, {likelier:+g} Elo is likelier than {other:+g} "
                f"(LLR {llr:+.2f})"
            )
        name = sprt.elo1 if accepted == Accepted.H1 else sprt.elo0
        return accepted == Accepted.H1, f"the test accepts {name:+g} Elo (LLR {llr:+.2f})"

    def _by_points(self, pairs: Pentanomial) -> tuple[bool, str]:
        above = pairs.score > POINTS
        return above, f"{'more' if above else 'not more'} than {100 * POINTS:g} %"
