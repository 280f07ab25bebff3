"""AlphaZero: a net guides a tree search, plays itself with it, and learns what the search found.

The policy follows how often the search would play each move, the value how games ended. Whoever
learned plays on only if a match with the best so far says so.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from selfmate.arena.evaluation import Evaluation, figures_of
from selfmate.arena.gate import Gate
from selfmate.arena.sample_game import sample_of
from selfmate.arena.sprt import Sprt
from selfmate.arena.starts import Starts
from selfmate.arena.tree_self_play import Plan, Tally, play_games
from selfmate.data.chunk_stream import ChunkStream
from selfmate.data.chunks import ChunkFolder, DamagedChunkError
from selfmate.data.examples import Examples, examples_of_games
from selfmate.data.replay import page_name, pages_of_replay
from selfmate.data.tree_games import TreeGames
from selfmate.data.tree_replay import TreeReplay, joined
from selfmate.learners.alphazero_config import Config
from selfmate.learners.alphazero_lesson import Lesson
from selfmate.learners.alphazero_net import check_net
from selfmate.learners.health import Cures, Vitals, Watch
from selfmate.learners.master_games import open_masters
from selfmate.learners.means import means_of
from selfmate.learners.resignation import Resignation
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.threads import one_thread
from selfmate.players.tree_player import TreePlayer
from selfmate.runs.errors import RunFailedError
from selfmate.runs.live import copied, parted, prefixed
from selfmate.runs.run import Arrays, Run, Saved, Step
from selfmate.runs.sample_game import SampleGame
from selfmate.runs.stopwatch import Stopwatch
from selfmate.runs.tensors import check_layout
from selfmate.search.tree import TreeSettings

CPU = torch.device("cpu")
CURES = Cures(
    variety="raise temperature or noise_share",
    draws="raise temperature, temperature_plies or endgames",
    repeats="raise temperature, temperature_plies or noise_share",
    cuts="raise max_plies or endgames",
    sameness="raise endgames or simulations, or change learning_rate",
    leaps="lower learning_rate",
)
RUNGS = ("random", "greedy", "teacher:depth=1")


class DivergedError(Exception):
    """What was learned cannot be used."""


class AlphaZero:
    """All that learns and plays: a `State` of a run."""

    def __init__(
        self, config: Config, masters: ChunkFolder | None = None, device: torch.device = CPU
    ) -> None:
        self.config, self.masters, self.device = config, masters, device
        torch.manual_seed(config.seed)
        self.net = config.spec().make_net().to(device)
        self.net.checkpointing = config.checkpointing
        self.best = config.spec().make_net().to(device)
        self.best.take(self.net.arrays())
        self.descent = Descent.sgd(
            self.net, config.most_norm, momentum=config.momentum, weight_decay=config.weight_decay
        )
        self.crew = Crew(config.threads)
        self.evaluators = [make_evaluator(self.best) for _ in range(config.threads)]
        self.replay = TreeReplay(config.replay, config.recent, config.search_share)
        self.starts = Starts(openings=config.openings, endgames=config.endgames)
        self.resignation = Resignation(config.resign_checked)
        self.health = Watch(CURES)
        self.highest: Arrays = copied(self.net.arrays())  # with the highest score on the ladder
        self.ladder_score = 0.0  # theirs
        self.counts = {"updates": 0, "promotions": 0, "roll_backs": 0}
        self.evaluation = Evaluation(
            opponents=RUNGS,
            games=config.evaluation_games,
            seed=config.seed,
            max_plies=config.max_plies,
        )
        self.gate = Gate(
            rule=config.promotion,
            games=config.promotion_games,
            sprt=Sprt(config.elo0, config.elo1),
            max_plies=config.max_plies,
        )

    def steps(self, run: Run) -> Iterator[Step]:
        player = self.config.spec().model_dump(mode="json")
        return run.steps(self, total=self.config.cycles, unit="cycles", player=player)

    def play(self, cycle: int, dice: np.random.Generator) -> tuple[Tally, SampleGame]:
        """The games of a cycle by the best net, kept as a page of the replay; one to be shown."""
        plan = self.plan(dice)
        games, tally = play_games(self.evaluators, plan)
        self.replay.add(page_name(cycle), games)
        self.resignation.saw(tally.checked, tally.wrong)
        return tally, sample_of(plan.boards[cycle % len(plan.boards)], "best", "best")

    def plan(self, dice: np.random.Generator) -> Plan:
        config = self.config
        return Plan(
            boards=self.starts.boards(config.games, dice),
            settings=self.search_settings(),
            simulations=config.simulations,
            at_once=config.at_once,
            max_plies=config.max_plies,
            temperature=config.temperature,
            temperature_end=config.temperature_end,
            temperature_plies=config.temperature_plies,
            resign=config.resign,
            resign_checked=self.resignation.checked,
            seed=int(dice.integers(2**63)),
        )

    def search_settings(self) -> TreeSettings:
        config = self.config
        return TreeSettings(
            c_puct=config.c_puct,
            fpu_reduction=config.fpu_reduction,
            noise_alpha=config.noise_alpha,
            noise_share=config.noise_share,
            gumbel_moves=config.gumbel_moves,
            gumbel_visits=config.gumbel_visits,
            gumbel_scale=config.gumbel_scale,
            widening=config.widening,
            widening_power=config.widening_power,
            exact_key=config.exact_key,
            cached_evaluations=config.cached_evaluations,
            most_nodes=config.most_nodes,
        )

    def learn(self, cycle: int, dice: np.random.Generator, attempt: int = 1) -> dict[str, float]:
        """The updates of a cycle, in smaller steps if they came to nothing before."""
        updates = math.ceil(self.config.epochs * len(self.replay) / self.config.batch)
        updates = min(updates, self.config.most_updates or updates)
        rate = self.config.learning_rate_in(cycle) / 2 ** (attempt - 1)
        lessons = self.lessons(cycle, updates, dice)
        told = [self.update(examples, rate) for examples in lessons]
        means = means_of(told)
        if not all(map(math.isfinite, means.values())):
            raise DivergedError("the losses or gradients are not finite")
        return means | {"learning_rate": rate}

    def lessons(self, cycle: int, updates: int, dice: np.random.Generator) -> Iterator[Examples]:
        """Batches of own games, with a share of master games if there are any."""
        batch = self.config.batch
        if self.masters is None or not self.config.master_share:
            yield from (self.replay.draw(dice, batch) for _ in range(updates))
            return
        share = min(batch - 1, max(1, round(self.config.master_share * batch)))
        stream = ChunkStream(self.masters, "training", seed=self.config.seed + cycle)
        for chunk in stream.batches(0, updates * share, share):
            yield joined([self.replay.draw(dice, batch - share), examples_of_games(chunk)])

    def update(self, examples: Examples, learning_rate: float) -> dict[str, float]:
        lesson = Lesson([examples], value_weight=self.config.value_weight)
        norm = lesson.gradient(self.net, self.descent, self.crew)
        self.descent.step(learning_rate)
        self.counts["updates"] += 1
        values = lesson.values()
        return lesson.figures() | {
            "ln_legal": float(np.log(examples.legal.counts).mean()),
            "value_mean": float(values.mean()),
            "value_spread": float(values.std()),
            "gradient_norm": norm,
        }

    def contest(self, step: Step) -> dict[str, float]:
        """A match with the best so far, whose place may be taken."""
        simulations = self.config.promotion_simulations
        learner = TreePlayer("learner", self.net, simulations=simulations)
        best = TreePlayer("best", self.best, simulations=simulations)
        verdict = self.gate.contest(learner, best, seed=self.config.seed + step.number)
        step.say(verdict.sentence)
        if verdict.promoted:
            self.promote(self.net.arrays())
            self.counts["promotions"] += 1
        return {
            "score_best": verdict.score,
            "promoted": int(verdict.promoted),
            "match_games": verdict.games,
        }

    def promote(self, weights: Arrays) -> None:
        self.best.take(weights)
        for evaluator in self.evaluators:
            evaluator.refresh()

    def climb(self, step: Step) -> dict[str, float]:
        """Matches of the net that learns, without search, with the ladder. Who has fallen far goes
        back to the weights that stood highest."""
        reports = self.evaluation.reports(TreePlayer("learner", self.net, simulations=0))
        score = float(np.mean([report.score for report in reports.values()]))
        fell = score < self.ladder_score - self.config.roll_back
        if fell:
            self.roll_back(score, step)
        elif score > self.ladder_score:
            self.highest, self.ladder_score = copied(self.net.arrays()), score
        return figures_of(reports) | {"ladder_score": score, "rolled_back": int(fell)}

    def roll_back(self, score: float, step: Step) -> None:
        step.say(
            f"the ladder score fell from {self.ladder_score:.1%} to {score:.1%}: back to the "
            "weights that had the former; if this happens again, lower learning_rate or add "
            "masters",
            alarm=True,
        )
        self.counts["roll_backs"] += 1
        self.net.take(self.highest)
        self.descent.forget()
        if self.config.promotion == "always":
            self.promote(self.highest)
        # The highest of many noisy scores is too high: held against it, a net that stands still
        # would be thrown back for ever.
        self.ladder_score = score

    def save(self) -> Saved:
        facts: dict[str, Any] = {
            **self.counts,
            "ladder_score": self.ladder_score,
            "resignation": self.resignation.facts(),
            "health": self.health.facts(),
            "masters": self.masters.digest if self.masters else "",
        }
        pages = {name: games.arrays() for name, games in self.replay.pages.items()}
        return Saved(
            weights=copied(self.net.arrays()), rest=copied(self._rest()), facts=facts, pages=pages
        )

    def load(self, saved: Saved) -> None:
        if saved.facts["masters"] != (self.masters.digest if self.masters else ""):
            raise ValueError("the master games are not those that it learned from")
        check_layout(saved.weights, self.net.arrays())
        check_layout(saved.rest, self._rest())
        parts = parted(saved.rest)
        self.net.take(saved.weights)
        self.descent.take(parts["descent"])
        self.promote(parts["best"])
        self.highest = parts["highest"]
        pages = pages_of_replay(saved.pages)
        self.replay.load({name: TreeGames.from_arrays(page) for name, page in pages.items()})
        self.counts = {name: int(saved.facts[name]) for name in self.counts}  # type: ignore[arg-type]
        self.ladder_score = float(saved.facts["ladder_score"])  # type: ignore[arg-type]
        self.resignation.load(saved.facts["resignation"])
        self.health.load(saved.facts["health"])

    def _rest(self) -> Arrays:
        return prefixed(
            descent=self.descent.arrays(), best=self.best.arrays(), highest=self.highest
        )

    def load_weights(self, weights: Arrays) -> None:
        check_net(weights, self.net)
        self.net.take(weights)
        self.promote(weights)


def train(config: Config, run: Run, device: str = "cpu") -> None:
    learner = AlphaZero(config, open_masters(config.masters, "training"), torch.device(device))
    with one_thread():
        for step in learner.steps(run):
            try:
                cycle(learner, step)
            except DivergedError as error:
                step.go_back(str(error))
            except DamagedChunkError as error:
                raise RunFailedError(f"the master games cannot be used: {error}") from error


def cycle(learner: AlphaZero, step: Step) -> None:
    config, watch = learner.config, Stopwatch()
    dice = np.random.default_rng([config.seed, step.number, step.attempt])
    if step.number == 1:  # what a loaded net can do is what it must not forget
        learner.climb(step)
    with watch("self_play"):
        tally, game = learner.play(step.number, dice)
    step.show(game)
    with watch("learning"):
        learned = learner.learn(step.number, dice, step.attempt)
    figures = _games(tally) | learned | {"replay": len(learner.replay)}
    best = None
    with watch("matches"):
        if step.number % config.evaluate_every == 0 or step.number == config.cycles:
            figures |= learner.climb(step)
        if step.number % config.promotion_every == 0 or step.number == config.cycles:
            verdict = learner.contest(step)
            figures |= verdict
            best = bool(verdict["promoted"])
    for alarm in (*learner.resignation.alarms(), *learner.health.alarms(_vitals(tally, learned))):
        step.say(alarm, alarm=True)
    step.record(figures, figures.get("score_best"), best=best, seconds=watch.seconds)


def _games(tally: Tally) -> dict[str, float]:
    return {
        "games": tally.games,
        "plies": tally.plies / tally.games,
        "distinct_games": tally.distinct,
        "drawn_games": tally.games - tally.decided,
        "cut_games": tally.ends["ply_limit"],
        "resigned_games": tally.ends["resigned"],
        "white_score": tally.white_points / tally.games,
        "evaluations": tally.evaluations,
    }


def _vitals(tally: Tally, learned: dict[str, float]) -> Vitals:
    return Vitals(
        games=tally.games,
        decided=tally.decided,
        cut=tally.ends["ply_limit"],
        distinct_games=tally.distinct,
        entropy_nats=learned["entropy"],
        ln_legal_nats=learned["ln_legal"],
        value_mean=learned["value_mean"],
        value_spread=learned["value_spread"],
        gradient_norm=learned["gradient_norm"],
    )
