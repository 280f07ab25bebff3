"""What a person types and a player says in a game: moves, refusals, judgements."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfmate.players import Analysis
    from selfmate.rules import Board

SAN = re.compile(r"([NBRQK]?)[a-h]?[1-8]?[x-]?([a-h][1-8])")
LINE_PLIES = 4  # of what a player expects


def read_move(board: "Board", text: str) -> str | None:
    """The legal move of a text in algebraic or UCI notation; None if there is none.

    A small letter for a piece and marks such as ! are forgiven.
    """
    text = text.strip().rstrip("!?")
    if text.lower() in board.legal_moves():
        return text.lower()
    for spelling in (text, text[:1].upper() + text[1:]):
        with suppress(ValueError):
            return board.parse_san(spelling)
    return None


def why_not(board: "Board", text: str) -> str:
    """A sentence on why a text is no move here, and what is legal instead."""
    legal = sorted(board.san(move) for move in board.legal_moves())
    wanted = SAN.match(text[0].upper() + text[1:] if text[0] in "nrqk" else text)
    shown, check = text[:20], "You are in check. " if board.is_check() else ""
    if wanted is None:
        return f"{shown!r} is no move and no command: type help. Legal: {', '.join(legal)}."
    meant = [san for san in legal if _parts(san) == wanted.groups()]
    if len(meant) > 1:
        return f"{shown} may mean several moves: {', '.join(meant)}."
    same = [san for san in legal if _parts(san)[0] == wanted.group(1)]
    whose = "With that piece" if same else "Legal"
    return f"{shown} is not legal here. {check}{whose}: {', '.join(same or legal)}."


def _parts(san: str) -> tuple[str | None, ...]:
    """The letter of the piece, empty for pawns, and the destination; of castling the king alone."""
    found = SAN.match(san)
    return found.groups() if found else ("K", None)


def judgement(board: "Board", analysis: "Analysis") -> str:
    """What a player says about its move, in its own view; empty if it says nothing."""
    from selfmate.rules import sans_of

    said = []
    if analysis.mate_in is not None:
        winning = "mate" if analysis.mate_in > 0 else "mated"
        said.append(f"{winning} in {abs(analysis.mate_in)}")
    elif analysis.wdl is not None:
        win, draw, loss = analysis.wdl
        said.append(f"win {win:.0%}, draw {draw:.0%}, loss {loss:.0%}")
    elif analysis.score_pawns is not None:
        said.append(f"{analysis.score_pawns:+.2f} pawns")
    elif analysis.policy is not None:
        said.append(f"{analysis.policy.get(analysis.best, 0):.0%} sure")
    expected = sans_of(board, analysis.line[: 1 + LINE_PLIES])[1:]
    return "; ".join([*said, *([f"expects {' '.join(expected)}"] if expected else [])])


def accepts_draw(analysis: "Analysis") -> bool:
    """Whether the opponent of the side to move takes a draw: unless it is better, or cannot say."""
    if analysis.mate_in is not None:
        return analysis.mate_in > 0
    if analysis.wdl is not None:
        return analysis.wdl[0] >= analysis.wdl[2]
    return analysis.score_pawns is not None and analysis.score_pawns >= 0
