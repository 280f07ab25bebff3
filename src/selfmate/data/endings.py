"""How a recorded game ended, as far as its moves and its tags tell."""

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
    "untold",  # finished, but nobody wrote down how
)
