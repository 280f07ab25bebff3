"""The Analyse view: any position, and the analyses of several players.

The server keeps nothing between requests: the page sends the whole line. Mistakes that people make,
such as a wrong FEN, are answered with a `problem`; requests that our page never sends are refused.
"""

import io
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from selfmate.lab.game_record import LegalMoves, legal_moves_of
from selfmate.lab.opening_names import opening_of
from selfmate.lab.opponent import Wdl, value_of
from selfmate.lab.players import RUNS, LabPlayers
from selfmate.players import Analysis, Limits, Player, SearchRequest, parse_run_name
from selfmate.players.engine_process import EngineFaultError
from selfmate.rules import RESULT_TEXTS, Board, GameRecords, read_pgn, sans_of
from selfmate.runs import Checkpoints

MAX_TEXT = 500_000
MAX_GAMES = 200
MAX_COMPLAINTS = 5
MAX_MOVES = 2_000
MAX_RANKED_MOVES = 12
MAX_LINE = 12  # plies
MAX_LOADED_PLAYERS = 8
SEARCH_MS = 1_000
NEXT_LINE_MS = 300  # for each line after the first
MULTI_PV = 3
RANKS = 8

Uci = Annotated[str, Field(max_length=5)]


class Problem(TypedDict):
    problem: str


# ---- reading a FEN or PGN


class PastedGame(TypedDict):
    title: str
    start: str | None
    moves: list[str]


class PastedGames(TypedDict):
    games: list[PastedGame]
    left_out: list[str]  # why some games are missing


def read_games(text: str) -> PastedGames:
    """ValueError when there is neither a position nor a game that can be read."""
    text = text.strip()
    if not text:
        raise ValueError("there is nothing to read: paste a FEN or a PGN")
    if text.split()[0].count("/") == RANKS - 1:
        return {"games": [_read_position(text)], "left_out": []}
    return _read_pgn(text)


def _read_position(text: str) -> PastedGame:
    return {"title": "Position", "start": Board(" ".join(text.split())).fen(), "moves": []}


def _read_pgn(text: str) -> PastedGames:
    games: list[PastedGame] = []
    left_out: list[str] = []
    for chunk in read_pgn(io.BytesIO(text.encode()), threads=1):
        games += (_describe_game(chunk.games, number) for number in range(len(chunk.games)))
        left_out += (
            f"game {one.game} was left out: line {one.line}: {one.reason}" for one in chunk.dropped
        )
    if not games:
        raise ValueError(left_out[0] if left_out else "this is neither a FEN nor a PGN")
    if len(games) > MAX_GAMES:
        left_out.append(f"only the first {MAX_GAMES} of {len(games)} games are shown")
    return {"games": games[:MAX_GAMES], "left_out": left_out[-MAX_COMPLAINTS:]}


def _describe_game(records: GameRecords, number: int) -> PastedGame:
    tags = records.tags(number)
    white, black = tags.get("White", "?"), tags.get("Black", "?")
    result = RESULT_TEXTS[int(records.results[number])]
    year = tags.get("Date", "").partition(".")[0].strip("?")
    return {
        "title": f"{white} - {black}  {result}{f'  ({year})' if year else ''}",
        "start": records.start_fen(number),
        "moves": records.uci(number),
    }


# ---- a player's analysis


class Judgement(TypedDict):
    """How good a position is for one side."""

    points: float | None  # expected, from 0 to 1
    pawns: float | None
    mate_in: int | None
    wdl: Wdl | None


class MoveName(TypedDict):
    uci: str
    san: str


class RankedMove(MoveName):
    probability: float | None
    visits: int | None  # of a search that counts them
    white: Judgement | None  # of the position after it, from White's view
    line: list[str]  # SAN, beginning with the move; empty: none is known


class PositionAnalysis(TypedDict):
    """`mover` and `white` are the same judgement: the side to move's, and White's view of it."""

    name: str
    best: MoveName
    line: list[str]
    mover: Judgement
    white: Judgement
    depth: int | None
    nodes: int | None
    legal_mass: float | None  # of a net that is not told the rules
    moves: list[RankedMove]


def describe_analysis(name: str, board: Board, analysis: Analysis) -> PositionAnalysis:
    sign = 1 if board.turn == "white" else -1
    return {
        "name": name,
        "best": _move_name(board, analysis.best),
        "line": sans_of(board, analysis.line[:MAX_LINE]),
        "mover": _judgement(analysis, 1),
        "white": _judgement(analysis, sign),
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "legal_mass": analysis.legal_mass,
        "moves": _ranked_moves(board, analysis, sign),
    }


def _move_name(board: Board, uci: str) -> MoveName:
    return {"uci": uci, "san": board.san(uci)}


def _judgement(analysis: Analysis, sign: int) -> Judgement:
    """For the side to move with sign 1, for the other side with sign -1."""
    wdl, value = analysis.wdl, value_of(analysis)
    if wdl is not None and sign == -1:
        wdl = (wdl[2], wdl[1], wdl[0])
    return {
        "points": None if value is None else (1 + sign * value) / 2,
        "pawns": None if analysis.score_pawns is None else sign * analysis.score_pawns,
        "mate_in": None if analysis.mate_in is None else sign * analysis.mate_in,
        "wdl": wdl,
    }


def _ranked_moves(board: Board, analysis: Analysis, sign: int) -> list[RankedMove]:
    """By probability where there is a policy, those with a line first of equal ones; else as the
    player ranks them."""
    judged = {one.best: one for one in reversed((analysis, *analysis.others))}
    policy = analysis.policy
    if policy is not None:
        has_line = {uci for uci, one in judged.items() if len(one.line) > 1}
        ranked = sorted(policy, key=lambda uci: (-policy[uci], uci not in has_line))
    else:
        ranked = list(dict.fromkeys([analysis.best, *(one.best for one in analysis.others)]))
    return [
        {
            **_move_name(board, uci),
            "probability": None if policy is None else float(policy[uci]),
            "visits": None if analysis.visits is None else analysis.visits[uci],
            "white": _judgement(judged[uci], sign) if uci in judged else None,
            "line": sans_of(board, judged[uci].line[:MAX_LINE]) if uci in judged else [],
        }
        for uci in ranked[:MAX_RANKED_MOVES]
    ]


def several_lines(player: Player, request: SearchRequest) -> Analysis:
    """The analysis of a player; one that has a line for its best move alone is asked for the next
    ones too, without those it has named (MultiPV), as is a search that spent all its visits on one
    move. Players that judge no positions, and policies without a search, have no lines."""
    best = player.analyse(request)
    is_policy = best.policy is not None and best.visits is None
    if is_policy or value_of(best) is None:
        return best
    # A search names all moves, also those that it hardly tried.
    lines = [one for one in best.others if best.visits is None or len(one.line) > 1]
    left = set(request.board.legal_moves()) - {best.best, *(one.best for one in lines)}
    while left and len(lines) + 1 < MULTI_PV and not request.stop.is_set():
        limits = Limits(time_ms=NEXT_LINE_MS)
        found = player.analyse(replace(request, root_moves=tuple(sorted(left)), limits=limits))
        lines.append(replace(found, others=()))
        left -= {found.best}
    named = {one.best for one in lines}
    unnamed = (one for one in best.others if one.best not in named)
    return replace(best, others=(*lines, *unnamed))


# ---- variations


class TreeNode(TypedDict):
    """A move of a tree. `parent` is the place in the list of the move before it; -1: the start."""

    parent: int
    uci: str
    san: str


class TreeData(TypedDict):
    start: str
    nodes: list[TreeNode]  # as they stand in the text


def read_tree(start: str | None, text: str) -> TreeData:
    """Moves in UCI with variations in parentheses after the move that they replace, as in PGN.
    ValueError says which move is wrong."""
    root = Board(start)
    boards: list[Board] = []
    nodes: list[TreeNode] = []
    at, opened = -1, list[int]()
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            if at < 0:
                raise ValueError("a variation must follow the move that it replaces")
            opened.append(at)
            at = nodes[at]["parent"]
        elif word == ")":
            if not opened:
                raise ValueError("the moves of this link close a variation that was not opened")
            at = opened.pop()
        else:
            board = (boards[at] if at >= 0 else root).copy()
            nodes.append({"parent": at, "uci": word, "san": _tree_san(board, word, len(nodes))})
            board.push(word, past_draw=True)
            boards.append(board)
            at = len(nodes) - 1
        if len(nodes) > MAX_MOVES:
            raise ValueError(f"a tree has {MAX_MOVES} moves at most")
    if opened:
        raise ValueError("the moves of this link open a variation that is not closed")
    return {"start": root.fen(), "nodes": nodes}


def _tree_san(board: Board, uci: str, number: int) -> str:
    try:
        return board.san(uci)
    except ValueError as error:
        raise ValueError(f"move {number + 1} of this link cannot be played: {error}") from error


# ---- loaded players


Key = tuple[str, Hashable]  # a player's name, and the version it stands for now


class PlayerCache:
    """Players that stay loaded, each used by one request at a time. The least recently used one is
    closed when there are too many."""

    def __init__(self, players: LabPlayers, size: int = MAX_LOADED_PLAYERS) -> None:
        self._players, self._size = players, size
        self._slots: dict[Key, _Slot] = {}  # least recently used first
        self._lock = Lock()

    @contextmanager
    def borrow(self, name: str) -> Iterator[Player]:
        """ValueError or NotFoundError when the lab has no such player. Blocks while another
        thread uses it."""
        key = (name, self._version(name))
        while True:
            slot = self._slot(key)
            with slot.lock:
                if slot.is_removed:
                    continue
                try:
                    if slot.player is None:
                        slot.player = self._players.load(name)
                    yield slot.player
                finally:
                    if slot.is_removed:
                        slot.close()
                return

    def close(self) -> None:
        with self._lock:
            slots = list(self._slots.values())
            self._slots.clear()
        for slot in slots:
            slot.remove()

    def _slot(self, key: Key) -> "_Slot":
        with self._lock:
            slot = self._slots.pop(key, None) or _Slot()
            self._slots[key] = slot
            oldest = list(self._slots)[: -self._size]
            removed = [self._slots.pop(old) for old in oldest]
        for old_slot in removed:
            old_slot.remove()
        return slot

    def _version(self, name: str) -> Hashable:
        """A run is another player after every checkpoint."""
        resolved = self._players.resolve(name)
        if not name.startswith(RUNS):
            return None
        return tuple(Checkpoints(Path(parse_run_name(resolved).kind)).steps())


class _Slot:
    """Holds one player. Its lock is held while the player is used."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.player: Player | None = None
        self.is_removed = False

    def remove(self) -> None:
        """Closes the player now, or when the request that uses it ends. Does not wait."""
        self.is_removed = True
        if self.lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self.lock.release()

    def close(self) -> None:
        if self.player is not None:
            self.player.close()


# ---- requests


class Pasted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=MAX_TEXT)


class Line(BaseModel):
    """Moves from a start; None is the usual start."""

    model_config = ConfigDict(extra="forbid")

    start: str | None = Field(default=None, max_length=120)
    moves: list[Uci] = Field(default_factory=list, max_length=MAX_MOVES)

    def board(self, plies: int | None = None) -> Board:
        board = Board(self.start)
        for uci in self.moves[:plies]:
            board.push(uci, past_draw=True)
        return board


class PositionRequest(Line):
    """The position after `ply` moves; `add` is played after them, in any notation."""

    ply: int = Field(0, ge=0, le=MAX_MOVES)
    add: str | None = Field(None, max_length=12)


class TreeRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    start: str | None = Field(default=None, max_length=120)
    moves: str = Field(default="", max_length=6 * MAX_MOVES)


class AnalysisRequest(Line):
    player: str = Field(max_length=300)


class PositionData(LegalMoves):
    start: str
    moves: list[str]
    sans: list[str]
    ply: int  # how many of the moves are on the board
    fen: str
    turn: Literal["white", "black"]
    check: bool
    ending: str | None
    opening: str | None


def analysis_routes(players: LabPlayers, cache: PlayerCache) -> APIRouter:
    router = APIRouter(prefix="/api/analyse")

    @router.post("/read")
    def read(pasted: Pasted) -> PastedGames | Problem:
        try:
            return read_games(pasted.text)
        except ValueError as error:
            return {"problem": str(error)}

    @router.post("/tree")
    def tree(request: TreeRequest) -> TreeData | Problem:
        try:
            return read_tree(request.start, request.moves)
        except ValueError as error:
            return {"problem": str(error)}

    @router.post("/position")
    def position(request: PositionRequest) -> PositionData | Problem:
        try:
            return _describe_position(request)
        except ValueError as error:
            return {"problem": str(error)}

    @router.post("/analysis")
    def analysis(request: AnalysisRequest) -> PositionAnalysis | Problem:
        board = request.board()
        if (ending := _ending(board)) is not None:
            return {"problem": ending}
        search = SearchRequest(board=board, seed=0, limits=Limits(time_ms=SEARCH_MS))
        try:
            with cache.borrow(request.player) as player:
                found = several_lines(player, search)
                return describe_analysis(players.shown(player.name), board, found)
        except EngineFaultError as fault:
            return {"problem": f"the engine failed: {fault}"}

    return router


def _describe_position(request: PositionRequest) -> PositionData:
    moves = request.moves
    ply = min(request.ply, len(moves))
    if request.add is not None:
        moves = [*moves[:ply], request.board(ply).parse_san(request.add.strip())]
        ply += 1
    line = Line(start=request.start, moves=moves)
    board = line.board(ply)
    return {
        "start": Board(request.start).fen(),
        "moves": moves,
        "sans": sans_of(Board(request.start), line.board().moves),
        "ply": ply,
        "fen": board.fen(),
        "turn": board.turn,
        "check": board.is_check(),
        **legal_moves_of(board),
        "ending": _ending(board),
        "opening": opening_of(board),
    }


def _ending(board: Board) -> str | None:
    outcome = board.outcome()
    if outcome is None:
        return None
    reason = outcome.reason.replace("_", " ")
    if outcome.winner is None:
        return f"The game is over: a draw by {reason}."
    return f"The game is over: {outcome.winner.capitalize()} wins by {reason}."
