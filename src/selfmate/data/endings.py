"""How a recorded game ended, as its moves and its Termination tag tell."""

import re

# Kinds of ending, by the codes in chunks.
ENDINGS = (
    "checkmate",
    "stalemate",
    "material",  # neither side can mate
    "fifty moves",
    "repetition",
    "adjudication",
    "agreement",
    "resignation",
    "untold",  # there is a result, but nothing says how it came about
)
CODES = {ending: code for code, ending in enumerate(ENDINGS)}

# What the board itself tells, by the names of selfmate.rules.REASONS.
_ON_THE_BOARD = {
    "checkmate": CODES["checkmate"],
    "stalemate": CODES["stalemate"],
    "insufficient_material": CODES["material"],
    "fifty_moves": CODES["fifty moves"],
    "threefold_repetition": CODES["repetition"],
}
# The result of such a game says little of its last position.
_BROKEN_OFF = re.compile(
    r"\btime[sd]?\b|timeout|forfeit|abandon|abort|stall|connect|illegal|infraction|withdr|crash"
    r"|unterminated|interrupt|emergency|death|default|no[- ]show"
)
# Words of the standard, of match programs and of servers; the first that fits counts.
_TOLD = (
    (re.compile(r"repetition|3-fold|threefold"), CODES["repetition"]),
    (re.compile(r"50[- ]move|fifty"), CODES["fifty moves"]),
    (re.compile(r"material"), CODES["material"]),
    (re.compile(r"adjudic|rule|\btb\b|tablebase|syzygy|mate in"), CODES["adjudication"]),
    (re.compile(r"agree"), CODES["agreement"]),
    (re.compile(r"resign"), CODES["resignation"]),
)


def ending_of(reason: str, termination: str) -> int | None:
    """The code of how a game ended; None when it was broken off: by time, by an illegal move, by a
    program or a player that was gone."""
    if reason in _ON_THE_BOARD:
        return _ON_THE_BOARD[reason]
    told = termination.lower()
    if _BROKEN_OFF.search(told):
        return None
    return next((code for words, code in _TOLD if words.search(told)), CODES["untold"])
