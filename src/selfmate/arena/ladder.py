"""The ladder: a ruler of fixed opponents, a pool of results, and players placed on the ruler.

The rungs were measured once by `scripts/measure_ladder.py`; its results ship in `ladder.jsonl`.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

from selfmate.arena.cluster_match import ClusterMatch
from selfmate.arena.elo import Pentanomial, score_of_elo
from selfmate.arena.match import DEFAULT_MAX_PLIES, Match, PlayedGame, RunningGame, pair_counts
from selfmate.arena.match_run import digest_of, fault_of
from selfmate.arena.openings import Opening, shipped_openings, shuffled
from selfmate.arena.rating import Anchor, Pairing, Rating, Ruler, fit_ruler
from selfmate.cluster.pool import RayPool
from selfmate.players import load_player, parse_run_name
from selfmate.players.engine import STOCKFISH_SKILL_ELOS, find_program
from selfmate.runs import Checkpoints, CorruptError, read_card, take
from selfmate.runs.lines import LineReader, checked_line
from selfmate.weights.card import read_card as read_model_card

SCALE_VERSION = 2  # raised when results of older pools no longer mean the same
# Of how nets play: raised when the same name and weights play otherwise. Since 2 nets that do not
# search know what a move ends.
RULES_VERSION = 2
# The standard error of Stockfish's table. Its authors give about 30 (95 %); matches between levels
# of Stockfish 15.1 at 100 ms differ from it by more, as docs/ladder.md shows.
ANCHOR_ERROR_ELO = 50.0
ANCHORS = {
    f"stockfish:skill={level}": Anchor(float(elo), ANCHOR_ERROR_ELO)
    for level, elo in enumerate(STOCKFISH_SKILL_ELOS)
}
START_ELO = 600.0  # where the search for a new player's level begins: the middle of the ladder
ROUGH_GAMES = 16  # games after which an estimate is more than rough
ROUGH_PLAN, FULL_PLAN = 4, 20  # games against one opponent before the next is chosen
REACH_ELO = 400.0  # opponents further away than this say little
DIGEST_LENGTH = 12


def shipped_results() -> list[Pairing]:
    """The games between the rungs."""
    text = files(__package__).joinpath("ladder.jsonl").read_text("utf-8")
    return [parse_result(json.loads(line)) for line in text.splitlines()]


@cache
def shipped_ruler() -> Ruler:
    return fit_ruler(merged(shipped_results()), ANCHORS)


def merged(pairings: Iterable[Pairing]) -> list[Pairing]:
    """The same games with one pairing for any two players."""
    found: dict[tuple[str, str], Pentanomial] = {}
    for pairing in pairings:
        key, pairs = (pairing.player, pairing.opponent), pairing.pairs
        if key[::-1] in found:
            key, pairs = key[::-1], pairs.swapped()
        found[key] = found.get(key, Pentanomial()) + pairs
    return [Pairing(player, opponent, pairs) for (player, opponent), pairs in found.items()]


@dataclass(frozen=True)
class PairingPlan:
    """Games to be played between two players."""

    player: str
    opponent: str
    games: int  # even


class Ladder:
    """Plays a player against rungs of about its strength and places it on the ruler."""

    def __init__(self, pool_path: Path, seed: int) -> None:
        """ValueError if the pool is damaged."""
        self.seed = seed
        self.ruler = shipped_ruler()
        self.pool = Pool(pool_path)
        self.has_stockfish = find_program("stockfish") is not None

    @cached_property
    def openings(self) -> list[Opening]:
        return shuffled(shipped_openings(), self.seed)

    def ratings(self) -> dict[str, Rating]:
        """Ratings of all rungs and of all players in the pool, the strongest first."""
        players = dict.fromkeys(pairing.player for pairing in self.pool.pairings)
        ratings = {name: self.rating(name) for name in (*self.ruler.names, *players)}
        known = {name: rating for name, rating in ratings.items() if rating is not None}
        return dict(sorted(known.items(), key=lambda item: -item[1].elo))

    def rating(self, player: str) -> Rating | None:
        """Of a rung or a player of the pool; None if it has not played."""
        if player in self.ruler.names:
            return self.ruler.rating(player)
        pairings = self._pairings(player)
        return self.ruler.place(pairings) if pairings else None

    def games_of(self, player: str) -> int:
        """Games that a player has played against rungs."""
        return sum(2 * pairing.pairs.pairs for pairing in self._pairings(player))

    def next_plan(self, player: str, games: int) -> PairingPlan | None:
        """The next games of a player, until it has played this many; None if it has, or is a rung.

        Each plan must be played before the next is asked for: opponents are chosen near what is
        known of the player by then.
        """
        if player in self.ruler.names:
            return None
        pairings = self._pairings(player)
        played = Counter({pairing.opponent: 2 * pairing.pairs.pairs for pairing in pairings})
        missing = games - played.total()
        if missing <= 0:
            return None
        size = ROUGH_PLAN if played.total() < ROUGH_GAMES else FULL_PLAN
        return PairingPlan(player, self._opponent(player, played), min(size, missing + missing % 2))

    def _opponent(self, player: str, played: Counter[str]) -> str:
        """The rung whose next games say most: near the player, and not played too often yet."""
        rating = self.rating(player)
        elo = START_ELO if rating is None else rating.elo

        def gain(rung: str) -> float:
            score = score_of_elo(elo - self.ruler.elo(rung))
            return score * (1 - score) / (played[rung] + FULL_PLAN)

        return max(self._opponents(elo), key=gain)

    def _opponents(self, elo: float) -> list[str]:
        """The rungs that can be played and are near this rating, at least the nearest."""
        ladder = self.ruler
        rungs = [name for name in ladder.names if self.has_stockfish or name not in ANCHORS]
        nearest = min(abs(ladder.elo(name) - elo) for name in rungs)
        reach = max(REACH_ELO, nearest)
        return [name for name in rungs if abs(ladder.elo(name) - elo) <= reach]

    def _pairings(self, player: str) -> list[Pairing]:
        """A player's games against rungs, one pairing an opponent."""
        return merged(pairing for pairing in self.pool.pairings if pairing.player == player)

    def play(
        self,
        plan: PairingPlan,
        on_game: Callable[[], None],
        watch: Callable[[RunningGame | None], None] | None = None,
        workers: RayPool | None = None,
    ) -> list[PlayedGame]:
        """Plays a plan, calling `on_game` after each game, and adds its result to the pool. Games
        are played by `workers` if there are some."""
        players = (load_player(plan.player), load_player(plan.opponent))
        # Games of the pool had the first numbers, so new games get new openings.
        first = self.pool.games(plan.player, plan.opponent)
        played = []
        try:
            match = Match(players, self.openings, self.seed, watch=watch)
            games = match if workers is None else ClusterMatch(workers, match, watch)
            for game in games.play(range(first, first + plan.games)):
                played.append(game)
                on_game()
        finally:
            for player in players:
                player.close()
        self.pool.add(Pairing(plan.player, plan.opponent, pair_counts(played)))
        return played


class Pool:
    """Results of players against rungs that are kept and used again: an append-only file, one JSON
    object a line. A last line that was cut off is dropped.

    They are used for the player of the same full name, with all its settings, and for nets only if
    they had the same weights and played by the same rules.

    `left_out` counts, by reason, lines that are not comparable and therefore not used.
    """

    def __init__(self, path: Path) -> None:
        """ValueError if the file is damaged."""
        self.path = path
        self.conditions = f"openings {digest_of(shipped_openings())}, {DEFAULT_MAX_PLIES} plies"
        self.pairings: list[Pairing] = []
        self.left_out: Counter[str] = Counter()
        self._digests: dict[str, str | None] = {}  # of the weights of players
        self._unchecked: str | None = None  # a sentence about results without a checksum
        if path.exists():
            if not path.is_file():
                raise ValueError(f"{path} is not a file, so it cannot hold results")
            self._read()

    def _read(self) -> None:
        reader = LineReader(str(self.path))
        for number, line in enumerate(self.path.read_bytes().splitlines(keepends=True), start=1):
            if not line.endswith(b"\n"):  # another process may be writing it
                break
            try:
                self._read_entry(reader.read(line))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(
                    f"{self.path}, line {number} is damaged: {fault_of(error)}"
                ) from error
        self._unchecked = reader.unchecked_notice()

    def _read_entry(self, entry: dict[str, Any]) -> None:
        pairing, rungs = parse_result(entry), shipped_ruler().names
        if pairing.player in rungs and pairing.opponent not in rungs:  # as 0.1 wrote some
            pairing = Pairing(pairing.opponent, pairing.player, pairing.pairs.swapped())
        reason = self._why_left_out(entry, pairing)
        if reason is None:
            self.pairings.append(pairing)
        else:
            self.left_out[reason] += 1

    def _why_left_out(self, entry: dict[str, Any], pairing: Pairing) -> str | None:
        rungs = shipped_ruler().names
        if entry["conditions"] != self.conditions:
            return "played with other openings or another limit of plies"
        names = (pairing.player, pairing.opponent)
        if entry.get("scale") != SCALE_VERSION and any("stockfish" in name for name in names):
            return "of version 0.1 with Stockfish, whose levels had other names and 50 ms a move"
        if pairing.player in rungs:
            return "between rungs of the ladder, whose ratings ship"
        if pairing.opponent not in rungs:
            return "against players that are no rung of the ladder"
        return self._why_net_left_out(entry, pairing.player)

    def _why_net_left_out(self, entry: dict[str, Any], player: str) -> str | None:
        digest = self._digest(player)  # None for a checkpoint that was deleted: it stays
        if digest is not None and entry.get("weights") != digest:
            return "of nets with other weights, or without a note of which weights played"
        if "weights" in entry and not _plays_as_now(entry, player):
            return "of nets without search that did not know yet what a move ends"
        return None

    def _digest(self, player: str) -> str | None:
        if player not in self._digests:
            self._digests[player] = weights_digest(player)
        return self._digests[player]

    def left_out_text(self) -> str | None:
        """What to know about the results: which are not used, which have no checksum; or None."""
        texts = []
        if self.left_out:
            reasons = "; ".join(f"{count} {reason}" for reason, count in self.left_out.items())
            total = self.left_out.total()
            texts.append(f"{total} results of {self.path} are not used: {reasons}")
        if self._unchecked is not None:
            texts.append(self._unchecked)
        return "; ".join(texts) or None

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
        """Adds a result; it is on disk when this returns. OSError if it cannot be written; it
        counts nevertheless."""
        self.pairings.append(pairing)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        entry = result_entry(pairing) | {"conditions": self.conditions, "scale": SCALE_VERSION}
        if (digest := self._digest(pairing.player)) is not None:
            entry |= {"weights": digest, "rules": RULES_VERSION}
        with self.path.open("a+b") as file:
            _truncate_to_whole_lines(file)
            file.write(checked_line(entry))
            file.flush()
            os.fsync(file.fileno())


def _plays_as_now(entry: dict[str, Any], player: str) -> bool:
    """Whether a net played this result by the rules of today, which for searches are the first."""
    settings = parse_run_name(player).settings
    searches = settings.get("sims", "0") != "0" or {"movetime", "by"} & settings.keys()
    return entry.get("rules", 1) == RULES_VERSION or bool(searches)


def weights_digest(player: str) -> str | None:
    """A short digest of the weights behind a player's full name; None if there are none."""
    with suppress(OSError):  # no model has this name
        return read_model_card(player.partition(":")[0]).weights_sha256[:DIGEST_LENGTH]
    name = parse_run_name(player)
    if not name.settings.get("version", "").isdigit():
        return None
    try:
        card = read_card(Checkpoints(Path(name.kind)).path(int(name.settings["version"])))
    except (CorruptError, OSError):
        return None
    return card.weights.sha256[:DIGEST_LENGTH]


def parse_result(entry: dict[str, Any]) -> Pairing:
    pairs = Pentanomial(tuple(entry["pairs"]))
    return Pairing(str(entry["player"]), str(entry["opponent"]), pairs)


def result_entry(pairing: Pairing) -> dict[str, Any]:
    """The inverse of `parse_result`."""
    return {
        "player": pairing.player,
        "opponent": pairing.opponent,
        "pairs": list(pairing.pairs.counts),
    }


def _truncate_to_whole_lines(file: IO[bytes]) -> None:
    """Drops what a killed process left after the last line break."""
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)
