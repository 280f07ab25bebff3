"""Conversion of won endgames: a player with king and queen, king and rook, or king and two bishops
against a lone king that delays mate as long as it can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.endgames import placement
from selfmate.encodings.records import ENEMY_KING, MOVES, OWN_KING, encode_tokens
from selfmate.players import Player
from selfmate.rules import Board, Outcome, derive_seeds, push_moves
from selfmate.searches.endgame_tables import (
    ENEMY_PIECE,
    NOT_WON,
    OWN_PIECE,
    PIECES,
    Numbers,
    Piece,
    endgame_table,
    squares_of,
)
from selfmate.searches.sampling import best_actions

LETTERS = {"queen": "Q", "rook": "R", "bishops": "BB"}


@dataclass(frozen=True, kw_only=True)
class Conversion:
    piece: Piece
    games: int  # that are over
    converted: int
    moves: float | None  # to mate, mean over the games that were won
    exact_moves: float | None  # the same with best play

    @property
    def share(self) -> float:
        return self.converted / self.games if self.games else 0.0


@dataclass
class _Game:
    board: Board
    number: int
    exact_moves: int
    moves: int = 0
    is_won: bool = False
    is_over: bool = False


def won_positions(piece: Piece, count: int, seed: int) -> list[Board]:
    """Drawn uniformly; the winning side is to move, White and Black in turn."""
    (won,) = np.nonzero(endgame_table(piece)[0].ravel() != NOT_WON)
    chosen = np.random.default_rng([seed, PIECES.index(piece)]).choice(won, count)
    return [
        Board(_fen(piece, int(index), black=bool(number % 2)))
        for number, index in enumerate(chosen)
    ]


def convert(player: Player, piece: Piece, *, games: int, seed: int) -> Conversion:
    """Plays won positions to their end, by the fifty-move rule at the latest."""
    *_, last = convert_in_rounds(player, piece, games=games, seed=seed)
    return last


def convert_in_rounds(
    player: Player, piece: Piece, *, games: int, seed: int
) -> Iterator[Conversion]:
    """As `convert`; yields what the games that are over say, after every move of those that are
    played at once."""
    boards = won_positions(piece, games, seed)
    exact = (distances(piece, boards) + 1) // 2
    played = [_Game(board, number, int(exact[number])) for number, board in enumerate(boards)]
    for begin in range(0, games, player.parallel_games):
        running = played[begin : begin + player.parallel_games]
        while running:
            remaining = _defend(piece, _attack(player, running, seed), seed)
            unfinished = {game.number for game in remaining}
            for game in running:
                game.is_over = game.number not in unfinished
            running = remaining
            yield _conversion(piece, [game for game in played if game.is_over])


def _conversion(piece: Piece, games: Sequence[_Game]) -> Conversion:
    won = [game for game in games if game.is_won]
    return Conversion(
        piece=piece,
        games=len(games),
        converted=len(won),
        moves=float(np.mean([game.moves for game in won])) if won else None,
        exact_moves=float(np.mean([game.exact_moves for game in won])) if won else None,
    )


def distances(piece: Piece, boards: Sequence[Board]) -> Numbers:
    """[B] Plies to mate with the winning side to move."""
    table = endgame_table(piece)[0]
    king, lone = squares_of(boards, OWN_KING), squares_of(boards, ENEMY_KING)
    found: Numbers = table[*king, *squares_of(boards, OWN_PIECE[piece]), *lone].astype(np.int64)
    return found


def defences(
    piece: Piece, boards: Sequence[Board], seeds: NDArray[np.uint64]
) -> NDArray[np.uint16]:
    """[B] Moves of the lone king that delay mate longest, or escape it."""
    tokens = encode_tokens(boards)
    legal = tokens.legal
    enemies = [*squares_of(boards, ENEMY_KING), *squares_of(boards, ENEMY_PIECE[piece])]
    rows, destinations = legal.rows, MOVES[legal.values].astype(np.int64) >> 6 & 63
    # A king on the piece's square has captured it; the table has that as not won, its longest.
    table = endgame_table(piece)[0]
    plies = table[*(squares[rows] for squares in enemies), destinations].astype(np.float32)
    return tokens.moves(best_actions(plies, legal, seeds))


def _attack(player: Player, games: Sequence[_Game], seed: int) -> list[_Game]:
    """Plays the player's move in every game; returns the unfinished games."""
    boards = [game.board for game in games]
    choices = player.choose(boards, _seeds(games, seed, 0))
    rows = [row for row in range(len(games)) if row not in choices.forfeits]
    outcomes = push_moves([boards[row] for row in rows], choices.moves[rows])
    for row, outcome in zip(rows, outcomes, strict=True):
        games[row].moves += 1
        games[row].is_won = bool(outcome and outcome.winner)
    return _unfinished([games[row] for row in rows], outcomes)


def _defend(piece: Piece, games: Sequence[_Game], seed: int) -> list[_Game]:
    """Plays the lone king's move in every game; returns the unfinished games."""
    if not games:
        return []
    boards = [game.board for game in games]
    return _unfinished(games, push_moves(boards, defences(piece, boards, _seeds(games, seed, 1))))


def _unfinished(games: Sequence[_Game], outcomes: Sequence[Outcome | None]) -> list[_Game]:
    return [game for game, outcome in zip(games, outcomes, strict=True) if outcome is None]


def _seeds(games: Sequence[_Game], seed: int, side: int) -> NDArray[np.uint64]:
    numbers = np.array([game.number for game in games])
    moves = np.array([game.moves for game in games])
    return derive_seeds(seed, numbers, 2 * moves + side)


def _fen(piece: Piece, index: int, *, black: bool) -> str:
    """The position at an index of the table, with colours swapped if Black wins."""
    letters = f"K{LETTERS[piece]}k"
    squares = np.unravel_index(index, (64,) * len(letters))
    pieces = {int(square): letter for square, letter in zip(squares, letters, strict=True)}
    if black:
        pieces = {square ^ 56: letter.swapcase() for square, letter in pieces.items()}
    return f"{placement(pieces)} {'b' if black else 'w'} - - 0 1"
