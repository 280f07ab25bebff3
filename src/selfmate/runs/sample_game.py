"""A game that a learner played in a step, in texts, for people to look at."""

from dataclasses import asdict, dataclass

MOST_MOVES = 2**14
MOST_MOVE_LETTERS, MOST_LETTERS = 5, 200
MOST_SAMPLE_BYTES = 2**17  # of a line, whatever the letters are


@dataclass(frozen=True, kw_only=True)
class SampleGame:
    """What the texts mean is between the learner and those who show them: docs/runs.md."""

    start: str  # the position it began with
    moves: tuple[str, ...]
    result: str
    reason: str  # why it ended
    white: str
    black: str

    def __post_init__(self) -> None:
        if len(self.moves) > MOST_MOVES:
            raise ValueError(f"a sample game has at most {MOST_MOVES:,} moves")
        for move in self.moves:
            if len(move) > MOST_MOVE_LETTERS or not (move.isascii() and move.isalnum()):
                raise ValueError(
                    f"{move[:9]!r} is no move: 1 to {MOST_MOVE_LETTERS} ASCII letters and digits"
                )
        for name, text in asdict(self).items():
            if name != "moves" and len(text) > MOST_LETTERS:
                raise ValueError(f"{name} of a sample game has at most {MOST_LETTERS} letters")

    def entry(self, step: int) -> dict[str, str | int]:
        """As it stands in its line."""
        return {"step": step, **asdict(self), "moves": " ".join(self.moves)}
