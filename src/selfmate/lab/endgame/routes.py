"""The mini-chess in the lab: the truth, positions with exact and learned values, and games against
the king that moves at random. Nothing is kept between two questions."""

import re
from functools import lru_cache
from secrets import randbelow
from threading import Lock
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from selfmate.endgame.game import GOES_ON, compile_game
from selfmate.endgame.notation import move_name, square_name
from selfmate.endgame.solve import Solution, solve
from selfmate.lab.endgame.positions import ENDINGS, Positions
from selfmate.lab.endgame.runs import LARGEST_SIZE, EndgameRuns
from selfmate.lab.errors import NotThereError

GAMMA, DRAW_REWARD = 0.85, -1.0  # where no run says otherwise
PIECES = re.compile(r"([a-h][1-8])([a-h][1-8])([a-h][1-8])")

Size = Annotated[int, Path(ge=4, le=LARGEST_SIZE)]
RunName = Annotated[str, Field(max_length=200)]
Run = Annotated[RunName | None, Query()]


class Move(BaseModel):
    model_config = ConfigDict(extra="forbid")

    state: int = Field(ge=0, le=10**6)
    move: str = Field(max_length=10)
    run: RunName | None = None


class Endgame:
    def __init__(self, runs: EndgameRuns) -> None:
        self._runs = runs
        self._solving = {size: Lock() for size in range(4, LARGEST_SIZE + 1)}

    def positions(self, size: int, run: str | None) -> Positions:
        """The truth is that of the rewards which the run was trained for."""
        learned = self._runs.learned(run)
        if learned is not None and learned.game.size != size:
            board = f"{learned.game.size} x {learned.game.size}"
            raise ValueError(f"{run} plays on {board}, not on {size} x {size}")
        gamma = GAMMA if learned is None else learned.gamma
        draw_reward = DRAW_REWARD if learned is None else learned.draw_reward
        with self._solving[size]:  # whoever asks meanwhile waits for the same answer
            truth = _solution(size, gamma, draw_reward)
        return Positions(game=compile_game(size), truth=truth, learned=learned)


def endgame_routes(endgame: Endgame) -> APIRouter:
    router = APIRouter(prefix="/api/endgame")

    @router.get("/{size}")
    def facts(size: Size, run: Run = None) -> dict[str, Any]:
        positions = endgame.positions(size, run)
        starts = int((positions.game.start_probabilities > 0).sum())
        return {**positions.truth.figures(), "starts": starts}

    @router.get("/{size}/position")
    def position(
        size: Size,
        state: Annotated[int | None, Query(ge=0)] = None,
        pieces: Annotated[str | None, Query(max_length=6)] = None,
        run: Run = None,
    ) -> dict[str, Any]:
        """By number, by the squares of own king, queen and enemy king (`b2c3a1`), or else any
        position that a game may start with."""
        positions = endgame.positions(size, run)
        if pieces is not None:
            state = positions.state_of(_squares(size, pieces))
        return positions.describe(_start(positions) if state is None else _known(positions, state))

    @router.post("/{size}/move")
    def move(size: Size, asked: Move) -> dict[str, Any]:
        positions = endgame.positions(size, asked.run)
        return _play(positions, _known(positions, asked.state), asked.move)

    return router


@lru_cache(maxsize=8)
def _solution(size: int, gamma: float, draw_reward: float) -> Solution:
    return solve(compile_game(size), gamma, draw_reward)


def _start(positions: Positions) -> int:
    chances = positions.game.start_probabilities
    return int(np.random.default_rng().choice(len(chances), p=chances))


def _known(positions: Positions, state: int) -> int:
    if state >= positions.game.states:
        raise NotThereError(f"there is no position {state}: {positions.game.states} can arise")
    return state


def _squares(size: int, text: str) -> list[int]:
    found = PIECES.fullmatch(text)
    names = {square_name(size, square): square for square in range(size**2)}
    if found is None or any(name not in names for name in found.groups()):
        raise ValueError(
            f"{text!r} is not three squares of this board: own king, queen, enemy king, as b2c3a1"
        )
    return [names[name] for name in found.groups()]


def _play(positions: Positions, state: int, name: str) -> dict[str, Any]:
    """The agent's move and, unless it ends the game, any answer of the enemy king."""
    game = positions.game
    action = positions.action(state, name)
    after = int(game.afterstates[state, action])
    ending, next_state, reply = ENDINGS[game.endings[after]], None, None
    if game.endings[after] == GOES_ON:
        next_state = int(game.replies[after, randbelow(int(game.reply_counts[after]))])
        reply = f"k{square_name(game.size, int(game.pieces[next_state, 2]))}"
    return {
        "played": move_name(game, state, action),
        "reply": reply,
        "ending": ending,
        "after": positions.shown(game.after_pieces[after].tolist()),
        "position": None if next_state is None else positions.describe(next_state),
    }
