"""What a net or its search says of one move, as a thought."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.players.pawns import pawns_of
from selfmate.players.player import Thought
from selfmate.rules import uci_text
from selfmate.search.tree import Outlooks


def judged_move(
    line: Sequence[int],
    wdl_side_to_move: NDArray[np.float32],
    plies_to_mate: int = 0,
    nodes: int | None = None,
) -> Thought:
    """`line` begins with the move; chances [3] that are all 0 are not known."""
    texts = tuple(uci_text(move) for move in line)
    win, draw, loss = wdl_side_to_move.tolist()
    is_known = win + draw + loss > 0
    return Thought(
        best=texts[0],
        line=texts,
        score_pawns=float(pawns_of(np.array(win - loss, np.float32))) if is_known else None,
        mate_in=_moves_to_mate(plies_to_mate),
        wdl=(win, draw, loss) if is_known else None,
        depth=len(texts),
        nodes=nodes,
    )


def judged_outlook(
    seen: Outlooks, row: int, nodes: int, net_wdl: NDArray[np.float32] | None = None
) -> Thought:
    """Of one of a tree's moves. Where no visit has told its chances, what the net says of the
    position [3] stands for them, if it is given."""
    wdl = seen.wdl_side_to_move[row]
    if net_wdl is not None and not wdl.any():
        wdl = net_wdl
    return judged_move(seen.lines[row], wdl, int(seen.plies_to_mate[row]), nodes)


def _moves_to_mate(plies: int) -> int | None:
    """The mating side moves first and last."""
    if plies == 0:
        return None
    return (plies + 1) // 2 if plies > 0 else -(-plies // 2)
