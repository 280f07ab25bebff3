"""The speed of the rules: perft, random play with legal moves, and with planes68."""

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import chess
import numpy as np

from selfmate.encodings import ENCODINGS, encode
from selfmate.players.engine import find_program
from selfmate.rules import Board, GameBatch, random_games
from selfmate.rules.perft import PERFT_POSITIONS
from selfmate_benchmarks import Go, Results, best_rates, has_module, ratio
from selfmate_benchmarks.peers.rules import is_over, perft

ROUNDS = 5
PLAY_BATCH = 2048
PLANES_BATCH = 256  # 4.5 MB of planes stay in the cache, as they would before a net
PLIES = 600_000  # per go; the peers play fewer, their speed does not depend on it


def perft_ours(depth_for_start: int = 6) -> float:
    """Nodes counted in the start position and Kiwipete, the latter one ply shallower."""
    start, kiwipete = (Board(position.fen) for position in PERFT_POSITIONS[:2])
    return start.perft(depth_for_start) + kiwipete.perft(depth_for_start - 1)


def perft_python_chess(depth_for_start: int = 3) -> float:
    start, kiwipete = (chess.Board(position.fen) for position in PERFT_POSITIONS[:2])
    return perft(start, depth_for_start) + perft(kiwipete, depth_for_start - 1)


@contextmanager
def stockfish_perft() -> Iterator[Go | None]:
    """Stockfish's `go perft` on the positions of `perft_ours`, without its start-up time."""
    path = find_program("stockfish")
    if path is None:
        yield None
        return
    pipe = subprocess.PIPE
    with subprocess.Popen([path], stdin=pipe, stdout=pipe, text=True) as engine:
        try:
            yield partial(_ask_perft, engine)
        finally:
            _send(engine, "quit")


def _ask_perft(engine: "subprocess.Popen[str]", depth_for_start: int = 6) -> float:
    depths = (depth_for_start, depth_for_start - 1)
    nodes = 0
    for depth, position in zip(depths, PERFT_POSITIONS[:2], strict=True):
        _send(engine, f"position fen {position.fen}", f"go perft {depth}")
        for line in engine.stdout or ():
            if line.startswith("Nodes searched:"):
                nodes += int(line.split(":")[1])
                break
    return nodes


def _send(engine: "subprocess.Popen[str]", *lines: str) -> None:
    assert engine.stdin is not None
    engine.stdin.write("".join(f"{line}\n" for line in lines))
    engine.stdin.flush()


def play_ours(planes: bool, threads: int = 1) -> float:
    """Random games in NumPy arrays: legal moves (and planes) of every position, then a move."""
    size = PLANES_BATCH if planes else PLAY_BATCH
    batch = GameBatch(size, seed=1, threads=threads)
    buffer = np.empty((size, *ENCODINGS["planes68"].shape), np.float32)
    steps = PLIES // size
    for _ in range(steps):
        batch.legal()
        if planes:
            encode("planes68", batch, out=buffer)
        batch.step(batch.random_moves())
    return steps * size


def play_openspiel(planes: bool, games: int = 10) -> float:
    import pyspiel

    game = pyspiel.load_game("chess")
    choose = random.Random(1).choice
    plies = 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            if planes:
                state.observation_tensor()
            state.apply_action(choose(actions))
            plies += 1
    return plies


def play_python_chess(games: int = 4) -> float:
    choose = random.Random(1).choice
    plies = 0
    for _ in range(games):
        board = chess.Board()
        while not is_over(board):
            board.push(choose(list(board.legal_moves)))
            plies += 1
    return plies


def parallel_games(games: int, threads: int = 1) -> float:
    random_games(games, seed=1, threads=threads)
    return games


def run(rounds: int = ROUNDS) -> Results:
    """All contestants in one run."""
    openspiel = has_module("pyspiel")
    with stockfish_perft() as stockfish:
        rates = best_rates(
            {
                "perft": perft_ours,
                "perft_python_chess": perft_python_chess,
                "perft_stockfish": stockfish,
                "play": partial(play_ours, planes=False),
                "play_python_chess": play_python_chess,
                "play_openspiel": partial(play_openspiel, planes=False) if openspiel else None,
                "planes": partial(play_ours, planes=True),
                "planes_openspiel": partial(play_openspiel, planes=True) if openspiel else None,
                "play_two_threads": partial(play_ours, planes=False, threads=2),
                "games": partial(parallel_games, 2_000),
                "games_four_times_as_many": partial(parallel_games, 8_000),
                "games_two_threads": partial(parallel_games, 2_000, threads=2),
            },
            rounds,
        )
    results: Results = {
        "perft_x_vs_python_chess": ratio(rates["perft"], rates["perft_python_chess"]),
        "perft_x_vs_stockfish": ratio(rates["perft"], rates["perft_stockfish"]),
        "play_x_vs_python_chess": ratio(rates["play"], rates["play_python_chess"]),
        "play_x_vs_openspiel": ratio(rates["play"], rates["play_openspiel"]),
        "planes_x_vs_openspiel": ratio(rates["planes"], rates["planes_openspiel"]),
        "play_two_threads_x_vs_one": ratio(rates["play_two_threads"], rates["play"]),
        "games_two_threads_x_vs_one": ratio(rates["games_two_threads"], rates["games"]),
        "four_times_the_games_x": ratio(rates["games_four_times_as_many"], rates["games"]),
    }
    units = {"perft": "nodes", "games": "games"}
    for name, rate in rates.items():
        results[f"{name}_{units.get(name.split('_')[0], 'plies')}_per_s"] = rate
    return results
