"""`selfmate perft`: node counts of the move tree."""

import json
import time
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import progress, reading_input, whole

if TYPE_CHECKING:
    from selfmate.rules import Board


def perft(
    depth: Annotated[
        int, typer.Argument(parser=whole(0, 20), metavar="DEPTH", help="Plies to look ahead, 0-20.")
    ],
    fen: Annotated[
        str | None,
        typer.Option(
            help="The position to start from, also of Chess960.", show_default="start position"
        ),
    ] = None,
    chess960: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 959), metavar="N", help="The Chess960 start position number 0-959."
        ),
    ] = None,
    divide: Annotated[
        bool, typer.Option("--divide", help="Also print the count below each move.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Count the leaf nodes of the tree of legal moves, the classic test of move generation."""
    from selfmate.rules import Board, chess960_fen

    with reading_input():
        if fen is not None and chess960 is not None:
            raise ValueError("give a position with --fen or with --chess960, not both")
        board = Board(fen if chess960 is None else chess960_fen(chess960))
    started = time.perf_counter()
    below = _count_below_moves(board, depth) if depth else {}
    nodes = sum(below.values()) if depth else 1
    seconds = time.perf_counter() - started
    if as_json:
        report: dict[str, object] = {"fen": board.fen(), "depth": depth, "nodes": nodes}
        report |= {"divide": below} if divide else {}
        print(json.dumps(report | {"seconds": seconds, "nodes_per_s": nodes / seconds}))
        return
    if divide:
        for move, count in sorted(below.items()):
            print(f"{move:5} {count:>16,}")
    print(f"{nodes:,} nodes in {seconds:.2f} s ({nodes / seconds / 1e6:,.0f} million per second)")


def _count_below_moves(board: "Board", depth: int) -> dict[str, int]:
    """Nodes below each move, two plies at a time so that the count can be interrupted."""
    moves = board.legal_moves()
    below = dict.fromkeys(moves, 0)
    with progress(f"perft {depth}", len(moves), "moves") as bar:
        for move in moves:
            child = board.copy()
            child.push(move, past_draw=True)
            if depth <= 2:
                below[move] = child.perft(depth - 1)
            else:
                for reply in child.legal_moves():
                    child.push(reply, past_draw=True)
                    below[move] += child.perft(depth - 2)
                    child.pop()
            bar.advance(1)
    return below
