"""What players think, told so that nobody can mistake whose view it is."""

from typing import Any

from selfmate.lab.position_data import sans_of
from selfmate.players import Thought
from selfmate.rules import Board

MOST_MOVES = 12  # that are told of, the best first
MOST_LINE = 12


def describe_thought(board: Board, thought: Thought) -> dict[str, Any]:
    """`white` and `mover` say the same, from White's side and from that of the side to move."""
    is_white = board.turn == "white"
    return {
        "best": _move(board, thought.best),
        "line": sans_of(board, thought.line[:MOST_LINE]),
        "mover": _judgement(thought, 1),
        "white": _judgement(thought, 1 if is_white else -1),
        "depth": thought.depth,
        "nodes": thought.nodes,
        "legal_mass": thought.legal_mass,
        "moves": _moves(board, thought, 1 if is_white else -1),
    }


def _move(board: Board, uci: str) -> dict[str, str]:
    return {"uci": uci, "san": board.san(uci)}


def _judgement(thought: Thought, sign: int) -> dict[str, Any]:
    wdl = thought.wdl
    return {
        "pawns": None if thought.score_pawns is None else sign * thought.score_pawns,
        "mate_in": None if thought.mate_in is None else sign * thought.mate_in,
        "wdl": None if wdl is None else list(wdl if sign == 1 else reversed(wdl)),
    }


def _moves(board: Board, thought: Thought, sign: int) -> list[dict[str, Any]]:
    """By probability where there is a policy, else as the player ranks them."""
    judged = {one.best: one for one in reversed((thought, *thought.others))}
    policy = thought.policy
    if policy is not None:
        ranked = sorted(policy, key=lambda uci: -policy[uci])
    else:
        ranked = list(dict.fromkeys([thought.best, *(one.best for one in thought.others)]))
    return [
        {
            **_move(board, uci),
            "probability": None if policy is None else float(policy[uci]),
            "visits": None if thought.visits is None else thought.visits[uci],
            "white": _judgement(judged[uci], sign) if uci in judged else None,
        }
        for uci in ranked[:MOST_MOVES]
    ]
