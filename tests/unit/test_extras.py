"""Without an extra, what needs it says in a sentence how to install it, and all else works."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from selfmate.extras import EXTRAS, MissingExtraError, check_extra, extra_of, has_extra
from unit.blocked import environment_without, selfmate_with

ROOT = Path(__file__).parents[2]
FOR_DEVELOPERS = {"bench", "docs", "test"}


def test_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = project["optional-dependencies"]
    assert declared.keys() - FOR_DEVELOPERS == EXTRAS.keys()
    for name, extra in EXTRAS.items():
        assert {line.partition(">")[0] for line in declared[name]} == set(extra.packages)


@pytest.mark.parametrize("name", EXTRAS)
def test_every_missing_package_is_said_with_its_remedy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert has_extra(name)
    check_extra(name)
    for package in EXTRAS[name].packages:
        assert extra_of(f"{package}.inside") == name
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            with pytest.raises(MissingExtraError, match=rf": pip install 'selfmate\[{name}\]'$"):
                check_extra(name)


@pytest.mark.parametrize(
    ("extra", "arguments"),
    [
        ("onnx", ["export", "alphazero-tiny", "--onnx", "net.onnx"]),
        ("onnx", ["match", "onnx:path=net.onnx", "random", "--games", "2"]),
        ("ray", ["train", "alphazero", "--preset", "try", "--ray", "local:1"]),
        ("ray", ["match", "random", "greedy", "--ray", "auto"]),
        ("tensorboard", ["train", "sarsa", "--preset", "try", "--track", "tensorboard"]),
        ("tensorboard", ["train", "sarsa", "--preset", "try", "--tensorboard"]),
        ("trackio", ["train", "sarsa", "--preset", "try", "--track", "trackio"]),
    ],
)
def test_verbs_refuse_what_they_cannot_do(extra: str, arguments: list[str], tmp_path: Path) -> None:
    environment = environment_without(tmp_path / "blocked", *EXTRAS[extra].packages)
    work = tmp_path / "work"
    work.mkdir()
    done = selfmate_with(environment, *arguments, cwd=work)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"pip install 'selfmate[{extra}]'" in done.stderr
    assert not list(work.iterdir())


def test_environments_need_gymnasium_and_pettingzoo(tmp_path: Path) -> None:
    for number, package in enumerate(EXTRAS["gym"].packages):
        environment = environment_without(tmp_path / str(number), package)
        done = subprocess.run(
            [sys.executable, "-c", "import selfmate.envs"],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert "ImportError: selfmate.envs needs Gymnasium and PettingZoo: pip" in done.stderr


def test_without_any_extra_the_rest_works(tmp_path: Path) -> None:
    packages = [package for extra in EXTRAS.values() for package in extra.packages]
    environment = environment_without(tmp_path / "blocked", *packages)
    for arguments in (
        ["train", "sarsa", "--preset", "try", "--pause-after", "1", "--run", "runs/mini"],
        ["endgame", "evaluate", "runs/mini"],
        ["match", "teacher:depth=1", "greedy", "--games", "20", "--pgn", "games.pgn"],
        ["import", "games.pgn", "--out", "data", "--unrated", "--any-start"],
        ["inspect", "runs/mini"],
        ["models"],
        ["presets"],
    ):
        done = selfmate_with(environment, *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
