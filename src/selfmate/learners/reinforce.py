"""REINFORCE for chess: play games with oneself, then make the winners' moves likelier.

The policy is softmax(score / temperature) over the legal moves. A game ends with z = 1, 0 or -1 in
White's view; a ply by White has the advantage z - b, one by Black -(z - b), and the loss is the
mean over plies of -advantage * log p(move). Nothing but the end of a game is ever rewarded.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.arena.evaluation import Evaluation, figures_of
from selfmate.arena.sample_game import sample_of
from selfmate.arena.sampling import Plan, sample_games
from selfmate.arena.starts import Starts
from selfmate.data.sampled_games import Rows, SampledGames
from selfmate.learners.health import Vitals, Watch
from selfmate.learners.means import means_of
from selfmate.learners.reinforce_config import Config
from selfmate.learners.targets import advantages, importance_weights
from selfmate.nets.descent import Descent
from selfmate.nets.ragged import log_softmax, row_sums
from selfmate.nets.threads import one_thread
from selfmate.players.scorer_player import ScorerPlayer, ScorerSpec
from selfmate.rules import Board
from selfmate.runs.live import copied, prefixed, restore
from selfmate.runs.run import Arrays, Run, Saved, Step
from selfmate.runs.sample_game import SampleGame
from selfmate.runs.stopwatch import Stopwatch

RUNGS = ("random", "greedy")
CHUNK_PLIES = 256  # that are in memory at once: 40 MB
COMPARED_PLIES = 256  # of a step, with the untrained policy
AVERAGE_SHARE = 0.05  # of the newest step in the moving average
EXPLOSION = 1e4  # of a gradient: what follows would be noise


@dataclass(frozen=True)
class Loss:
    """Sums over plies; `total` is what an update makes smaller."""

    policy: Tensor
    value: Tensor
    total: Tensor


class Reinforce:
    """All that learns and plays: a `State` of a run."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.spec = ScorerSpec(
            encoding=config.encoding,
            hidden=config.hidden,
            value_head=config.baseline == "value_head",
        )
        torch.manual_seed(config.seed)
        self.net, self.untrained = self.spec.make_net(), self.spec.make_net()
        self.untrained.take(self.net.arrays())
        self.adam = Descent.adam(self.net, config.most_norm)
        self.recent: deque[tuple[str, SampledGames]] = deque(maxlen=config.replay)
        self.average = 0.0  # of results, in White's view
        self.starts = Starts(openings=config.openings, endgames=config.endgames)
        self.health = Watch()
        self.player = ScorerPlayer(
            "learner", self.spec, self.net, config.temperature_play, config.finds_mates
        )
        self.evaluation = Evaluation(
            opponents=RUNGS, games=config.evaluation_games, seed=config.seed
        )

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.config.games,
            unit="games",
            size=self.config.games_per_click,
            player=self.spec.model_dump(mode="json"),
        )

    def plan(self, boards: Sequence[Board], temperature: float, dice: np.random.Generator) -> Plan:
        return Plan(
            boards=boards,
            temperature=temperature,
            max_plies=self.config.max_plies,
            seed=int(dice.integers(2**63)),
            finds_mates=self.config.finds_mates,
            random_sides=self.random_sides(len(boards), dice),
        )

    def play(self, plan: Plan) -> SampledGames:
        return sample_games(self.spec, self.net, plan)

    def random_sides(self, count: int, dice: np.random.Generator) -> NDArray[np.int8]:
        """[G] 1 or -1 where White or Black moves at random, 0 in games with itself."""
        sides = dice.choice(np.array([1, -1], np.int8), size=count)
        return np.where(dice.random(count) < self.config.vs_random, sides, 0).astype(np.int8)

    def loss(self, games: SampledGames, rows: Rows) -> Loss:
        """Of some plies, added up."""
        asked = games.candidates(rows)
        scores, values = self.net(asked)
        logs = log_softmax(scores / float(games.temperature[0]), asked.offsets)
        taken = logs[torch.from_numpy(asked.offsets[:-1] + games.chosen[rows])]
        results = games.results_of_plies[rows].astype(np.float32)
        gains = advantages(results, games.is_white[rows], self.expected(values))
        weights = importance_weights(
            taken.detach().numpy(), games.log_probs[rows], self.config.most_weight
        )
        policy = -(torch.from_numpy((weights * gains).astype(np.float32)) * taken).sum()
        value = policy * 0
        if values is not None:
            value = (values - torch.from_numpy(results)).square().sum()
        total = policy + self.config.value_weight * value
        if self.config.entropy_bonus:
            entropy = -row_sums(logs.exp() * logs, asked.offsets).sum()
            total = total - self.config.entropy_bonus * entropy
        return Loss(policy, value, total)

    def expected(self, values: Tensor | None) -> NDArray[np.float32] | float:
        """The baseline, in White's view."""
        if values is not None:
            found: NDArray[np.float32] = values.detach().numpy()
            return found
        return self.average if self.config.baseline == "moving_average" else 0.0

    def telling(self, games: SampledGames) -> Rows:
        """The plies that have a gradient: a result that is just the baseline has none."""
        if self.spec.value_head or self.config.entropy_bonus:
            return np.arange(len(games))
        return np.flatnonzero(games.results_of_plies != self.expected(None))

    def learn(
        self, games: SampledGames, attempt: int, dice: np.random.Generator
    ) -> dict[str, float] | None:
        """The updates of a step; None when a gradient was not finite or vast."""
        material = [games, *(page for _, page in self.recent)]
        shares = [self._shared_out(page, dice) for page in material]
        plies = sum(map(len, material)) / self.config.updates
        told = []
        for update in range(self.config.updates):
            parts = [(page, share[update]) for page, share in zip(material, shares, strict=True)]
            figures = self.update(parts, plies, self.config.learning_rate / 2 ** (attempt - 1))
            if figures is None:
                return None
            told.append(figures)
        return means_of(told)

    def _shared_out(self, games: SampledGames, dice: np.random.Generator) -> list[Rows]:
        return np.array_split(dice.permutation(self.telling(games)), self.config.updates)

    def update(
        self, parts: Sequence[tuple[SampledGames, Rows]], plies: float, learning_rate: float
    ) -> dict[str, float] | None:
        """A step down the gradient of the mean over so many plies, of which those without a
        gradient need not be there."""
        sums = {"loss": 0.0, "value_loss": 0.0}

        def losses() -> Iterator[Tensor]:
            for games, rows in parts:
                for begin in range(0, len(rows), CHUNK_PLIES):
                    loss = self.loss(games, rows[begin : begin + CHUNK_PLIES])
                    sums["loss"] += float(loss.policy.detach()) / plies
                    sums["value_loss"] += float(loss.value.detach()) / plies
                    yield loss.total / plies

        norm = 0.0
        if any(len(rows) for _, rows in parts):
            norm = self.adam.gradient_of_sum(losses())
            if not (math.isfinite(norm) and norm < EXPLOSION):
                return None
            self.adam.step(learning_rate)
        return sums | {"gradient_norm": norm}

    def remember(self, name: str, games: SampledGames) -> None:
        """What the next step knows of this one."""
        self.average += AVERAGE_SHARE * (float(games.results.mean()) - self.average)
        self.recent.append((name, games))

    @torch.inference_mode()
    def distance(self, games: SampledGames) -> float:
        """KL(policy || untrained policy) in nats, mean over some of the plies."""
        asked = games.candidates(np.arange(0, len(games), -(-len(games) // COMPARED_PLIES)))
        nets, temperature = (self.net, self.untrained), float(games.temperature[0])
        now, before = (log_softmax(net(asked)[0] / temperature, asked.offsets) for net in nets)
        return float((now.exp() * (now - before)).sum()) / (len(asked.offsets) - 1)

    def evaluate(self) -> dict[str, float]:
        return figures_of(self.evaluation.reports(self.player))

    def save(self) -> Saved:
        return Saved(
            weights=copied(self.net.arrays()),
            rest=copied(prefixed(adam=self.adam.arrays())),
            facts={"average": self.average, "health": self.health.facts()},
            pages={name: games.arrays() for name, games in self.recent},
        )

    def load(self, saved: Saved) -> None:
        restore(self.net.arrays(), saved.weights)
        restore(prefixed(adam=self.adam.arrays()), saved.rest)
        self.recent.clear()
        for name, page in saved.pages.items():
            self.recent.append((name, SampledGames.from_arrays(page)))
        self.average = float(saved.facts["average"])  # type: ignore[arg-type]
        self.health.load(saved.facts["health"])

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: Config, run: Run) -> None:
    learner = Reinforce(config)
    with one_thread():
        for step in learner.steps(run):
            click(learner, step)


def click(learner: Reinforce, step: Step) -> None:
    """Some games, and what is to be learned from them."""
    config, watch = learner.config, Stopwatch()
    dice = np.random.default_rng([config.seed, step.number, step.attempt])
    temperature = config.temperature_after(step.start)
    boards = learner.starts.boards(step.stop - step.start, dice)
    plan = learner.plan(boards, temperature, dice)
    with watch("self_play"):
        games = learner.play(plan)
    with watch("learning"):
        learned = learner.learn(games, step.attempt, dice)
    if learned is None:
        step.go_back("the gradient was not finite or vast")
        return
    step.show(_shown(plan, step.number % len(boards), learner.player.name))
    figures = _games(games, boards) | learned | {"kl": learner.distance(games)}
    figures |= {"temperature": temperature, "baseline": learner.average}
    learner.remember(f"sampled-{step.number:08d}", games)
    with watch("evaluation"):
        if step.number % config.evaluate_every == 0 or step.stop == config.games:
            figures |= learner.evaluate()
    for alarm in learner.health.alarms(_vitals(games, figures)):
        step.say(alarm, alarm=True)
    step.record(figures, figures.get("score_random"), seconds=watch.seconds)


def _shown(plan: Plan, number: int, learner: str) -> SampleGame:
    """A game with the names of those who played it."""
    side = 0 if plan.random_sides is None else plan.random_sides[number]
    white, black = ("random" if side == color else learner for color in (1, -1))
    return sample_of(plan.boards[number], white, black)


def _games(games: SampledGames, boards: Sequence[Board]) -> dict[str, float]:
    """How the games went. Those that were cut are draws to the loss, but not here."""
    results, count = games.results, len(games.results)
    return {
        "white_wins": float((results > 0).mean()),
        "black_wins": float((results < 0).mean()),
        "draws": float(((results == 0) & ~games.is_cut).mean()),
        "cut_games": float(games.is_cut.mean()),
        "plies": len(games) / count,
        "distinct_games": len({(board.start_fen, *board.moves) for board in boards}),
        "entropy": float(games.entropies.mean()),
        "ln_legal": float(np.log(games.legal_counts, dtype=np.float64).mean()),
    }


def _vitals(games: SampledGames, figures: dict[str, float]) -> Vitals:
    return Vitals(
        games=len(games.results),
        decided=int((games.results != 0).sum()),
        cut=int(games.is_cut.sum()),
        distinct_games=int(figures["distinct_games"]),
        entropy_nats=figures["entropy"],
        ln_legal_nats=figures["ln_legal"],
        gradient_norm=figures["gradient_norm"],
    )
