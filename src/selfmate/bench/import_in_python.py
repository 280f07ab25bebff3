"""Importing games as a script with python-chess and NumPy does it: read, filter, store, shuffle.

It does without what costs it time: a game that the tags rule out is skipped by the parser, boards
are stored as the bitboards that python-chess has at hand, and everything stays in memory.
"""

from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import chess.pgn
import h5py
import numpy as np

from selfmate.data.game_filter import GameFilter

BROKEN_OFF = ("time forfeit", "abandoned", "illegal move")
RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}
BOARDS = 4
NO_BOARD = (0,) * 8
CHUNK_ROWS = 20_000

# Four boards of eight bitboards and the castling rights as another; then numbers: side to move, en
# passant, clocks, occurrences, move, plies left, result, ratings, game.
Row = tuple[int, ...]
BITBOARDS = 8 * BOARDS + 1


def import_games(file: TextIO, out: Path, wanted: GameFilter) -> int:
    """Writes chunks and returns how many positions they hold."""
    rows = list[Row]()
    for number, game in enumerate(_games(file, wanted)):
        rows += _rows(game, number, wanted.skip_plies)
    boards = np.array([row[:BITBOARDS] for row in rows], np.uint64)
    rest = np.array([row[BITBOARDS:] for row in rows], np.int64)
    order = np.random.default_rng(1).permutation(len(rows))
    out.mkdir()
    for begin in range(0, len(rows), CHUNK_ROWS):
        chosen = order[begin : begin + CHUNK_ROWS]
        with h5py.File(out / f"{begin}.h5", "w") as chunk:
            chunk.create_dataset("boards", data=boards[chosen], compression="lzf")
            chunk.create_dataset("rest", data=rest[chosen], compression="lzf")
    return len(rows)


def _games(file: TextIO, wanted: GameFilter) -> Iterator[chess.pgn.Game]:
    class Sieve(chess.pgn.GameBuilder[chess.pgn.Game]):
        def end_headers(self) -> chess.pgn.SkipType | None:
            headers = self.game.headers
            ratings = (headers.get("WhiteElo", ""), headers.get("BlackElo", ""))
            strong = all(text.isdigit() and int(text) >= wanted.least_elo for text in ratings)
            finished = headers.get("Termination", "") not in BROKEN_OFF
            known = headers.get("Result") in RESULTS and "FEN" not in headers
            return None if strong and finished and known else chess.pgn.SKIP

    def builder() -> chess.pgn.GameBuilder[chess.pgn.Game]:
        return Sieve(Game=chess.pgn.Game)

    while (game := chess.pgn.read_game(file, Visitor=builder)) is not None:
        moves = game.end().ply()
        if moves > wanted.skip_plies and not game.errors:
            yield game


def _rows(game: chess.pgn.Game, number: int, skip_plies: int) -> Iterator[Row]:
    headers, moves = game.headers, list(game.mainline_moves())
    about_game = (
        RESULTS[headers["Result"]], int(headers["WhiteElo"]), int(headers["BlackElo"]), number
    )  # fmt: skip
    board, seen = game.board(), Counter[Row]()
    boards = deque[Row]([NO_BOARD] * BOARDS, BOARDS)
    for ply, move in enumerate(moves):
        boards.appendleft(_bitboards(board))
        state = (board.castling_rights, board.turn, board.ep_square or 0)
        key = (*boards[0], *state)
        if ply >= skip_plies:
            coded = move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
            clocks = (board.halfmove_clock, board.fullmove_number, seen[key])
            yield (
                *(bits for each in boards for bits in each),
                *state, *clocks, coded, len(moves) - ply, *about_game,
            )  # fmt: skip
        seen[key] += 1
        board.push(move)


def _bitboards(board: chess.Board) -> tuple[int, ...]:
    return (
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK],
    )  # fmt: skip
