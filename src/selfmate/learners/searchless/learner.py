"""Searchless: a transformer learns from self-play which moves are legal, and then which win.

It may attempt any of the 1,968 moves. An illegal attempt is taken back and becomes a datapoint: all
legal moves are better. When a game ends, the winner's moves become likelier than other legal moves
and the loser's less likely, more so near the end. `targets.py` has the formulas, `legality.py` the
measure of success.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.arena.match import sample_of
from selfmate.data.dataset import ChunkFolder, ChunkStream, DamagedChunkError
from selfmate.data.held_out import HeldOut, held_out, held_out_masters, open_masters
from selfmate.data.trajectories import AttemptTrajectories, games_of_masters
from selfmate.learners.health import HealthMetrics, HealthMonitor, Remedies
from selfmate.learners.searchless.average import AverageNet
from selfmate.learners.searchless.config import Config
from selfmate.learners.searchless.evaluation import (
    SearchlessEvaluator,
    make_evaluator,
)
from selfmate.learners.searchless.legality import reference_positions
from selfmate.learners.searchless.mates import OwnMates
from selfmate.learners.searchless.targets import (
    PolicyLoss,
    compute_gradient,
    imitation_targets,
    policy_targets,
    reinforce_targets,
    uniform_targets,
)
from selfmate.nets.config import TransformerConfig
from selfmate.nets.optim import GradientWorkers, one_thread
from selfmate.rules import Board, available_cores
from selfmate.runs import (
    Arrays,
    Run,
    RunFailedError,
    RunRefusedError,
    SampleGame,
    SavedState,
    Step,
    Stopwatch,
    Tick,
    copied,
    means_of,
    restore,
    unwatched,
    with_prefix,
)
from selfmate.selfplay.games import GamePlan, GameStats, Starts, Trajectories
from selfmate.selfplay.searchless import (
    AttemptingActors,
    attempt_trajectories,
    player_names,
    score_against,
)
from selfmate.selfplay.workers import NetSnapshot, ThreadWorkers, Workers

REMEDIES = Remedies(
    variety="raise temperature",
    draws="raise temperature or endgame_fraction",
    repeats="raise temperature, and leave openings on",
    cuts="raise max_plies or endgame_fraction",
    sameness="raise endgame_fraction, or change learning_rate",
    leaps="lower learning_rate",
)
TARGETS = {
    "uniform": uniform_targets,
    "policy": policy_targets,
    "reinforce": reinforce_targets,
}
# A net that learns only the rules is meant to be uniform over legal moves, and may draw its games.
CHECKS_OFF_FOR_RULES = ("draws", "uniform")
# An untrained net hardly knows a legal move: 254 of its first 256 games are drawn by repetition.
PATIENT_CHECKS = ("draws",)
SHORT_WIN, LONG_WIN = 20, 40  # moves: wins are counted by their length


class PlayedCycle(NamedTuple):
    """The games of a cycle."""

    rows: AttemptTrajectories
    stats: GameStats
    sample: SampleGame
    score_in_sparring: float | None  # of the net's games against a random player


class Searchless:
    """The net, its optimizer and its self-play: a `State` of a run."""

    def __init__(
        self, config: Config, evaluator: SearchlessEvaluator, masters: ChunkFolder | None = None
    ) -> None:
        self.config, self.evaluator = config, evaluator
        self.masters = masters if config.master_fraction else None
        torch.manual_seed(config.seed)
        self.net = TransformerConfig.of(config).make_net()
        self.average = AverageNet(self.net, config.average_cycles)
        self.optimizer = config.make_optimizer(self.net)
        self.gradient_workers = GradientWorkers(config.threads)
        self.workers: Workers = ThreadWorkers(config.threads, available_cores())
        self.mates = OwnMates()
        self.starts = Starts(openings=config.openings, endgame_fraction=config.endgame_fraction)
        self.counts = {"positions": 0, "updates": 0}
        self.health = HealthMonitor(
            REMEDIES,
            skipped=CHECKS_OFF_FOR_RULES if config.learns_only_rules else (),
            patient=PATIENT_CHECKS,
        )

    def steps(self, run: Run) -> Iterator[Step]:
        player = self.net.config.model_dump(mode="json")
        return run.steps(self, total=self.config.cycles, unit="cycles", player=player)

    def play(self, cycle: int, rng: np.random.Generator, tick: Tick = unwatched) -> "PlayedCycle":
        config, (boards, near_mate) = self.config, self.starting_boards(rng)
        random_sides = self.random_sides(near_mate, rng)
        actors = AttemptingActors(
            net=NetSnapshot.of(self.net.config, self.net.arrays()),
            temperature=config.temperature,
            max_attempts=config.max_attempts,
            plays_mate_in_one=config.plays_mate_in_one,
            random_sides=random_sides,
        )
        plan = GamePlan(
            boards=boards,
            max_plies=config.max_plies,
            seed=int(rng.integers(2**63)),
            parallel_games=config.parallel_games,
        )
        games = self.workers.play(actors, plan, tick)
        self.remember_mates(games, boards, near_mate)
        rows = attempt_trajectories(
            games,
            plan.boards,
            must_win=config.must_win,
            games_per_start=config.games_per_start,
            random_sides=random_sides,
        )
        number = cycle % len(boards)
        return PlayedCycle(
            rows=rows,
            stats=games.stats,
            sample=sample_of(boards[number], *player_names(random_sides, number)),
            score_in_sparring=score_against(random_sides, games.results),
        )

    def starting_boards(self, rng: np.random.Generator) -> tuple[list[Board], NDArray[np.bool_]]:
        """A board for each game, and whether [G] it is shortly before one of the run's mates."""
        copies = self.config.games_per_start
        boards = self.starts.boards(self.config.games // copies, rng)
        near_mate = np.zeros(len(boards), np.bool_)
        if self.mates.count:
            near_mate = rng.random(len(boards)) < self.config.mate_fraction
        for number in np.flatnonzero(near_mate).tolist():
            boards[number] = self.mates.start(rng)
        boards = [board.copy() for board in boards for _ in range(copies)]
        return boards, np.repeat(near_mate, copies)

    def random_sides(
        self, near_mate: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int8] | None:
        """[G] 1 or -1 where White or Black moves at random, 0 in games against itself, as near a
        mate; the same in all games from one start. None if there are no random players."""
        if not self.config.vs_random:
            return None
        starts = self.config.games // self.config.games_per_start
        sides = rng.choice(np.array([1, -1], np.int8), size=starts)
        sides[rng.random(starts) >= self.config.vs_random] = 0
        return np.where(near_mate, 0, np.repeat(sides, self.config.games_per_start))

    def remember_mates(
        self, games: Trajectories, boards: Sequence[Board], near_mate: NDArray[np.bool_]
    ) -> None:
        """Of the games that did not start near one."""
        if self.config.mate_fraction:
            self.mates.add([boards[i] for i in np.flatnonzero(~near_mate).tolist()])
            if near_mate.any():
                self.mates.judge(float((games.results[near_mate] != 0).mean()))

    def learn(
        self,
        games: AttemptTrajectories,
        cycle: int,
        rng: np.random.Generator,
        attempt: int,
        watch: Callable[[int], Tick] = lambda updates: unwatched,
    ) -> dict[str, float] | None:
        """One pass over the games in batches; None if a gradient was not finite. Every further
        `attempt` at the same cycle halves the learning rate. `watch` gets the number of updates
        and returns what ticks them."""
        games = games.take(self.select_positions(games, cycle, rng))
        size = self.config.batch_size_at(cycle)
        from_masters = 0 if self.masters is None else self.config.masters_in(size)
        count = max(1, round(len(games) / max(1, size - from_masters)))
        batches = np.array_split(rng.permutation(len(games)), count)
        metrics, tick = list[dict[str, float]](), watch(count)
        for rows, masters in zip(
            batches, self.master_losses(cycle, count, from_masters), strict=True
        ):
            tick(len(metrics))
            rate = self.config.learning_rate_at(cycle, self.counts["positions"])
            loss = self.loss(games.take(rows), cycle, masters)
            metrics.append(self.update(loss, masters, rate / 2 ** (attempt - 1)))
            if not math.isfinite(metrics[-1]["gradient_norm"]):
                return None
        return means_of(metrics) | {"batch": len(batches[0]) + from_masters}

    def select_positions(
        self, games: AttemptTrajectories, cycle: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Rows to learn from: those with an illegal attempt or of a decided game, and a fraction of
        the quiet ones, which teach little."""
        only_rules = self.config.learns_only_rules_at(cycle)
        decided = (games.results_side_to_move != 0) & (not only_rules)
        is_quiet = ~decided & (games.tried.counts == 0)
        rows = np.flatnonzero(~is_quiet | (rng.random(len(games)) < self.config.quiet_fraction))
        return rows if len(rows) else np.arange(len(games))

    def master_losses(self, cycle: int, updates: int, size: int) -> Iterator[PolicyLoss | None]:
        """Imitation of `size` master moves for each update; None without masters."""
        if self.masters is None:
            yield from (None for _ in range(updates))
            return
        stream = ChunkStream(self.masters, "training", seed=self.config.seed + cycle)
        for chunk in stream.batches(0, updates * size, size):
            games = games_of_masters(chunk, by_mate=True)
            yield PolicyLoss(games, imitation_targets, weight=self.config.master_fraction)

    def loss(
        self, games: AttemptTrajectories, cycle: int, masters: PolicyLoss | None
    ) -> PolicyLoss:
        config = self.config
        weight = 1 - config.master_fraction if masters else 1.0
        if cycle <= config.rules_cycles:
            scores = replace(config.target_scores(), result=0.0, speed_bonus=0.0)
            return PolicyLoss(games, partial(uniform_targets, scores=scores), weight=weight)
        targets = partial(TARGETS[config.unplayed_target], scores=config.target_scores())
        return PolicyLoss(games, targets, weight=weight)

    def update(
        self, loss: PolicyLoss, masters: PolicyLoss | None, learning_rate: float
    ) -> dict[str, float]:
        """One optimizer step, unless the gradient is not finite."""
        losses = [loss, masters] if masters else [loss]
        norm = compute_gradient(losses, self.net, self.optimizer, self.gradient_workers)
        if math.isfinite(norm):
            self.optimizer.step(learning_rate)
        self.counts["positions"] += loss.positions
        self.counts["updates"] += 1
        metrics = loss.metrics() | {"gradient_norm": norm, "learning_rate": learning_rate}
        return metrics | ({"master_loss": masters.metrics()["loss"]} if masters else {})

    def health_metrics(self, stats: GameStats, learned: dict[str, float]) -> HealthMetrics:
        return HealthMetrics(
            games=stats.games,
            decided=stats.decided,
            cut=stats.truncated,
            distinct_games=stats.distinct,
            entropy_nats=learned["entropy"],
            ln_legal_nats=learned["ln_legal"],
            gradient_norm=learned["gradient_norm"],
        )

    def save(self) -> SavedState:
        return SavedState(
            weights=copied(self.average.net.arrays()),
            rest=copied(self._arrays()),
            facts={
                **self.counts,
                "mates": self.mates.facts(),
                "averaged": self.average.cycles,
                "health": self.health.facts(),
                "masters": self.masters.digest if self.masters else "",
            },
        )

    def load(self, saved: SavedState) -> None:
        if saved.facts["masters"] != (self.masters.digest if self.masters else ""):
            raise ValueError("the master games are not those that the run learned from")
        restore(self.average.net.arrays(), saved.weights)
        restore(self._arrays(), saved.rest)
        self.average.cycles = int(saved.facts["averaged"])  # type: ignore[arg-type]
        self.mates.load_facts(saved.facts["mates"])
        self.counts = {name: int(saved.facts[name]) for name in self.counts}  # type: ignore[arg-type]
        self.health.load(saved.facts["health"])

    def _arrays(self) -> Arrays:
        parts = {"optimizer": self.optimizer.arrays(), "mates": self.mates.arrays()}
        if self.average.net is not self.net:
            parts["learning"] = self.net.arrays()
        return with_prefix(**parts)

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)
        restore(self.average.net.arrays(), weights)


def train(config: Config, run: Run, workers: Workers | None = None) -> None:
    """Without `workers` threads of this process play."""
    masters = find_masters(config)
    learner = Searchless(config, make_evaluator(config, open_held_out(config, masters)), masters)
    if workers is not None:
        learner.workers = workers
    with one_thread():
        for step in learner.steps(run):
            try:
                run_cycle(learner, step)
            except DamagedChunkError as error:
                raise RunFailedError(f"the master games cannot be used: {error}") from error


def run_cycle(learner: Searchless, step: Step) -> None:
    """Self-play, learning, and evaluation when it is due."""
    config, watch = learner.config, Stopwatch()
    rng = np.random.default_rng([config.seed, step.number, step.attempt])
    with watch("self_play"):
        tick = step.part("self-play", config.games, "games")
        played = learner.play(step.number, rng, tick)
    with watch("learning"):
        learned = learner.learn(
            played.rows,
            step.number,
            rng,
            step.attempt,
            lambda updates: step.part("learning", updates, "updates"),
        )
    if learned is None:
        step.roll_back("the gradient was not finite")
        return
    if step.number <= config.rules_cycles:
        learner.average.cycles = 0  # begins anew
    learner.average.add(learner.net)
    step.show(played.sample)
    metrics = game_metrics(played.rows, played.stats) | learned
    if played.score_in_sparring is not None:
        metrics |= {"score_in_sparring": played.score_in_sparring}
    if config.mate_fraction:
        metrics |= {"mate_plies": learner.mates.plies}
    with watch("evaluation"):
        if step.number % config.evaluate_every == 0 or step.number == config.cycles:
            metrics |= learner.evaluator.metrics(learner.average.net, step)
    for alarm in learner.health.alarms(learner.health_metrics(played.stats, learned)):
        step.say(alarm, alarm=True)
    cluster = learner.workers.timings()
    step.record(metrics, _quality(config, metrics), seconds=watch.seconds, cluster=cluster)


def _quality(config: Config, metrics: dict[str, float]) -> float | None:
    """The criterion for the best checkpoint: legality if only the rules are learned, else the mean
    score of evaluation games."""
    if "legal_mass" not in metrics:
        return None
    if config.learns_only_rules:
        return metrics["legal_mass"]
    return (metrics["score_random"] + metrics["score_greedy"]) / 2


def game_metrics(games: AttemptTrajectories, stats: GameStats) -> dict[str, float]:
    """Statistics of the games of a cycle."""
    wins = (np.array(stats.plies_of_wins) + 1) // 2  # moves of the winner
    return {
        "positions": len(games),
        "illegal_attempts": len(games.tried.values) / len(games),
        "plies": stats.plies / stats.games,
        "distinct_games": stats.distinct,
        "drawn_games": stats.games - stats.decided - stats.truncated,
        "truncated_games": stats.truncated,
        "white_score": stats.white_points / stats.games,
        f"wins_to_{SHORT_WIN}": int((wins <= SHORT_WIN).sum()),
        f"wins_to_{LONG_WIN}": int(((wins > SHORT_WIN) & (wins <= LONG_WIN)).sum()),
        "wins_later": int((wins > LONG_WIN).sum()),
    }


def find_masters(config: Config) -> ChunkFolder | None:
    if config.master_fraction and not config.masters:
        raise RunRefusedError(
            f"master_fraction is {config.master_fraction:g}, but there are no master games: name a "
            "folder of selfmate import with --set masters=DIR, or set master_fraction=0"
        )
    return open_masters(config.masters, *config.splits)


def open_held_out(config: Config, masters: ChunkFolder | None) -> HeldOut:
    """Positions of master games if there are any, else of reference games."""
    if masters is None:
        return held_out(reference_positions(), None, max_positions=config.validation_positions)
    return held_out_masters(masters, config.validation_positions)
