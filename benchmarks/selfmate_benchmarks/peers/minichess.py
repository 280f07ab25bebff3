"""DDQN as in Listing 3 of the reference design: one game, a deque of tuples, float64 arrays.

It keeps the manner of the listing: the environment derives the rules anew at every move, and a
batch is assembled from Python objects.
"""

import collections
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
SIZE = 4
ACTIONS = 8 * (SIZE - 1) + 8
INPUTS = 3 * SIZE**2 + 10
Square = tuple[int, int]
Array = NDArray[Any]


def on_board(square: Square) -> bool:
    return 0 <= square[0] < SIZE and 0 <= square[1] < SIZE


def next_to(a: Square, b: Square) -> bool:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1


class Environment:
    """The rules of the 4x4 mini-chess: king and queen against a lone king."""

    def __init__(self, rng: np.random.Generator, draw_reward: float = -1.0) -> None:
        self.rng, self.draw_reward = rng, draw_reward
        self.king: Square = (0, 0)
        self.queen: Square = (0, 0)
        self.enemy: Square = (0, 0)

    def start(self) -> tuple[Array, Array]:
        squares = [(row, column) for row in range(SIZE) for column in range(SIZE)]
        own = [square for square in squares if min(square) >= 1]
        while True:
            king, queen = self.rng.choice(len(own), 2, replace=False)
            self.king, self.queen = own[king], own[queen]
            attacked = self.attacked()
            free = [s for s in squares if s not in attacked and not next_to(s, self.king)]
            if free:
                self.enemy = free[self.rng.integers(len(free))]
                return self.vector(), self.allowed()

    def attacked(self) -> set[Square]:
        found = {self.queen}
        for row, column in DIRECTIONS:
            square = (self.queen[0] + row, self.queen[1] + column)
            while on_board(square) and square != self.king:
                found.add(square)
                square = (square[0] + row, square[1] + column)
        return found

    def enemy_moves(self) -> list[Square]:
        attacked = self.attacked()
        around = [(self.enemy[0] + row, self.enemy[1] + column) for row, column in DIRECTIONS]
        return [
            s for s in around if on_board(s) and s not in attacked and not next_to(s, self.king)
        ]

    def allowed(self) -> Array:
        allowed = np.zeros(ACTIONS)
        for number, (row, column) in enumerate(DIRECTIONS):
            for steps in range(1, SIZE):
                to = (self.queen[0] + steps * row, self.queen[1] + steps * column)
                if not on_board(to) or to in (self.king, self.enemy):
                    break
                if next_to(to, self.king) or not next_to(to, self.enemy):
                    allowed[number * (SIZE - 1) + steps - 1] = 1
            to = (self.king[0] + row, self.king[1] + column)
            if on_board(to) and to != self.queen and not next_to(to, self.enemy):
                allowed[8 * (SIZE - 1) + number] = 1
        return allowed

    def vector(self) -> Array:
        boards = np.zeros((3, SIZE, SIZE))
        for board, square in zip(boards, (self.king, self.queen, self.enemy), strict=True):
            board[square] = 1
        check = np.zeros(2)
        check[int(self.enemy in self.attacked())] = 1
        freedom = np.zeros(8)
        freedom[min(len(self.enemy_moves()), 7)] = 1
        return np.concatenate([boards.ravel(), check, freedom])

    def step(self, action: int) -> tuple[Array, Array, float, bool]:
        if action < 8 * (SIZE - 1):
            row, column = DIRECTIONS[action // (SIZE - 1)]
            steps = action % (SIZE - 1) + 1
            self.queen = (self.queen[0] + steps * row, self.queen[1] + steps * column)
        else:
            row, column = DIRECTIONS[action - 8 * (SIZE - 1)]
            self.king = (self.king[0] + row, self.king[1] + column)
        moves = self.enemy_moves()
        if not moves:
            mate = self.enemy in self.attacked()
            return np.array([]), np.array([]), 1.0 if mate else self.draw_reward, True
        self.enemy = moves[self.rng.integers(len(moves))]
        return self.vector(), self.allowed(), 0.0, False


def sigmoid(x: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-x))
    return result


class ListedDdqn:
    """Listing 3 of the reference design."""

    def __init__(self, *, seed: int = 2022, hidden: int = 200, epsilon: float = 0.2) -> None:
        self.rng = np.random.default_rng(seed)
        self.env = Environment(self.rng)
        self.epsilon, self.batch, self.copy_every = epsilon, 32, 200
        self.eta, self.gamma = 0.0035, 0.85
        scale1, scale2 = np.sqrt(6 / (hidden + INPUTS)), np.sqrt(6 / (hidden + ACTIONS))
        self.w1 = self.rng.normal(0, scale1, (hidden, INPUTS))
        self.w2 = self.rng.normal(0, scale2, (ACTIONS, hidden))
        self.b1, self.b2 = np.zeros(hidden), np.zeros(ACTIONS)
        self.copy()
        self.memory: collections.deque[tuple[Array, int, float, Array, bool]]
        self.memory = collections.deque(maxlen=10_000)
        self.updates = self.games = 0
        self.x, self.allowed = self.env.start()

    def copy(self) -> None:
        self.w1_target, self.w2_target = np.copy(self.w1), np.copy(self.w2)
        self.b1_target, self.b2_target = np.copy(self.b1), np.copy(self.b2)

    def move_and_learn(self) -> None:
        self.move()
        if len(self.memory) >= 100:
            self.learn()

    def move(self) -> None:
        x1 = sigmoid(np.dot(self.w1, self.x) + self.b1)
        values = sigmoid(np.dot(self.w2, x1) + self.b2)
        action = self.epsilon_greedy(values)
        x_next, allowed_next, reward, done = self.env.step(action)
        self.memory.append((self.x, action, reward, x_next, done))
        self.x, self.allowed = np.copy(x_next), np.copy(allowed_next)
        if done:
            self.games += 1
            self.x, self.allowed = self.env.start()

    def epsilon_greedy(self, values: Array) -> int:
        (allowed,) = np.where(self.allowed == 1)
        if self.rng.random() < self.epsilon:
            return int(self.rng.choice(allowed))
        return int(allowed[np.argmax(values[allowed])])

    def learn(self) -> None:
        self.updates += 1
        indices = self.rng.integers(0, len(self.memory), size=self.batch)
        sampled = [self.memory[i] for i in indices]
        batch: NDArray[Any] = np.array(sampled, dtype=object)
        x = np.transpose(np.stack(list(batch[:, 0])))
        actions = np.array(batch[:, 1], dtype=int)
        rewards = np.array(batch[:, 2], dtype=int)
        nothing = np.zeros(x.shape[0], dtype=int)
        following = [row if len(row) > 0 else nothing for row in batch[:, 3]]
        x_next = np.transpose(np.stack(list(np.array(following, dtype=int))))
        done = np.array(batch[:, 4], dtype=int)
        self.update(x, actions, rewards, x_next, done)
        if self.updates % self.copy_every == 0:
            self.copy()

    def update(
        self, x: Array, actions: NDArray[np.int64], rewards: Array, x_next: Array, done: Array
    ) -> None:
        def tiled(bias: Array) -> Array:
            return np.tile(bias, reps=[self.batch, 1]).T

        x1 = sigmoid(np.dot(self.w1, x) + tiled(self.b1))
        values = sigmoid(np.dot(self.w2, x1) + tiled(self.b2))
        one_hot = np.eye(ACTIONS)[actions.reshape(-1)].T
        taken = np.max(one_hot * values, axis=0)
        x1_next = sigmoid(np.dot(self.w1_target, x_next) + tiled(self.b1_target))
        values_next = sigmoid(np.dot(self.w2_target, x1_next) + tiled(self.b2_target))
        best_next = np.max(values_next, axis=0)
        errors = one_hot * (rewards + self.gamma * (1 - done) * best_next - taken)
        delta2 = errors * values * (1 - values)
        delta1 = x1 * (1 - x1) * np.dot(self.w2.T, delta2)
        self.w2 += self.eta * np.dot(delta2, x1.T) / self.batch
        self.w1 += self.eta * np.dot(delta1, x.T) / self.batch
        self.b2 += self.eta * np.mean(delta2, axis=1)
        self.b1 += self.eta * np.mean(delta1, axis=1)
