"""Shards are written once, kept as long as they are needed, and verified when read."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from selfmate.runs import checkpoint as module
from selfmate.runs.checkpoint import pack
from selfmate.runs.directory import RunDirectory
from selfmate.runs.files import remove
from selfmate.runs.run import Arrays, RunFailedError, Step
from selfmate.runs.session import Session, open_run
from unit.runs.corrupted_run import NEWEST, OLDER, CorruptedRun
from unit.runs.kept import shards_of
from unit.runs.toy import HEADER, PLAYER, POLICY, STEPS, ToyState, run_toy

RESUME = Session(resume=True)
pytestmark = pytest.mark.usefixtures("no_flushing")


def files_of(run: Path) -> set[str]:
    return {str(path.relative_to(run)) for path in (run / "pages").glob("*")}


def needed(run: Path) -> set[str]:
    return {shard for path in (run / "checkpoints").iterdir() for shard in shards_of(path)}


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> list[Arrays]:
    """Every shard that was packed."""
    seen: list[Arrays] = []

    def watched(arrays: Arrays) -> bytes:
        if arrays.keys() == {"seen"}:  # weights and the rest are packed at every checkpoint
            seen.append(arrays)
        return pack(arrays)

    monkeypatch.setattr(module, "pack", watched)
    return seen


class ShardState(ToyState):
    """With shards that a test chooses."""

    def __init__(self, shards: dict[str, Arrays]) -> None:
        super().__init__()
        self.shards = shards


def run_shards(directory: Path, state: ShardState, session: Session, steps: int = 3) -> None:
    with open_run(directory, HEADER, POLICY, session) as run:
        for step in run.steps(state, total=steps, unit="cycles", player=PLAYER):
            step.record({})


def test_a_shard_is_packed_and_written_once(tmp_path: Path, packed: list[Arrays]) -> None:
    written: dict[str, set[int]] = {}

    def look(step: Step) -> None:
        for shard in files_of(tmp_path):
            written.setdefault(shard, set()).add((tmp_path / shard).stat().st_ino)

    run_toy(tmp_path, before=look)
    assert len(packed) == STEPS
    assert all(len(files) == 1 for files in written.values())


def test_a_resumed_run_writes_only_new_shards(
    stopped: Path, tmp_path: Path, packed: list[Arrays]
) -> None:
    shutil.copytree(stopped, tmp_path / "run")
    run_toy(tmp_path / "run", RESUME)
    assert len(packed) == STEPS - 8


def test_shards_are_read_in_order_whatever_their_names(tmp_path: Path) -> None:
    names = ["b", "a", "../../x", "/tmp/x", "", "ä\n", "a.safetensors"]
    shards: dict[str, Arrays] = {
        name: {"i": np.full((2, 3), i, np.int16), "none": np.zeros((0, 4))}
        for i, name in enumerate(names)
    }
    run_shards(tmp_path / "run", ShardState(shards), Session())
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert len(files_of(tmp_path / "run")) == len(names)
    back = ShardState({})
    back.load = lambda saved: back.shards.update(saved.shards)  # type: ignore[method-assign]
    run_shards(tmp_path / "run", back, RESUME)
    assert list(back.shards) == names
    for name, shard in shards.items():
        assert shard.keys() == back.shards[name].keys()
        for array in shard:
            np.testing.assert_array_equal(shard[array], back.shards[name][array], strict=True)


def test_only_equal_shards_share_a_file(tmp_path: Path) -> None:
    ones = {"a": np.ones(3)}
    run_shards(
        tmp_path, ShardState({"one": ones, "two": ones, "three": {"a": np.zeros(3)}}), Session()
    )
    assert len(files_of(tmp_path)) == 2
    assert len(shards_of(tmp_path / "checkpoints/00000003")) == 3


def test_the_shards_on_disk_are_those_that_checkpoints_need(tmp_path: Path) -> None:
    most = 0

    def look(step: Step) -> None:
        nonlocal most
        assert files_of(tmp_path) == needed(tmp_path)
        most = max(most, len(needed(tmp_path)))

    run_toy(tmp_path, before=look)
    assert files_of(tmp_path) == needed(tmp_path)
    assert 4 < most < STEPS


def test_leftovers_are_deleted_and_other_files_stay(stopped: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(stopped, run)
    (tmp_path / "outside").write_text("precious")
    leftover, link = f"{'0' * 64}.safetensors", f"{'1' * 64}.safetensors"
    for name in (leftover, f"{leftover}.tmp", "notes.txt"):
        (run / "pages" / name).write_text("?")
    (run / "pages" / link).symlink_to(tmp_path / "outside")
    run_toy(run, RESUME)
    assert files_of(run) == needed(run) | {"pages/notes.txt"}
    assert (tmp_path / "outside").read_text() == "precious"


def test_a_run_without_shards_does_not_mention_them(tmp_path: Path) -> None:
    run_shards(tmp_path, ShardState({}), Session())
    assert not (tmp_path / "pages").exists()
    assert b"pages" not in (tmp_path / "checkpoints/00000003/card.json").read_bytes()


def test_playing_needs_no_shards(stopped: Path, tmp_path: Path) -> None:
    shutil.copytree(stopped, tmp_path / "run")
    before = RunDirectory(tmp_path / "run").checkpoint()
    shutil.rmtree(tmp_path / "run" / "pages")
    after = RunDirectory(tmp_path / "run").checkpoint()
    assert (after.card, after.passed_over) == (before.card, ())


def test_a_shard_that_is_not_finite_is_not_saved(tmp_path: Path) -> None:
    state = ShardState({"good": {"a": np.ones(2)}, "bad": {"a": np.array([np.nan])}})
    with pytest.raises(RunFailedError, match="step 0 cannot be saved: shard bad: a holds a number"):
        run_shards(tmp_path, state, Session())
    assert not (tmp_path / "checkpoints").exists()
    run_shards(tmp_path, ShardState({}), RESUME)
    assert files_of(tmp_path) == set()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "flipped": lambda shard: shard.write_bytes(shard.read_bytes()[:-1] + b"?"),
    "cut": lambda shard: shard.write_bytes(shard.read_bytes()[:-1]),
    "grown": lambda shard: shard.write_bytes(shard.read_bytes() + b"\0"),
    "empty": lambda shard: shard.write_bytes(b""),
    "missing": lambda shard: None,
    "a link": lambda shard: shard.symlink_to(shard.parent.parent.parent / "outside"),
    "a link to nothing": lambda shard: shard.symlink_to("/nowhere"),
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_corrupt_shard_is_named_and_an_older_checkpoint_used(
    corrupted: CorruptedRun, name: str
) -> None:
    newest, older = (shards_of(corrupted.stopped / path) for path in (NEWEST, OLDER))

    def damage(shard: str) -> Callable[[Path], None]:
        def on(run: Path) -> None:
            shutil.copy(run / shard, run.parent / "outside")
            if name not in ("flipped", "cut", "grown", "empty"):
                remove(run / shard)
            DAMAGES[name](run / shard)

        return on

    only_newest = next(shard for shard in newest if shard not in older)
    shared = next(shard for shard in newest if shard in older)
    assert only_newest.removeprefix("pages/") in corrupted.check(damage(only_newest))
    corrupted.check(damage(shared), (NEWEST, OLDER))


def test_swapped_shards(corrupted: CorruptedRun) -> None:
    def swap(run: Path) -> None:
        one, other = (run / shard for shard in shards_of(run / NEWEST)[-2:])
        mine = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(mine)

    assert "is not the file its card describes" in corrupted.check(swap)


def test_all_shards_lost(corrupted: CorruptedRun) -> None:
    """Only the checkpoint before the first step needs none."""
    blamed = (NEWEST, OLDER, "checkpoints/00000002")
    corrupted.check(lambda run: shutil.rmtree(run / "pages"), blamed)
