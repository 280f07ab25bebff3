"""The Puzzles view: the puzzles that ship, solved move by move, and what players answer to them.

The server keeps nothing between requests: the page sends the solver's moves so far.
"""

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from selfmate.arena.puzzles import Puzzle, shipped_puzzles
from selfmate.lab.analysis import PlayerCache
from selfmate.lab.errors import NotFoundError
from selfmate.lab.game_record import LegalMoves, Side, legal_moves_of
from selfmate.lab.players import LabPlayers
from selfmate.players import Limits, SearchRequest
from selfmate.rules import Board, sans_of

MAX_MOVES = 40
ANSWER_MS = 1_000  # of a player, for each move

Uci = Annotated[str, Field(max_length=5)]
State = Literal["open", "solved", "failed"]


class PuzzleRow(TypedDict):
    number: int
    rating: int
    themes: tuple[str, ...]


class PuzzleData(LegalMoves):
    """A puzzle after the solver's right moves and the answers to them."""

    number: int
    rating: int
    themes: tuple[str, ...]
    state: State
    solver: Side
    turn: Side
    fen: str
    check: bool
    last_move: tuple[str, str]
    played: list[str]  # SAN, from the solver's first move on, a wrong one included
    start: str  # FEN
    solution: list[str]  # SAN; empty while the puzzle is open, as is the line
    line: list[str]  # the solution in UCI
    answer: str | None  # UCI, the move that was not found; None unless it failed


class PlayerAnswer(TypedDict):
    player: str
    solves: bool
    moves: list[str]  # SAN, the solver's moves up to the first wrong one


def puzzle(number: int) -> Puzzle:
    """Numbers begin with 1."""
    if not 1 <= number <= len(shipped_puzzles()):
        raise NotFoundError(f"there are puzzles 1 to {len(shipped_puzzles())}")
    return shipped_puzzles()[number - 1]


def is_right(board: Board, move: str, wanted: str) -> bool:
    """A mate is as good as any other. ValueError when the move is illegal."""
    after = board.copy()
    after.push(move, past_draw=True)
    outcome = after.outcome()
    return move == wanted or (outcome is not None and outcome.winner == board.turn)


def attempt(number: int, moves: list[str], *, give_up: bool = False) -> PuzzleData:
    """The puzzle after these moves of the solver, before the first wrong one. What follows that, or
    the last move, is ignored. ValueError when a move is illegal."""
    found = puzzle(number)
    board = Board(found.fen)
    board.push(found.moves[0], past_draw=True)
    seen, played = board.copy(), list[str]()
    state: State = "open"
    for ply, move in enumerate(moves[: len(found.moves) // 2]):
        wanted = found.moves[2 * ply + 1]
        right = is_right(board, move, wanted)
        played.append(move)
        if not right:
            state = "failed"
            break
        board.push(move, past_draw=True)
        if move != wanted or 2 * ply + 2 == len(found.moves):
            state = "solved"
            break
        played.append(found.moves[2 * ply + 2])
        board.push(played[-1], past_draw=True)
    if give_up and state == "open":
        state = "failed"
    return _describe(number, seen, board, played, state)


def _describe(
    number: int, seen: Board, board: Board, played: list[str], state: State
) -> PuzzleData:
    """`seen` is the board at first, and `board` the one now."""
    found, last = puzzle(number), board.moves[-1]
    solution = () if state == "open" else found.moves[1:]
    return {
        "number": number,
        "rating": found.rating,
        "themes": found.themes,
        "state": state,
        "solver": seen.turn,
        "turn": board.turn,
        "fen": board.fen(),
        "check": board.is_check(),
        "last_move": (last[:2], last[2:4]),
        "played": sans_of(seen, played),
        "start": seen.fen(),
        "solution": sans_of(seen, solution),
        "line": list(solution),
        "answer": solution[len(board.moves) - len(seen.moves)] if state == "failed" else None,
        **legal_moves_of(board, None if state == "open" else ()),
    }


class NewAttempt(BaseModel):
    model_config = ConfigDict(extra="forbid")

    moves: list[Uci] = Field(default=[], max_length=MAX_MOVES)  # of the solver
    give_up: bool = False  # to see the solution


class AskedPlayer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    player: str = Field(max_length=300)


def puzzle_routes(players: LabPlayers, cache: PlayerCache) -> APIRouter:
    router = APIRouter(prefix="/api/puzzles")

    @router.get("")
    def puzzles() -> list[PuzzleRow]:
        return [
            {"number": number, "rating": one.rating, "themes": one.themes}
            for number, one in enumerate(shipped_puzzles(), 1)
        ]

    @router.post("/{number}")
    def solve(number: int, new: NewAttempt) -> PuzzleData:
        return attempt(number, new.moves, give_up=new.give_up)

    @router.post("/{number}/answer")
    def answer(number: int, asked: AskedPlayer) -> PlayerAnswer:
        """What a player plays. Blocks."""
        moves: list[str] = []
        with cache.borrow(asked.player) as player:
            state = attempt(number, moves)
            while state["state"] == "open":
                board = _board(number, moves)
                request = SearchRequest(board=board, limits=Limits(time_ms=ANSWER_MS))
                moves.append(player.analyse(request).best)
                state = attempt(number, moves)
            name = players.shown(player.name)
        solves = state["state"] == "solved"
        return {"player": name, "solves": solves, "moves": state["played"][::2]}

    return router


def _board(number: int, moves: list[str]) -> Board:
    """After right moves of the solver."""
    found = puzzle(number)
    board = Board(found.fen)
    for move in found.moves[: 1 + 2 * len(moves)]:
        board.push(move, past_draw=True)
    return board
