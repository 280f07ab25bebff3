"""Tablebases at the root. None ships, so the tables are played by a solver of king and rook."""

from pathlib import Path

import chess
import chess.syzygy
import pytest

from selfmate.rules import Board
from selfmate.uci.tablebase import FIFTY_MOVES, Tablebase
from unit.uci.fakes import Miser
from unit.uci.session import converse

MATE_IN_ONE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"
ROOK_HANGS = "8/8/8/8/8/2k5/3R4/K7 b - - 0 1"
NO_TABLE = "8/8/8/8/8/2k5/3Q4/K7 b - - 0 1"


class RookTables(chess.syzygy.Tablebase):
    """King and rook against king: the rook wins unless it can be taken. The distance to zeroing is
    that of the kings, which is wrong but increases as it should."""

    def __init__(self) -> None:
        super().__init__()
        self.wdl = dict.fromkeys(["KRvK"])  # type: ignore[assignment]

    def add_directory(self, directory: str, *, load_wdl: bool = True, load_dtz: bool = True) -> int:
        return 1

    def probe_wdl(self, board: chess.Board) -> int:
        if not board.rooks:
            if board.queens or board.pawns:
                raise chess.syzygy.MissingTableError("no such table")
            return 0
        strong = board.color_at(board.rooks.bit_length() - 1)
        if any(board.is_capture(move) for move in board.legal_moves) or board.is_stalemate():
            return 0
        return 2 if board.turn == strong else -2

    def probe_dtz(self, board: chess.Board) -> int:
        first, second = (board.king(color) for color in chess.COLORS)
        assert first is not None
        assert second is not None
        return self.probe_wdl(board) // 2 * 5 * chess.square_distance(first, second)


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tablebase:
    monkeypatch.setattr(chess.syzygy, "Tablebase", RookTables)
    return Tablebase(str(tmp_path))


def test_a_mate_is_the_best_win(tables: Tablebase) -> None:
    probe = tables.probe(Board(MATE_IN_ONE), Board(MATE_IN_ONE).legal_moves())
    assert probe is not None
    assert (probe.outcome, probe.moves) == (2, ("a1a8",))
    assert (probe.analysis.wdl, probe.analysis.tbhits) == ((1, 0, 0), probe.hits)


def test_the_rook_is_taken_for_the_draw(tables: Tablebase) -> None:
    probe = tables.probe(Board(ROOK_HANGS), Board(ROOK_HANGS).legal_moves())
    assert probe is not None
    assert probe.is_drawn
    assert probe.moves == ("c3d2",)


def test_a_loss_is_delayed_and_a_win_is_hastened(tables: Tablebase) -> None:
    lost = Board("8/8/8/3k4/8/8/7R/K7 b - - 0 1")
    probe = tables.probe(lost, ["d5d4", "d5d6"])
    assert probe is not None
    assert (probe.outcome, probe.moves) == (-2, ("d5d6",))
    won = Board("8/8/8/3k4/8/8/7R/K7 w - - 0 1")
    probe = tables.probe(won, ["a1b1", "a1b2"])
    assert probe is not None
    assert (probe.outcome, probe.moves) == (2, ("a1b2",))


def test_a_win_that_comes_too_late_is_none(tables: Tablebase) -> None:
    late = Board(f"8/8/8/3k4/8/8/7R/K7 w - - {FIFTY_MOVES - 10} 90")
    probe = tables.probe(late, late.legal_moves())
    assert probe is not None
    assert probe.outcome == 1
    assert probe.analysis.score_pawns == 0


@pytest.mark.parametrize("fen", [NO_TABLE, Board().fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1"])
def test_a_position_outside_of_the_tables_is_not_judged(tables: Tablebase, fen: str) -> None:
    assert tables.probe(Board(fen), Board(fen).legal_moves()) is None


def test_the_engine_plays_by_the_tables(tables: Tablebase, tmp_path: Path) -> None:
    option = f"setoption name SyzygyPath value {tmp_path}"
    said = converse(Miser(), [option, f"position fen {MATE_IN_ONE}", "go"])
    assert said[0] == f"info string found 1 tablebases in {tmp_path}"
    assert said[1].startswith("info score cp 20000 tbhits ")
    assert said[2] == "bestmove a1a8"
    said = converse(Miser(), [option, f"position fen {ROOK_HANGS}", "go"])
    assert "tbhits" in said[1]
    assert said[2] == "bestmove c3d2", "the player chooses among the moves that draw"


def test_folders_without_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no table"):
        Tablebase(str(tmp_path))
    with pytest.raises(ValueError, match="there is no folder 'no/such'"):
        Tablebase(f"{tmp_path}:no/such")
