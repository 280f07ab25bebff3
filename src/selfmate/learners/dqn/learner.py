"""Double DQN for chess: self-play, replay, learning, evaluation, in cycles.

Q-learning with a replay buffer and a target net (Mnih et al. 2015), the target of Double DQN (van
Hasselt et al. 2016) and, optionally, prioritized replay (Schaul et al. 2016). Two sides take turns,
so the value of a position for its mover is the reward less its next value for the opponent:

    y = r - gamma * Q_target(s', argmax over legal a' of Q_online(s', a'))

Mating is worth +1. Being mated needs no reward of its own: it arrives through the backup.
"""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import huber_loss

from selfmate.arena.gating import (
    Evaluation,
    GatingMatch,
    Verdict,
    WatchedGames,
    evaluation_metrics,
)
from selfmate.arena.match import sample_of
from selfmate.data.priorities import Priority
from selfmate.data.replay import (
    Retention,
    Sample,
    SampleFractions,
    TransitionReplay,
    replay_shards,
    shard_name,
)
from selfmate.data.transitions import Transitions
from selfmate.learners.dqn.config import OPPONENTS, Config
from selfmate.learners.dqn.loss import (
    LOGGED,
    Loss,
    MovingAverages,
    is_sound,
    places,
    policy_metrics,
)
from selfmate.learners.health import HealthMetrics, HealthMonitor
from selfmate.learners.targets import ragged_double_q, shaped
from selfmate.nets.config import QNetConfig
from selfmate.nets.optim import Optimizer, one_thread
from selfmate.nets.sparse import log_softmax
from selfmate.rules import available_cores, best_places
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
    split_prefix,
    unwatched,
    with_prefix,
)
from selfmate.selfplay.dqn import (
    Opponents,
    episodes_of,
    game_metrics,
    points_against_others,
)
from selfmate.selfplay.games import GamePlan, Starts
from selfmate.selfplay.workers import ThreadWorkers, Workers

LADDER = ("random", "greedy", "teacher:depth=1")  # opponents of the evaluation
MAX_SKIPPED = 3  # updates per cycle
MIN_GATING_GAMES = 100  # for the rule `interval`
PRIORITY_EPSILON = 0.01  # added to TD errors, so that no transition is lost
Floats = NDArray[np.float32]


class DivergedError(Exception):
    """Too many updates of a cycle were skipped."""


class Dqn:
    """The learner: the `State` of a run."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.spec = QNetConfig.of(config)
        torch.manual_seed(config.seed)
        self.net, self.target = self.spec.make_net(), self.spec.make_net()
        self.target.take(self.net.arrays())
        self.adam = Optimizer.adam(self.net, config.max_grad_norm)
        weights = {name: getattr(config, f"vs_{name}") for name in OPPONENTS}
        self.opponents = Opponents(self.spec, self.net, weights)
        self.opponents.promote(self.net.arrays())
        self.replay = _make_replay(config)
        self.starts = Starts(openings=config.openings, endgame_fraction=config.endgame_fraction)
        self.health = HealthMonitor()
        self.workers: Workers = ThreadWorkers(config.threads, available_cores())
        self.counts = {"updates": 0, "promotions": 0}
        self.averages = MovingAverages()
        self.evaluation = Evaluation(
            opponents=LADDER, games=config.evaluation_games, seed=config.seed
        )
        self.gating = GatingMatch(
            rule=config.promotion,
            games=config.promotion_games,
            margin=config.promotion_margin,
            min_games=min(MIN_GATING_GAMES, config.promotion_games),
        )

    def steps(self, run: Run) -> Iterator[Step]:
        player = self.spec.model_dump(mode="json")
        return run.steps(self, total=self.config.cycles, unit="cycles", player=player)

    def play(
        self, cycle: int, rng: np.random.Generator, watch: Stopwatch, tick: Tick = unwatched
    ) -> tuple[dict[str, float], SampleGame]:
        """Plays the games of a cycle into the replay; returns metrics and one game to show."""
        config = self.config
        boards = self.starts.boards(config.games, rng)
        actors = self.opponents.actors(
            self.opponents.seats(config.games, rng),
            epsilon=config.epsilon_in(cycle),
            teacher_depth=config.teacher_depth,
        )
        seed = int(rng.integers(2**63))
        plan = GamePlan(boards=boards, max_plies=config.max_plies, seed=seed)
        games = self.workers.play(actors, plan, tick)
        watch.shift("self_play", games.seconds)
        observer = actors.observer(available_cores())
        self.replay.add(shard_name(cycle), episodes_of(games, observer, config.gamma))
        shown = cycle % config.games  # the learner is White and Black in turn
        white, black = (actors.names[seat] for seat in actors.seats[shown].tolist())
        points, count = points_against_others(games, actors.seats)
        score = {"score_vs_others": points / count} if count else {}
        metrics = game_metrics(games.stats) | score | {"epsilon": actors.epsilon}
        return metrics, sample_of(boards[shown], white, black)

    # The loss.

    def sample(self, rng: np.random.Generator) -> tuple[Sample, Transitions]:
        config = self.config
        sample = self.replay.sample(rng, config.batch_size)
        if config.backup == "two_ply":
            return sample, self.replay.two_ply(sample.rows, gamma=config.gamma)
        transitions = self.replay.negamax(sample.rows, n_step=config.n_step, gamma=config.gamma)
        return sample, transitions

    def targets(self, batch: Transitions, cycle: int) -> Floats:
        """[B] y = returns + discount * Q_target(s', a'), where a' maximizes Q_online over the legal
        actions (van Hasselt et al. 2016), or Q_target itself (Mnih et al. 2015)."""
        config = self.config
        weight = config.teacher_weight(config.shaping_weight, config.shaping_weight_end, cycle)
        q_target = self.target.values(batch.next_states, batch.next_legal)
        q_online = (
            self.net.values(batch.next_states, batch.next_legal) if config.double else q_target
        )
        next_values = ragged_double_q(q_online, q_target, batch.next_legal.offsets)
        # True values lie within -1..1, widened by shaping. The clip also keeps the bonuses of
        # two_ply from adding up to more than a mate.
        next_values = np.clip(next_values, -1 - weight, 1 + weight)
        rewards = batch.returns + self._bonuses(batch, cycle)
        rewards = shaped(rewards, batch.discounts, batch.potentials, batch.next_potentials, weight)
        targets: Floats = rewards + batch.discounts * next_values
        return targets

    def _bonuses(self, batch: Transitions, cycle: int) -> Floats:
        """[B] Rewards that are not zero-sum, for the backup two_ply alone."""
        config = self.config
        bonus = config.teacher_weight(config.imitation_bonus, 0.0, cycle)
        is_among_best = batch.ranks < config.imitation_bonus_top_k
        bonuses: Floats = (bonus * is_among_best).astype(np.float32)
        bonuses -= np.float32(config.truncation_penalty) * batch.is_truncated
        return bonuses

    def loss(self, sample: Sample, batch: Transitions, cycle: int) -> Loss:
        """Weighted Huber loss of the TD errors Q(s, a) - y, plus the imitation loss."""
        config = self.config
        targets = torch.from_numpy(self.targets(batch, cycle))
        q_values = self.net(batch.states, batch.legal)
        log_policy = log_softmax(q_values / config.temperature, batch.legal.offsets)
        taken = q_values[torch.from_numpy(batch.legal.find(batch.actions))]
        td = huber_loss(taken, targets, reduction="none", delta=config.huber_delta)
        return Loss(
            td=(torch.from_numpy(sample.weights) * td).mean(),
            imitation=self.imitation_loss(q_values, log_policy, batch),
            imitation_weight=config.teacher_weight(
                config.imitation_weight, config.imitation_weight_end, cycle
            ),
            errors=(taken.detach() - targets).numpy(),
            policy_metrics={
                "next_legal": float(batch.next_legal.counts.mean()),
                **policy_metrics(q_values.detach(), log_policy.detach(), batch.legal),
            },
        )

    def imitation_loss(self, q_values: Tensor, log_policy: Tensor, batch: Transitions) -> Tensor:
        """Where the teacher was asked: cross-entropy of its best move, or the large-margin loss
        max over a of (Q(s, a) + margin [a != best]) - Q(s, best) (Hester et al. 2018)."""
        advised_rows = np.flatnonzero(batch.advice >= 0)
        if not len(advised_rows):
            return q_values.sum() * 0
        advised = torch.from_numpy(places(batch.legal, batch.advice))
        if self.config.imitation == "cross_entropy":
            return -log_policy[advised].mean()
        margins = torch.full_like(q_values, self.config.margin)
        margins[advised] = 0
        raised = (q_values.detach() + margins).numpy()
        rivals = torch.from_numpy(best_places(raised, batch.legal.offsets)[advised_rows])
        return (q_values[rivals] + margins[rivals] - q_values[advised]).mean()

    # Learning.

    def update(
        self, cycle: int, attempt: int, rng: np.random.Generator, watch: Stopwatch
    ) -> dict[str, float] | None:
        """One gradient step; None if it was skipped because the loss or the gradient exploded."""
        with watch("sampling"):
            sample, batch = self.sample(rng)
        with watch("forward"):
            loss = self.loss(sample, batch, cycle)
        with watch("backward"):
            norm = self.adam.gradient(loss.total)
            if not is_sound(float(loss.total.detach()), norm):
                return None
            self.adam.step(self.config.learning_rate / 2 ** (attempt - 1))
        self.replay.update_priorities(sample, loss.errors)
        self.counts["updates"] += 1
        if self.counts["updates"] % self.config.target_update_every == 0:
            self.target.take(self.net.arrays())
        metrics = loss.metrics() | {"gradient_norm": norm}
        self.averages.add(metrics)
        return metrics

    def learn(self, step: Step, rng: np.random.Generator, watch: Stopwatch) -> dict[str, float]:
        """The updates of a cycle; empty while the replay is too small."""
        if len(self.replay) < self.config.learning_starts:
            return {}
        metrics, skipped, before = list[dict[str, float]](), 0, self.counts["updates"]
        tick = step.part("learning", self.config.updates, "updates")
        for number in range(self.config.updates):
            tick(number)
            of_update = self.update(step.number, step.attempt, rng, watch)
            if of_update is not None:
                metrics.append(of_update)
                continue
            skipped += 1
            if skipped > min(MAX_SKIPPED, self.config.updates - 1):
                raise DivergedError(
                    f"{skipped} updates were skipped: the loss or gradient exploded"
                )
        step.log_updates(before + 1, {name: [of[name] for of in metrics] for name in LOGGED})
        self._note_updates(step, before, metrics[0]["next_legal"])
        return means_of(metrics) | self.averages.metrics() | {"skipped_updates": skipped}

    def _note_updates(self, step: Step, before: int, next_legal: float) -> None:
        """Notes the masks of the first update, and every update of the target net. Those of the
        first cycle that learns are printed; the others would flood a long run."""
        is_first = before == 0
        if is_first:
            step.say("next-state masking is enabled: targets maximize over legal moves alone")
            step.say(f"masking applied: {next_legal:.1f} legal next moves a sample in update 1")
        every = self.config.target_update_every
        for number in range(before // every * every + every, self.counts["updates"] + 1, every):
            note = f"target net synchronized at update {number:,} (every {every:,} updates)"
            step.say(note, aloud=is_first)

    def evaluate(self, step: Step) -> dict[str, float]:
        tick = step.part("evaluation", self.evaluation.all_games, "games")
        return evaluation_metrics(self.evaluation.reports(self.opponents.learner(), tick))

    def gate(self, step: Step) -> Verdict:
        """A match against the best version, which the learner replaces if it is promoted."""
        verdict = self.gating.play(
            self.opponents.learner(),
            self.opponents.best_player(),
            seed=step.number,
            watched=WatchedGames(step.part("gating match", self.gating.games, "games")),
        )
        step.say(verdict.sentence)
        if verdict.promoted:
            name = f"best-{self.counts['promotions']:08d}"
            self.opponents.retire(name, copied(self.opponents.best.arrays()))
            self.opponents.promote(self.net.arrays())
            self.counts["promotions"] += 1
        return verdict

    def save(self) -> SavedState:
        rest = with_prefix(
            target=self.target.arrays(),
            adam=self.adam.arrays(),
            best=self.opponents.best.arrays(),
            replay=self.replay.arrays(),
        )
        return SavedState(
            weights=copied(self.net.arrays()),
            rest=copied(rest),
            facts=self.counts
            | {"averages": {**self.averages.values}, "health": self.health.facts()},
            shards={**dict(self.opponents.past), **self.replay.shards()},
        )

    def load(self, saved: SavedState) -> None:
        restore(self.net.arrays(), saved.weights)
        parts = split_prefix(saved.rest)
        restore(self.target.arrays(), parts["target"])
        restore(self.adam.arrays(), parts["adam"])
        restore(self.opponents.best.arrays(), parts["best"])
        games = replay_shards(saved.shards)  # the other shards are past bests
        self.replay.load(games, parts["replay"])
        self.opponents.past.clear()
        for name, weights in saved.shards.items():
            if name not in games:
                self.opponents.retire(name, weights)
        self.counts = {name: int(saved.facts[name]) for name in self.counts}  # type: ignore[arg-type]
        self.averages.values = dict(saved.facts["averages"])  # type: ignore[arg-type]
        self.health.load(saved.facts["health"])

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)
        self.target.take(weights)
        self.opponents.promote(weights)


def train(config: Config, run: Run, workers: Workers | None = None) -> None:
    """Without `workers` threads of this process play."""
    dqn = Dqn(config)
    if workers is not None:
        dqn.workers = workers
    with one_thread():
        for step in dqn.steps(run):
            try:
                cycle(dqn, step)
            except DivergedError as error:
                step.roll_back(str(error))


def cycle(dqn: Dqn, step: Step) -> None:
    """Self-play, learning, evaluation, gating."""
    config, watch = dqn.config, Stopwatch()
    rng = np.random.default_rng([config.seed, step.number, step.attempt])
    with watch("self_play"):
        tick = step.part("self-play", config.games, "games")
        metrics, game = dqn.play(step.number, rng, watch, tick)
    step.show(game)
    learned = dqn.learn(step, rng, watch)
    alarms = dqn.health.alarms(_health_metrics(metrics, learned)) if learned else ()
    metrics |= learned | {
        "updates": dqn.counts["updates"],
        "replay_size": len(dqn.replay),
        "high_quality_size": len(dqn.replay.high_quality),
    }
    best = score = None
    with watch("evaluation"):
        if step.number % config.evaluate_every == 0 or step.number == config.cycles:
            metrics |= dqn.evaluate(step)
        if step.number % config.promotion_every == 0 or step.number == config.cycles:
            verdict = dqn.gate(step)
            metrics |= verdict.metrics()
            best, score = verdict.promoted, verdict.score
    for alarm in alarms:
        step.say(alarm, alarm=True)
    step.record(metrics, score, best=best, seconds=watch.seconds, cluster=dqn.workers.timings())


def _make_replay(config: Config) -> TransitionReplay:
    high_quality, recent = config.high_quality_fraction, config.recent_fraction
    main = max(0.0, 1 - high_quality - recent)  # 1 - 0.9 - 0.1 is below 0
    priority = Priority(
        alpha=config.priority_alpha, beta=config.priority_beta, epsilon=PRIORITY_EPSILON
    )
    return TransitionReplay(
        Retention(
            main=config.replay_size,
            high_quality=config.high_quality_size,
            min_quality=config.min_quality,
            recent=config.recent_size,
        ),
        fractions=SampleFractions(main=main, high_quality=high_quality, recent=recent),
        priority=priority if config.prioritized else None,
    )


def _health_metrics(games: dict[str, float], learned: dict[str, float]) -> HealthMetrics:
    return HealthMetrics(
        games=int(games["games"]),
        decided=int(games["mates"]),
        cut=int(games["truncated_games"]),
        distinct_games=int(games["distinct_games"]),
        entropy_nats=learned["entropy"],
        ln_legal_nats=learned["ln_legal"],
        value_mean=learned["value_mean"],
        value_spread=learned["value_spread"],
        gradient_norm=learned["gradient_norm"],
    )
