"""Whether a player wins what is won: king and queen, or king and rook, against a king that resists
as long as it can."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.endgames import placement
from selfmate.encodings import encode
from selfmate.encodings.sentences import (
    ENEMY_KING,
    ENEMY_QUEEN,
    ENEMY_ROOK,
    MOVES,
    OWN_KING,
    OWN_QUEEN,
    OWN_ROOK,
    SQUARES,
    sentences_of,
)
from selfmate.players.player import Player
from selfmate.rules import Board, Outcome, push_moves
from selfmate.search.dice import roll
from selfmate.search.endgame_table import NOT_WON, Piece, endgame_table
from selfmate.search.value_choices import best_actions

PIECES: tuple[Piece, ...] = ("queen", "rook")
LETTERS = {"queen": "Q", "rook": "R"}
OWN_PIECE = {"queen": OWN_QUEEN, "rook": OWN_ROOK}
ENEMY_PIECE = {"queen": ENEMY_QUEEN, "rook": ENEMY_ROOK}
Numbers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Conversion:
    piece: Piece
    games: int
    converted: int
    moves: float | None  # to mate, mean of the games that were won
    exact_moves: float | None  # that they would have taken with best play

    @property
    def share(self) -> float:
        return self.converted / self.games


@dataclass
class _Game:
    board: Board
    number: int
    exact_moves: int
    moves: int = 0
    is_won: bool = False


def won_positions(piece: Piece, count: int, seed: int) -> list[Board]:
    """With the side to move that wins, which is White and Black in turn, all alike likely."""
    (won,) = np.nonzero(endgame_table(piece)[0].ravel() != NOT_WON)
    chosen = np.random.default_rng([seed, PIECES.index(piece)]).choice(won, count)
    return [
        Board(_fen(piece, int(index), black=bool(number % 2)))
        for number, index in enumerate(chosen)
    ]


def nobody(_: int) -> None:
    pass


def convert(
    player: Player,
    piece: Piece,
    *,
    games: int,
    seed: int,
    watch: Callable[[int], None] = nobody,
) -> Conversion:
    """Plays won positions out. Draws by the rules end them, the fifty moves at the latest. `watch`
    hears how many games ended by every move."""
    boards = won_positions(piece, games, seed)
    exact = (distances(piece, boards) + 1) // 2
    table = [_Game(board, number, int(exact[number])) for number, board in enumerate(boards)]
    for begin in range(0, games, player.games_at_once):
        running = table[begin : begin + player.games_at_once]
        while running:
            going = _defend(piece, _attack(player, running, seed), seed)
            watch(len(running) - len(going))
            running = going
    won = [game for game in table if game.is_won]
    return Conversion(
        piece=piece,
        games=games,
        converted=len(won),
        moves=float(np.mean([game.moves for game in won])) if won else None,
        exact_moves=float(np.mean([game.exact_moves for game in won])) if won else None,
    )


def distances(piece: Piece, boards: Sequence[Board]) -> Numbers:
    """[B] Plies to mate, the winning side to move."""
    king, man, bare = _squares(boards, OWN_KING, OWN_PIECE[piece], ENEMY_KING)
    found: Numbers = endgame_table(piece)[0, king, man, bare].astype(np.int64)
    return found


def defences(piece: Piece, boards: Sequence[Board], dice: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """[B] Moves of the bare king that put the mate off longest, or escape it."""
    sentences = sentences_of(boards)
    legal = sentences.legal
    king, man, _ = _squares(boards, ENEMY_KING, ENEMY_PIECE[piece], OWN_KING)
    rows, goals = legal.rows, MOVES[legal.values].astype(np.int64) >> 6 & 63
    left = endgame_table(piece)[0, king[rows], man[rows], goals].astype(np.float32)
    actions = best_actions(left, legal, dice)  # a square of the piece is no position: not won
    return sentences.moves(actions)


def _attack(player: Player, games: Sequence[_Game], seed: int) -> list[_Game]:
    """A move of the player in every game; those that go on."""
    boards = [game.board for game in games]
    choices = player.choose(boards, _dice(games, seed, 0))
    going = [at for at in range(len(games)) if at not in choices.forfeits]
    outcomes = push_moves([boards[at] for at in going], choices.moves[going])
    for at, outcome in zip(going, outcomes, strict=True):
        games[at].moves += 1
        games[at].is_won = bool(outcome and outcome.winner)
    return _unfinished([games[at] for at in going], outcomes)


def _defend(piece: Piece, games: Sequence[_Game], seed: int) -> list[_Game]:
    if not games:
        return []
    boards = [game.board for game in games]
    return _unfinished(games, push_moves(boards, defences(piece, boards, _dice(games, seed, 1))))


def _unfinished(games: Sequence[_Game], outcomes: Sequence[Outcome | None]) -> list[_Game]:
    return [game for game, outcome in zip(games, outcomes, strict=True) if outcome is None]


def _dice(games: Sequence[_Game], seed: int, side: int) -> NDArray[np.uint64]:
    numbers, moves = (np.array([getattr(game, of) for game in games]) for of in ("number", "moves"))
    return roll(seed, numbers, 2 * moves + side)


def _squares(boards: Sequence[Board], *words: int) -> list[Numbers]:
    """Where the men of these words stand, as the side to move sees it. The endgames are the same
    upside down, so the table needs not be turned."""
    squares = encode("tokens78", boards)[:, SQUARES]
    return [np.argmax(squares == word, axis=1) for word in words]


def _fen(piece: Piece, index: int, *, black: bool) -> str:
    """Of a place in the table, with the colours changed for Black."""
    men = {index >> 12: "K", index >> 6 & 63: LETTERS[piece], index & 63: "k"}
    if black:
        men = {square ^ 56: man.swapcase() for square, man in men.items()}
    return f"{placement(men)} {'b' if black else 'w'} - - 0 1"
