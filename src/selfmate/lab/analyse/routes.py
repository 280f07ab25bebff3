"""Any position, and what several players think of it. Nothing is kept between two questions: the
page brings the whole line. What a person may well get wrong is answered with a `problem`, as a
sentence; requests that no page of ours would send are refused."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from selfmate.lab.analyse.game_texts import read_games
from selfmate.lab.analyse.opinions import describe_thought
from selfmate.lab.analyse.player_cache import PlayerCache
from selfmate.lab.players import LabPlayers
from selfmate.lab.position_data import choices_of, sans_of
from selfmate.players import Limits, Question
from selfmate.players.engine_process import EngineFaultError
from selfmate.rules import Board

MOST_TEXT = 500_000
MOST_MOVES = 2_000
THINKING_MS = 1_000

Uci = Annotated[str, Field(max_length=5)]


class Pasted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=MOST_TEXT)


class Line(BaseModel):
    """Moves from a start; None is the usual one."""

    model_config = ConfigDict(extra="forbid")

    start: str | None = Field(None, max_length=120)
    moves: list[Uci] = Field(default_factory=list, max_length=MOST_MOVES)

    def board(self, plies: int | None = None) -> Board:
        board = Board(self.start)
        for uci in self.moves[:plies]:
            board.push(uci, past_draw=True)
        return board


class Look(Line):
    """At the position after so many moves, or after one more, in any notation."""

    ply: int = Field(0, ge=0, le=MOST_MOVES)
    add: str | None = Field(None, max_length=12)


class Asked(Line):
    player: str = Field(max_length=300)


def analysis_routes(players: LabPlayers, cache: PlayerCache) -> APIRouter:
    router = APIRouter(prefix="/api/analyse")

    @router.post("/read")
    def read(pasted: Pasted) -> dict[str, Any]:
        try:
            return read_games(pasted.text)
        except ValueError as error:
            return {"problem": str(error)}

    @router.post("/position")
    def position(look: Look) -> dict[str, Any]:
        try:
            return _position(look)
        except ValueError as error:
            return {"problem": str(error)}

    @router.post("/thought")
    def thought(asked: Asked) -> dict[str, Any]:
        board = asked.board()
        if (over := _ending(board)) is not None:
            return {"problem": over}
        question = Question(board=board, dice=0, limits=Limits(time_ms=THINKING_MS))
        try:
            with cache.lent(asked.player) as player:
                found = player.think(question)
                return {"name": players.shown(player.name), **describe_thought(board, found)}
        except EngineFaultError as fault:
            return {"problem": f"the engine failed: {fault}"}

    return router


def _position(look: Look) -> dict[str, Any]:
    moves = look.moves
    ply = min(look.ply, len(moves))
    if look.add is not None:
        board = look.board(ply)
        moves = [*moves[:ply], board.parse_san(look.add.strip())]
        ply += 1
    line = Line(start=look.start, moves=moves)
    board = line.board(ply)
    return {
        "start": Board(look.start).fen(),
        "moves": moves,
        "sans": sans_of(Board(look.start), line.board().moves),
        "ply": ply,
        "fen": board.fen(),
        "turn": board.turn,
        "check": board.is_check(),
        **choices_of(board),
        "ending": _ending(board),
    }


def _ending(board: Board) -> str | None:
    outcome = board.outcome()
    if outcome is None:
        return None
    reason = outcome.reason.replace("_", " ")
    if outcome.winner is None:
        return f"The game is over: a draw by {reason}."
    return f"The game is over: {outcome.winner.capitalize()} wins by {reason}."
