"""Double DQN for chess, by playing: play, remember, learn, evaluate, and again.

Two sides take turns, so a position is worth to its mover the reward, less what the next position is
worth to the other: y = r - gamma * Q_target(s', the best legal a' by Q_online). Mating is worth +1;
being mated needs no reward of its own, it arrives through the backup.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import huber_loss

from selfmate.arena.evaluation import Evaluation, figures_of
from selfmate.arena.promotion import Promotion
from selfmate.arena.sample_game import sample_of
from selfmate.arena.self_play import Plan, Tally, play_games
from selfmate.arena.starts import Starts
from selfmate.data.replay import (
    Drawn,
    Moves,
    Priority,
    Replay,
    Shares,
    page_name,
    pages_of_replay,
)
from selfmate.encodings.packed import inputs_of
from selfmate.learners.dqn_config import OPPONENTS, Config
from selfmate.learners.health import Vitals, Watch
from selfmate.learners.means import means_of
from selfmate.learners.opponents import Opponents
from selfmate.learners.targets import ragged_double_q, shaped
from selfmate.nets.descent import Descent
from selfmate.nets.ragged import log_softmax
from selfmate.nets.threads import one_thread
from selfmate.players.q_player import QPlayerSpec
from selfmate.rules.ragged import Ragged, best_places
from selfmate.runs.live import copied, parted, prefixed, restore
from selfmate.runs.run import Arrays, Run, Saved, Step
from selfmate.runs.sample_game import SampleGame
from selfmate.runs.stopwatch import Stopwatch

RUNGS = ("random", "greedy", "teacher:depth=1")
EXPLOSION = 1e4  # of a loss or a gradient: what follows would be noise
MOST_REFUSED = 3  # batches of a cycle
Floats = NDArray[np.float32]


class DivergedError(Exception):
    """Too few batches of a cycle could be learned from."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """What an update makes smaller, and what is seen on the way."""

    td: Tensor
    imitation: Tensor
    imitation_weight: float
    errors: Floats  # [B] of the taken actions' values
    spreads: dict[str, float]

    @property
    def total(self) -> Tensor:
        return self.td + self.imitation_weight * self.imitation

    def figures(self) -> dict[str, float]:
        return {
            "loss": float(self.total.detach()),
            "td_loss": float(self.td.detach()),
            "imitation_loss": float(self.imitation.detach()),
            "td_error": float(np.abs(self.errors).mean()),
            **self.spreads,
        }


class Dqn:
    """All that learns and plays: a `State` of a run."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.spec = QPlayerSpec(hidden=config.hidden, dueling=config.dueling)
        torch.manual_seed(config.seed)
        self.net, self.target = self.spec.make_net(), self.spec.make_net()
        self.target.take(self.net.arrays())
        self.adam = Descent.adam(self.net, config.most_norm)
        weights = {name: getattr(config, f"vs_{name}") for name in OPPONENTS}
        self.opponents = Opponents(self.spec, self.net, weights)
        self.opponents.promote(self.net.arrays())
        self.replay = Replay(config.replay, shares=_shares(config), priority=_priority(config))
        self.starts = Starts(openings=config.openings, endgames=config.endgames)
        self.health = Watch()
        self.counts = {"updates": 0, "promotions": 0}
        self.evaluation = Evaluation(
            opponents=RUNGS, games=config.evaluation_games, seed=config.seed
        )
        self.promotion = Promotion(
            rule=config.promotion,
            games=config.promotion_games,
            margin=config.promotion_margin,
            least_games=min(100, config.promotion_games),
        )

    def steps(self, run: Run) -> Iterator[Step]:
        player = self.spec.model_dump(mode="json")
        return run.steps(self, total=self.config.cycles, unit="cycles", player=player)

    def play(self, cycle: int, dice: np.random.Generator) -> tuple[Tally, SampleGame]:
        """The games of a cycle, kept as a page of the replay, and one of them to be shown."""
        config = self.config
        plan = Plan(
            boards=self.starts.boards(config.games, dice),
            seats=self.opponents.seats(config.games, dice),
            epsilon=config.epsilon_in(cycle),
            max_plies=config.max_plies,
            seed=int(dice.integers(2**63)),
            gamma=config.gamma,
            advice_depth=config.advice_depth,
        )
        players = self.opponents.players()
        page, tally = play_games(players, plan)
        self.replay.add(page_name(cycle), page)
        shown = cycle % config.games  # the learner is White and Black in turn
        white, black = (players[seat].name for seat in plan.seats[shown].tolist())
        return tally, sample_of(plan.boards[shown], white, black)

    def draw(self, dice: np.random.Generator) -> tuple[Drawn, Moves]:
        config = self.config
        drawn = self.replay.draw(dice, config.batch)
        if config.backup == "two_ply":
            return drawn, self.replay.two_ply(drawn.rows, gamma=config.gamma)
        return drawn, self.replay.moves(drawn.rows, steps=config.steps, gamma=config.gamma)

    def targets(self, moves: Moves, cycle: int) -> Floats:
        """What the taken actions are worth, by the rewards and the values of what came of them."""
        config = self.config
        shaping = config.helped(config.shaping, config.shaping_end, cycle)
        inputs = inputs_of(moves.next_states)
        valued = self.target.values(inputs, moves.next_legal)
        online = self.net.values(inputs, moves.next_legal) if config.double else valued
        best = ragged_double_q(online, valued, moves.next_legal.offsets)
        # No value is outside of what mates allow, so a net that says so is not believed; and the
        # extras of two_ply cannot add up to more than a mate.
        best = np.clip(best, -1 - shaping, 1 + shaping)
        rewards = moves.returns + self._extras(moves, cycle)
        rewards = shaped(rewards, moves.discounts, moves.potentials, moves.next_potentials, shaping)
        found: Floats = rewards + moves.discounts * best
        return found

    def _extras(self, moves: Moves, cycle: int) -> Floats:
        """Rewards that are not zero-sum, for the backup two_ply alone."""
        config = self.config
        bonus = config.helped(config.imitation_bonus, 0.0, cycle)
        extras: Floats = (bonus * (moves.actions == moves.advice)).astype(np.float32)
        extras -= np.float32(config.cut_penalty) * moves.is_cut
        return extras

    def loss(self, drawn: Drawn, moves: Moves, cycle: int) -> "Loss":
        """Huber loss of the taken actions' values, and how far the teacher's are from chosen."""
        config = self.config
        targets = torch.from_numpy(self.targets(moves, cycle))
        values = self.net(inputs_of(moves.states), moves.legal)
        logs = log_softmax(values / config.temperature, moves.legal.offsets)
        taken = values[torch.from_numpy(moves.legal.find(moves.actions))]
        td = huber_loss(taken, targets, reduction="none", delta=config.huber_delta)
        return Loss(
            td=(torch.from_numpy(drawn.weights) * td).mean(),
            imitation=self.imitation_loss(values, logs, moves),
            imitation_weight=config.helped(
                config.imitation_weight, config.imitation_weight_end, cycle
            ),
            errors=(taken.detach() - targets).numpy(),
            spreads={
                "next_legal": float(moves.next_legal.counts.mean()),
                **_spreads(values.detach().numpy(), logs.detach().numpy(), moves.legal),
            },
        )

    def imitation_loss(self, values: Tensor, logs: Tensor, moves: Moves) -> Tensor:
        """How far the teacher's best moves are from being preferred, where it was asked."""
        asked = np.flatnonzero(moves.advice >= 0)
        if not len(asked):
            return values.sum() * 0
        advised = torch.from_numpy(_places(moves.legal, moves.advice))
        if self.config.imitation == "cross_entropy":
            return -logs[advised].mean()
        ahead = torch.full_like(values, self.config.margin)
        ahead[advised] = 0
        rivals = best_places((values.detach() + ahead).numpy(), moves.legal.offsets)[asked]
        chosen = torch.from_numpy(rivals)
        return (values[chosen] + ahead[chosen] - values[advised]).mean()

    def update(
        self, cycle: int, attempt: int, dice: np.random.Generator, watch: Stopwatch
    ) -> dict[str, float] | None:
        """An update from remembered moves; None when it was refused, being not finite or vast."""
        with watch("sampling"):
            drawn, moves = self.draw(dice)
        with watch("forward"):
            loss = self.loss(drawn, moves, cycle)
        with watch("backward"):
            norm = self.adam.gradient(loss.total)
            if not _is_sound(float(loss.total.detach()), norm):
                return None
            self.adam.step(self.config.learning_rate / 2 ** (attempt - 1))
        self.replay.correct(drawn, loss.errors)
        self._sync()
        return loss.figures() | {"gradient_norm": norm}

    def _sync(self) -> None:
        self.counts["updates"] += 1
        if self.counts["updates"] % self.config.target_sync == 0:
            self.target.take(self.net.arrays())

    def learn(self, step: Step, dice: np.random.Generator, watch: Stopwatch) -> dict[str, float]:
        """The updates of a cycle; empty when too little is remembered for the first one."""
        if len(self.replay) < self.config.learning_starts:
            return {}
        told, refused, before = list[dict[str, float]](), 0, self.counts["updates"]
        for _ in range(self.config.updates):
            figures = self.update(step.number, step.attempt, dice, watch)
            if figures is not None:
                told.append(figures)
                continue
            refused += 1
            if refused > min(MOST_REFUSED, self.config.updates - 1):
                raise DivergedError(f"{refused} batches were refused, being not finite or vast")
        self._tell(step, before, told[0]["next_legal"])
        means = means_of(told)
        return means | {"refused": refused}

    def _tell(self, step: Step, before: int, next_legal: float) -> None:
        """Once that masks are on, and every time that the target net followed."""
        if not before:
            step.say(
                "next-state masking is on: values of next positions are of their legal moves, "
                f"{next_legal:.1f} a sample in the first update"
            )
        every = self.config.target_sync
        syncs = [n for n in range(before + 1, self.counts["updates"] + 1) if n % every == 0]
        for number in syncs:
            note = f"the target net followed at update {number:,}, as every {every:,} updates"
            step.say(note, aloud=False)

    def evaluate(self) -> dict[str, float]:
        return figures_of(self.evaluation.reports(self.opponents.learner()))

    def contest(self, step: Step) -> dict[str, float]:
        """A match with the best so far, whose place may be taken."""
        verdict = self.promotion.contest(
            self.opponents.learner(), self.opponents.best_player(), seed=step.number
        )
        step.say(verdict.sentence)
        if verdict.promoted:
            name = f"best-{self.counts['promotions']:08d}"
            self.opponents.retire(name, copied(self.opponents.best.arrays()))
            self.opponents.promote(self.net.arrays())
            self.counts["promotions"] += 1
        return {"score_best": verdict.score, "promoted": int(verdict.promoted)}

    def save(self) -> Saved:
        rest = prefixed(
            target=self.target.arrays(),
            adam=self.adam.arrays(),
            best=self.opponents.best.arrays(),
            replay=self.replay.arrays(),
        )
        facts: dict[str, Any] = {**self.counts, "health": self.health.facts()}
        past = dict(self.opponents.past)
        return Saved(
            weights=copied(self.net.arrays()),
            rest=copied(rest),
            facts=facts,
            pages={**past, **self.replay.pages()},
        )

    def load(self, saved: Saved) -> None:
        restore(self.net.arrays(), saved.weights)
        parts = parted(saved.rest)
        restore(self.target.arrays(), parts["target"])
        restore(self.adam.arrays(), parts["adam"])
        restore(self.opponents.best.arrays(), parts["best"])
        games = pages_of_replay(saved.pages)
        self.replay.load(games, parts["replay"])
        self.opponents.past.clear()
        for name, page in saved.pages.items():
            if name not in games:
                self.opponents.retire(name, page)
        self.counts = {name: int(saved.facts[name]) for name in self.counts}  # type: ignore[arg-type]
        self.health.load(saved.facts["health"])

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)
        self.target.take(weights)
        self.opponents.promote(weights)


def train(config: Config, run: Run) -> None:
    dqn = Dqn(config)
    with one_thread():
        for step in dqn.steps(run):
            try:
                cycle(dqn, step)
            except DivergedError as error:
                step.go_back(str(error))


def cycle(dqn: Dqn, step: Step) -> None:
    config, watch = dqn.config, Stopwatch()
    dice = np.random.default_rng([config.seed, step.number, step.attempt])
    with watch("self_play"):
        tally, game = dqn.play(step.number, dice)
    step.show(game)
    figures = _games(tally) | {"epsilon": config.epsilon_in(step.number)}
    learned = dqn.learn(step, dice, watch)
    figures |= learned | {"updates": dqn.counts["updates"], "replay": len(dqn.replay)}
    best = None
    with watch("evaluation"):
        if step.number % config.evaluate_every == 0 or step.number == config.cycles:
            figures |= dqn.evaluate()
        if step.number % config.promotion_every == 0 or step.number == config.cycles:
            verdict = dqn.contest(step)
            figures |= verdict
            best = bool(verdict["promoted"])
    for alarm in dqn.health.alarms(_vitals(tally, learned)) if learned else ():
        step.say(alarm, alarm=True)
    step.record(figures, figures.get("score_best"), best=best, seconds=watch.seconds)


def _shares(config: Config) -> Shares:
    high, recent = config.share_high, config.share_recent
    return Shares(main=max(0.0, 1 - high - recent), high=high, recent=recent)  # 1 - 0.9 - 0.1


def _priority(config: Config) -> Priority | None:
    if not config.prioritized:
        return None
    return Priority(alpha=config.priority_alpha, beta=config.priority_beta, epsilon=0.01)


def _places(legal: Ragged, actions: NDArray[np.int16]) -> NDArray[np.int64]:
    """Where an action of each row stands among all legal ones; -1 stands nowhere."""
    return np.flatnonzero(legal.values == np.repeat(actions, legal.counts))


def _is_sound(loss: float, norm: float) -> bool:
    return math.isfinite(loss) and math.isfinite(norm) and max(abs(loss), norm) < EXPLOSION


def _spreads(values: Floats, logs: Floats, legal: Ragged) -> dict[str, float]:
    """What the net says of some positions: how sure it is, and how much they differ."""
    best = np.maximum.reduceat(values, legal.offsets[:-1])
    entropy = -np.add.reduceat(np.exp(logs) * logs, legal.offsets[:-1])
    return {
        "entropy": float(entropy.mean()),
        "ln_legal": float(np.log(legal.counts).mean()),
        "value_mean": float(best.mean()),
        "value_spread": float(best.std()),
    }


def _games(tally: Tally) -> dict[str, float]:
    return {
        "games": tally.games,
        "plies": tally.plies / tally.games,
        "distinct_games": tally.distinct,
        "mates": tally.ends["checkmate"],
        "cut_games": tally.ends["ply_limit"],
        "score_vs_others": tally.points / tally.contests if tally.contests else 0.5,
    }


def _vitals(tally: Tally, learned: dict[str, float]) -> Vitals:
    return Vitals(
        games=tally.games,
        decided=tally.ends["checkmate"],
        cut=tally.ends["ply_limit"],
        distinct_games=tally.distinct,
        entropy_nats=learned["entropy"],
        ln_legal_nats=learned["ln_legal"],
        value_mean=learned["value_mean"],
        value_spread=learned["value_spread"],
        gradient_norm=learned["gradient_norm"],
    )
