"""Evaluation of a net that plays without search: legality, games with and without a legality mask,
puzzles, won endgames.
"""

import math
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from selfmate.arena.endgames import convert_in_rounds
from selfmate.arena.gating import Evaluation, WatchedGames, evaluation_metrics
from selfmate.arena.match import Match, make_report
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.puzzles import Puzzle, SolveCount, read_puzzles, solve
from selfmate.data.held_out import HeldOut
from selfmate.learners.searchless.config import NetConfig
from selfmate.learners.searchless.legality import legality_metrics
from selfmate.nets.transformer import Transformer
from selfmate.players import Player, load_player
from selfmate.players.network import PolicyPlayer
from selfmate.runs import RunRefusedError, Step, Tick, unwatched
from selfmate.searches.endgame_tables import Piece

OPPONENTS = ("random", "greedy")
CONVERSIONS: tuple[Piece, ...] = ("queen", "rook")  # won endgames that are played out
MAX_PUZZLES = 2000  # per evaluation
MAX_PUZZLES_READ = 100_000  # a file may have millions
PUZZLE_BANDS = (1000, 1500, 2000)  # upper limits of the ratings; the rest are harder


class SearchlessEvaluator:
    """Measures all that a net has learned."""

    def __init__(self, config: NetConfig, positions: HeldOut, puzzles: "PuzzleEvaluation") -> None:
        self.config, self.positions, self.puzzles = config, positions, puzzles
        self.ladder = Evaluation(
            opponents=OPPONENTS, games=config.evaluation_games, seed=config.seed
        )

    def metrics(self, net: Transformer, step: Step | None = None) -> dict[str, float]:
        def part(name: str, total: int, unit: str) -> Tick:
            return step.part(name, total, unit) if step else unwatched

        player, config = PolicyPlayer("learner", net), self.config
        tick = part("legality", len(self.positions.batch), "positions")
        metrics = legality_metrics(net, self.positions, tick)
        tick = part("evaluation", self.ladder.all_games, "games")
        metrics |= evaluation_metrics(self.ladder.reports(player, tick))
        tick = part("evaluation without a mask", config.evaluation_games, "games")
        metrics |= {"score_random_unmasked": self._unmasked_score(net, tick)}
        tick = part("puzzles", len(self.puzzles.puzzles), "puzzles")
        metrics |= self.puzzles.metrics(player, tick)
        tick = part("won endgames", len(CONVERSIONS) * config.conversion_games, "games")
        return metrics | self._conversion(player, tick)

    def _unmasked_score(self, net: Transformer, tick: Tick) -> float:
        """Against the random mover, without a legality mask: an illegal move loses the game."""
        unmasked = PolicyPlayer("unmasked", net, masked=False)
        with closing(load_player("random")) as opponent:
            openings = shuffled(shipped_openings(), self.config.seed)
            match = Match((unmasked, opponent), openings, self.config.seed)
            games = WatchedGames(tick).play(match, range(self.config.evaluation_games))
            return make_report(list(games)).score

    def _conversion(self, player: PolicyPlayer, tick: Tick) -> dict[str, float]:
        metrics, games = dict[str, float](), self.config.conversion_games
        for number, piece in enumerate(CONVERSIONS):
            rounds = convert_in_rounds(player, piece, games=games, seed=self.config.seed)
            for found in rounds:
                tick(number * games + found.games)
            metrics[f"converted_{piece}"] = found.share
            if found.moves is not None and found.exact_moves is not None:
                metrics[f"moves_{piece}"] = found.moves
                metrics[f"exact_moves_{piece}"] = found.exact_moves
        return metrics


def make_evaluator(config: NetConfig, positions: HeldOut) -> SearchlessEvaluator:
    return SearchlessEvaluator(config, positions, open_puzzles(config.puzzles))


class PuzzleEvaluation:
    """The same puzzles at every evaluation."""

    def __init__(self, puzzles: Sequence[Puzzle]) -> None:
        self.puzzles = puzzles

    def metrics(self, player: Player, tick: Tick = unwatched) -> dict[str, float]:
        """Solved shares: `puzzles` over all, and one for each rating band that has puzzles."""
        counts = {name: SolveCount() for name in ("puzzles", *map(_band, (*PUZZLE_BANDS, None)))}
        for number, (puzzle, is_solved) in enumerate(solve(player, self.puzzles, seed=1)):
            tick(number)
            limit = next((limit for limit in PUZZLE_BANDS if puzzle.rating < limit), None)
            for name in ("puzzles", _band(limit)):
                counts[name].add(is_solved)
        return {name: count.share for name, count in counts.items() if count.total}


def _band(limit: int | None) -> str:
    return "puzzles_harder" if limit is None else f"puzzles_to_{limit}"


def spread_out(puzzles: Sequence[Puzzle]) -> Sequence[Puzzle]:
    """Up to `MAX_PUZZLES` at equal distances: a file may be sorted by rating."""
    return puzzles[:: math.ceil(len(puzzles) / MAX_PUZZLES)]


def open_puzzles(file: str) -> PuzzleEvaluation:
    """Without puzzles if `file` is empty."""
    if not file:
        return PuzzleEvaluation(())
    try:
        return PuzzleEvaluation(spread_out(read_puzzles(Path(file), MAX_PUZZLES_READ)))
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the puzzles cannot be used: {error}") from error
