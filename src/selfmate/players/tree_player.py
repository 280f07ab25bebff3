"""A net that searches: it grows a tree and plays the move it came to most often."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Event

import numpy as np
from numpy.typing import NDArray

from selfmate.nets.evaluator import Evaluator, make_evaluator
from selfmate.nets.se_resnet import SeResNet
from selfmate.players.game_tree import GameTree
from selfmate.players.jobs import Job, run_jobs
from selfmate.players.judged_move import judged_outlook
from selfmate.players.move_comment import move_comment
from selfmate.players.player import NO_LIMITS, Choices, Limits, Question, Thought
from selfmate.rules import Board
from selfmate.rules.cores import available_cores
from selfmate.rules.ragged import Ragged
from selfmate.search.tree import Forest, TreeSettings, chosen_moves

DEFAULT_SIMULATIONS = 100
MOST_LEAVES = 8  # of a game in one batch
# At least; walks of a batch do not know of each other's results, and few of them do little harm.
BATCHES = 50
MOST_NODES = 1 << 19  # of the tree of one game: half a gigabyte
GAMES_AT_ONCE = 64
REPORT_EVERY_S = 0.5


class TreePlayer:
    """Plays with the net it is given; when that has learned on, `refresh` takes it over.

    In `choose` every tree is new, and nothing is shared between games: a move depends on the board
    and its dice alone. `think` goes on with the tree of the last question if the board continues
    its line, which counts towards the simulations.
    """

    games_at_once = GAMES_AT_ONCE

    def __init__(
        self,
        name: str,
        net: SeResNet,
        *,
        simulations: int = DEFAULT_SIMULATIONS,
        temperature: float = 0.0,
        c_puct: float = TreeSettings.c_puct,
    ) -> None:
        """Without simulations it plays by the net's policy, and mates at once where it can."""
        self.name = name
        self._net = net
        self._simulations, self._temperature, self._c_puct = simulations, temperature, c_puct
        self._evaluators = {1: make_evaluator(net)}  # by threads
        self._kept: deque[GameTree] = deque(maxlen=1)

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        moves, comments = np.zeros(len(boards), np.uint16), dict[int, str]()
        stop, is_late = Event(), _deadline(limits)

        def play(rows: NDArray[np.int64]) -> None:
            for some in np.split(rows, range(GAMES_AT_ONCE, len(rows), GAMES_AT_ONCE)):
                moves[some], said = self._chosen(
                    [boards[i] for i in some.tolist()],
                    dice[some],
                    self._simulations_within(limits),
                    lambda: stop.is_set() or is_late(),
                )
                comments.update(zip(some.tolist(), said, strict=True))

        shares = np.array_split(np.arange(len(boards)), min(len(boards), available_cores()))
        run_jobs([Job(partial(play, rows)) for rows in shares], stop.set)
        return Choices(moves, comments=comments)

    def think(self, question: Question) -> Thought:
        tree = self._tree(question)
        temperature = question.temperature
        if temperature is None:
            temperature = self._temperature
        before, is_late = tree.visits, _deadline(question.limits)
        told, told_at = 0, 0.0
        for _ in tree.deepen(self._simulations_within(question.limits)):
            if question.stop.is_set() or is_late():
                break
            now = time.monotonic()
            if tree.best != told or now - told_at >= REPORT_EVERY_S:
                told, told_at = tree.best, now
                question.report(tree.thought(temperature, question.dice, tree.visits - before))
        thought = tree.thought(temperature, question.dice, tree.visits - before)
        self._kept.append(tree)
        return thought

    def refresh(self) -> None:
        """Takes over what the net has learned. Not while it plays."""
        self._kept.clear()
        for evaluator in self._evaluators.values():
            evaluator.refresh()

    def close(self) -> None:
        self._kept.clear()

    def _simulations_within(self, limits: Limits) -> int:
        """One that plays by its policy does so whatever the limits."""
        if self._simulations == 0 or limits.nodes is None:
            return self._simulations
        return limits.nodes

    def _settings(self, simulations: int, c_puct: float) -> TreeSettings:
        leaves = min(MOST_LEAVES, max(1, simulations // BATCHES))
        return TreeSettings(c_puct=c_puct, leaves_per_game=leaves, most_nodes=MOST_NODES)

    def _chosen(
        self,
        boards: Sequence[Board],
        dice: NDArray[np.uint64],
        simulations: int,
        is_over: Callable[[], bool],
    ) -> tuple[NDArray[np.uint16], list[str]]:
        """Moves [B] and comments, by trees that grow side by side. A batch has room for all leaves
        of all games, so that none waits for another."""
        settings = self._settings(simulations, self._c_puct)
        batch = len(boards) * settings.leaves_per_game
        forest, slots = Forest(self._evaluators[1], settings, batch=batch), np.arange(len(boards))
        forest.plant(slots, boards)
        for _ in forest.deepen(slots, simulations):
            if is_over():
                break
        roots, found = forest.roots(slots), forest.moves(slots)
        moves = chosen_moves(roots, found, np.full(len(boards), self._temperature), dice)
        rows = Ragged(found.moves.astype(np.int32), found.offsets).find(moves) - found.offsets[:-1]
        said = [
            judged_outlook(
                forest.outlooks(slot),
                int(rows[slot]),
                int(roots.visits[slot]),
                roots.wdl_side_to_move[slot],
            )
            for slot in range(len(boards))
        ]
        return moves, [move_comment(thought) for thought in said]

    def _tree(self, question: Question) -> GameTree:
        """The kept one if the question continues it, else a new one; nobody else has it."""
        c_puct = self._c_puct if question.c_puct is None else question.c_puct
        settings = self._settings(self._simulations_within(question.limits), c_puct)
        evaluator = self._evaluator(question.threads)
        while self._kept:
            with suppress(IndexError):  # another thread was quicker
                kept = self._kept.pop()
                if kept.is_made_of(evaluator, settings) and kept.follow(question.board):
                    return kept
        return GameTree(question.board, evaluator, settings)

    def _evaluator(self, threads: int) -> Evaluator:
        if threads not in self._evaluators:
            self._evaluators[threads] = make_evaluator(self._net, threads=threads)
        return self._evaluators[threads]


def _deadline(limits: Limits) -> Callable[[], bool]:
    """Whether the time is up."""
    if limits.time_ms is None:
        return lambda: False
    end = time.monotonic() + limits.time_ms / 1000
    return lambda: time.monotonic() >= end
