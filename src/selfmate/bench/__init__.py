"""Speed beside our peers, in one run, as ratios."""

from collections.abc import Callable
from importlib import import_module

# Figures of a suite by key; ratios are called `..._x_vs_PEER`, a peer that is not here is None.
Figures = dict[str, float | None]

# Each suite is a module of this package with `run() -> Figures`, taking at most a minute.
SUITES = {
    "rules": "perft and random play, beside python-chess, Stockfish and OpenSpiel",
    "teacher": "labelling positions at depth 2, beside the same search in python-chess",
    "endgame": "mini-chess training, beside a transcription of the seed's listing",
    "dqn": "playing, learning and imitating with a Q-net, beside dense layers of torch",
    "reinforce": "games played and learned from, beside python-chess and torch move by move",
    "lab": "how long the page waits for answers while trainings take every core",
    "pgn": "reading games, beside python-chess and pgn-extract",
    "import": "games read, filtered and stored in chunks, beside a script with python-chess",
    "mcts": "tree search with and without a net, beside the net alone and a search in Python",
    "train": "AlphaZero's net learning and playing, beside torch's convolutions",
    "searchless": "games of a net that tries any move, beside the net alone",
}
_MODULES = {"import": "game_import"}  # where Python does not allow the name


def load_suite(name: str) -> Callable[[], Figures]:
    """The `run` function of a suite."""
    if name not in SUITES:
        raise ValueError(f"no benchmark suite {name!r}; there are: {', '.join(SUITES)}")
    run: Callable[[], Figures] = import_module(f"selfmate.bench.{_MODULES.get(name, name)}").run
    return run
