"""The Endgame view: mini-chess positions with exact and learned values, and games against a king
that moves at random. The server keeps nothing between requests.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from secrets import randbelow
from threading import Lock
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query
from fastapi import Path as PathParameter
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from selfmate.lab.errors import NotFoundError
from selfmate.lab.minichess_runs import MAX_SIZE, EndgameRuns
from selfmate.minichess.game import (
    LETTERS,
    ONGOING,
    Game,
    compile_game,
    draw_position,
    move_name,
    square_name,
)
from selfmate.minichess.player import TrainedRun
from selfmate.minichess.solver import TIE, Solution, solve

Ending = Literal["mate", "stalemate"]

ENDINGS: tuple[Ending | None, ...] = (None, "mate", "stalemate")

GAMMA, DRAW_REWARD = 0.85, -1.0  # without a run
PIECES = re.compile(r"([a-h][1-8])([a-h][1-8])([a-h][1-8])")

# ---- positions


class PieceSquares(TypedDict):
    K: str
    Q: str
    k: str


class Placement(TypedDict):
    fen: str
    pieces: PieceSquares


# Written as a call because `from` is a keyword.
MiniMove = TypedDict(
    "MiniMove",
    {
        "name": str,
        "from": str,
        "to": str,
        "exact": float,
        "learned": float | None,
        "is_best": bool,
        "ending": Ending | None,
        "expected_moves": float | None,
    },
)


class EnemySquare(TypedDict):
    """What the position would be worth with the enemy king on this square."""

    square: str
    exact: float
    expected_moves: float
    learned: float | None


class LearnedChoice(TypedDict):
    step: int
    best: str
    regret: float
    is_optimal: bool


class MiniPosition(Placement):
    state: int
    value: float
    expected_moves: float
    forced_in: int
    best: str
    moves: list[MiniMove]
    learned: LearnedChoice | None
    enemy_squares: list[EnemySquare]


class PlayedMove(TypedDict):
    played: str
    reply: str | None
    ending: Ending | None
    after: Placement
    position: MiniPosition | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Positions:
    """A game, its exact solution, and a trained run if there is one."""

    game: Game
    solution: Solution
    learned: TrainedRun | None

    def describe(self, state: int) -> MiniPosition:
        """A position with the agent to move."""
        actions = np.flatnonzero(self.game.allowed[state]).tolist()
        best = int(self.solution.q_values[state].argmax())
        return {
            "state": state,
            **self.placement(self.game.pieces[state].tolist()),
            "value": float(self.solution.q_values[state, best]),
            "expected_moves": float(self.solution.least_moves[state]),
            "forced_in": int(self.solution.worst_moves[state]),
            "best": move_name(self.game, state, best),
            "moves": [self._move(state, action) for action in actions],
            "learned": self._choice(state),
            "enemy_squares": self._enemy_squares(state),
        }

    def placement(self, pieces: Sequence[int]) -> Placement:
        size = self.game.size
        lines = draw_position(size, pieces).replace(" ", "").splitlines()[:size]
        fen = "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), line[1:]) for line in lines)
        king, queen, enemy_king = (square_name(size, square) for square in pieces)
        return {"pieces": {"K": king, "Q": queen, "k": enemy_king}, "fen": fen}

    def action(self, state: int, name: str) -> int:
        """The legal action with a name such as `Qb3`, in any case."""
        for action in np.flatnonzero(self.game.allowed[state]).tolist():
            if move_name(self.game, state, action).lower() == name.strip().lower():
                return int(action)
        best = move_name(self.game, state, int(np.argmax(self.game.allowed[state])))
        raise ValueError(f"{name!r} cannot be played here; a legal move is {best}")

    def state_of(self, pieces: Sequence[int]) -> int:
        """The state with own king, queen and enemy king on these squares."""
        (found,) = np.nonzero((self.game.pieces == np.asarray(pieces)).all(1))
        if not len(found):
            raise ValueError(
                "this position cannot arise: pieces share a square, the kings touch, or the "
                "enemy king is in check although it has just moved"
            )
        return int(found[0])

    def _move(self, state: int, action: int) -> MiniMove:
        name = move_name(self.game, state, action)
        after = int(self.game.afterstates[state, action])
        exact = float(self.solution.q_values[state, action])
        piece = LETTERS.index(name[0])
        return {
            "name": name,
            "from": square_name(self.game.size, int(self.game.pieces[state, piece])),
            "to": name[1:],
            "exact": exact,
            "learned": None if self.learned is None else float(self.learned.values[state, action]),
            "is_best": bool(exact >= self.solution.q_values[state].max() - TIE),
            "ending": ENDINGS[self.game.endings[after]],
            "expected_moves": self._expected_moves(after),
        }

    def _expected_moves(self, after: int) -> float | None:
        """Moves to mate with optimal play, this one included; None for a draw."""
        if self.game.endings[after] != ONGOING:
            return 1.0 if ENDINGS[self.game.endings[after]] == "mate" else None
        replies = self.game.replies[after, : self.game.reply_counts[after]]
        return 1 + float(self.solution.least_moves[replies].mean())

    def _choice(self, state: int) -> LearnedChoice | None:
        """The move of the trained run, and what it loses against the best move."""
        if self.learned is None:
            return None
        action = int(self.learned.actions[state])
        exact = self.solution.q_values[state]
        regret = max(0.0, float(exact.max() - exact[action]))
        return {
            "step": self.learned.step,
            "best": move_name(self.game, state, action),
            "regret": regret,
            "is_optimal": regret <= TIE,
        }

    def _enemy_squares(self, state: int) -> list[EnemySquare]:
        own = self.game.pieces[state, :2]
        (states,) = np.nonzero((self.game.pieces[:, :2] == own).all(1))
        return [
            {
                "square": square_name(self.game.size, int(self.game.pieces[other, 2])),
                "exact": float(self.solution.q_values[other].max()),
                "expected_moves": float(self.solution.least_moves[other]),
                "learned": None if self.learned is None else self._learned_value(other),
            }
            for other in states.tolist()
        ]

    def _learned_value(self, state: int) -> float:
        assert self.learned is not None
        return float(self.learned.values[state, self.learned.actions[state]])


# ---- requests


Size = Annotated[int, PathParameter(ge=4, le=MAX_SIZE)]
RunName = Annotated[str, Field(max_length=200)]
Run = Annotated[RunName | None, Query()]


class NewMiniMove(BaseModel):
    model_config = ConfigDict(extra="forbid")

    state: int = Field(ge=0, le=10**6)
    move: str = Field(max_length=10)
    run: RunName | None = None


class EndgameFacts(TypedDict):
    """Of a board size, with the rewards of a run or the usual ones."""

    size: int
    states: int
    starts: int
    random_mate_probability: float
    random_mean_moves: float
    best_mate_probability: float
    optimal_mean_moves: float
    worst_case_moves: int
    optimal_value: float
    value_error: float
    gamma: float
    draw_reward: float


class Endgame:
    def __init__(self, runs: EndgameRuns) -> None:
        self._runs = runs
        self._solving = {size: Lock() for size in range(4, MAX_SIZE + 1)}

    def positions(self, size: int, run: str | None) -> Positions:
        """Solved for the rewards that the run was trained with."""
        learned = self._runs.learned(run)
        if learned is not None and learned.game.size != size:
            board = f"{learned.game.size} x {learned.game.size}"
            raise ValueError(f"{run} plays on {board}, not on {size} x {size}")
        gamma = GAMMA if learned is None else learned.gamma
        draw_reward = DRAW_REWARD if learned is None else learned.draw_reward
        with self._solving[size]:  # other requests wait for the same solution
            solution = _solution(size, gamma, draw_reward)
        return Positions(game=compile_game(size), solution=solution, learned=learned)


def endgame_routes(endgame: Endgame) -> APIRouter:
    router = APIRouter(prefix="/api/endgame")

    @router.get("/{size}")
    def facts(size: Size, run: Run = None) -> EndgameFacts:
        return _facts(endgame.positions(size, run))

    @router.get("/{size}/position")
    def position(
        size: Size,
        state: Annotated[int | None, Query(ge=0)] = None,
        pieces: Annotated[str | None, Query(max_length=6)] = None,
        run: Run = None,
    ) -> MiniPosition:
        """By number, by the squares of own king, queen and enemy king (`b2c3a1`), or else a random
        start."""
        positions = endgame.positions(size, run)
        if pieces is not None:
            state = positions.state_of(_squares(size, pieces))
        return positions.describe(_start(positions) if state is None else _known(positions, state))

    @router.post("/{size}/move")
    def move(size: Size, new: NewMiniMove) -> PlayedMove:
        positions = endgame.positions(size, new.run)
        return _play(positions, _known(positions, new.state), new.move)

    return router


@lru_cache(maxsize=8)
def _solution(size: int, gamma: float, draw_reward: float) -> Solution:
    return solve(compile_game(size), gamma, draw_reward)


def _facts(positions: Positions) -> EndgameFacts:
    solution = positions.solution
    return {
        "size": solution.size,
        "states": solution.states,
        "starts": int((positions.game.start_probabilities > 0).sum()),
        "random_mate_probability": solution.random_mate_probability,
        "random_mean_moves": solution.random_mean_moves,
        "best_mate_probability": solution.best_mate_probability,
        "optimal_mean_moves": solution.optimal_mean_moves,
        "worst_case_moves": solution.worst_case_moves,
        "optimal_value": solution.optimal_value,
        "value_error": solution.value_error,
        "gamma": solution.gamma,
        "draw_reward": solution.draw_reward,
    }


def _start(positions: Positions) -> int:
    probabilities = positions.game.start_probabilities
    return int(np.random.default_rng().choice(len(probabilities), p=probabilities))


def _known(positions: Positions, state: int) -> int:
    if state >= positions.game.states:
        raise NotFoundError(f"there is no position {state}: {positions.game.states} can arise")
    return state


def _squares(size: int, text: str) -> list[int]:
    found = PIECES.fullmatch(text)
    names = {square_name(size, square): square for square in range(size**2)}
    if found is None or any(name not in names for name in found.groups()):
        raise ValueError(
            f"{text!r} is not three squares of this board: own king, queen, enemy king, as b2c3a1"
        )
    return [names[name] for name in found.groups()]


def _play(positions: Positions, state: int, name: str) -> PlayedMove:
    """The agent's move and, unless it ends the game, a random reply of the enemy king."""
    game = positions.game
    action = positions.action(state, name)
    after = int(game.afterstates[state, action])
    ending, next_state, reply = ENDINGS[game.endings[after]], None, None
    if game.endings[after] == ONGOING:
        next_state = int(game.replies[after, randbelow(int(game.reply_counts[after]))])
        reply = f"k{square_name(game.size, int(game.pieces[next_state, 2]))}"
    return {
        "played": move_name(game, state, action),
        "reply": reply,
        "ending": ending,
        "after": positions.placement(game.after_pieces[after].tolist()),
        "position": None if next_state is None else positions.describe(next_state),
    }
