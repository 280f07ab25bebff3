"""AlphaZero (Silver et al. 2018): a net guides a tree search, and learns from its games.

Each cycle has three parts. Self-play: the best net plays itself with a tree search. Training: the
policy learns the search's visit counts and the value learns the game results, from a replay buffer.
Gating match: the trained net becomes the best net if it wins a match against it.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from selfmate.arena.gating import (
    Evaluation,
    GatingMatch,
    Verdict,
    WatchedGames,
    evaluation_metrics,
)
from selfmate.arena.match import sample_of
from selfmate.arena.sprt import Sprt
from selfmate.data.dataset import ChunkFolder, ChunkStream, DamagedChunkError
from selfmate.data.examples import Examples, concatenated_examples, examples_of_games
from selfmate.data.held_out import open_masters
from selfmate.data.replay import TreeReplay, replay_shards, shard_name
from selfmate.learners.alphazero.config import Config, check_fits
from selfmate.learners.alphazero.loss import TrainingStep
from selfmate.learners.health import HealthMetrics, HealthMonitor, Remedies
from selfmate.nets.config import ResNetConfig
from selfmate.nets.optim import GradientWorkers, Optimizer, one_thread
from selfmate.nets.precision import loss_scale_for
from selfmate.nets.resnet import SeResNet
from selfmate.nets.sparse_net import SparseNet
from selfmate.players.searching import TreePlayer
from selfmate.rules import available_cores
from selfmate.runs import (
    Arrays,
    Run,
    RunFailedError,
    SampleGame,
    SavedState,
    Step,
    Stopwatch,
    check_layout,
    copied,
    means_of,
    split_prefix,
    with_prefix,
)
from selfmate.searches.config import SearchConfig
from selfmate.selfplay.alphazero import (
    Resignation,
    SearchActors,
    SearchPlay,
    check_resignations,
    tree_games,
)
from selfmate.selfplay.games import GamePlan, GameStats, Starts
from selfmate.selfplay.workers import NetSnapshot, ThreadWorkers, Workers

CPU = torch.device("cpu")
LADDER = ("random", "greedy", "teacher:depth=1")
REMEDIES = Remedies(
    variety="raise temperature or dirichlet_fraction",
    draws="raise temperature, temperature_plies or endgame_fraction",
    repeats="raise temperature, temperature_plies or dirichlet_fraction",
    cuts="raise max_plies or endgame_fraction",
    sameness="raise endgame_fraction or simulations, or change learning_rate",
    leaps="lower learning_rate",
)


def train(config: Config, run: Run, device: str = "cpu", workers: Workers | None = None) -> None:
    """Without `workers` threads of this process play."""
    masters = open_masters(config.masters, "training")
    if config.net == "sparse":
        from selfmate.learners.alphazero.sparse_learner import sparse_learner

        learner = sparse_learner(config, masters, device)
    else:
        learner = AlphaZero(config, masters, torch.device(device))
    if workers is not None:
        learner.workers = workers
    with one_thread():
        for step in learner.steps(run):
            try:
                cycle(learner, step)
            except DivergedError as error:
                step.roll_back(str(error))
            except DamagedChunkError as error:
                raise RunFailedError(f"the master games cannot be used: {error}") from error


def cycle(learner: "AlphaZero", step: Step) -> None:
    """One cycle: self-play, training, and the matches that are due."""
    config, watch = learner.config, Stopwatch()
    rng = np.random.default_rng([config.seed, step.number, step.attempt])
    if step.number == 1:  # the score of a loaded net is what it must not fall below
        learner.ladder_evaluation(step)
    with watch("self_play"):
        games, positions, evaluations, sample = learner.self_play(step, rng)
    step.show(sample)
    with watch("learning"):
        trained = learner.train(step, rng, positions)
    metrics = _game_metrics(games) | trained
    metrics |= {"evaluations": evaluations, "replay_size": len(learner.replay)}
    is_best = score = None
    with watch("matches"):
        if step.number % config.evaluate_every == 0 or step.number == config.cycles:
            metrics |= learner.ladder_evaluation(step)
        if step.number % config.promotion_every == 0 or step.number == config.cycles:
            verdict = learner.gating_match(step)
            metrics |= verdict.metrics() | {"match_games": verdict.games}
            is_best, score = verdict.promoted, verdict.score
    for alarm in (
        *learner.resignation.alarms(),
        *learner.health.alarms(_health_metrics(games, trained)),
    ):
        step.say(alarm, alarm=True)
    step.record(
        metrics, score, best=is_best, seconds=watch.seconds, cluster=learner.workers.timings()
    )


class DivergedError(Exception):
    """The training step's losses or gradients are not finite."""


class AlphaZero:
    """Nets, optimizer and replay buffer: a `State` of a run."""

    def __init__(
        self, config: Config, masters: ChunkFolder | None = None, device: torch.device = CPU
    ) -> None:
        self.config, self.masters, self.device = config, masters, device
        torch.manual_seed(config.seed)
        self.make_nets()
        self.gradient_workers = GradientWorkers(config.threads)
        self.workers: Workers = ThreadWorkers(config.threads, available_cores())
        self.replay = TreeReplay(
            config.replay_size, config.recent_fraction, config.search_value_fraction
        )
        self.starts = Starts(
            openings=config.openings,
            endgame_fraction=config.endgame_fraction,
            random_plies=config.random_plies,
        )
        self.resignation = Resignation(config.resign_playthrough)
        self.health = HealthMonitor(REMEDIES)
        self.highest: Arrays = copied(self.net.arrays())  # weights of the highest ladder score
        self.ladder_score = 0.0  # theirs
        self.counts = {"updates": 0, "promotions": 0, "roll_backs": 0}
        self.evaluation = Evaluation(
            opponents=LADDER,
            games=config.evaluation_games,
            seed=config.seed,
            max_plies=config.max_plies,
        )
        self.gate = GatingMatch(
            rule=config.promotion,
            games=config.promotion_games,
            sprt=Sprt(config.elo0, config.elo1),
            max_plies=config.max_plies,
        )

    def make_nets(self) -> None:
        """The net in training, that which plays the games, and the optimizer."""
        config, net_config = self.config, ResNetConfig.of(self.config)
        net = net_config.make_net().to(self.device)
        net.gradient_checkpointing = config.gradient_checkpointing
        net.precision = config.precision
        self.net: SeResNet | SparseNet = net
        best = net_config.make_net().to(self.device)
        best.precision = config.precision
        best.take(net.arrays())
        self.best: SeResNet | SparseNet = best
        self.optimizer = make_optimizer(config, net)
        self.optimizer.loss_scale = loss_scale_for(config.precision)

    def steps(self, run: Run) -> Iterator[Step]:
        player = self.net.config.model_dump(mode="json")
        return run.steps(self, total=self.config.cycles, unit="cycles", player=player)

    # Self-play.

    def self_play(
        self, step: Step, rng: np.random.Generator
    ) -> tuple[GameStats, int, int, SampleGame]:
        """Plays the games of a cycle with the best net and adds them to the replay buffer. Returns
        their statistics, the numbers of new positions and of evaluations, and a game to show."""
        plan = self.plan(rng)
        tick = step.part("self-play", len(plan.boards), "games")
        games = self.workers.play(self.actors(step.number), plan, tick)
        self.replay.add(shard_name(step.number), tree_games(games))
        self.resignation.observe(*check_resignations(games))
        shown = sample_of(plan.boards[step.number % len(plan.boards)], "best", "best")
        return games.stats, len(games.games), games.leaves, shown

    def plan(self, rng: np.random.Generator) -> GamePlan:
        config = self.config
        return GamePlan(
            boards=self.starts.boards(config.games, rng),
            max_plies=config.max_plies,
            seed=int(rng.integers(2**63)),
            parallel_games=config.parallel_games,
        )

    def actors(self, cycle: int = 1) -> SearchActors:
        config = self.config
        play = SearchPlay(
            search=SearchConfig.of(config),
            simulations=config.simulations_in(cycle),
            full_search_fraction=config.full_search_fraction,
            fast_simulations=config.fast_simulations,
            temperature=config.temperature,
            temperature_end=config.temperature_end,
            temperature_plies=config.temperature_plies,
            resign_threshold=config.resign_threshold,
            resign_playthrough=self.resignation.playthrough,
        )
        net = NetSnapshot.of(self.best.config, self.best.arrays())
        return SearchActors(net=net, play=play, device=str(self.device), precision=config.precision)

    # Training.

    def train(self, step: Step, rng: np.random.Generator, new_positions: int) -> dict[str, float]:
        """The training steps of a cycle. Each further attempt halves the learning rate, because the
        one before diverged."""
        config = self.config
        updates = self.update_count(new_positions)
        learning_rate = config.learning_rate_in(step.number) / 2 ** (step.attempt - 1)
        tick, metrics = step.part("learning", updates, "updates"), list[dict[str, float]]()
        for found in self.training_steps(step.number, updates, learning_rate, rng):
            metrics.append(found)
            self.counts["updates"] += 1
            tick(len(metrics))
        means = means_of(metrics)
        if not all(map(math.isfinite, means.values())):
            raise DivergedError("the losses or gradients are not finite")
        return means | {"learning_rate": learning_rate}

    def update_count(self, new_positions: int) -> int:
        """Training steps of a cycle. Master positions in the batches are no uses of our own."""
        config = self.config
        own = config.batch_size * (1 - (config.master_fraction if self.masters else 0.0))
        limits = [config.epochs * len(self.replay) / config.batch_size]
        limits += [config.max_updates] if config.max_updates else []
        limits += [config.max_uses * new_positions / own] if config.max_uses else []
        return math.ceil(min(limits))

    def training_steps(
        self, cycle: int, updates: int, learning_rate: float, rng: np.random.Generator
    ) -> Iterator[dict[str, float]]:
        """Trains, and yields the metrics of each update."""
        for batch in self.training_batches(cycle, updates, rng):
            yield self.training_step(batch, learning_rate)

    def training_batches(
        self, cycle: int, updates: int, rng: np.random.Generator
    ) -> Iterator[Examples]:
        """Batches from the replay buffer, with a fraction of master positions if there are any."""
        size = self.config.batch_size
        if self.masters is None or not self.config.master_fraction:
            yield from (self.replay.sample(rng, size) for _ in range(updates))
            return
        of_masters = min(size - 1, max(1, round(self.config.master_fraction * size)))
        stream = ChunkStream(self.masters, "training", seed=self.config.seed + cycle)
        for chunk in stream.batches(0, updates * of_masters, of_masters):
            own = self.replay.sample(rng, size - of_masters)
            yield concatenated_examples([own, examples_of_games(chunk)])

    def training_step(self, batch: Examples, learning_rate: float) -> dict[str, float]:
        assert isinstance(self.net, SeResNet)
        step = TrainingStep([batch], value_weight=self.config.value_weight)
        metrics = step.update(self.net, self.optimizer, self.gradient_workers, learning_rate)
        values = step.values()
        return metrics | {
            "ln_legal": float(np.log(batch.legal.counts).mean()),
            "value_mean": float(values.mean()),
            "value_spread": float(values.std()),
        }

    # Gating match and ladder evaluation.

    def gating_match(self, step: Step) -> Verdict:
        """A match of the net in training against the best net, whose place it may take."""
        watched = WatchedGames(step.part("gating match", self.gate.games, "games"))
        learner, best = (
            TreePlayer(
                name, net, simulations=self.config.promotion_simulations, pulse=watched.pulse
            )
            for name, net in (("learner", self.net), ("best", self.best))
        )
        seed = self.config.seed + step.number
        verdict = self.gate.play(learner, best, seed=seed, watched=watched)
        step.say(verdict.sentence)
        if verdict.promoted:
            self.promote(self.net.arrays())
            self.counts["promotions"] += 1
        return verdict

    def promote(self, weights: Arrays) -> None:
        self.best.take(weights)

    def ladder_evaluation(self, step: Step) -> dict[str, float]:
        """Matches of the net in training, without search, against fixed opponents. A net that fell
        far goes back to the weights of the highest score."""
        reports = self.evaluation.reports(
            TreePlayer("learner", self.net, simulations=0),
            step.part("evaluation", self.evaluation.all_games, "games"),
        )
        score = float(np.mean([report.score for report in reports.values()]))
        fell = score < self.ladder_score - self.config.rollback_threshold
        if fell:
            self.roll_back(score, step)
        elif score > self.ladder_score:
            self.highest, self.ladder_score = copied(self.net.arrays()), score
        return evaluation_metrics(reports) | {"ladder_score": score, "rolled_back": int(fell)}

    def roll_back(self, score: float, step: Step) -> None:
        step.say(
            f"the ladder score fell from {self.ladder_score:.1%} to {score:.1%}: the weights of "
            "the higher score are restored; if this happens again, lower learning_rate or add "
            "masters",
            alarm=True,
        )
        self.counts["roll_backs"] += 1
        self.net.take(self.highest)
        self.optimizer.forget()
        if self.config.promotion == "always":
            self.promote(self.highest)
        # The highest of many noisy scores is too high: compared with it, a net that stands still
        # would be rolled back for ever.
        self.ladder_score = score

    # The state of the run.

    def save(self) -> SavedState:
        facts: dict[str, Any] = {
            **self.counts,
            "ladder_score": self.ladder_score,
            "resignation": self.resignation.facts(),
            "health": self.health.facts(),
            "masters": self.masters.digest if self.masters else "",
        }
        return SavedState(
            weights=copied(self.net.arrays()),
            rest=copied(self._rest()),
            facts=facts,
            shards=self.replay.buffer.arrays(),
        )

    def load(self, saved: SavedState) -> None:
        if saved.facts["masters"] != (self.masters.digest if self.masters else ""):
            raise ValueError("the master games are not those of the run so far")
        check_layout(saved.weights, self.net.arrays())
        check_layout(saved.rest, self._rest())
        parts = split_prefix(saved.rest)
        self.net.take(saved.weights)
        self.optimizer.take(parts["optimizer"])
        self.promote(parts["best"])
        self.highest = parts["highest"]
        self.replay.load(replay_shards(saved.shards))
        self.counts = {name: int(saved.facts[name]) for name in self.counts}  # type: ignore[arg-type]
        self.ladder_score = float(saved.facts["ladder_score"])  # type: ignore[arg-type]
        self.resignation.load(saved.facts["resignation"])
        self.health.load(saved.facts["health"])

    def load_weights(self, weights: Arrays) -> None:
        self.check_fits(weights)
        self.net.take(weights)
        self.promote(weights)

    def check_fits(self, weights: Arrays) -> None:
        assert isinstance(self.net, SeResNet)
        check_fits(weights, self.net)

    def _rest(self) -> Arrays:
        return with_prefix(
            optimizer=self.optimizer.arrays(), best=self.best.arrays(), highest=self.highest
        )


def make_optimizer(config: Config, net: SeResNet) -> Optimizer:
    if config.optimizer == "muon":
        return Optimizer.muon(net, config.max_grad_norm, config.weight_decay, net.matrices())
    return Optimizer.sgd(
        net, config.max_grad_norm, momentum=config.momentum, weight_decay=config.weight_decay
    )


def _game_metrics(stats: GameStats) -> dict[str, float]:
    return {
        "games": stats.games,
        "plies": stats.plies / stats.games,
        "distinct_games": stats.distinct,
        "drawn_games": stats.games - stats.decided,
        "truncated_games": stats.truncated,
        "resigned_games": stats.endings["resigned"],
        "white_score": stats.white_points / stats.games,
    }


def _health_metrics(stats: GameStats, trained: dict[str, float]) -> HealthMetrics:
    return HealthMetrics(
        games=stats.games,
        decided=stats.decided,
        cut=stats.truncated,
        distinct_games=stats.distinct,
        entropy_nats=trained["entropy"],
        ln_legal_nats=trained["ln_legal"],
        value_mean=trained["value_mean"],
        value_spread=trained["value_spread"],
        gradient_norm=trained["gradient_norm"],
    )
