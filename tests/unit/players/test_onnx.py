"""Nets as ONNX files: written, checked, played, and refused with a sentence."""

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from selfmate import extras
from selfmate.encodings import encode
from selfmate.nets.config import MoveScorerConfig, QNetConfig, ResNetConfig, TransformerConfig
from selfmate.nets.onnx_graph import OPSETS, onnx_graph
from selfmate.nets.onnx_net import OnnxResNet, open_onnx
from selfmate.players import check_name, load_player, onnx_export
from selfmate.players.onnx_export import (
    ExportError,
    answers,
    export_onnx,
    largest_difference,
    positions_to_check,
)
from selfmate.players.player import Player
from selfmate.players.trained import find_net
from selfmate.rules import Board, GameBatch, derive_seeds
from selfmate.weights import model_names
from unit.players.trained_runs import (
    make_run,
    make_scorer_run,
    make_sparse_run,
    make_transformer_run,
    make_tree_run,
    opinionated_net,
)

MAKERS = {
    "dqn": make_run,
    "reinforce": make_scorer_run,
    "searchless": make_transformer_run,
    "alphazero": make_tree_run,
}
INTERFACES = {
    "dqn": ("q_net", {"features", "move_rows", "position_of_move"}, {"q_values"}),
    "reinforce": (
        "move_scorer",
        {"positions", "moves", "position_of_move", "white_to_move"},
        {"scores", "values"},
    ),
    "searchless": ("transformer", {"tokens"}, {"policy"}),
    "alphazero": ("se_resnet", {"planes"}, {"policy", "wdl"}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of each family, and its net beside it."""
    folder = tmp_path_factory.mktemp("runs")
    for family, make in MAKERS.items():
        make(folder / family)
        write(str(folder / family), folder / f"{family}.onnx")
    return folder


def write(player: str, path: Path) -> onnx_export.Export:
    return export_onnx(find_net(check_name(player)), path)


@pytest.mark.parametrize("family", MAKERS)
def test_every_family_has_a_named_interface_and_says_what_it_is(folder: Path, family: str) -> None:
    done = write(str(folder / family), folder / "again.onnx")
    kind, inputs, outputs = INTERFACES[family]
    assert (done.kind, set(done.inputs), set(done.outputs)) == (kind, inputs, outputs)
    assert done.positions == 256
    assert done.largest_difference <= 1e-4
    model = onnx.load(str(folder / "again.onnx"))
    facts = {prop.key: prop.value for prop in model.metadata_props}
    assert json.loads(facts["selfmate.net"])["kind"] == kind
    assert json.loads(facts["selfmate.card"])["learner"] == family
    assert facts["selfmate.encoding"]
    assert facts["selfmate.action_encoding"]
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"


@pytest.mark.parametrize(
    "config",
    [
        QNetConfig(hidden=(16,), dueling=False, move_kinds=False, inputs="features839"),
        QNetConfig(hidden=(16, 8), dueling=True, move_kinds=False),
        MoveScorerConfig(encoding="turned768", hidden=(16, 8)),
        MoveScorerConfig(encoding="counts", hidden=(8,), value_head=True),
        TransformerConfig(width=16, blocks=1, heads=4, policy_head="board8x8"),
        TransformerConfig(width=16, blocks=1, heads=2, policy_head="special"),
        TransformerConfig(width=16, blocks=1, heads=2, square_pair_bias=False),
        ResNetConfig(
            blocks=1, filters=8, attention_blocks=0, squeeze_excitation=False, wdl=False,
            semantic_planes=False,
        ),
        ResNetConfig(
            blocks=1, filters=8, attention_blocks=1, tactical_planes=True, policy_pairs=True,
        ),
    ],
)  # fmt: skip
def test_every_architecture_can_be_exported(
    config: QNetConfig | MoveScorerConfig | TransformerConfig | ResNetConfig,
) -> None:
    net, boards = config.make_net().eval(), positions_to_check()[::8]
    _, written = open_onnx(onnx_graph_with_card(net, config.model_dump_json()))
    assert largest_difference(answers(net, boards), answers(written, boards)) <= 1e-4


def onnx_graph_with_card(net: object, card: str, opset: int = 18) -> bytes:
    graph = onnx_graph(net, opset=opset)  # type: ignore[arg-type]
    return onnx_export.with_metadata(graph, {"version": "0", "net": card})


@pytest.mark.parametrize("opset", OPSETS)
def test_every_opset_gives_the_same_net(opset: int) -> None:
    net, boards = opinionated_net().eval(), positions_to_check()[::16]
    _, written = open_onnx(onnx_graph(net, opset=opset))
    assert largest_difference(answers(net, boards), answers(written, boards)) <= 1e-4


@pytest.mark.parametrize("model", model_names())
def test_every_net_that_ships_can_be_exported(model: str, tmp_path: Path) -> None:
    done = write(model, tmp_path / "net.onnx")
    assert done.largest_difference <= 1e-4
    original, again = (
        load_player(f"{model}:terminal=exact{policy_only(model)}"),
        load_player(f"onnx:path={tmp_path / 'net.onnx'}{policy_only(model)}"),
    )
    assert_same_games(original, again, games=50, plies=40)


def policy_only(model: str) -> str:
    return ",sims=0" if model.startswith("alphazero") else ""


@pytest.mark.parametrize(
    ("settings", "games", "plies"),
    [
        (("dqn", ""), 50, 60),
        (("dqn", "temperature=0.2"), 50, 20),
        (("dqn", "sims=24"), 4, 12),
        (("reinforce", ""), 50, 60),
        (("reinforce", "lookahead=1"), 4, 12),
        (("reinforce", "sims=24"), 4, 12),
        (("searchless", ""), 50, 60),
        (("searchless", "mask=0,temperature=1"), 50, 1),
        (("alphazero", "sims=0"), 50, 60),
        (("alphazero", "sims=24"), 4, 12),
        (("alphazero", "by=value"), 4, 12),
    ],
)
def test_a_file_plays_the_same_moves_as_the_net(
    folder: Path, settings: tuple[str, str], games: int, plies: int
) -> None:
    family, extra = settings
    run = f"{folder / family}:{extra}" if extra else str(folder / family)
    file = f"onnx:path={folder / family}.onnx" + (f",{extra}" if extra else "")
    assert_same_games(load_player(run), load_player(file), games, plies)


def test_a_sparse_net_is_exported_and_plays_the_same_moves(tmp_path: Path) -> None:
    make_sparse_run(tmp_path / "swift")
    done = write(str(tmp_path / "swift"), tmp_path / "swift.onnx")
    assert (done.kind, set(done.outputs)) == ("sparse_net", {"policy", "wdl"})
    assert set(done.inputs) == {"views", "move_rows", "position_of_move"}
    assert done.largest_difference <= 1e-4
    for settings, games, plies in (("sims=0", 50, 40), ("sims=24", 4, 12), ("by=value", 4, 12)):
        run = load_player(f"{tmp_path / 'swift'}:{settings}")
        file = load_player(f"onnx:path={tmp_path / 'swift.onnx'},{settings}")
        assert_same_games(run, file, games, plies)


def assert_same_games(one: Player, other: Player, games: int, plies: int) -> None:
    """The first plies of games from varied openings, asked ply by ply."""
    batch = GameBatch(games, seed=5)
    for _ in range(6):
        batch.step(batch.random_moves())
    for ply in range(plies):
        boards = [batch.board(slot) for slot in range(games)]
        seeds = derive_seeds(1, np.arange(games), np.full(games, ply))
        found, wanted = other.choose(boards, seeds), one.choose(boards, seeds)
        assert found.moves.tolist() == wanted.moves.tolist()
        assert found.forfeits == wanted.forfeits
        if not wanted.forfeits:
            batch.step(wanted.moves)


@pytest.mark.parametrize("family", MAKERS)
def test_a_move_does_not_depend_on_the_other_boards(folder: Path, family: str) -> None:
    player = load_player(f"onnx:path={folder / family}.onnx")
    boards, seeds = positions_to_check()[:20], np.arange(20, dtype=np.uint64)
    together = player.choose(boards, seeds).moves
    alone = [int(player.choose([boards[i]], seeds[i : i + 1]).moves[0]) for i in range(20)]
    assert together.tolist() == alone


def test_a_version_of_a_run_can_be_exported(folder: Path, tmp_path: Path) -> None:
    done = write(f"{folder / 'dqn'}:version=best", tmp_path / "best.onnx")
    assert done.player.endswith(":version=2")
    best, file = (
        load_player(f"{folder / 'dqn'}:version=2"),
        load_player(f"onnx:path={tmp_path / 'best.onnx'}"),
    )
    assert_same_games(best, file, games=10, plies=20)
    assert file.name == f"onnx:path={tmp_path / 'best.onnx'},terminal=exact"


def test_other_programs_can_compute_batches_of_any_size(folder: Path) -> None:
    session = onnxruntime.InferenceSession(str(folder / "alphazero.onnx"))
    boards = positions_to_check()[:33]
    wanted = answers(opinionated_net(), boards)
    for rows in (1, 2, 33):
        planes = encode("planes68", boards[:rows])
        policy, wdl = session.run(["policy", "wdl"], {"planes": planes})
        np.testing.assert_allclose(wdl, wanted[0][:rows], atol=1e-4)
        np.testing.assert_allclose(policy, wanted[1][:rows], atol=1e-4)


def test_a_net_that_answers_otherwise_leaves_no_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = onnx_graph(opinionated_net(seed=9))
    monkeypatch.setattr(onnx_export, "onnx_graph", lambda *_, **__: wrong)
    with pytest.raises(ExportError, match=r"differ from the net's by up to .* nothing was written"):
        write(str(folder / "alphazero"), tmp_path / "net.onnx")
    assert not list(tmp_path.iterdir())


def test_without_the_extra_a_sentence_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match=r"pip install 'selfmate\[onnx\]'"):
        load_player(f"onnx:path={folder / 'dqn.onnx'}")


# Files of others


def made_by_others(
    path: Path, weights: NDArray[np.float32], *, name: str = "planes", outputs: int = 2
) -> str:
    """The policy is linear in the planes' means; the WDL is always a draw."""
    draw = np.array([[0, 1, 0]], np.float32)
    nodes = [
        helper.make_node("ReduceMean", [name], ["flat"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["flat", "weights"], ["policy"]),
        helper.make_node("ReduceMax", ["flat"], ["largest"], axes=[1], keepdims=1),
        helper.make_node("Mul", ["largest", "zero"], ["nothing"]),
        helper.make_node("Add", ["nothing", "draw"], ["wdl"]),
    ]
    tensors = [
        numpy_helper.from_array(weights, "weights"),
        numpy_helper.from_array(np.zeros(1, np.float32), "zero"),
        numpy_helper.from_array(draw, "draw"),
    ]
    results = [
        helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["n", 4672]),
        helper.make_tensor_value_info("wdl", TensorProto.FLOAT, ["n", 3]),
    ]
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 68, 8, 8])]
    graph = helper.make_graph(nodes, "other", given, results[:outputs], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return f"onnx:path={path}"


def test_a_file_of_others_plays_and_searches(tmp_path: Path) -> None:
    weights = np.random.default_rng(1).normal(size=(68, 4672)).astype(np.float32)
    name = made_by_others(tmp_path / "other.onnx", weights)
    _, net = open_onnx(tmp_path / "other.onnx")
    assert isinstance(net, OnnxResNet)
    planes = encode("planes96", [Board()])
    np.testing.assert_allclose(net(planes)[1], planes[:, :68].mean((2, 3)) @ weights, atol=1e-4)
    for settings in (",sims=0", ",sims=16", ",by=value"):
        moves = load_player(name + settings).choose([Board()], np.zeros(1, np.uint64)).moves
        assert moves.shape == (1,)


def test_files_that_are_no_nets_are_refused(folder: Path, tmp_path: Path) -> None:
    weights = np.zeros((68, 4672), np.float32)
    (tmp_path / "text.onnx").write_text("no net")
    cases = {
        "onnx": "needs a file: onnx:path=FILE",
        f"onnx:path={tmp_path / 'none.onnx'}": "there is no file",
        f"onnx:path={tmp_path / 'text.onnx'}": "is no ONNX net that can be loaded",
        made_by_others(tmp_path / "a.onnx", weights, name="image"): "has the inputs image; a net",
        made_by_others(tmp_path / "b.onnx", weights, outputs=1): "has no output wdl",
        f"onnx:path={folder / 'dqn.onnx'},lookahead=1": "has no setting 'lookahead'",
        f"onnx:path={folder / 'dqn.onnx'},sims=x": "is not a whole number",
    }
    for name, message in cases.items():
        with pytest.raises(ValueError, match=message):
            load_player(name)


def test_an_encoding_of_another_version_is_refused(folder: Path, tmp_path: Path) -> None:
    model = onnx.load(str(folder / "alphazero.onnx"))
    helper.set_model_props(
        model, {"selfmate.encoding": "planes68", "selfmate.encoding_version": "99"}
    )
    onnx.save(model, str(tmp_path / "old.onnx"))
    with pytest.raises(ValueError, match="has version 99 of planes68; this is version"):
        load_player(f"onnx:path={tmp_path / 'old.onnx'}")


def test_a_small_net_of_others_does_not_search(folder: Path, tmp_path: Path) -> None:
    model = onnx.load(str(folder / "dqn.onnx"))
    del model.metadata_props[:]
    onnx.save(model, str(tmp_path / "other.onnx"))
    player = load_player(f"onnx:path={tmp_path / 'other.onnx'}")
    assert player.choose([Board()], np.zeros(1, np.uint64)).moves.shape == (1,)
    with pytest.raises(ValueError, match=r"is not from selfmate export: .*leave sims= out"):
        load_player(f"onnx:path={tmp_path / 'other.onnx'},sims=10")
