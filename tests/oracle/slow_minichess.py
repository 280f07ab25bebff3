"""A second implementation of the mini-chess, written from its rules sentence by sentence with
pieces and squares instead of tables: slow and plain, a reference for tests."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product

Square = tuple[int, int]  # row, column

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


def are_neighbours(a: Square, b: Square) -> bool:
    return a != b and abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


@dataclass(frozen=True)
class Position:
    size: int
    king: Square
    queen: Square
    enemy: Square

    def is_on_board(self, square: Square) -> bool:
        return 0 <= square[0] < self.size and 0 <= square[1] < self.size

    def step(self, square: Square, direction: Square, steps: int = 1) -> Square:
        return square[0] + direction[0] * steps, square[1] + direction[1] * steps

    def attacked(self) -> set[Square]:
        """The queen's square and its lines, up to the own king and through the enemy king."""
        squares = {self.queen}
        for direction in DIRECTIONS:
            square = self.step(self.queen, direction)
            while self.is_on_board(square) and square != self.king:
                squares.add(square)
                square = self.step(square, direction)
        return squares

    def is_check(self) -> bool:
        return self.enemy in self.attacked()

    def replies(self) -> "set[Position]":
        """The enemy moves to squares not next to the king and not attacked; it never captures."""
        attacked = self.attacked()
        squares = (self.step(self.enemy, direction) for direction in DIRECTIONS)
        return {
            replace(self, enemy=square)
            for square in squares
            if self.is_on_board(square)
            and not are_neighbours(square, self.king)
            and square not in attacked
        }

    def outcome(self) -> str:
        """After the agent's move."""
        if self.replies():
            return "ongoing"
        return "mate" if self.is_check() else "draw"

    def moves(self) -> "dict[int, Position]":
        """The position after each allowed action."""
        return self._queen_moves() | self._king_moves()

    def _queen_moves(self) -> "dict[int, Position]":
        moves = {}
        for number, direction in enumerate(DIRECTIONS):
            for steps in range(1, self.size):
                square = self.step(self.queen, direction, steps)
                if not self.is_on_board(square) or square in (self.king, self.enemy):
                    break
                if are_neighbours(square, self.enemy) and not are_neighbours(square, self.king):
                    continue
                moves[number * (self.size - 1) + steps - 1] = replace(self, queen=square)
        return moves

    def _king_moves(self) -> "dict[int, Position]":
        moves = {}
        for number, direction in enumerate(DIRECTIONS):
            square = self.step(self.king, direction)
            if (
                self.is_on_board(square)
                and square != self.queen
                and not are_neighbours(square, self.enemy)
            ):
                moves[8 * (self.size - 1) + number] = replace(self, king=square)
        return moves

    def vector(self) -> list[int]:
        vector = []
        for piece in (self.king, self.queen, self.enemy):
            vector += [int(square == piece) for square in product(range(self.size), repeat=2)]
        check, freedom = self.is_check(), min(len(self.replies()), 7)
        vector += [int(not check), int(check)]
        return vector + [int(freedom == number) for number in range(8)]


@cache
def moves_of(position: Position) -> dict[int, tuple[str, list[Position]]]:
    """By action: the outcome, and the positions after the enemy's replies."""
    return {
        action: (after.outcome(), sorted(after.replies(), key=lambda reply: reply.enemy))
        for action, after in position.moves().items()
    }


def starts(size: int) -> dict[Position, Fraction]:
    """Every start with its probability."""
    everywhere = list(product(range(size), range(size)))
    inner = [square for square in everywhere if min(square) >= 1]
    possible = []
    for queen, king in product(inner, inner):
        empty = Position(size, king, queen, enemy=(-1, -1))
        attacked = empty.attacked()
        enemies = [
            replace(empty, enemy=square)
            for square in everywhere
            if square != king and not are_neighbours(square, king) and square not in attacked
        ]
        if queen != king and enemies:
            possible.append(enemies)
    return {
        position: Fraction(1, len(possible) * len(enemies))
        for enemies in possible
        for position in enemies
    }


def reachable(size: int) -> list[Position]:
    """All positions that can arise with the agent to move, the starts first."""
    found = dict.fromkeys(starts(size))
    waiting = list(found)
    while waiting:
        for _, replies in moves_of(waiting.pop()).values():
            new = [reply for reply in replies if reply not in found]
            found |= dict.fromkeys(new)
            waiting += new
    return list(found)
