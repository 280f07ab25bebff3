"""A thought in a few words, as chess programs write them beside the moves of a game."""

from selfmate.players.player import Thought


def move_comment(thought: Thought) -> str:
    """Score for who moves, length of the line, positions looked at and chances per mille:
    `+0.31/10 201n wdl 331 300 369`. Only what is known."""
    words = [f"{_score(thought)}/{len(thought.line)}"] if _score(thought) else []
    if thought.nodes is not None:
        words.append(f"{thought.nodes}n")
    if thought.wdl is not None:
        win, loss = round(1000 * thought.wdl[0]), round(1000 * thought.wdl[2])
        words.append(f"wdl {win} {max(0, 1000 - win - loss)} {loss}")
    return " ".join(words)


def _score(thought: Thought) -> str:
    if thought.mate_in is not None:
        return f"{'+' if thought.mate_in > 0 else '-'}M{abs(thought.mate_in)}"
    return "" if thought.score_pawns is None else f"{thought.score_pawns:+.2f}"
