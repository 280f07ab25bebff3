"""Everything that can be called in the core, with arguments that it takes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import selfmate._core as core
from core.slow_se_resnet import Shape, random_weights
from selfmate.data.trajectories import flat_columns, sparse_columns
from selfmate.nets.config import (
    MoveScorerConfig,
    QNetConfig,
    SparseNetConfig,
    TransformerConfig,
)
from selfmate.searches.config import SearchConfig

# By parameter, how to make an argument; `self` stands first.
Arguments = dict[str, Callable[[], Any]]

SHAPE = Shape()
SOME_WEIGHTS = random_weights(SHAPE, 1)
Q_NET = QNetConfig(hidden=(8, 5)).make_net().arrays()
SPARSE_CONFIG = SparseNetConfig(accumulator=32, attacks=False, policy_width=32)
SPARSE_NET = SPARSE_CONFIG.make_net().arrays()
SPARSE_SHAPE = SPARSE_CONFIG.model_dump(exclude={"kind"})
TRANSFORMER_CONFIG = TransformerConfig(width=8, blocks=1, heads=2)
TRANSFORMER = TRANSFORMER_CONFIG.make_net().arrays()
SCORER = MoveScorerConfig(encoding="counts", hidden=(8, 5), value_head=True).make_net().arrays()


def always(value: object) -> Callable[[], Any]:
    return lambda: value


def array(numbers: list[int], dtype: type[np.generic]) -> Callable[[], Any]:
    return lambda: np.array(numbers, dtype)


def floats(*shape: int) -> Callable[[], Any]:
    return lambda: np.ones(shape, np.float32)


def board() -> core.Board:
    found = core.Board()
    for uci in ("e2e4", "e7e5", "g1f3"):
        found.push(uci)
    return found


def boards() -> list[core.Board]:
    return [board() for _ in range(3)]


def reader() -> core.PgnReader:
    found = core.PgnReader(1)
    found.feed(b'[Event "a"]\n\n1. e4 e5 *\n')
    return found


def search() -> core.TreeSearch:
    """In three slots a search that is not done, in a fourth one that has not begun."""
    found = core.TreeSearch(num_considered_actions=4)
    for slot in range(3):
        found.set(slot, board())
    found.start(np.arange(3), 30, noise=True, seeds=np.arange(3, dtype=np.uint64))
    for _ in range(4):
        found.receive(np.full((found.gather(3), 3), 1 / 3, np.float32))
    found.set(3, board())
    return found


def waiting_search() -> core.TreeSearch:
    found = search()
    found.gather(3)
    return found


Q_SHAPE: dict[str, Any] = {
    "inputs": "attacks3399",
    "dueling": True,
    "move_kinds": True,
    "temperature": 0.1,
}


def q_net() -> core.QNet:
    return core.QNet(Q_NET, hidden=(8, 5), **Q_SHAPE)


def sparse_net() -> core.SparseNet:
    return core.SparseNet(SPARSE_NET, **SPARSE_SHAPE)


def transformer() -> core.Transformer:
    return core.Transformer(TRANSFORMER, **TRANSFORMER_CONFIG.model_dump(exclude={"kind"}))


def sampled_games() -> dict[str, Any]:
    """Three games of one ply each, as REINFORCE learns from them."""
    config = MoveScorerConfig(encoding="counts", hidden=(8, 5), value_head=True)
    columns = flat_columns(sparse_columns(config.candidates(boards())))
    return columns | {
        "results": np.array([1, 0, -1], np.int8),
        "games": np.arange(3, dtype=np.int32),
        "is_white": np.zeros(3, np.uint8),
        "chosen": np.array([0, 1, 2], np.uint8),
        "log_probs": np.full(3, -3, np.float32),
    }


def reinforce() -> core.Reinforce:
    found = core.Reinforce(hidden=(8, 5), max_plies=6)
    found.iterate(2)
    return found


REPLY = core.uci_code("b8c6")
SEEDS = array([1, 2, 3], np.uint64)
MOVES = array([REPLY] * 3, np.uint16)
THREADS: Arguments = {"threads": always(1)}
GAMES: Arguments = {"games": boards} | THREADS
ROWS: Arguments = {"records": lambda: core.encode_records(boards())} | THREADS
AZ: Arguments = {"action_encoding": always("az4672")}
PLACES: Arguments = {"columns": array([0, 2, 1], np.int32), "offsets": array([0, 1, 3], np.int64)}
SPARSE: Arguments = PLACES | {"values": floats(3)} | THREADS
LEGAL: Arguments = {"offsets": array([0, 1, 2, 3], np.int64), "seeds": SEEDS}
LOOKS: Arguments = {"looks": floats(2, 5, 48), "geometry": floats(2, 5, 5), "heads": always(2)}
CONVOLUTION: Arguments = {"boards": floats(2, 8, 8, 5)} | THREADS
SLOTS: Arguments = {"slots": array([0, 1, 2], np.int64)}
WEIGHTS: Arguments = {"weights": SOME_WEIGHTS.copy}
Q_WEIGHTS: Arguments = {"weights": Q_NET.copy}
SCORER_WEIGHTS: Arguments = {"weights": SCORER.copy}
HIDDEN: Arguments = {"hidden": always((8, 5))}

FUNCTIONS: dict[str, Arguments] = {
    "uci_text": {"code": always(REPLY)},
    "uci_code": {"uci": always("b8c6")},
    "push_moves": {"boards": boards, "moves": MOVES},
    "reason_names": {},
    "random_games": {"count": always(2), "seed": always(1), "max_plies": always(5)} | THREADS,
    "encoding_layouts": {},
    "action_encoding_layouts": {},
    "az4672_moves": {},
    "uci1968_moves": {},
    "uci1968_flipped": {},
    "encode": GAMES
    | {
        "name": always("onehot768"),
        "out": lambda: np.zeros((3, 768), np.uint8),
        "dtype": always("uint8"),
    },
    "legal_move136": GAMES | {"dtype": always("float32")},
    "legal_actions": GAMES | AZ,
    "action_mask": GAMES | AZ | {"out": lambda: np.zeros((3, 4672), np.uint8)},
    "actions_of_moves": GAMES | AZ | {"moves": MOVES},
    "moves_of_actions": GAMES | AZ | {"actions": array([1, 2, 3], np.int32)},
    "encode_packed": GAMES,
    "inputs_of_packed": {
        "packed": lambda: core.encode_packed(boards()),
        "features": always("attacks3399"),
    },
    "move_rows_of_packed": {
        "packed": lambda: core.encode_packed(boards()),
        "actions": array([1, 4095, 7, 8], np.int32),
        "offsets": array([0, 2, 2, 4], np.int64),
    },
    "views_of_packed": {
        "packed": lambda: core.encode_packed(boards()),
        "king_buckets": always(4),
        "attacks": always(True),
    },
    "view_move_rows_of_packed": AZ
    | {
        "packed": lambda: core.encode_packed(boards()),
        "actions": array([1, 4671, 7, 8], np.int32),
        "offsets": array([0, 2, 2, 4], np.int64),
    },
    "packed_of_records": ROWS,
    "encode_records": GAMES,
    "encode_game_records": THREADS
    | {
        "records": partial(core.random_games, 3, max_plies=20),
        "skip": always(1),
        "chosen": array([2, 0], np.int64),
    },
    "planes_of_records": ROWS | {"out": floats(3, 96, 8, 8)},
    "tokens_of_records": ROWS,
    "legal_of_records": ROWS | AZ,
    "actions_of_records": ROWS | AZ | {"moves": MOVES},
    "teacher_scores": GAMES | {"depth": always(1)},
    "move_endings": GAMES,
    "choose_random": GAMES | {"seeds": SEEDS},
    "choose_greedy": GAMES | {"seeds": SEEDS},
    "choose_best": LEGAL | {"moves": MOVES, "scores": array([1, 2, 3], np.int32)},
    "attempt_actions": LEGAL
    | {
        "logits": floats(3, 80),
        "legal": array([0, 1, 2], np.int32),
        "temperature": always(1.0),
        "most": always(4),
    },
    "play_labelled_games": {
        "games": boards,
        "seeds": SEEDS,
        "movers": lambda: np.array([[0, 1], [2, 0], [1, 1]], np.uint8),
        "net": q_net,
        "depth": always(1),
        "top_k": always(3),
        "tau": always(1.0),
        "net_tau": always(1.0),
        "max_plies": always(6),
        "max_positions": always(10),
    },
    "endgame_table": {"pieces": always("pawn")},  # which has none: those there are take long
    "sparse_times": SPARSE | {"matrix": floats(3, 8)},
    "sparse_transposed_times": SPARSE | {"matrix": floats(2, 8), "height": always(3)},
    "products_at": PLACES | THREADS | {"left": floats(2, 8), "right": floats(3, 8)},
    "policy_gradient": SCORER_WEIGHTS
    | HIDDEN
    | {
        "games": sampled_games,
        "rows": array([2, 0, 1, 1], np.int64),
        "encoding": always("counts"),
        "value_head": always(True),
        "temperature": always(1.2),
        "baseline": always(0.0),
        "value_weight": always(0.5),
        "entropy_bonus": always(0.1),
        "max_importance_weight": always(2.0),
        "divisor": always(4.0),
        "portable": always(True),
    },
    "processor_is_wide": {},
    "kernel_names": {},
    "winograd_weights": {"weights": floats(4, 5, 3, 3), "back": always(True)},
    "convolve": CONVOLUTION | {"weights": floats(36 * 16 * 5), "out": floats(2, 8, 8, 4)},
    "convolution_gradient": CONVOLUTION | {"gradients": floats(2, 8, 8, 4)},
    "attend": LOOKS | {"seen": floats(2, 5, 16)},
    "attend_back": LOOKS
    | {
        "seen_gradient": floats(2, 5, 16),
        "looks_gradient": floats(2, 5, 48),
        "geometry_gradient": floats(2, 5, 5),
    },
}

CONSTRUCTORS: dict[str, Arguments] = {
    "Reinforce": HIDDEN
    | {
        "seed": always(3),
        "encoding": always("counts"),
        "learning_rate": always(0.01),
        "max_plies": always(6),
        "temperature_train": always(1.2),
        "baseline": always("none"),
        "entropy_bonus": always(0.1),
        "replay_iterations": always(1),
        "plays_mate_in_one": always(True),
        "vs_random": always(0.5),
        "updates": always(2),
        "portable": always(True),
    },
    "Board": {"fen": lambda: board().fen()},
    "GameBatch": {
        "size": always(2),
        "starts": lambda: [board().fen()],
        "seed": always(1),
        "max_plies": always(9),
    }
    | THREADS,
    "PgnReader": THREADS | {"max_game_bytes": always(5000)},
    "TeacherSearch": {},
    "TreeSearch": {name: always(value) for name, value in SearchConfig().model_dump().items()},
    "SeResNet": WEIGHTS
    | {name: always(value) for name, value in vars(SHAPE).items()}
    | {"kernels": always("portable")},
    "QNet": Q_WEIGHTS | HIDDEN | {name: always(value) for name, value in Q_SHAPE.items()},
    "MoveScorer": SCORER_WEIGHTS
    | HIDDEN
    | {"encoding": always("counts"), "value_head": always(True)},
    "SparseNet": {"weights": SPARSE_NET.copy}
    | {name: always(value) for name, value in SPARSE_SHAPE.items()}
    | {"kernels": always("portable")},
    "Transformer": {"weights": TRANSFORMER.copy}
    | {
        name: always(value)
        for name, value in TRANSFORMER_CONFIG.model_dump(exclude={"kind"}).items()
    }
    | {"kernels": always("portable")},
}

OBJECTS: dict[str, Callable[[], Any]] = {
    "Reinforce": reinforce,
    "Outcome": lambda: core.Board("k7/8/8/8/8/8/8/7K w - - 0 1").outcome(),
    "Board": board,
    "GameRecords": partial(core.random_games, 3, max_plies=20),
    "GameBatch": lambda: core.GameBatch(3, seed=1),
    "PgnReader": reader,
    "TeacherSearch": core.TeacherSearch,
    "TreeSearch": search,
    "SeResNet": partial(SHAPE.core, SOME_WEIGHTS),
    "PositionEvaluator": q_net,
    "QNet": q_net,
    "SparseNet": sparse_net,
    "MoveScorer": lambda: core.MoveScorer(
        SCORER, hidden=(8, 5), encoding="counts", value_head=True
    ),
    "Transformer": transformer,
}

# All but properties and methods without arguments, which `attributes` adds.
METHODS: dict[str, Arguments] = {
    "Reinforce.iterate": {"games": always(2)},
    "Board.push": {"uci": always("b8c6"), "past_draw": always(False)},
    "Board.san": {"uci": always("b8c6")},
    "Board.parse_san": {"text": always("Nc6")},
    "Board.perft": {"depth": always(1)},
    "GameRecords.start_fen": {"game": always(1)},
    "GameRecords.uci": {"game": always(1)},
    "GameRecords.san": {"game": always(1)},
    "GameRecords.tags": {"game": always(1)},
    "GameBatch.step": {"moves": array([core.uci_code("e2e4")] * 3, np.uint16)},
    "GameBatch.board": {"slot": always(1)},
    "PgnReader.feed": {"text": always(b"1. d4 *\n")},
    "TeacherSearch.scores": {"board": board, "depth": always(1), "max_nodes": always(1000)},
    "TreeSearch.set": {"slot": always(1), "board": board},
    "TreeSearch.clear": {"slot": always(1)},
    "TreeSearch.restrict_root": {"slot": always(3), "moves": array([REPLY], np.uint16)},
    "TreeSearch.start": SLOTS | {"simulations": always(20), "noise": always(True), "seeds": SEEDS},
    "TreeSearch.advance": SLOTS | {"moves": MOVES},
    "TreeSearch.gather": {"most": always(3), "planes": floats(3, 96, 8, 8)},
    "TreeSearch.receive": {
        "self": waiting_search,
        "wdl": floats(3, 3),
        "logits": floats(3, 4672),
    },
    "TreeSearch.run": {"net": q_net, "most": always(3), "enough": always(5)} | THREADS,
    "TreeSearch.is_done": SLOTS,
    "TreeSearch.moves": SLOTS,
    "TreeSearch.roots": SLOTS,
    "TreeSearch.outlooks": {"slot": always(1)},
    "SeResNet.load": WEIGHTS,
    "PositionEvaluator.evaluate": GAMES,
    "QNet.load": Q_WEIGHTS,
    "QNet.evaluate": GAMES,
    "QNet.q_values": GAMES,
    "SparseNet.load": {"weights": SPARSE_NET.copy},
    "SparseNet.evaluate": GAMES,
    "MoveScorer.load": SCORER_WEIGHTS,
    "MoveScorer.evaluate": GAMES,
    "Transformer.logits": {"tokens": lambda: np.ones((3, 78), np.uint8)} | THREADS,
    "Transformer.evaluate": GAMES,
    "SeResNet.evaluate": {"planes": floats(2, 96, 8, 8)} | THREADS,
}


def targets() -> dict[str, tuple[Callable[..., Any], Arguments]]:
    """What to call by its name, with its arguments."""
    free = FUNCTIONS | CONSTRUCTORS
    found = {name: (getattr(core, name), arguments) for name, arguments in free.items()}
    for kind, make in OBJECTS.items():
        for name in dir(getattr(core, kind)):
            if not name.startswith("_"):
                arguments = {"self": make} | METHODS.get(f"{kind}.{name}", {})
                found[f"{kind}.{name}"] = partial(called, name), arguments
    return found


def called(name: str, /, self: object, **arguments: object) -> object:
    """A method or property of an object."""
    attribute = getattr(self, name)
    return attribute(**arguments) if callable(attribute) else attribute
