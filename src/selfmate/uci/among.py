"""Thinking with `searchmoves`: players know nothing of it, so it is done around them."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event

from selfmate.players import Limits, Player, Thought
from selfmate.uci.task import Task

MATE = 1e6  # worth more than any score in pawns


def think_among(
    player: Player, task: Task, stop: Event, report: Callable[[Thought], None]
) -> Thought:
    """The player's own choice if it is allowed, else its best allowed move.

    That is the first of its other moves if it judges them, the most probable one if it has a
    policy, else the one with the worst position
    for the opponent in the player's eyes; by chance if the player gives no scores or has no time.
    """
    allowed, limits = task.allowed, task.limits

    def report_allowed(thought: Thought) -> None:
        if thought.best in allowed:
            report(thought)

    half = replace(limits, time_ms=limits.time_ms and limits.time_ms / 2)
    thought = player.think(replace(task, limits=half).question(stop, report_allowed))
    if thought.best in allowed:
        return thought
    for other in thought.others:
        if other.best in allowed:
            return other
    if policy := thought.policy:
        return Thought(best=max(allowed, key=lambda move: policy.get(move, 0.0)))
    found = _best_by_replies(player, replace(task, limits=half), stop)
    return found or Thought(best=allowed[task.dice % len(allowed)])


def _best_by_replies(player: Player, task: Task, stop: Event) -> Thought | None:
    limits = _shared(task.limits, len(task.allowed))
    best: tuple[float, Thought] | None = None
    for move in task.allowed:
        if stop.is_set():
            break
        child = task.board.copy()
        child.push(move)
        value, reply = _value(player, replace(task, board=child, limits=limits), stop)
        if value is not None and (best is None or -value > best[0]):
            best = -value, _one_ply_back(move, reply)
    return best[1] if best else None


def _shared(limits: Limits, moves: int) -> Limits:
    """The part of the limits for the position after one of so many moves."""
    return Limits(
        depth=limits.depth and max(1, limits.depth - 1),
        nodes=limits.nodes and max(1, limits.nodes // moves),
        time_ms=limits.time_ms and limits.time_ms / moves,
    )


def _value(player: Player, task: Task, stop: Event) -> tuple[float | None, Thought | None]:
    """What the position is worth for the side to move, None if the player does not say."""
    outcome = task.board.outcome()
    if outcome is not None:
        return (-MATE if outcome.winner else 0.0), None
    thought = player.think(task.question(stop))
    if thought.mate_in is not None:
        distance = MATE - abs(thought.mate_in)
        return (distance if thought.mate_in > 0 else -distance), thought
    if thought.score_pawns is None and thought.wdl is not None:
        return thought.wdl[0] - thought.wdl[2], thought
    return thought.score_pawns, thought


def _one_ply_back(move: str, reply: Thought | None) -> Thought:
    """The thought about a position as one about the move that led there."""
    if reply is None:
        return Thought(best=move)
    return Thought(
        best=move,
        line=(move, *(reply.line or (reply.best,))),
        score_pawns=None if reply.score_pawns is None else -reply.score_pawns,
        mate_in=None if reply.mate_in is None else _mate_one_ply_back(reply.mate_in),
        wdl=reply.wdl and (reply.wdl[2], reply.wdl[1], reply.wdl[0]),
        depth=reply.depth and reply.depth + 1,
    )


def _mate_one_ply_back(mate_in: int) -> int:
    """Our move counts when we mate; when we are mated, the opponent's moves do."""
    return 1 - mate_in if mate_in <= 0 else -mate_in
