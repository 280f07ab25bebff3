"""The example learner and the example player, installed as packages of their own, are found by
command line, lab and contract tests like ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ("actor_critic", "king_hunter")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which both examples are installed, with their metadata."""
    folder, build = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("build")
    for example in EXAMPLES:
        source = ROOT / "examples" / example
        subprocess.run(["cp", "-r", str(source), str(build / example)], check=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--target", str(folder)]
    subprocess.run([*command, *(str(build / example) for example in EXAMPLES)], check=True)
    return folder


def run(
    installed: Path, *arguments: str, cwd: Path, typed: str = ""
) -> "subprocess.CompletedProcess[str]":
    """A module of Python's, with the packages on its path."""
    paths = [str(installed), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=cwd, env=environment, input=typed,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def printed(installed: Path, program: str, cwd: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, env=environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_learner_trains_and_plays(installed: Path, tmp_path: Path) -> None:
    train = ("selfmate", "train", "actor-critic", "--preset", "try", "--run", "run", "--json")
    done = run(installed, *train, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state"] == "finished"
    match = run(installed, "selfmate", "match", "./run", "king-hunter", "--games=2", cwd=tmp_path)
    assert match.returncode == 0, match.stderr


def test_the_learner_has_presets(installed: Path, tmp_path: Path) -> None:
    done = run(installed, "selfmate", "presets", "actor-critic", "--json", cwd=tmp_path)
    assert [row["preset"] for row in json.loads(done.stdout)["presets"]] == ["try"]


def test_the_learner_keeps_the_contract(installed: Path) -> None:
    tests = ("pytest", "-q", "-x", "tests/contracts/test_learners.py", "-k", "actor-critic")
    done = run(installed, *tests, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout or done.stdout.count(".") >= 8


def test_the_lab_offers_the_settings_of_the_learner(installed: Path, tmp_path: Path) -> None:
    program = "from selfmate.lab.trainings import learner_forms; print([*learner_forms()])"
    assert "actor-critic" in printed(installed, program, tmp_path)


def test_the_player_plays_a_match_as_it_is_set(installed: Path, tmp_path: Path) -> None:
    match = ("selfmate", "match", "king-hunter:margin=100", "random", "--games", "4")
    done = run(installed, *match, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "king-hunter:depth=2,margin=100 against random" in done.stdout


def test_the_player_plays_in_the_terminal_and_by_uci(installed: Path, tmp_path: Path) -> None:
    game = run(installed, "selfmate", "play", "king-hunter", cwd=tmp_path, typed="e4\nquit\n")
    assert game.returncode == 0, game.stderr
    uci = "uci\nposition startpos\ngo\nquit\n"
    engine = run(installed, "selfmate", "uci", "king-hunter", cwd=tmp_path, typed=uci)
    assert "\nbestmove " in engine.stdout


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("king-hunter:margin=-1", "margin=-1 of player 'king-hunter:margin=-1' is not a whole"),
        ("king-hunter:speed=9", "'king-hunter' has no setting 'speed'; it has depth, margin"),
        ("nobody", "king-hunter, or the path of a run"),
    ],
)
def test_wrong_names_are_refused_with_a_sentence(
    installed: Path, tmp_path: Path, name: str, sentence: str
) -> None:
    done = run(installed, "selfmate", "match", name, "random", cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_the_player_keeps_the_contract(installed: Path) -> None:
    tests = ("pytest", "-q", "tests/unit/players/test_contract.py", "-k", "king-hunter")
    done = run(installed, *tests, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout or done.stdout.count(".") >= 5


def test_the_lab_offers_the_player_without_settings(installed: Path, tmp_path: Path) -> None:
    program = """
from pathlib import Path
from selfmate.lab.players import LabPlayers
from selfmate.lab.runs_folder import RunsFolder

players = LabPlayers(RunsFolder(Path("runs")))
(offer,) = [offer for offer in players.offers() if offer.title == "king-hunter"]
print(offer.about, offer.strengths[0].name)
for name in ("king-hunter", players.load("king-hunter").name):
    print(players.load(name).name)
try:
    players.load("king-hunter:margin=7")
except ValueError as refused:
    print(refused)
"""
    offered, first, second, refused = printed(installed, program, tmp_path).splitlines()
    assert offered.startswith("Hunts the enemy king: ")
    assert offered.endswith(" king-hunter")
    assert first == second == "king-hunter:depth=2,margin=60"
    assert refused.startswith("the lab knows 'king-hunter' without settings only, not 'king-h")


def test_its_style_shows(installed: Path, tmp_path: Path) -> None:
    """Its pieces end nearer to the enemy king than those of the teacher that it asks."""
    program = """
import numpy as np
import selfmate
from selfmate_king_hunter import distances, king_square

batch = selfmate.GameBatch(200, seed=5)
for _ in range(16):
    batch.step(batch.random_moves())
boards = [batch.board(slot) for slot in range(200)]
kings = np.array([king_square(board, "black") for board in boards])
for name in ("king-hunter", "teacher:depth=2"):
    codes = selfmate.Move.codes(selfmate.load_player(name).choose(boards, seed=1))
    print(distances(codes.astype(np.int64) >> 6 & 63, kings).mean())
"""
    hunter, teacher = map(float, printed(installed, program, tmp_path).split())
    assert hunter < teacher - 0.2
