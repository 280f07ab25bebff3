"""The ladder: fixed opponents of known strength, a pool of results, and ratings fitted to them."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO

from selfmate.arena.elo import Pentanomial
from selfmate.arena.match import DEFAULT_MAX_PLIES, Match, PlayedGame, RunningGame, pair_counts
from selfmate.arena.match_run import digest_of
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.rating import Pairing, Rating, fit_ratings
from selfmate.players import load_player
from selfmate.players.engine import find_program
from selfmate.runs import take

ZERO = "random"  # the player whose Elo is 0
# Teachers with random moves stand between those without: the depths are so far apart that no player
# takes a point from the next, and without these rungs no interval would have an upper bound.
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
HOPELESS_SCORE = 0.05  # one point in twenty games; below it, more games tell little


def rungs() -> list[str]:
    """The ladder from the weakest rung up, with Stockfish if it is installed."""
    levels = [f"stockfish:elo={elo}" for elo in STOCKFISH_ELOS]
    return [*BUILT_IN_RUNGS, *(levels if find_program("stockfish") else [])]


@dataclass(frozen=True)
class PairingPlan:
    """Games that are missing between two players."""

    player: str
    opponent: str
    games: int  # even


class Ladder:
    """Plays the games that are missing in the pool and fits ratings to all of it."""

    def __init__(self, pool_path: Path, games_per_pairing: int, seed: int) -> None:
        self.openings = shuffled(shipped_openings(), seed)
        self.games, self.seed = games_per_pairing, seed
        self.pool = Pool(
            pool_path, f"openings {digest_of(shipped_openings())}, {DEFAULT_MAX_PLIES} plies"
        )

    def rung_plans(self) -> Iterator[PairingPlan]:
        """Missing games of the ladder itself: each rung against the next, built-in ones also
        against the one after that."""
        for lower, upper in pairwise(rungs()):
            yield from self._missing(upper, lower)
        for lower, upper in zip(BUILT_IN_RUNGS, BUILT_IN_RUNGS[2:], strict=False):
            yield from self._missing(upper, lower)

    def player_plans(self, player: str) -> Iterator[PairingPlan]:
        """Missing games of a player against the rungs, from the weakest up, until two in a row are
        hopeless. Each plan must be played before the next is asked for."""
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
        """Plays a plan, calling `on_game` after each game, and adds its result to the pool."""
        players = (load_player(plan.player), load_player(plan.opponent))
        # Games of the pool had the first numbers, so new games get new openings.
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
        """Ratings of all players in the pool; `random` has 0 Elo."""
        return fit_ratings(self.pool.pairings, {ZERO: 0.0})

    def tied_ratings(self) -> dict[str, Rating] | None:
        """Ratings on Stockfish's scale; None if the pool has none of its levels."""
        present = {
            name for pairing in self.pool.pairings for name in (pairing.player, pairing.opponent)
        }
        anchors = {f"stockfish:elo={elo}": float(elo) for elo in STOCKFISH_ELOS}
        known = {name: elo for name, elo in anchors.items() if name in present}
        return fit_ratings(self.pool.pairings, known) if known else None

    def _missing(self, player: str, opponent: str) -> Sequence[PairingPlan]:
        """One plan, or none if there are enough games."""
        games = self.games - self.pool.games(player, opponent)
        return [PairingPlan(player, opponent, games + games % 2)] if games > 0 else []

    def _score(self, player: str, opponent: str) -> float:
        """The player's points per game against an opponent, over all of the pool."""
        total = Pentanomial()
        for pairing in self.pool.pairings:
            if (pairing.player, pairing.opponent) == (player, opponent):
                total += pairing.pairs
            elif (pairing.opponent, pairing.player) == (player, opponent):
                total += pairing.pairs.swapped()
        return total.score


class Pool:
    """Results that are kept and used again: an append-only file, one JSON object a line.

    A last line that was cut off is dropped.
    """

    def __init__(self, path: Path, conditions: str) -> None:
        """Reads the results with these `conditions` (openings and ply limit); ValueError if the
        file is damaged."""
        self.path, self.conditions = path, conditions
        self.pairings: list[Pairing] = []
        if path.exists():
            self._read()

    def _read(self) -> None:
        text = self.path.read_text("utf-8")
        for number, line in enumerate(text.splitlines(keepends=True), start=1):
            if not line.endswith("\n"):  # another process may be writing it
                break
            try:
                entry = json.loads(line)
                pairs = Pentanomial(tuple(entry["pairs"]))
                pairing = Pairing(str(entry["player"]), str(entry["opponent"]), pairs)
                if entry["conditions"] == self.conditions:
                    self.pairings.append(pairing)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{self.path}, line {number} is damaged: {error!r}") from error

    def hold(self) -> IO[bytes]:
        """Locks the pool until the returned file is closed; ValueError if another process has it.

        Only a process that rates players needs the lock; reading does not.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("ab")
        if not take(file.fileno()):
            file.close()
            raise ValueError(f"another process is rating players for {self.path}: wait for it")
        return file

    def games(self, a: str, b: str) -> int:
        """The number of games between two players."""
        between = (p for p in self.pairings if {p.player, p.opponent} == {a, b})
        return sum(2 * pairing.pairs.pairs for pairing in between)

    def add(self, pairing: Pairing) -> None:
        """Adds a result; it is on disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        entry = {
            "player": pairing.player,
            "opponent": pairing.opponent,
            "pairs": pairing.pairs.counts,
            "conditions": self.conditions,
        }
        with self.path.open("a+b") as file:
            _truncate_to_whole_lines(file)
            file.write(json.dumps(entry).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.pairings.append(pairing)


def _truncate_to_whole_lines(file: IO[bytes]) -> None:
    """Drops what a killed process left after the last line break."""
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)
