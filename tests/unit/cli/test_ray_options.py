"""--ray and --actors: bad input is one line and exit code 2, and nothing is left behind."""

from pathlib import Path

import pytest

from unit.cli.process import selfmate


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("train", "alphazero", "--ray", "nowhere"), "--ray 'nowhere' is no cluster; there are"),
        (("train", "alphazero", "--ray", "local:0"), "--ray local:N has 1 to 256 workers, not 0"),
        (("train", "alphazero", "--actors", "2"), "--actors is for --ray"),
        (("train", "sarsa", "--ray", "local:1"), "train sarsa plays on this machine alone"),
        (
            ("train", "alphazero", "--preset", "try", "--ray", "127.0.0.1:1"),
            "there is no cluster of Ray at 127.0.0.1:1: [Errno 111] Connection refused; start one",
        ),
        (("match", "random", "greedy", "--actors", "2"), "--actors is for --ray"),
        (
            ("match", "random", "greedy", "--ray", "127.0.0.1:1"),
            "there is no cluster of Ray at 127.0.0.1:1",
        ),
        (("rate", "random", "--ray", "local:1", "--actors", "0"), "'0' is not a whole number from"),
        (("collect", "--games", "2", "--out", "x.ndjson", "--ray", "x"), "--ray 'x' is no cluster"),
        (("rate", "random", "--ray", "local:999"), "--ray local:N has 1 to 256 workers"),
    ],
)
def test_bad_clusters_are_refused(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    done = selfmate(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
