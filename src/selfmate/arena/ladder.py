"""The ladder: opponents of known strength, and where a player stands among them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from selfmate.arena.elo import Pentanomial
from selfmate.arena.match import DEFAULT_MAX_PLIES, Match, PlayedGame, RunningGame
from selfmate.arena.match_log import digest_of
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.pool import Pool
from selfmate.arena.rating import Pairing, Rating, fit_ratings
from selfmate.arena.report import pair_counts
from selfmate.players import load_player
from selfmate.players.programs import find_program

ZERO = "random"
# Teachers that move at random now and then stand between those that do not: without them the depths
# are so far apart that nobody takes a point from the next, and no interval has an upper end.
BUILT_IN_RUNGS = (
    ZERO,
    "greedy",
    "teacher:depth=1",
    "teacher:depth=2,random=20",
    "teacher:depth=2,random=8",
    "teacher:depth=2",
    "teacher:depth=3,random=5",
    "teacher:depth=3",
)
# Stockfish's own names for its strengths, anchored by its authors to the CCRL 40/4 list.
STOCKFISH_ELOS = (1350, 1600, 1900)
# A rung this much stronger tells little more: one game in twenty.
HOPELESS_SCORE = 0.05


def rungs() -> list[str]:
    """The ladder from the bottom up, with what is installed here."""
    levels = [f"stockfish:elo={elo}" for elo in STOCKFISH_ELOS]
    return [*BUILT_IN_RUNGS, *(levels if find_program("stockfish") else [])]


@dataclass(frozen=True)
class PairingPlan:
    """Two players who should meet, and how many games are still missing."""

    player: str
    opponent: str
    games: int


class Ladder:
    """Plays what is missing in the pool and fits one scale to all of it."""

    def __init__(self, pool_path: Path, games_per_pairing: int, seed: int) -> None:
        self.openings = shuffled(shipped_openings(), seed)
        self.games, self.seed = games_per_pairing, seed
        self.pool = Pool(
            pool_path, f"openings {digest_of(shipped_openings())}, {DEFAULT_MAX_PLIES} plies"
        )

    def rung_plans(self) -> Iterator[PairingPlan]:
        """Each rung against the next, and the quick ones against the one after that too."""
        ladder = rungs()
        for lower, upper in pairwise(ladder):
            yield from self._missing(upper, lower)
        for lower, upper in zip(BUILT_IN_RUNGS, BUILT_IN_RUNGS[2:], strict=False):
            yield from self._missing(upper, lower)

    def climb(self, player: str) -> Iterator[PairingPlan]:
        """From the bottom up, until two rungs in a row were hopeless."""
        hopeless = 0
        for rung in rungs():
            if rung == player:
                continue
            yield from self._missing(player, rung)
            hopeless = hopeless + 1 if self._score(player, rung) < HOPELESS_SCORE else 0
            if hopeless == 2:
                return

    def play(
        self,
        plan: PairingPlan,
        on_game: Callable[[], None],
        watch: Callable[[RunningGame], None] | None = None,
    ) -> list[PlayedGame]:
        """Plays a plan and keeps its result; the pool holds whole pairings only."""
        players = (load_player(plan.player), load_player(plan.opponent))
        # Games already in the pool had the first numbers; new ones go on from there.
        first = self.pool.games(plan.player, plan.opponent)
        played = []
        try:
            match = Match(players, self.openings, self.seed, watch=watch)
            for game in match.play(range(first, first + plan.games)):
                played.append(game)
                on_game()
        finally:
            for player in players:
                player.close()
        self.pool.add(Pairing(plan.player, plan.opponent, pair_counts(played)))
        return played

    def ratings(self) -> dict[str, Rating]:
        """Everybody in the pool, `random` at zero."""
        return fit_ratings(self.pool.pairings, {ZERO: 0.0})

    def tied_ratings(self) -> dict[str, Rating] | None:
        """On Stockfish's scale, when its levels are in the pool."""
        present = {
            name for pairing in self.pool.pairings for name in (pairing.player, pairing.opponent)
        }
        anchors = {f"stockfish:elo={elo}": float(elo) for elo in STOCKFISH_ELOS}
        known = {name: elo for name, elo in anchors.items() if name in present}
        return fit_ratings(self.pool.pairings, known) if known else None

    def _missing(self, player: str, opponent: str) -> Sequence[PairingPlan]:
        games = self.games - self.pool.games(player, opponent)
        return [PairingPlan(player, opponent, games + games % 2)] if games > 0 else []

    def _score(self, player: str, opponent: str) -> float:
        total = Pentanomial()
        for pairing in self.pool.pairings:
            if (pairing.player, pairing.opponent) == (player, opponent):
                total += pairing.pairs
            elif (pairing.opponent, pairing.player) == (player, opponent):
                total += pairing.pairs.swapped()
        return total.score
