"""Measures the rungs of the ladder against each other: the results that ship.

Plays what is missing in src/selfmate/arena/ladder.jsonl, which takes hours on two cores, most of
them for Stockfish. Each result is written when its match is over, so the script can be stopped and
started again at any time. Afterwards it prints the ruler. Nothing else should run meanwhile: from
skill level 5 on, Stockfish needs most of its 100 ms.
"""

import json
from itertools import pairwise
from pathlib import Path

from selfmate.arena.elo import estimate_elo
from selfmate.arena.ladder import ANCHORS, merged, parse_result, result_entry
from selfmate.arena.match import Match, pair_counts
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.rating import Pairing, fit_ruler
from selfmate.players import load_player

RESULTS = Path(__file__).parents[1] / "src" / "selfmate" / "arena" / "ladder.jsonl"
SEED = 1
LEVELS = tuple(f"stockfish:skill={level}" for level in range(7))
# Depths of the teacher are far apart, so teachers that play some moves at random stand between.
BUILT_IN = (
    "random",
    "teacher:depth=1,random=75",
    "teacher:depth=1,random=55",
    "teacher:depth=1,random=40",
    "teacher:depth=1,random=20",
    "teacher:depth=1",
    "teacher:depth=2,random=32",
    "teacher:depth=2,random=20",
    "teacher:depth=2,random=8",
    "teacher:depth=2",
    "teacher:depth=3,random=5",
    "teacher:depth=3",
    "teacher:depth=4,random=3",
    "teacher:depth=4",
)
# Where the two families meet.
CROSSINGS = {
    ("teacher:depth=3", LEVELS[0]): 100,
    ("teacher:depth=4,random=3", LEVELS[0]): 100,
    ("teacher:depth=4", LEVELS[0]): 100,
    ("teacher:depth=4", LEVELS[1]): 100,
    ("teacher:depth=4", LEVELS[2]): 100,
}


def plan() -> dict[tuple[str, str], int]:
    """Games of each pairing: rungs against the next and, if built in, the one after that."""
    games = {(upper, lower): 400 for lower, upper in pairwise(BUILT_IN)}
    games |= {(u, lower): 400 for lower, u in zip(BUILT_IN, BUILT_IN[2:], strict=False)}
    return games | CROSSINGS | {(upper, lower): 400 for lower, upper in pairwise(LEVELS)}


def play(player: str, opponent: str, games: int) -> Pairing:
    players = (load_player(player), load_player(opponent))
    try:
        match = Match(players, shuffled(shipped_openings(), SEED), SEED)
        return Pairing(player, opponent, pair_counts(list(match.play(range(games)))))
    finally:
        for one in players:
            one.close()


def read_results() -> list[Pairing]:
    if not RESULTS.exists():
        return []
    return [parse_result(json.loads(line)) for line in RESULTS.read_text("utf-8").splitlines()]


def print_ruler() -> None:
    results = merged(read_results())
    ruler = fit_ruler(results, ANCHORS)
    print(f"misfit {ruler.misfit:.2f}")
    for name in sorted(ruler.names, key=ruler.elo, reverse=True):
        known = f"table {ANCHORS[name].elo:.0f}" if name in ANCHORS else ""
        print(f"{name:28} {ruler.rating(name).text():28} {known}")
    for result in results:
        if result.player in ANCHORS and result.opponent in ANCHORS:
            found = estimate_elo(result.pairs)
            table = ANCHORS[result.player].elo - ANCHORS[result.opponent].elo
            print(f"{result.player} above {result.opponent}: {found.elo:.0f} "
                  f"({found.elo_low:.0f} to {found.elo_high:.0f}), table {table:.0f}")  # fmt: skip


def main() -> None:
    done = {(result.player, result.opponent) for result in read_results()}
    for (player, opponent), games in plan().items():
        if (player, opponent) not in done:
            print(f"{player} against {opponent}: {games} games ...", flush=True)
            entry = result_entry(play(player, opponent, games))
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
    print_ruler()


if __name__ == "__main__":
    main()
