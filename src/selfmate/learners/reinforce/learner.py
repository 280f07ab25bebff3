"""REINFORCE for chess (Williams 1992): self-play, then the winners' moves become likelier.

The policy pi is softmax(score / temperature) over the legal moves. A game ends with z = 1, 0 or -1
in White's view. With a baseline b, a ply by White has the advantage A = z - b and one by Black
A = -(z - b); the loss is the mean over plies of -A * log pi(move). Nothing but the result of a game
is ever rewarded.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.arena.gating import Evaluation, evaluation_metrics
from selfmate.arena.match import sample_of
from selfmate.data.replay import ShardBuffer, read_shards
from selfmate.data.trajectories import Rows, SampledGames, flat_columns, sparse_columns
from selfmate.encodings import legal_actions, moves_of_actions
from selfmate.encodings.features import gives_check
from selfmate.learners.health import HealthMetrics, HealthMonitor
from selfmate.learners.reinforce.config import Config
from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.move_scorer import MoveScorer, PolicyLoss, Weights, policy_gradient
from selfmate.nets.optim import Optimizer, one_thread
from selfmate.nets.sparse import log_softmax
from selfmate.players.evaluation import SCORER_ACTION_ENCODING
from selfmate.players.network import LOOKAHEAD_NATS, ScorerPlayer
from selfmate.rules import Board, Ragged, available_cores
from selfmate.runs import (
    Arrays,
    Run,
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
from selfmate.searches.sampling import drawn_actions, is_mate, random_choices
from selfmate.selfplay.games import (
    Decision,
    GamePlan,
    GameStats,
    Starts,
    Trajectories,
    Turn,
)
from selfmate.selfplay.workers import NetSnapshot, ThreadWorkers, Workers


@dataclass(frozen=True, kw_only=True)
class SamplingActor:
    """Samples moves with the probabilities softmax(score / temperature)."""

    spec: MoveScorerConfig
    net: MoveScorer
    temperature: float
    plays_mate_in_one: bool = False  # whatever the policy says
    random_sides: NDArray[np.int8] | None = None  # [G] moving at random: 1 White, -1 Black, 0 none

    def decide(self, turn: Turn) -> Decision:
        seeds = turn.seeds(turn.plies)
        moves = random_choices(turn.boards, seeds)
        rows = np.flatnonzero(~self._is_random(turn))
        if not len(rows):
            return Decision(moves=moves, columns={}, rows=rows)
        boards = [turn.boards[i] for i in rows.tolist()]
        moves[rows], columns = self._sample(boards, seeds[rows])
        return Decision(moves=moves, columns=columns, rows=rows)

    def _is_random(self, turn: Turn) -> NDArray[np.bool_]:
        if self.random_sides is None:
            return np.zeros(len(turn.games), np.bool_)
        sides = np.where(turn.is_white, 1, -1)
        # The policy always plays the first ply, so that every game has one to learn from.
        is_random: NDArray[np.bool_] = self.random_sides[turn.games] == sides
        return is_random & (turn.plies > 0)

    def _sample(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint16], dict[str, Any]]:
        """Moves by the policy, and their columns of `SampledGames`."""
        asked = self.spec.candidates(boards)
        scores = self.net.scores(asked)
        legal = Ragged(*legal_actions(SCORER_ACTION_ENCODING, boards))
        policy = _log_probs(scores / np.float32(self.temperature), legal)
        sampled_from = policy
        if self.plays_mate_in_one:
            mates = is_mate(SCORER_ACTION_ENCODING, boards, legal, gives_check(asked.moves))
            bonus = (LOOKAHEAD_NATS * mates).astype(np.float32)
            sampled_from = _log_probs(policy + bonus, legal)
        actions = drawn_actions(sampled_from, legal, 1.0, seeds)
        places = legal.find(actions)
        columns = sparse_columns(asked) | {
            "chosen": (places - legal.offsets[:-1]).astype(np.uint8),
            "log_probs": sampled_from[places],
            "entropies": -np.add.reduceat(np.exp(policy) * policy, legal.offsets[:-1]),
        }
        return moves_of_actions(SCORER_ACTION_ENCODING, boards, actions), columns


@dataclass(frozen=True, kw_only=True)
class SamplingActors:
    """Makes actors of a net."""

    net: NetSnapshot
    spec: MoveScorerConfig
    temperature: float
    plays_mate_in_one: bool
    random_sides: NDArray[np.int8]

    @property
    def nets(self) -> tuple[NetSnapshot]:
        return (self.net,)

    def prepare(self, net: MoveScorer) -> MoveScorer:
        return net

    def make(self, nets: Sequence[Any], plan: GamePlan, threads: int) -> SamplingActor:
        return SamplingActor(
            spec=self.spec,
            net=nets[0],
            temperature=self.temperature,
            plays_mate_in_one=self.plays_mate_in_one,
            random_sides=self.random_sides,
        )


def sampled_games(games: Trajectories, temperature: float) -> SampledGames:
    """The plies in the order in which games that run side by side play them: the first of all
    games, the second, and so on."""
    order = np.argsort(games.plies, kind="stable")
    keys = ("chosen", "log_probs", "entropies")
    columns = {name: column.take(order) for name, column in games.columns.items()}
    return SampledGames(
        results=games.results,
        is_cut=games.is_truncated,
        temperature=np.array([temperature], np.float32),
        games=games.games[order].astype(np.int32),
        is_white=games.is_white[order],
        **{name: columns[name] for name in keys},
        **flat_columns(columns),
    )


def _log_probs(scores: NDArray[np.float32], legal: Ragged) -> NDArray[np.float32]:
    logs: NDArray[np.float32] = log_softmax(torch.from_numpy(scores), legal.offsets).numpy()
    return logs


LADDER = ("random", "greedy")  # opponents of the evaluation
CHUNK_PLIES = 1024  # plies per call of the core
COMPARED_PLIES = 256  # plies per iteration on which the untrained policy is compared
AVERAGE_WEIGHT = 0.05  # of the newest iteration in the moving average of results
EXPLOSION = 1e4  # a gradient norm beyond this is noise
# Small steps are the design: after twenty iterations of `sparring` the policy scores 59 % against
# random moves, and its entropy is still 99.8 % of a uniform policy's.
CHECKS_OFF = ("uniform",)


class Reinforce:
    """The learner: the `State` of a run."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.spec = MoveScorerConfig.of(config, value_head=config.baseline == "value_head")
        torch.manual_seed(config.seed)
        self.net, self.untrained = self.spec.make_net(), self.spec.make_net()
        self.untrained.take(self.net.arrays())
        self.adam = Optimizer.adam(self.net, config.max_grad_norm)
        self.replay = ShardBuffer[SampledGames]()
        self.average = 0.0  # moving average of results, in White's view
        self.starts = Starts(openings=config.openings, endgame_fraction=config.endgame_fraction)
        self.health = HealthMonitor(skipped=CHECKS_OFF)
        self.workers: Workers = ThreadWorkers(1, available_cores())
        self.player = ScorerPlayer(
            "learner", self.spec, self.net, config.temperature_play, config.plays_mate_in_one
        )
        self.evaluation = Evaluation(
            opponents=LADDER, games=config.evaluation_games, seed=config.seed
        )

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.config.games,
            unit="games",
            size=self.config.games_per_iteration,
            player=self.spec.model_dump(mode="json"),
        )

    def play(
        self,
        boards: Sequence[Board],
        temperature: float,
        rng: np.random.Generator,
        tick: Tick = unwatched,
    ) -> tuple[SampledGames, GameStats, NDArray[np.int8]]:
        """Games from these boards, how they went, and which sides moved at random in them."""
        seed, random_sides = int(rng.integers(2**63)), self.random_sides(len(boards), rng)
        actors = SamplingActors(
            net=NetSnapshot.of(self.spec, self.net.arrays()),
            spec=self.spec,
            temperature=temperature,
            plays_mate_in_one=self.config.plays_mate_in_one,
            random_sides=random_sides,
        )
        plan = GamePlan(boards=boards, max_plies=self.config.max_plies, seed=seed)
        games = self.workers.play(actors, plan, tick)
        return sampled_games(games, temperature), games.stats, random_sides

    def random_sides(self, count: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """[G] 1 or -1 where White or Black moves at random, 0 in games against itself."""
        sides = rng.choice(np.array([1, -1], np.int8), size=count)
        return np.where(rng.random(count) < self.config.vs_random, sides, 0).astype(np.int8)

    def loss(self, games: SampledGames, rows: Rows, plies: float) -> PolicyLoss:
        """The sum over some plies of -w * A * log pi(move), with importance weights w for replayed
        games, of the value head's squared error and of the entropy bonus. The gradient is that of
        the sum divided by `plies`."""
        config, columns = self.config, games.arrays()
        columns["is_white"] = games.is_white.view(np.uint8)
        return policy_gradient(
            self.net,
            columns,
            rows,
            temperature=float(games.temperature[0]),
            baseline=self.baseline,
            value_weight=config.value_weight,
            entropy_bonus=config.entropy_bonus,
            max_importance_weight=config.max_importance_weight,
            divisor=plies,
        )

    @property
    def baseline(self) -> float:
        """b without a value head, in White's view: the moving average of results, or 0."""
        return self.average if self.config.baseline == "moving_average" else 0.0

    def informative_rows(self, games: SampledGames) -> Rows:
        """The plies with a gradient: where the result equals the baseline there is none."""
        if self.spec.value_head or self.config.entropy_bonus:
            return np.arange(len(games))
        return np.flatnonzero(games.results_of_plies != self.baseline)

    def learn(
        self,
        games: SampledGames,
        attempt: int,
        rng: np.random.Generator,
        tick: Tick = unwatched,
    ) -> dict[str, float] | None:
        """The updates of an iteration; None if a gradient exploded. Ticks updates and moves."""
        shards = [games, *self.replay.shards.values()]
        splits = [self._split(shard, rng) for shard in shards]
        plies = sum(map(len, shards)) / self.config.updates
        metrics, moves = list[dict[str, float]](), 0

        def count(learned: int) -> None:
            nonlocal moves
            moves += learned
            tick(len(metrics), moves=moves)

        for update in range(self.config.updates):
            parts = [(shard, split[update]) for shard, split in zip(shards, splits, strict=True)]
            rate = self.config.learning_rate / 2 ** (attempt - 1)
            of_update = self.update(parts, plies, rate, count)
            if of_update is None:
                return None
            metrics.append(of_update)
        return means_of(metrics)

    def _split(self, games: SampledGames, rng: np.random.Generator) -> list[Rows]:
        """The plies of each update."""
        return np.array_split(rng.permutation(self.informative_rows(games)), self.config.updates)

    def update(
        self,
        parts: Sequence[tuple[SampledGames, Rows]],
        plies: float,
        learning_rate: float,
        count: Callable[[int], None] = lambda learned: None,
    ) -> dict[str, float] | None:
        """One gradient step on the mean over `plies` plies, of which `parts` hold those with a
        gradient; None if it exploded. `count` gets the number of plies in each chunk."""
        sums = {"loss": 0.0, "value_loss": 0.0}

        def gradients() -> Iterator[Weights]:
            for games, rows in parts:
                for begin in range(0, len(rows), CHUNK_PLIES):
                    chunk = rows[begin : begin + CHUNK_PLIES]
                    count(len(chunk))
                    loss = self.loss(games, chunk, plies)
                    sums["loss"] += loss.policy / plies
                    sums["value_loss"] += loss.value / plies
                    yield loss.gradient

        norm = 0.0
        if any(len(rows) for _, rows in parts):
            norm = self.adam.sum_of_gradients(gradients())
            if not (math.isfinite(norm) and norm < EXPLOSION):
                return None
            self.adam.step(learning_rate)
        return sums | {"gradient_norm": norm}

    def remember(self, name: str, games: SampledGames) -> None:
        """Updates the moving average and the replay."""
        self.average += AVERAGE_WEIGHT * (float(games.results.mean()) - self.average)
        self.replay.add(name, games)
        while len(self.replay.shards) > self.config.replay_iterations:
            self.replay.drop_oldest()

    @torch.inference_mode()
    def distance(self, games: SampledGames) -> float:
        """KL(policy || untrained policy) in nats, averaged over some plies."""
        asked = games.candidates(np.arange(0, len(games), -(-len(games) // COMPARED_PLIES)))
        nets, temperature = (self.net, self.untrained), float(games.temperature[0])
        now, before = (log_softmax(net(asked)[0] / temperature, asked.offsets) for net in nets)
        return float((now.exp() * (now - before)).sum()) / (len(asked.offsets) - 1)

    def evaluate(self, step: Step) -> dict[str, float]:
        tick = step.part("evaluation", self.evaluation.all_games, "games")
        return evaluation_metrics(self.evaluation.reports(self.player, tick))

    def save(self) -> SavedState:
        return SavedState(
            weights=copied(self.net.arrays()),
            rest=copied(with_prefix(adam=self.adam.arrays())),
            facts={"average": self.average, "health": self.health.facts()},
            shards=self.replay.arrays(),
        )

    def load(self, saved: SavedState) -> None:
        restore(self.net.arrays(), saved.weights)
        restore(with_prefix(adam=self.adam.arrays()), saved.rest)
        self.replay.shards = read_shards(SampledGames, saved.shards)
        self.average = float(saved.facts["average"])  # type: ignore[arg-type]
        self.health.load(saved.facts["health"])

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: Config, run: Run, workers: Workers | None = None) -> None:
    """Without `workers` a thread of this process plays."""
    learner = Reinforce(config)
    if workers is not None:
        learner.workers = workers
    with one_thread():
        for step in learner.steps(run):
            iteration(learner, step)


def iteration(learner: Reinforce, step: Step) -> None:
    """Self-play, learning, evaluation."""
    config, watch = learner.config, Stopwatch()
    rng = np.random.default_rng([config.seed, step.number, step.attempt])
    temperature = config.temperature_after(step.start)
    boards = learner.starts.boards(step.stop - step.start, rng)
    with watch("self_play"):
        tick = step.part("self-play", len(boards), "games")
        games, stats, random_sides = learner.play(boards, temperature, rng, tick)
    with watch("learning"):
        tick = step.part("learning", config.updates, "updates")
        learned = learner.learn(games, step.attempt, rng, tick)
    if learned is None:
        step.roll_back("the gradient exploded")
        return
    shown = step.number % len(boards)
    step.show(_sample_game(boards[shown], int(random_sides[shown]), learner.player.name))
    metrics = _game_metrics(games, stats) | learned | {"kl": learner.distance(games)}
    metrics |= {"temperature": temperature, "baseline": learner.average}
    learner.remember(f"sampled-{step.number:08d}", games)
    with watch("evaluation"):
        if step.number % config.evaluate_every == 0 or step.stop == config.games:
            metrics |= learner.evaluate(step)
    for alarm in learner.health.alarms(_health_metrics(stats, metrics)):
        step.say(alarm, alarm=True)
    cluster = learner.workers.timings()
    step.record(metrics, metrics.get("score_random"), seconds=watch.seconds, cluster=cluster)


def _sample_game(board: Board, random_side: int, learner: str) -> SampleGame:
    white, black = ("random" if random_side == side else learner for side in (1, -1))
    return sample_of(board, white, black)


def _game_metrics(games: SampledGames, stats: GameStats) -> dict[str, float]:
    """Truncated games count as draws in the loss, but not here."""
    results = games.results
    return {
        "white_wins": float((results > 0).mean()),
        "black_wins": float((results < 0).mean()),
        "draws": float(((results == 0) & ~games.is_cut).mean()),
        "truncated_games": float(games.is_cut.mean()),
        "plies": len(games) / stats.games,
        "distinct_games": stats.distinct,
        "entropy": float(games.entropies.mean()),
        "ln_legal": float(np.log(games.legal_counts, dtype=np.float64).mean()),
    }


def _health_metrics(stats: GameStats, metrics: dict[str, float]) -> HealthMetrics:
    return HealthMetrics(
        games=stats.games,
        decided=stats.decided,
        cut=stats.truncated,
        distinct_games=stats.distinct,
        entropy_nats=metrics["entropy"],
        ln_legal_nats=metrics["ln_legal"],
        gradient_norm=metrics["gradient_norm"],
    )
