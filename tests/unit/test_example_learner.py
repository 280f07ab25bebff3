"""The example learner, installed as a package of its own, is a learner like ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "actor_critic"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the example is installed."""
    folder, build = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("build")
    source = build / "actor_critic"
    subprocess.run(["cp", "-r", str(EXAMPLE), str(source)], check=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--target", str(folder), str(source)]
    subprocess.run(command, check=True)
    return folder


def run(
    installed: Path, *arguments: str, cwd: Path, timeout: float = 300
) -> "subprocess.CompletedProcess[str]":
    paths = [str(installed), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout,
        check=False,
    )  # fmt: skip


def test_it_trains_and_plays(installed: Path, tmp_path: Path) -> None:
    train = ("selfmate", "train", "actor-critic", "--preset", "try", "--run", "run", "--json")
    done = run(installed, *train, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state"] == "finished"
    match = run(installed, "selfmate", "match", "./run", "random", "--games", "2", cwd=tmp_path)
    assert match.returncode == 0, match.stderr


def test_it_keeps_the_contract_of_learners(installed: Path) -> None:
    tests = ("pytest", "-q", "-x", "tests/contracts/test_learners.py", "-k", "actor-critic")
    done = run(installed, *tests, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout or done.stdout.count(".") >= 8


def test_its_settings_are_offered_by_the_lab(installed: Path) -> None:
    program = "from selfmate.lab.trainings import learner_forms; print([*learner_forms()])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "actor-critic" in done.stdout
