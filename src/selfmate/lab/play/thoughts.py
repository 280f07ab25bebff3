"""What a player thinks, as the page shows it: in algebraic notation and in words."""

from math import isfinite, tanh
from typing import Any

from selfmate.lab.position_data import sans_of
from selfmate.players import Thought
from selfmate.rules import Board
from selfmate.search.teacher import VALUE_SCALE_PAWNS

LONGEST_LINE = 8  # plies
MOST_CONSIDERED = 5
EVEN_PAWNS = 0.3
MINUS = "\N{MINUS SIGN}"


def describe_thought(board: Board, thought: Thought) -> dict[str, Any]:
    """Scores and chances are those of the side to move."""
    return {
        "san": board.san(thought.best),
        "line": sans_of(board, thought.line[:LONGEST_LINE]),
        "wdl": thought.wdl if thought.wdl and all(map(isfinite, thought.wdl)) else None,
        "value": _value(thought),
        "judgement": judgement(thought),
        "considered": _considered(board, thought),
    }


def says_something(thought: Thought) -> bool:
    """Whether there is more than a bare move."""
    return judgement(thought) is not None or thought.policy is not None


def judgement(thought: Thought) -> str | None:
    """Of the position, by its player."""
    if thought.mate_in is not None:
        return (
            f"mate in {thought.mate_in}" if thought.mate_in > 0 else f"mated in {-thought.mate_in}"
        )
    pawns = thought.score_pawns
    if pawns is None or not isfinite(pawns):
        return None
    if abs(pawns) < EVEN_PAWNS:
        return "about even"
    amount = f"{abs(pawns):.1f}"
    unit = "pawn" if amount == "1.0" else "pawns"
    return f"{'ahead' if pawns > 0 else 'behind'} by {amount} {unit}"


def _value(thought: Thought) -> float | None:
    """From -1, lost, to 1, won; scores by the scale on which they are learned as values."""
    if thought.wdl and all(map(isfinite, thought.wdl)):
        return thought.wdl[0] - thought.wdl[2]
    if thought.mate_in is not None:
        return 1.0 if thought.mate_in > 0 else -1.0
    pawns = thought.score_pawns
    return None if pawns is None or not isfinite(pawns) else tanh(pawns / VALUE_SCALE_PAWNS)


def _score(thought: Thought) -> str | None:
    """As chess programs write it."""
    if thought.mate_in is not None:
        return f"#{thought.mate_in}".replace("-", MINUS)
    pawns = thought.score_pawns
    return None if pawns is None or not isfinite(pawns) else f"{pawns:+.1f}".replace("-", MINUS)


def _considered(board: Board, thought: Thought) -> list[dict[str, Any]]:
    """The moves thought of most, with their share of the policy or their scores."""
    by_move = {one.best: one for one in (thought, *thought.others)}
    policy = thought.policy or {}
    ranked = sorted(policy, key=lambda move: -policy[move]) if policy else list(by_move)
    rows = []
    for move in ranked[:MOST_CONSIDERED]:
        share = policy.get(move)
        rows.append(
            {
                "move": move,
                "san": board.san(move),
                "share": float(share) if share is not None and isfinite(share) else None,
                "score": _score(by_move[move]) if move in by_move else None,
                "visits": None if thought.visits is None else thought.visits[move],
            }
        )
    return rows
