"""A match: pairs of games on the same opening with colours swapped, many games at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from selfmate.arena.openings import Opening
from selfmate.players import Player
from selfmate.rules import Board, Outcome, push_moves
from selfmate.rules.cores import available_cores
from selfmate.search.dice import roll
from selfmate.search.teacher import score_moves

DEFAULT_MAX_PLIES = 400  # after the opening
ADJUDICATION_PLIES = 6  # how long a lead must last


@dataclass(frozen=True)
class PlayedGame:
    """One finished game; number 2k and 2k + 1 are the pair of opening k, A has White in 2k."""

    number: int
    opening: Opening
    moves: tuple[str, ...]  # UCI, the opening's included
    result: int  # 1 White won, 0 draw, -1 Black won
    reason: str  # of REASONS, or what a player forfeited by
    forfeit: bool = False
    # What the players' searches came to, for each move after the opening; empty if none said it.
    comments: tuple[str, ...] = ()

    @property
    def points_of_a(self) -> float:
        """1, 1/2 or 0 from the first player's side."""
        view = 1 if self.number % 2 == 0 else -1
        return (1 + view * self.result) / 2


@dataclass
class RunningGame:
    number: int
    opening: Opening
    board: Board
    plies: int = 0  # since the opening
    white_ahead: int = 0  # plies in a row that White was far ahead; negative for Black
    comments: list[str] = field(default_factory=list)  # of the plies

    def player_to_move(self) -> int:
        """0 for A, 1 for B."""
        white_is_b = self.number % 2
        return white_is_b if self.board.turn == "white" else 1 - white_is_b


@dataclass
class Match:
    """Plays the games that are asked for; who has seen enough stops asking."""

    players: tuple[Player, Player]
    openings: Sequence[Opening]
    seed: int
    max_plies: int = DEFAULT_MAX_PLIES
    adjudicate_pawns: int | None = None  # a lead that ends a game; None: games are played out
    # Called after every round of moves with the oldest game that goes on.
    watch: Callable[[RunningGame], None] | None = None
    _running: list[RunningGame] = field(default_factory=list)

    def play(self, numbers: Sequence[int]) -> Iterator[PlayedGame]:
        """The games with these numbers, each as it ends."""
        waiting = list(reversed(numbers))
        at_once = min(player.games_at_once for player in self.players)
        self._running = []
        while waiting or self._running:
            while waiting and len(self._running) < at_once:
                self._running.append(self._start(waiting.pop()))
            for side in (0, 1):
                yield from self._move(side)
            if self.watch is not None and self._running:
                self.watch(self._running[0])

    def _start(self, number: int) -> RunningGame:
        opening = self.openings[number // 2 % len(self.openings)]
        return RunningGame(number, opening, opening.board())

    def _move(self, side: int) -> list[PlayedGame]:
        """One move in every game where this player is to move; the games that ended by it."""
        games = [game for game in self._running if game.player_to_move() == side]
        if not games:
            return []
        numbers = np.array([game.number for game in games])
        plies = np.array([game.plies for game in games])
        choices = self.players[side].choose(
            [game.board for game in games], roll(self.seed, numbers, plies)
        )
        ended = [_forfeited(games[i], why) for i, why in choices.forfeits.items()]
        going = [i for i in range(len(games)) if i not in choices.forfeits]
        outcomes = push_moves([games[i].board for i in going], choices.moves[going])
        for i, outcome in zip(going, outcomes, strict=True):
            games[i].plies += 1
            games[i].comments.append(choices.comments.get(i, ""))
            if outcome is not None:
                ended.append(_finished(games[i], outcome))
            elif games[i].plies >= self.max_plies:
                ended.append(_record(games[i], 0, "ply_limit"))
        over = {game.number for game in ended}
        ended += self._adjudicate([games[i] for i in going if games[i].number not in over])
        over = {game.number for game in ended}
        self._running = [game for game in self._running if game.number not in over]
        return ended

    def _adjudicate(self, games: Sequence[RunningGame]) -> list[PlayedGame]:
        """Ends games in which the teacher has seen the same side far ahead for long enough."""
        if self.adjudicate_pawns is None or not games:
            return []
        scores = score_moves([game.board for game in games], depth=2, threads=available_cores())
        best_pawns = np.maximum.reduceat(scores.pawns, scores.offsets[:-1])
        ended = []
        for game, pawns in zip(games, best_pawns, strict=True):
            lead = pawns if game.board.turn == "white" else -pawns
            leader = 0 if abs(lead) < self.adjudicate_pawns else 1 if lead > 0 else -1
            same = leader * game.white_ahead > 0
            game.white_ahead = game.white_ahead + leader if same else leader
            if abs(game.white_ahead) >= ADJUDICATION_PLIES:
                ended.append(_record(game, leader, "adjudication"))
        return ended


def _record(game: RunningGame, result: int, reason: str, forfeit: bool = False) -> PlayedGame:
    comments = tuple(game.comments) if any(game.comments) else ()
    moves = tuple(game.board.moves)
    return PlayedGame(game.number, game.opening, moves, result, reason, forfeit, comments)


def _finished(game: RunningGame, outcome: Outcome) -> PlayedGame:
    result = {"white": 1, "black": -1, None: 0}[outcome.winner]
    return _record(game, result, outcome.reason)


def _forfeited(game: RunningGame, why: str) -> PlayedGame:
    return _record(game, -1 if game.board.turn == "white" else 1, why, forfeit=True)
