"""The command `go`: its words as limits, and complaints about those that mean nothing."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from selfmate.players import Limits
from selfmate.uci.numbers import LARGEST, whole

# Numbers that may follow `go`, with the smallest that makes sense. GUIs send clocks below zero.
SMALLEST = {
    "depth": 1,
    "nodes": 1,
    "mate": 1,
    "movetime": 0,
    "wtime": -LARGEST,
    "btime": -LARGEST,
    "winc": 0,
    "binc": 0,
    "movestogo": 0,
}
FLAGS = ("infinite", "ponder")
KEYWORDS = {*SMALLEST, *FLAGS, "searchmoves"}


@dataclass
class Go:
    """What a GUI wants of one search."""

    numbers: dict[str, int] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)  # nothing is answered before they are lifted
    searchmoves: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def limits(self, time_ms: float | None, *, uses_time: bool = False) -> Limits:
        """What the player is told. Finding a mate in n takes 2n - 1 plies. One that uses its time
        has no other limit, unless it is given one."""
        plies = min(self.numbers.get("depth", LARGEST), 2 * self.numbers.get("mate", LARGEST) - 1)
        depth = None if plies == LARGEST else plies
        nodes = self.numbers.get("nodes", LARGEST if uses_time else None)
        return Limits(depth=depth, nodes=nodes, time_ms=time_ms)


def parse_go(words: Iterable[str]) -> Go:
    """Never fails, as every `go` must be answered: what cannot be read is left out and said."""
    go = Go()
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word in SMALLEST:
            _read_number(go, word, rest)
        elif word in FLAGS:
            go.flags.add(word)
        elif word == "searchmoves":
            while rest and rest[0] not in KEYWORDS:
                go.searchmoves.append(rest.popleft())
        else:
            go.complaints.append(f"go: {word!r} is not known and left out")
    return go


def _read_number(go: Go, word: str, rest: deque[str]) -> None:
    text = rest.popleft() if rest and rest[0] not in KEYWORDS else ""
    number = whole(text, SMALLEST[word], LARGEST)
    if number is None:
        go.complaints.append(
            f"go: {word} is left out, {text!r} is not a whole number from {SMALLEST[word]}"
        )
    else:
        go.numbers[word] = number
