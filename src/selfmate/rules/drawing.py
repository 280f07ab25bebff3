"""Boards as pictures, for notebooks and environments."""

from selfmate._core import Board


def board_svg(board: Board, *, size: int = 360) -> str:
    """The position as SVG of `size` pixels, seen by White. The last move and a check are marked."""
    import chess
    import chess.svg

    shown = chess.Board(board.fen(), chess960=board.chess960)
    last = chess.Move.from_uci(board.moves[-1]) if board.moves else None
    checked = shown.king(shown.turn) if board.is_check() else None
    return str(chess.svg.board(shown, lastmove=last, check=checked, size=size))
