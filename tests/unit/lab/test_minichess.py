"""The mini-chess in the lab: its answers are the solver's and the checkpoint's."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from contracts.learners import quick, train
from selfmate.lab.minichess_runs import EndgameRuns
from selfmate.lab.runs_folder import RunsFolder
from selfmate.learners.config import read_config
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.evaluation import evaluate_policy
from selfmate.minichess.game import compile_game, square_name
from selfmate.minichess.player import learned_values
from selfmate.minichess.solver import Solution, greedy_actions, solve
from selfmate.runs.directory import RunDirectory
from selfmate.runs.session import Session
from unit.lab.asking import AskedLab
from unit.lab.topic_data import data_of
from unit.learners.toy import TOY

GAMMA, DRAW_REWARD = 0.7, -0.5  # other than the lab's own
SETS = ("episodes=800", f"gamma={GAMMA}", f"draw_reward={DRAW_REWARD}")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("lab") / "runs"
    learner = LEARNERS["ddqn"]
    train(learner, quick(learner, *SETS), runs / "some", Session(say=lambda _: None))
    return runs


@pytest.fixture(scope="module")
def lab(runs: Path) -> AskedLab:
    return AskedLab(runs, runs.parent / "page")


@pytest.fixture(scope="module")
def truth() -> Solution:
    return solve(compile_game(4), 0.85, -1.0)


def squares(state: int) -> str:
    return "".join(square_name(4, int(square)) for square in compile_game(4).pieces[state])


def values(position: dict[str, Any], key: str) -> list[float]:
    return [move[key] for move in position["moves"]]


@pytest.mark.parametrize("size", [4, 5])
def test_the_facts_are_the_solvers(lab: AskedLab, size: int) -> None:
    found = lab.get(f"/api/endgame/{size}").json
    exact = solve(compile_game(size), 0.85, -1.0).scalars()
    assert {name: found[name] for name in exact} == exact


@pytest.mark.parametrize("state", range(0, 808, 31))
def test_moves_are_worth_what_the_solver_says(lab: AskedLab, truth: Solution, state: int) -> None:
    game = compile_game(4)
    found = lab.get("/api/endgame/4/position", state=state).json
    allowed = game.allowed[state]
    assert values(found, "exact") == truth.q_values[state, allowed].tolist()
    assert found["value"] == truth.q_values[state].max()
    assert found["expected_moves"] == truth.least_moves[state]
    assert found["forced_in"] == truth.worst_moves[state]
    assert found["learned"] is None
    assert lab.get("/api/endgame/4/position", pieces=squares(state)).json == found
    # Perfect play takes one move, and then what it takes from where the enemy went.
    expected = [moves for moves in values(found, "expected_moves") if moves is not None]
    assert min(expected) == pytest.approx(truth.least_moves[state], abs=1e-9)


def test_with_the_lone_king_elsewhere_it_is_another_position(lab: AskedLab) -> None:
    found = lab.get("/api/endgame/4/position", state=100).json
    own = squares(100)[:4]
    for other in found["enemy_squares"]:
        there = lab.get("/api/endgame/4/position", pieces=f"{own}{other['square']}").json
        assert other["exact"] == there["value"]
        assert other["expected_moves"] == there["expected_moves"]


def test_learned_values_are_the_checkpoints_and_held_against_its_own_truth(
    lab: AskedLab, runs: Path
) -> None:
    newest = RunDirectory(runs / "some").checkpoint()
    game, learned = learned_values(newest.card.player, newest.weights)
    truth = solve(game, GAMMA, DRAW_REWARD)
    actions = greedy_actions(game, learned)
    for state in range(0, 808, 31):
        found = lab.get("/api/endgame/4/position", state=state, run="some").json
        allowed = game.allowed[state]
        assert values(found, "exact") == truth.q_values[state, allowed].tolist()
        assert values(found, "learned") == learned[state, allowed].tolist()
        exact = truth.q_values[state]
        assert found["learned"]["regret"] == exact.max() - exact[actions[state]]
        assert found["learned"]["step"] == newest.card.step
        assert found["learned"]["best"] == max(found["moves"], key=lambda m: m["learned"])["name"]


def test_a_run_is_followed_from_checkpoint_to_checkpoint(runs: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(runs / "some", tmp_path / "runs" / "other"))
    topic = EndgameRuns(RunsFolder(tmp_path / "runs")).find("other")
    newest = max((run / "checkpoints").iterdir())
    newest.rename(tmp_path / "later")
    before, earlier = topic.version(), data_of(topic)
    assert topic.version() == before
    (tmp_path / "later").rename(newest)
    assert topic.version() != before
    later = data_of(topic)
    assert earlier["step"] < later["step"] == int(newest.name)

    found = RunDirectory(run).checkpoint()
    game, learned = learned_values(found.card.player, found.weights)
    exact = evaluate_policy(
        game, greedy_actions(game, learned), gamma=GAMMA, draw_reward=DRAW_REWARD
    )
    assert later["evaluation"] == vars(exact)
    assert later["evaluation"] != earlier["evaluation"]
    lines = [line for line in RunDirectory(run).metrics() if "exact_mate_percent" in line]
    assert later["curves"]["episodes"] == [line["episodes"] for line in lines]
    assert later["curves"]["mate_percent"] == [line["exact_mate_percent"] for line in lines]


def test_on_larger_boards_the_training_tells_how_good_it_is(tmp_path: Path) -> None:
    learner, folder = LEARNERS["ddqn"], tmp_path / "runs"
    config = quick(learner, "size=5", "episodes=500", "evaluate_every=2")
    train(learner, config, folder / "five", Session(say=lambda _: None))
    found = data_of(EndgameRuns(RunsFolder(folder)).find("five"))
    exact = [line for line in RunDirectory(folder / "five").metrics() if "exact_regret" in line][-1]
    assert found["size"] == 5
    assert found["evaluation"]["regret"] == exact["exact_regret"]
    assert found["evaluation"]["mean_moves"] == exact.get("exact_mean_moves")
    with (folder / "five" / "metrics.jsonl").open("a") as file:
        file.write('{"step": "x", "exact_regret": "y", "exact_mate_percent": 1e999}\n')
    again = data_of(EndgameRuns(RunsFolder(folder)).find("five"))
    assert again["curves"] == found["curves"]


def test_a_run_without_a_checkpoint_has_learned_nothing_yet(runs: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(runs / "some", tmp_path / "runs" / "new"))
    shutil.rmtree(run / "checkpoints")
    topic = EndgameRuns(RunsFolder(tmp_path / "runs")).find("new")
    assert topic.version() == topic.version()
    assert data_of(topic)["step"] is None
    assert data_of(topic)["evaluation"] is None


def test_best_moves_mate_and_every_step_is_a_move_of_the_game(lab: AskedLab) -> None:
    for _ in range(10):
        found: dict[str, Any] | None = lab.get("/api/endgame/4/position").json
        played: dict[str, Any] = {}
        for _ in range(30):
            if found is None:
                break
            replies = _replies(found["state"], found["best"])
            body = {"state": found["state"], "move": found["best"].lower()}
            played = lab.post("/api/endgame/4/move", body).json
            assert played["played"] == found["best"]
            found = played["position"]
            assert (found["state"] in replies) if found else not replies
        assert played["ending"] == "mate"
        assert played["reply"] is None


def _replies(state: int, name: str) -> list[int]:
    game = compile_game(4)
    piece = "KQ".index(name[0])
    after_pieces = squares(state)[: 2 * piece] + name[1:] + squares(state)[2 * piece + 2 :]
    (after,) = (
        place
        for place, pieces in enumerate(game.after_pieces)
        if "".join(square_name(4, int(square)) for square in pieces) == after_pieces
    )
    return list(game.replies[after, : game.reply_counts[after]])


def test_games_start_as_often_as_they_should(lab: AskedLab) -> None:
    starts = {lab.get("/api/endgame/4/position").json["state"] for _ in range(20)}
    assert len(starts) > 10
    assert (compile_game(4).start_probabilities[list(starts)] > 0).all()


@pytest.mark.parametrize(
    ("path", "query", "status", "says"),
    [
        ("/api/endgame/3", {}, 422, "size"),
        ("/api/endgame/7", {}, 422, "size"),
        ("/api/endgame/four", {}, 422, "size"),
        ("/api/endgame/4", {"run": "nobody"}, 404, "no run"),
        ("/api/endgame/4", {"run": "../some"}, 404, "no run"),
        ("/api/endgame/4", {"run": "x" * 201}, 422, "run"),
        ("/api/endgame/5", {"run": "some"}, 400, "4 x 4"),
        ("/api/endgame/4/position", {"state": 808}, 404, "808 can arise"),
        ("/api/endgame/4/position", {"state": 10**30}, 404, "808 can arise"),
        ("/api/endgame/4/position", {"state": -1}, 422, "state"),
        ("/api/endgame/4/position", {"state": "1e2"}, 422, "state"),
        ("/api/endgame/4/position", {"pieces": "a1a1b2"}, 400, "cannot arise"),
        ("/api/endgame/4/position", {"pieces": "a1b1e5"}, 400, "three squares"),
        ("/api/endgame/4/position", {"pieces": "<script>"}, 422, "pieces"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(
    lab: AskedLab, path: str, query: dict[str, object], status: int, says: str
) -> None:
    answer = lab.get(path, **query)
    assert answer.status == status
    assert says in answer.json["error"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"state": 0, "move": "Qz9"}, 400, "cannot be played here"),
        ({"state": 0, "move": ""}, 400, "cannot be played here"),
        ({"state": 0, "move": "Q" * 11}, 422, "move"),
        ({"state": 808, "move": "Qa1"}, 404, "808 can arise"),
        ({"state": 0, "move": "Qa1", "luck": 1}, 422, "luck"),
        ({"state": None, "move": "Qa1"}, 422, "state"),
        ({"move": "Qa1"}, 422, "state"),
        ([], 422, "valid"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(
    lab: AskedLab, body: object, status: int, says: str
) -> None:
    answer = lab.post("/api/endgame/4/move", body)
    assert answer.status == status
    assert says in answer.json["error"]


def test_a_run_of_something_else_is_refused(tmp_path: Path) -> None:
    train(
        TOY,
        read_config(TOY, sets=["episodes=200"]),
        tmp_path / "runs" / "toy",
        Session(say=lambda _: None),
    )
    answer = AskedLab(tmp_path / "runs", tmp_path / "page").get("/api/endgame/4", run="toy")
    assert answer.status == 400
    assert "no player of the mini-chess" in answer.json["error"]
