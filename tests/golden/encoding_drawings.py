"""The drawings of docs/encodings.md, made from what the encoders really write."""

from collections.abc import Callable, Iterable, Sequence

import chess
import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import (
    ACTION_ENCODINGS,
    ENCODINGS,
    MOVE136,
    UCI1968_FLIPPED,
    actions_of_moves,
    encode,
    legal_move136,
)
from selfmate.rules import Board

PASSING_LINE = ("e2e4", "a7a6", "e4e5", "d7d5")
PLANES_START = "r4rk1/1p2qppp/2nb1n2/p2p4/6b1/2N2N2/PP2BPPP/R1BQK2R b KQ - 0 12"
TACTICAL = "r3k2r/ppp2ppp/2n1bn2/b2qp3/3P4/2NB1N2/PPPB1PPP/R2QR1K1 w kq - 0 1"
PLANES_LINE = ("a5a4", "h2h3", "g4h5", "b2b4")
PLANE_TITLES = (
    *("own pawns", "own knights", "own bishops", "own rooks", "own queens", "own king"),
    *("enemy pawns", "enemy knights", "enemy bishops"),
    *("enemy rooks", "enemy queens", "enemy king"),
)
STATE_TITLES = (
    *("White to move", "full moves", "own O-O", "own O-O-O", "enemy O-O", "enemy O-O-O"),
    *("half moves", "en passant", "seen once", "seen twice", "own attacks", "enemy attacks"),
    *("king attackers", "king defenders", "knight mobility", "bishop mobility"),
    *("passed pawns", "isolated pawns", "weak squares", "centre control"),
)
TACTICAL_TITLES = (
    *(f"by own {kind}" for kind in ("pawns", "knights", "bishops", "rooks", "queens", "king")),
    *(f"by enemy {kind}" for kind in ("pawns", "knights", "bishops", "rooks", "queens", "king")),
    *("own attackers", "enemy attackers", "own hanging", "enemy hanging"),
    *("own pinned", "enemy pinned"),
    *(f"own {kind} checks" for kind in ("pawn", "knight", "diagonal", "straight")),
    *(f"enemy {kind} checks" for kind in ("pawn", "knight", "diagonal", "straight")),
    *("checkers", "discoverers"),
)

Grid = Sequence[Sequence[str]]  # eight ranks, the first rank first


def played(line: Iterable[str], start: str | None = None) -> Board:
    board = Board(start)
    for uci in line:
        board.push(uci)
    return board


def drawn(grid: Grid, width: int) -> list[str]:
    """A board as lines, last rank on top."""
    ranks = [
        f"{rank + 1} " + " ".join(f"{cell:>{width}}" for cell in grid[rank]) for rank in range(8)
    ]
    return [*reversed(ranks), "  " + " ".join(f"{file:>{width}}" for file in "abcdefgh")]


def beside(blocks: Sequence[list[str]], gap: int = 4) -> list[str]:
    widths = [max(map(len, block)) for block in blocks]
    rows = zip(*blocks, strict=True)
    return [
        (" " * gap).join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def tape(parts: Sequence[tuple[int, str]], total: int) -> list[str]:
    """Parts of a flat layout with the indices they take."""
    assert sum(width for width, _ in parts) == total
    lines, first = [], 0
    for width, title in parts:
        last = first + width - 1
        span = f"{first}" if width == 1 else f"{first}-{last}"
        lines.append(f"{span:>9}  {title}")
        first += width
    return lines


def numbered_pieces() -> list[tuple[int, str]]:
    names = ("pawns", "knights", "bishops", "rooks", "queens", "king")
    return [(64, f"{side} {name}, a1 ... h8") for side in ("White", "Black") for name in names]


def code_of(uci: str) -> int:
    move = chess.Move.from_uci(uci)
    promotion = move.promotion - 1 if move.promotion else 0
    return move.from_square | move.to_square << 6 | promotion << 12


def action(action_encoding: str, board: Board, uci: str) -> int:
    return int(actions_of_moves(action_encoding, [board], np.array([code_of(uci)], np.uint16))[0])


def features839() -> list[str]:
    rights = [
        (1, f"{side} may castle {wing}") for side in ("White", "Black") for wing in ("O-O", "O-O-O")
    ]
    parts = [
        *numbered_pieces(),
        (1, "White to move"),
        *rights,
        (64, "en-passant square, a1 ... h8"),
    ]
    parts += [(1, "half-move clock, min(h, 100) / 100"), (1, "move number, min(n, 200) / 200")]
    values = encode("features839", [played(PASSING_LINE)])[0]
    state = [f"[{i}] = {values[i]:g}" for i in np.flatnonzero(values) if i >= 768]
    example = f"after {' '.join(PASSING_LINE)}, behind the pieces:"
    return [*tape(parts, ENCODINGS["features839"].shape[0]), "", example, "  " + "  ".join(state)]


def onehot768() -> list[str]:
    bits = np.flatnonzero(encode("onehot768", [Board()])[0])
    cells = {int(bit) % 64: str(bit) for bit in bits}
    grid = [[cells.get(8 * rank + file, ".") for file in range(8)] for rank in range(8)]
    return ["the 32 ones of the start position, each on its square:", "", *drawn(grid, 3)]


def move136() -> list[str]:
    parts = [(64, "from, a1 ... h8"), (64, "to, a1 ... h8")]
    parts += [
        (1, f"promotes to {name}") for name in ("nothing", "queen", "rook", "bishop", "knight")
    ]
    parts += [(1, "captures (en passant too)"), (1, "gives check"), (1, "castles")]
    board = Board("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1")
    rows, _ = legal_move136([board])
    bits = np.flatnonzero(rows[board.legal_moves().index("e7d8q")])
    ones = " ".join(map(str, bits))
    return [*tape(parts, MOVE136.shape[0]), "", f"e7d8q, a capture with check: ones at {ones}"]


def tokens78() -> list[str]:
    parts = [(1, "0, starts the sequence"), (64, "squares a1 ... h8 as the side to move sees them")]
    rights = [
        (1, f"{side} may castle {wing}") for side in ("own", "enemy") for wing in ("O-O", "O-O-O")
    ]
    parts += [*rights, (1, "en passant is possible"), (8, "... on file a ... h")]
    board = played(("d2d4", "a7a5", "g1f3", "a5a4", "b2b4"))
    words = encode("tokens78", [board])[0]
    grid = [[str(word) for word in words[1 + 8 * rank :][:8]] for rank in range(8)]
    rest = " ".join(map(str, words[65:]))
    head = ["after 1. d4 a5 2. Nf3 a4 3. b4, Black to move and able to take en passant:", ""]
    return [*tape(parts, 78), "", *head, *drawn(grid, 2), "", f"tokens 65-77: {rest}"]


def drawn_plane(values: NDArray[np.float32], plane: int, title: str) -> list[str]:
    whole = {62: 8, 63: 13, 67: 4, 80: 4, 81: 4}.get(plane, 1)
    unit = f", 1/{whole}" if whole > 1 else ""
    counts = [[round(float(value) * whole) for value in rank] for rank in values]
    grid = [[str(count or ".") for count in rank] for rank in counts]
    return [f"{plane} {title}{unit}", *drawn(grid, 1)]


def plane_rows(planes: NDArray[np.float32], titles: Iterable[tuple[int, str]]) -> list[str]:
    blocks = [drawn_plane(planes[plane], plane, title) for plane, title in titles]
    lines: list[str] = []
    for first in range(0, len(blocks), 3):
        lines += [*beside(blocks[first : first + 3]), ""]
    return lines


def planes68() -> list[str]:
    board = played(PLANES_LINE, PLANES_START)
    planes = encode("planes68", [board])[0]
    titles = [*enumerate(PLANE_TITLES), *enumerate(STATE_TITLES, start=48)]
    past = [(14, "bishops 1 ply ago"), (26, "2 plies ago"), (38, "3 plies ago")]
    flat = [(plane, title) for plane, title in titles if np.ptp(planes[plane]) == 0]
    uneven = [(plane, title) for plane, title in titles if np.ptp(planes[plane]) > 0]
    lines = [PLANES_START, f"and then {' '.join(PLANES_LINE)}; Black is to move:", ""]
    lines += [*str(board).split("\n"), "", "planes of one value:"]
    lines += [f"  {plane} {title:<13} {planes[plane, 0, 0]:g}" for plane, title in flat]
    lines += ["", "the others, seen from Black, whose first rank is at the bottom:", ""]
    return [*lines, *plane_rows(planes, [*uneven[:12], *past, *uneven[12:]])][:-1]


def planes96() -> list[str]:
    planes = encode("planes96", [Board(TACTICAL)])[0]
    titles = [*enumerate(TACTICAL_TITLES, start=68)]
    empty = [f"{plane} {title}" for plane, title in titles if not planes[plane].any()]
    shown = [(plane, title) for plane, title in titles if planes[plane].any()]
    lines = [TACTICAL, "", *str(Board(TACTICAL)).split("\n"), ""]
    lines += [f"empty here: {', '.join(empty)}", ""]
    return [*lines, *plane_rows(planes, shown)][:-1]


def targets_of_d4(action_encoding: str, first: int = 0) -> list[str]:
    """A board with the index, counted from `first`, of every queen or knight move from d4."""
    cells = {"d4": "d4"}
    for piece in "QN":
        board = Board(f"1k6/8/8/8/3{piece}4/8/8/4K3 w - - 0 1")
        for uci in board.legal_moves():
            if uci[:2] == "d4":
                cells[uci[2:4]] = str(action(action_encoding, board, uci) - first)
    names = [[f"{file}{rank}" for file in "abcdefgh"] for rank in range(1, 9)]
    grid = [[cells.get(name, ".") for name in rank] for rank in names]
    return drawn(grid, max(map(len, cells.values())))


def from_to4096() -> list[str]:
    return ["moves of a queen or knight on d4 (27):", "", *targets_of_d4("from_to4096")]


def uci1968() -> list[str]:
    parts = [(1792, "queen and knight moves: by from, then by to")]
    parts += [(88, "White's promotions: by from, then by to, then q r b n")]
    parts += [(88, "Black's promotions, likewise")]
    lines = [*tape(parts, ACTION_ENCODINGS["uci1968"].size), "", "promotions of the a-pawns:"]
    for fen in ("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", "k7/8/8/8/8/8/p7/1N5K b - - 0 1"):
        board = Board(fen)
        for uci in [uci for uci in board.legal_moves() if len(uci) == 5]:
            index = action("uci1968", board, uci)
            lines.append(f"  {uci} {index}  with ranks flipped {UCI1968_FLIPPED[index]}")
    return [*lines, "", "moves of a queen or knight on d4:", "", *targets_of_d4("uci1968")]


def az4672() -> list[str]:
    lines = ["kind of move from d4 for White, or from d5 for Black on the flipped board:", ""]
    lines += [
        *targets_of_d4("az4672", first=73 * chess.D4),
        "",
        "underpromotions from b7:  left  straight  right",
    ]
    board = Board("n1n4k/1P6/8/8/8/8/8/K7 w - - 0 1")
    for piece, name in zip("nbr", ("knight", "bishop", "rook"), strict=True):
        left, straight, right = (
            action("az4672", board, f"b7{to}{piece}") - 73 * chess.B7 for to in ("a8", "b8", "c8")
        )
        lines.append(f"{name:>22}    {left:>4}  {straight:>8}  {right:>5}")
    return lines


DRAWINGS: dict[str, Callable[[], list[str]]] = {
    "features839": features839,
    "onehot768": onehot768,
    "move136": move136,
    "tokens78": tokens78,
    "planes68": planes68,
    "planes96": planes96,
    "from_to4096": from_to4096,
    "uci1968": uci1968,
    "az4672": az4672,
}
