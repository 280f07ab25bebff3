"""Searchless: a transformer that finds out by itself which moves are legal, and then which win.

It may choose any move there is. An illegal one is taken back and becomes a lesson: all that is
legal is better. When a game ends, the winner's moves become likelier than the other legal ones and
the loser's less likely, the more so the nearer the end was.
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.arena.attempted_play import Ends, Plan, play_games
from selfmate.arena.outcomes import PLY_LIMIT
from selfmate.arena.reference_games import reference_positions
from selfmate.arena.sample_game import sample_of
from selfmate.arena.starts import Starts
from selfmate.data.attempted_games import AttemptedGames, games_of_masters
from selfmate.data.chunk_stream import ChunkStream
from selfmate.data.chunks import ChunkFolder, DamagedChunkError
from selfmate.data.held_out import HeldOut, held_out
from selfmate.learners.health import Cures, Vitals, Watch
from selfmate.learners.master_games import held_out_masters, open_masters
from selfmate.learners.means import means_of
from selfmate.learners.searchless_config import Config
from selfmate.learners.searchless_exam import Exam, open_exam
from selfmate.learners.searchless_lesson import Lesson, take_gradient
from selfmate.learners.searchless_targets import even_targets, imitation_targets, own_targets
from selfmate.nets.crew import Crew
from selfmate.nets.threads import one_thread
from selfmate.runs.errors import RunFailedError, RunRefusedError
from selfmate.runs.live import copied, prefixed, restore
from selfmate.runs.run import Arrays, Run, Saved, Step
from selfmate.runs.sample_game import SampleGame
from selfmate.runs.stopwatch import Stopwatch

CURES = Cures(
    variety="raise temperature",
    draws="raise temperature or endgames",
    repeats="raise temperature, and leave openings on",
    cuts="raise max_plies or endgames",
    sameness="raise endgames, or change learning_rate",
    leaps="lower learning_rate",
)
TARGETS = {"even": even_targets, "own": own_targets}
# Where nothing but the rules is taught, all legal moves are alike and it does not matter who wins.
UNASKED_OF_RULES = ("draws", "uniform")
SOON, LATE = 20, 40  # moves: wins are counted by how long they took


class Searchless:
    """All that learns and plays: a `State` of a run."""

    def __init__(self, config: Config, exam: Exam, masters: ChunkFolder | None = None) -> None:
        self.config, self.exam = config, exam
        self.masters = masters if config.master_share else None
        torch.manual_seed(config.seed)
        self.net = config.spec().make_net()
        self.descent = config.descent(self.net)
        self.crew = Crew(config.threads)
        self.targets_of = partial(TARGETS[config.among_legal], scores=config.scores())
        self.starts = Starts(openings=config.openings, endgames=config.endgames)
        self.counts = {"positions": 0, "updates": 0}
        self.health = Watch(CURES, UNASKED_OF_RULES if config.is_of_rules_alone else ())

    def steps(self, run: Run) -> Iterator[Step]:
        player = self.config.spec().model_dump(mode="json")
        return run.steps(self, total=self.config.cycles, unit="cycles", player=player)

    def play(
        self, cycle: int, dice: np.random.Generator
    ) -> tuple[AttemptedGames, Ends, SampleGame]:
        """The games of a cycle; one to be shown."""
        config = self.config
        plan = Plan(
            boards=self.starts.boards(config.games, dice),
            at_once=config.at_once,
            temperature=config.temperature,
            attempts=config.attempts,
            max_plies=config.max_plies,
            seed=int(dice.integers(2**63)),
            must_win=config.must_win,
        )
        games, ends = play_games(self.net, plan, config.threads)
        return games, ends, sample_of(plan.boards[cycle % len(plan.boards)], "learner", "learner")

    def learn(
        self, games: AttemptedGames, cycle: int, dice: np.random.Generator, attempt: int
    ) -> dict[str, float] | None:
        """Every position once at most, in batches; None when a gradient was not finite."""
        games = games.take(self.chosen(games, dice))
        batch = self.config.batch_in(cycle)
        of_masters = 0 if self.masters is None else self.config.masters_in(batch)
        count = max(1, round(len(games) / max(1, batch - of_masters)))
        parts = np.array_split(dice.permutation(len(games)), count)
        told = []
        for rows, masters in zip(parts, self.master_lessons(cycle, count, of_masters), strict=True):
            rate = self.config.learning_rate_in(cycle, self.counts["positions"])
            figures = self.update(games.take(rows), masters, rate / 2 ** (attempt - 1))
            if not math.isfinite(figures["gradient_norm"]):
                return None
            told.append(figures)
        return means_of(told) | {"batch": len(parts[0]) + of_masters}

    def chosen(self, games: AttemptedGames, dice: np.random.Generator) -> NDArray[np.int64]:
        """The positions to learn from: where something illegal was tried, or the move decided a
        game, and some of the others, which teach little."""
        decided = (games.results_side_to_move != 0) & (not self.config.is_of_rules_alone)
        is_dull = ~decided & (games.tried.counts == 0)
        rows = np.flatnonzero(~is_dull | (dice.random(len(games)) < self.config.dull_share))
        return rows if len(rows) else np.arange(len(games))

    def master_lessons(self, cycle: int, updates: int, size: int) -> Iterator[Lesson | None]:
        """What masters played, so many positions an update; none if there are no masters."""
        if self.masters is None:
            yield from (None for _ in range(updates))
            return
        stream = ChunkStream(self.masters, "training", seed=self.config.seed + cycle)
        for chunk in stream.batches(0, updates * size, size):
            games = games_of_masters(chunk, by_mate=True)
            yield Lesson(games, imitation_targets, weight=self.config.master_share)

    def update(
        self, games: AttemptedGames, masters: Lesson | None, learning_rate: float
    ) -> dict[str, float]:
        weight = 1 - self.config.master_share if masters else 1.0
        lesson = Lesson(games, self.targets_of, weight=weight)
        lessons = [lesson, masters] if masters else [lesson]
        norm = take_gradient(lessons, self.net, self.descent, self.crew)
        if math.isfinite(norm):
            self.descent.step(learning_rate)
        self.counts["positions"] += len(games)
        self.counts["updates"] += 1
        figures = lesson.figures() | {"gradient_norm": norm, "learning_rate": learning_rate}
        return figures | ({"master_loss": masters.figures()["loss"]} if masters else {})

    def vitals(self, ends: Ends, learned: dict[str, float]) -> Vitals:
        return Vitals(
            games=ends.reasons.total(),
            decided=len(ends.plies_of_wins),
            cut=ends.reasons[PLY_LIMIT],
            distinct_games=ends.distinct,
            entropy_nats=learned["entropy"],
            ln_legal_nats=learned["ln_legal"],
            gradient_norm=learned["gradient_norm"],
        )

    def save(self) -> Saved:
        return Saved(
            weights=copied(self.net.arrays()),
            rest=copied(prefixed(descent=self.descent.arrays())),
            facts={
                **self.counts,
                "health": self.health.facts(),
                "masters": self.masters.digest if self.masters else "",
            },
        )

    def load(self, saved: Saved) -> None:
        if saved.facts["masters"] != (self.masters.digest if self.masters else ""):
            raise ValueError("the master games are not those that it learned from")
        restore(self.net.arrays(), saved.weights)
        restore(prefixed(descent=self.descent.arrays()), saved.rest)
        self.counts = {name: int(saved.facts[name]) for name in self.counts}  # type: ignore[arg-type]
        self.health.load(saved.facts["health"])

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: Config, run: Run) -> None:
    masters = find_masters(config)
    learner = Searchless(config, open_exam(config, open_held_out(config, masters)), masters)
    with one_thread():
        for step in learner.steps(run):
            try:
                cycle(learner, step)
            except DamagedChunkError as error:
                raise RunFailedError(f"the master games cannot be used: {error}") from error


def cycle(learner: Searchless, step: Step) -> None:
    config, watch = learner.config, Stopwatch()
    dice = np.random.default_rng([config.seed, step.number, step.attempt])
    with watch("self_play"):
        games, ends, game = learner.play(step.number, dice)
    with watch("learning"):
        learned = learner.learn(games, step.number, dice, step.attempt)
    if learned is None:
        step.go_back("the gradient was not finite")
        return
    step.show(game)
    figures = game_figures(games, ends) | learned
    with watch("evaluation"):
        if step.number % config.evaluate_every == 0 or step.number == config.cycles:
            figures |= learner.exam.figures(learner.net)
    for alarm in learner.health.alarms(learner.vitals(ends, learned)):
        step.say(alarm, alarm=True)
    step.record(figures, _quality(config, figures), seconds=watch.seconds)


def _quality(config: Config, figures: dict[str, float]) -> float | None:
    """By which the best checkpoint is kept: what is legal, or what is won, as it is taught."""
    if "legal_mass" not in figures:
        return None
    if config.is_of_rules_alone:
        return figures["legal_mass"]
    return (figures["score_random"] + figures["score_greedy"]) / 2


def game_figures(games: AttemptedGames, ends: Ends) -> dict[str, float]:
    """How they went; wins by the moves they took."""
    wins = (np.array(ends.plies_of_wins) + 1) // 2
    count = ends.reasons.total()
    return {
        "positions": len(games),
        "illegal_attempts": len(games.tried.values) / len(games),
        "plies": len(games) / count,
        "distinct_games": ends.distinct,
        "drawn_games": count - len(wins) - ends.reasons[PLY_LIMIT],
        "cut_games": ends.reasons[PLY_LIMIT],
        "white_score": ends.white_points / count,
        f"wins_to_{SOON}": int((wins <= SOON).sum()),
        f"wins_to_{LATE}": int(((wins > SOON) & (wins <= LATE)).sum()),
        "wins_later": int((wins > LATE).sum()),
    }


def find_masters(config: Config) -> ChunkFolder | None:
    if config.master_share and not config.masters:
        raise RunRefusedError(
            f"master_share is {config.master_share:g}, but there are no master games: name a "
            "folder of selfmate import with --set masters=DIR, or set master_share=0"
        )
    return open_masters(config.masters, *config.splits)


def open_held_out(config: Config, masters: ChunkFolder | None) -> HeldOut:
    """Of master games if there are any, else of games of our own."""
    if masters is None:
        return held_out(reference_positions(), None, most=config.measured)
    return held_out_masters(masters, config.measured)
