"""Importing games end to end: `selfmate import`, beside a script with python-chess and NumPy."""

import io
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO

import chess.pgn
import h5py
import numpy as np

from selfmate.data.game_filter import GameFilter
from selfmate.data.pgn_import import GameImport, ImportSettings
from selfmate.rules import random_games, write_pgn
from selfmate_benchmarks import Results, best_rates, ratio

ROUNDS = 5
GAMES = 2_000
GAMES_IN_PYTHON = 40
MAX_PLIES = 200  # about the length of games between engines

INTERRUPTED = ("time forfeit", "abandoned", "illegal move")
RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}
BOARDS = 4
NO_BOARD = (0,) * 8
CHUNK_ROWS = 20_000

# Four boards of eight bitboards and the castling rights as another; then numbers: side to move, en
# passant, clocks, occurrences, move, plies left, result, ratings, game.
Row = tuple[int, ...]
BITBOARDS = 8 * BOARDS + 1


def import_games(file: TextIO, out: Path, wanted: GameFilter) -> int:
    """The script: writes chunks and returns the number of their positions."""
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
    class HeaderFilter(chess.pgn.GameBuilder[chess.pgn.Game]):
        def end_headers(self) -> chess.pgn.SkipType | None:
            headers = self.game.headers
            ratings = (headers.get("WhiteElo", ""), headers.get("BlackElo", ""))
            strong = all(text.isdigit() and int(text) >= wanted.least_elo for text in ratings)
            finished = headers.get("Termination", "") not in INTERRUPTED
            known = headers.get("Result") in RESULTS and "FEN" not in headers
            return None if strong and finished and known else chess.pgn.SKIP

    def builder() -> chess.pgn.GameBuilder[chess.pgn.Game]:
        return HeaderFilter(Game=chess.pgn.Game)

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


def run(rounds: int = ROUNDS) -> Results:
    """Positions kept per second, of one generated file; the script reads only its beginning."""
    text = pgn_text(GAMES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.pgn"
        path.write_text(text, "ascii")
        beginning = pgn_text(GAMES_IN_PYTHON)
        rates = best_rates(
            {
                "import": partial(import_ours, path),
                "import_python_chess": partial(import_with_python_chess, beginning),
            },
            rounds,
        )
    return {
        "import_x_vs_python_chess": ratio(rates["import"], rates["import_python_chess"]),
        **{f"{name}_positions_per_s": rate for name, rate in rates.items()},
    }


def pgn_text(games: int) -> str:
    """Random games, a third of which the filter drops: every fourth has a low rating, every tenth
    was lost on time."""
    file = io.StringIO()
    tags = [
        {
            "WhiteElo": "2000" if number % 4 == 3 else "2600",
            "BlackElo": "2500",
            "Termination": "time forfeit" if number % 10 == 9 else "adjudication",
        }
        for number in range(games)
    ]
    write_pgn(random_games(games, seed=1, max_plies=MAX_PLIES), file, tags=tags)
    return file.getvalue()


def import_ours(path: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        work = GameImport([path], Path(folder) / "chunks", ImportSettings())
        for _ in work.run():
            pass
        work.close()
    assert work.manifest is not None
    return sum(work.manifest.positions.values())


def import_with_python_chess(text: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "chunks"
        return import_games(io.StringIO(text), out, GameFilter())
