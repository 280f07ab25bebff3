"""Batched self-play: many games at once, one ply of all of them per step.

The driver knows boards, slots, seeds and endings. An actor knows how to choose: it is shown the
positions to move in, and returns moves and the columns to record. What comes out are trajectories,
flat columns with one entry per recorded position and one result per game, from which each learner
makes its own kind of training data.

Every random number depends only on the seed, the game's number and its ply, so a game is the same
in any slot, beside any other games, and on any thread or machine. `play_games` plays all games of a
plan in this process; `selfplay.workers` divides them among workers, each of which plays some and
hands back `PlayedGames`.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.match import PLY_LIMIT, RESULTS
from selfmate.arena.openings import shipped_openings
from selfmate.data.endgames import won_endgame
from selfmate.data.trajectories import Columns, concatenated, sorted_rows
from selfmate.rules import Board, Outcome, Ragged, derive_seeds, push_moves
from selfmate.runs import Stopwatch, Tick, unwatched

RESIGNED = "resigned"  # beside the endings of the rules and PLY_LIMIT
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class GamePlan:
    """The games to play."""

    boards: Sequence[Board]  # starting positions; the games are played on these boards
    max_plies: int  # per game, after the start; longer games are truncated and count as draws
    seed: int
    parallel_games: int | None = None  # per actor; None plays all games at once
    numbers: Sequence[int] | None = None  # of the games; None: 0, 1, 2 and so on

    def games(self) -> "list[Game]":
        numbers = range(len(self.boards)) if self.numbers is None else self.numbers
        pairs = zip(numbers, self.boards, strict=True)
        return [Game(number=number, board=board) for number, board in pairs]


@dataclass(frozen=True, kw_only=True)
class Turn:
    """The B games in which an actor has to move."""

    boards: list[Board]  # [B]
    games: Numbers  # [B] numbers of the games
    plies: Numbers  # [B] moves played in self-play before this one
    slots: Numbers  # [B] a game keeps its slot until it ends
    is_white: Flags  # [B] the side to move
    seed: int
    # To be called now and then by an actor that takes longer than a second, with the positions
    # that it evaluated since.
    tick: Callable[[int], None] = lambda positions: None
    watch: Stopwatch = field(default_factory=Stopwatch)  # of what is done beside choosing moves

    def seeds(self, counters: Numbers) -> NDArray[np.uint64]:
        """Random numbers [B] for counters [B], or [K, B] for [K, B]. Actors count by plies."""
        return derive_seeds(self.seed, self.games, counters)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """An actor's answer to a turn."""

    moves: NDArray[np.uint16]  # [B]
    # What is recorded, under the same names in all turns.
    columns: Columns
    rows: Numbers | None = None  # the positions that are recorded; None: all
    resigns: Flags | None = None  # [B] the side to move resigns if its move does not end the game
    leaves: int = 0  # positions that searches asked the net about; the same beside any games


class Actor(Protocol):
    """Chooses the moves of both sides. Each thread of self-play has an actor of its own."""

    def decide(self, turn: Turn) -> Decision: ...


@dataclass(kw_only=True)
class Game:
    number: int
    board: Board
    moves: list[int] = field(default_factory=list)  # codes, since the start
    slot: int = -1
    result: int = 0  # White's view: 1, 0, -1
    ending: str = PLY_LIMIT

    @property
    def plies(self) -> int:
        return len(self.moves)

    def end(self, result: int, ending: str) -> None:
        self.result, self.ending = result, ending


@dataclass(frozen=True, kw_only=True)
class GameStats:
    """How some games went."""

    games: int
    plies: int
    distinct: int  # by starting position and moves
    endings: Counter[str]
    white_points: float
    plies_of_wins: tuple[int, ...]  # lengths of the games that either side won

    @property
    def decided(self) -> int:
        return len(self.plies_of_wins)

    @property
    def truncated(self) -> int:
        return self.endings[PLY_LIMIT]


@dataclass(frozen=True, kw_only=True)
class PlayedGames:
    """Some games of a plan from their start to their end: what a worker hands back. Plain data."""

    numbers: Numbers  # [G]
    results: NDArray[np.int8]  # [G] White's view
    endings: Sequence[str]  # [G]
    moves: Ragged  # a row of codes per game, since its start
    # With an entry or a row per recorded position, and beside the actor's own: games, plies,
    # is_white. Games end to end, in the order of `numbers`.
    columns: Columns
    leaves: int  # positions that searches asked the net about
    seconds: Mapping[str, float]  # of the parts of an actor's work beside choosing moves


@dataclass(frozen=True, kw_only=True)
class Trajectories:
    """P recorded positions of G games: game after game, each in the order of play."""

    columns: Columns
    games: Numbers  # [P] game of each recorded position
    plies: Numbers  # [P]
    is_white: Flags  # [P] the side to move
    results: NDArray[np.int8]  # [G] White's view: 1, 0, -1; 0 for truncated games as well
    endings: Sequence[str]  # [G]
    lengths: Numbers  # [G] plies
    truncated: Turn  # the last positions of truncated games, in which nobody moved
    stats: GameStats
    leaves: int  # positions that searches asked the net about
    seconds: Mapping[str, float]  # of the parts of the actors' work, on average over the actors

    @property
    def is_truncated(self) -> Flags:
        """[G] The game reached the ply limit."""
        return np.array([ending == PLY_LIMIT for ending in self.endings], np.bool_)

    @property
    def results_side_to_move(self) -> NDArray[np.int8]:
        """[P] The result of each position's game."""
        results = self.results[self.games]
        return np.where(self.is_white, results, -results)


def play_games(actors: Sequence[Actor], plan: GamePlan, tick: Tick = unwatched) -> Trajectories:
    """Plays all games of a plan in this process. Actor k of n plays the games k, k + n, k + 2 n and
    so on, with several actors each on a thread of its own. Ticks games, moves and the positions
    that nets evaluated, on these threads."""
    return trajectories([played_by(actors, plan, tick)], plan, workers=len(actors))


def played_by(actors: Sequence[Actor], plan: GamePlan, tick: Tick = unwatched) -> PlayedGames:
    """As `play_games`; the plan may have some games of a larger one."""
    games, tables = plan.games(), list[_Table]()

    def tick_all() -> None:
        counts = {"moves": sum(table.moves for table in tables)}
        if positions := sum(table.positions for table in tables):
            counts["positions"] = positions
        tick(sum(table.ended for table in tables), **counts)

    tables += [
        _Table(actor, plan, games[k :: len(actors)], tick_all) for k, actor in enumerate(actors)
    ]
    if len(tables) == 1:
        tables[0].play()
    else:
        with ThreadPoolExecutor(len(tables)) as pool:
            for job in [pool.submit(table.play) for table in tables]:
                job.result()
    return _played(tables, games)


@dataclass
class _Table:
    """The games of one actor."""

    actor: Actor
    plan: GamePlan
    games: Iterable[Game]
    tick: Callable[[], None]
    ended: int = 0  # games
    moves: int = 0
    positions: int = 0  # evaluated, as far as the actor says so
    leaves: int = 0
    parts: list[dict[str, Any]] = field(default_factory=list)  # one per step
    watch: Stopwatch = field(default_factory=Stopwatch)

    def play(self) -> None:
        waiting = deque(self.games)
        slots = self.plan.parallel_games or len(waiting)
        running = list[Game]()
        while waiting or running:
            _refill(running, waiting, slots)
            running = self._step(running)
            self.tick()

    def _step(self, running: list[Game]) -> list[Game]:
        """One ply; returns the games still running."""
        turn = replace(_turn(running, self.plan.seed), tick=self._count, watch=self.watch)
        decision = self.actor.decide(turn)
        self.leaves += decision.leaves
        self._record(turn, decision)
        outcomes = push_moves(turn.boards, decision.moves)
        resigns = np.zeros(len(running), np.bool_) if decision.resigns is None else decision.resigns
        ends = map(_end, outcomes, resigns.tolist(), turn.is_white.tolist())
        moved = zip(running, decision.moves.tolist(), ends, strict=True)
        return [game for game, move, end in moved if not self._ends(game, move, end)]

    def _count(self, positions: int) -> None:
        self.positions += positions
        self.tick()

    def _record(self, turn: Turn, decision: Decision) -> None:
        rows = slice(None) if decision.rows is None else decision.rows
        of_driver = {
            "games": turn.games[rows],
            "plies": turn.plies[rows],
            "is_white": turn.is_white[rows],
        }
        if len(of_driver["games"]):
            self.parts.append({**decision.columns, **of_driver})

    def _ends(self, game: Game, move: int, end: tuple[int, str] | None) -> bool:
        """Counts the ply that was just played; whether it was the last."""
        game.moves.append(move)
        self.moves += 1
        if end is not None:
            game.end(*end)
        is_over = end is not None or game.plies >= self.plan.max_plies
        self.ended += is_over
        return is_over


def _end(outcome: Outcome | None, resigns: bool, white_moved: bool) -> tuple[int, str] | None:
    """Result and ending of a game after a move; None if it goes on."""
    if outcome is not None:
        return RESULTS[outcome.winner], outcome.reason
    return (-1 if white_moved else 1, RESIGNED) if resigns else None


def _refill(running: list[Game], waiting: deque[Game], slots: int) -> None:
    """Starts waiting games in free slots, the lowest slot first."""
    if not waiting or len(running) >= slots:
        return
    taken = {game.slot for game in running}
    for slot in range(slots):
        if waiting and slot not in taken:
            game = waiting.popleft()
            game.slot = slot
            running.append(game)


def _turn(games: Sequence[Game], seed: int) -> Turn:
    return Turn(
        boards=[game.board for game in games],
        games=np.array([game.number for game in games], np.int64),
        plies=np.array([game.plies for game in games], np.int64),
        slots=np.array([game.slot for game in games], np.int64),
        is_white=np.array([game.board.turn == "white" for game in games], np.bool_),
        seed=seed,
    )


def _played(tables: Sequence[_Table], games: Sequence[Game]) -> PlayedGames:
    columns = concatenated([part for table in tables for part in table.parts])
    return PlayedGames(
        numbers=np.array([game.number for game in games], np.int64),
        results=np.array([game.result for game in games], np.int8),
        endings=[game.ending for game in games],
        moves=_ragged_moves(games),
        columns=sorted_rows(columns, columns["games"]),
        leaves=sum(table.leaves for table in tables),
        seconds=_sums([table.watch.seconds for table in tables], 1),
    )


def _ragged_moves(games: Sequence[Game]) -> Ragged:
    codes = np.array([code for game in games for code in game.moves], np.int32)
    offsets = np.concatenate([[0], np.cumsum([game.plies for game in games])])
    return Ragged(codes, offsets.astype(np.int64))


def trajectories(played: Sequence[PlayedGames], plan: GamePlan, *, workers: int) -> Trajectories:
    """Of all games of a plan, which were played on its boards, however they were divided among so
    many workers."""
    columns = concatenated([part.columns for part in played])
    columns = sorted_rows(columns, columns["games"])
    of_driver = {name: columns.pop(name) for name in ("games", "plies", "is_white")}
    games = _ended_games(played, plan)
    return Trajectories(
        columns=columns,
        **of_driver,
        results=np.array([game.result for game in games], np.int8),
        endings=[game.ending for game in games],
        lengths=np.array([game.plies for game in games]),
        truncated=_turn([game for game in games if game.ending == PLY_LIMIT], plan.seed),
        stats=_stats(games),
        leaves=sum(part.leaves for part in played),
        seconds=_sums([part.seconds for part in played], workers),
    )


def _ended_games(played: Sequence[PlayedGames], plan: GamePlan) -> list[Game]:
    games = {game.number: game for game in plan.games()}
    for part in played:
        ends = zip(part.numbers.tolist(), part.results.tolist(), part.endings, strict=True)
        for row, (number, result, ending) in enumerate(ends):
            games[number].end(result, ending)
            begin, end = part.moves.offsets[row : row + 2].tolist()
            games[number].moves = part.moves.values[begin:end].tolist()
    return [games[number] for number in sorted(games)]


def _sums(parts: Sequence[Mapping[str, float]], divisor: int) -> dict[str, float]:
    """Of each name, over all parts; divided."""
    names = {name: None for part in parts for name in part}
    return {name: sum(part.get(name, 0.0) for part in parts) / divisor for name in names}


def _stats(games: Sequence[Game]) -> GameStats:
    return GameStats(
        games=len(games),
        plies=sum(game.plies for game in games),
        distinct=len({(game.board.start_fen, *game.board.moves) for game in games}),
        endings=Counter(game.ending for game in games),
        white_points=sum((1 + game.result) / 2 for game in games),
        plies_of_wins=tuple(game.plies for game in games if game.result),
    )


@dataclass(frozen=True, kw_only=True)
class Starts:
    openings: bool  # a random one of the shipped openings; else the initial position
    endgame_fraction: float  # of games that start from a won endgame instead
    random_plies: int = 0  # at most so many random plies follow, at least half as many

    def boards(self, count: int, rng: np.random.Generator) -> list[Board]:
        boards = self._opened(count, rng)
        if self.random_plies:
            boards = [self._shuffled(board, rng) for board in boards]
        seed, is_endgame = int(rng.integers(2**63)), rng.random(count) < self.endgame_fraction
        for number in np.flatnonzero(is_endgame).tolist():
            boards[number] = Board(won_endgame(seed, number))
        return boards

    def _shuffled(self, start: Board, rng: np.random.Generator) -> Board:
        """After random plies; if they end the game, others are drawn."""
        plies = int(rng.integers((self.random_plies + 1) // 2, self.random_plies + 1))
        while True:
            board = start.copy()
            while len(board.moves) < len(start.moves) + plies and board.outcome() is None:
                moves = board.legal_moves()
                board.push(moves[int(rng.integers(len(moves)))])
            if board.outcome() is None:
                return board

    def _opened(self, count: int, rng: np.random.Generator) -> list[Board]:
        if not self.openings:
            return [Board() for _ in range(count)]
        openings = shipped_openings()
        return [openings[i].board() for i in rng.integers(len(openings), size=count)]
