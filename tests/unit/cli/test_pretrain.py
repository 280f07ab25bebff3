"""`selfmate pretrain`: from data to a run that `train dqn` can start from."""

import json
from pathlib import Path

import numpy as np
import pytest

from selfmate.runs.directory import RunDirectory
from unit.cli.process import selfmate
from unit.cli.toy_process import files_below
from unit.data.collected import collect

TINY = ("pretrain", "dqn", "--preset", "try")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, and a run that was trained on them."""
    folder = tmp_path_factory.mktemp("pretrain")
    collect(folder / "games.ndjson")
    done = selfmate(*TINY, "--data", "games.ndjson", "--run", "taught", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "epoch 1: match@1" in done.stderr
    assert "epoch 2: match@1" in done.stderr
    assert "selfmate train dqn --load taught" in done.stdout
    return folder


def test_a_pretrained_run_can_be_loaded_and_other_shapes_are_refused(folder: Path) -> None:
    train = ("train", "dqn", "--preset", "try", "--load", "taught", "--minutes", "1e-9", "--json")
    done = selfmate(*train, "--run", "begun", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["done"] == 1
    refused = selfmate(*train, "--run", "misfit", "--set", "hidden=[24, 17]", cwd=folder)
    assert refused.returncode == 2
    sentence = refused.stderr.splitlines()[-1]
    assert sentence.startswith("selfmate: the weights to load do not fit: ")
    assert "17" in sentence
    assert "Traceback" not in refused.stderr
    assert not (folder / "misfit").exists()
    other = selfmate("train", "alphazero", "--load", "taught", "--run", "misfit", cwd=folder)
    assert other.stderr.splitlines()[-1] == (
        "selfmate: the weights to load do not fit: they are of another kind of net: load a net of "
        "alphazero"
    )


def test_bootstrapping_refuses_to_start_from_random_weights(folder: Path, tmp_path: Path) -> None:
    bootstrap = ("train", "dqn", "--preset", "imitation-bootstrap", "--minutes", "1e-9")
    refused = selfmate(*bootstrap, cwd=tmp_path)
    assert refused.returncode == 2
    assert "runs/pretrain-dqn-default-1 is not a run" in refused.stderr
    assert "make such a run with selfmate pretrain dqn, or name another run" in refused.stderr
    assert files_below(tmp_path) == set()
    small = ("games=2", "max_plies=10", "evaluate_every=9", "promotion_every=9", "hidden=[24, 16]")
    sets = [f"--set={setting}" for setting in (*small, "cycles=1")]
    begun = selfmate(*bootstrap, *sets, "--load", "taught", "--run", "bootstrapped", cwd=folder)
    assert begun.returncode == 0, begun.stderr
    start = RunDirectory(folder / "bootstrapped").checkpoint(0).weights
    for name, array in RunDirectory(folder / "taught").checkpoint().weights.items():
        np.testing.assert_array_equal(start[name], array)


def test_it_pauses_after_n_positions(folder: Path) -> None:
    data = ("--data", "games.ndjson", "--run", "paused", "--pause-after", "1", "--json")
    report = json.loads(selfmate(*TINY, *data, cwd=folder).stdout)
    assert report["state"] == "paused"
    assert 0 < report["done"] < report["total"]


def test_a_broken_line_is_named_and_no_run_is_left(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "games.ndjson").read_text().splitlines()
    (tmp_path / "bad.ndjson").write_text("\n".join([*lines[:2], "[]", *lines[3:]]))
    refused = selfmate(*TINY, "--data", "bad.ndjson", cwd=tmp_path)
    assert refused.returncode == 2
    sentence = refused.stderr.splitlines()[-1]
    assert "bad.ndjson, line 3: it is not a JSON object" in sentence
    assert "Traceback" not in refused.stderr
    assert files_below(tmp_path) == {"bad.ndjson"}
