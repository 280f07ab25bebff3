"""One-step actor-critic for chess (Sutton and Barto 2018, section 13.5), in batches of games.

The actor is softmax(score / temperature) over the legal moves, the critic V(s) expects the result
in White's view. A ply leads from s to s'; its target is the result z where the game ended there,
otherwise V(s'). The temporal-difference error target - V(s), for the side that moved, is the
advantage of the move: the actor makes moves with a positive error likelier, the critic shrinks it.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.arena.gating import Evaluation, evaluation_metrics
from selfmate.arena.match import sample_of
from selfmate.data.trajectories import SampledGames
from selfmate.learners.reinforce.learner import SamplingActor, sampled_games
from selfmate.learners.targets import advantages
from selfmate.nets.optim import Optimizer, one_thread
from selfmate.nets.sparse import log_softmax
from selfmate.players.network import ScorerPlayer
from selfmate.rules import Board
from selfmate.runs import (
    Arrays,
    Run,
    SavedState,
    Step,
    Tick,
    copied,
    restore,
    unwatched,
    with_prefix,
)
from selfmate.selfplay.games import GamePlan, GameStats, Starts, Trajectories, play_games
from selfmate_actor_critic.config import Config

OPPONENTS = ("random", "greedy")
CHUNK_PLIES = 256  # plies per forward pass


def next_rows(games: NDArray[np.int32], plies: NDArray[np.int64]) -> NDArray[np.int64]:
    """[P] The row of the ply that follows each ply in its game; -1 after the last one."""
    order = np.lexsort((plies, games))
    follows = games[order[1:]] == games[order[:-1]]
    found = np.full(len(games), -1, np.int64)
    found[order[:-1]] = np.where(follows, order[1:], -1)
    return found


def td_targets(
    values: NDArray[np.float32],
    after: NDArray[np.int64],
    results: NDArray[np.float32],
    is_truncated: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """[P] V(s') or, after the last ply, the result; all in White's view. The critic knows nothing
    about the end of a truncated game, whose last ply keeps its own value."""
    ends = np.where(is_truncated, values, results)
    return np.where(after >= 0, values[after], ends).astype(np.float32)


class ActorCritic:
    """The learner: the `State` of a run."""

    def __init__(self, config: Config) -> None:
        self.config, net = config, config.net()
        torch.manual_seed(config.seed)
        self.net = net.make_net()
        self.optimizer = Optimizer.adam(self.net, config.max_grad_norm)
        self.starts = Starts(openings=True, endgame_fraction=0.0)
        self.player = ScorerPlayer("learner", net, self.net)
        self.evaluation = Evaluation(
            opponents=OPPONENTS, games=config.evaluation_games, seed=config.seed
        )

    def steps(self, run: Run) -> Iterator[Step]:
        config = self.config
        return run.steps(
            self,
            total=config.games,
            unit="games",
            size=config.games_per_iteration,
            player=config.net().model_dump(mode="json"),
        )

    def play(
        self, boards: Sequence[Board], seed: int, tick: Tick = unwatched
    ) -> tuple[SampledGames, Trajectories]:
        actor = SamplingActor(
            spec=self.config.net(), net=self.net, temperature=self.config.temperature
        )
        plan = GamePlan(boards=boards, max_plies=self.config.max_plies, seed=seed)
        games = play_games([actor], plan, tick)
        return sampled_games(games, self.config.temperature), games

    def targets(self, games: SampledGames, plies: NDArray[np.int64]) -> NDArray[np.float32]:
        """[P] Temporal-difference targets by the critic as it is now, in White's view."""
        with torch.inference_mode():
            values = np.concatenate([self._values(games, rows) for rows in _chunks(len(games))])
        results = games.results_of_plies.astype(np.float32)
        is_truncated = games.is_cut[games.games]
        return td_targets(values, next_rows(games.games, plies), results, is_truncated)

    def _values(self, games: SampledGames, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self.net(games.candidates(rows))[1].numpy()
        return values

    def losses(
        self, games: SampledGames, targets: NDArray[np.float32], sums: dict[str, float]
    ) -> Iterator[Tensor]:
        """The loss in parts, whose sum is the mean over all plies."""
        for rows in _chunks(len(games)):
            asked = games.candidates(rows)
            scores, values = self.net(asked)
            log_policy = log_softmax(scores / self.config.temperature, asked.offsets)
            taken = log_policy[torch.from_numpy(asked.offsets[:-1] + games.chosen[rows])]
            errors = advantages(targets[rows], games.is_white[rows], values.detach().numpy())
            actor = -(torch.from_numpy(errors) * taken).sum()
            critic = (values - torch.from_numpy(targets[rows])).square().sum()
            entropy = -(log_policy.exp() * log_policy).sum()
            sums["loss"] += float(actor.detach()) / len(games)
            sums["value_loss"] += float(critic.detach()) / len(games)
            total = actor + self.config.value_weight * critic - self.config.entropy_bonus * entropy
            yield total / len(games)

    def update(
        self, games: SampledGames, plies: NDArray[np.int64], learning_rate: float
    ) -> dict[str, float] | None:
        """One gradient step; None if the gradient is not finite."""
        sums = {"loss": 0.0, "value_loss": 0.0}
        targets = self.targets(games, plies)
        norm = self.optimizer.gradient_of_sum(self.losses(games, targets, sums))
        if not math.isfinite(norm):
            return None
        self.optimizer.step(learning_rate)
        return sums | {"gradient_norm": norm}

    def save(self) -> SavedState:
        return SavedState(
            weights=copied(self.net.arrays()),
            rest=copied(with_prefix(optimizer=self.optimizer.arrays())),
            facts={},
        )

    def load(self, saved: SavedState) -> None:
        restore(self.net.arrays(), saved.weights)
        restore(with_prefix(optimizer=self.optimizer.arrays()), saved.rest)

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: Config, run: Run) -> None:
    learner = ActorCritic(config)
    with one_thread():
        for step in learner.steps(run):
            iteration(learner, step)


def iteration(learner: ActorCritic, step: Step) -> None:
    """Self-play, one update, and now and then an evaluation."""
    config = learner.config
    rng = np.random.default_rng([config.seed, step.number, step.attempt])
    boards = learner.starts.boards(step.stop - step.start, rng)
    tick = step.part("self-play", len(boards), "games")
    games, played = learner.play(boards, int(rng.integers(2**63)), tick)
    learned = learner.update(games, played.plies, config.learning_rate / 2 ** (step.attempt - 1))
    if learned is None:
        step.roll_back("the gradient is not finite")
        return
    step.show(sample_of(boards[step.number % len(boards)], "learner", "learner"))
    metrics = _game_metrics(games, played.stats) | learned
    if step.number % config.evaluate_every == 0 or step.stop == config.games:
        tick = step.part("evaluation", learner.evaluation.all_games, "games")
        metrics |= evaluation_metrics(learner.evaluation.reports(learner.player, tick))
    step.record(metrics, metrics.get("score_random"))


def _game_metrics(games: SampledGames, stats: GameStats) -> dict[str, float]:
    return {
        "decided_games": stats.decided,
        "truncated_games": stats.truncated,
        "plies": stats.plies / stats.games,
        "entropy": float(games.entropies.mean()),
        "ln_legal": float(np.log(games.legal_counts, dtype=np.float64).mean()),
    }


def _chunks(count: int) -> list[NDArray[np.int64]]:
    """Rows in parts that fit into memory."""
    return np.split(np.arange(count), range(CHUNK_PLIES, count, CHUNK_PLIES))
