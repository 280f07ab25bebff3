"""Hundreds of corrupt checkpoints: skipped with a notice, never trusted, nothing executed."""

import os
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from selfmate.runs.card import Header
from selfmate.runs.directory import RunDirectory
from selfmate.runs.files import remove
from selfmate.runs.run import RunFailedError, RunRefusedError
from selfmate.runs.session import Session
from unit.runs.corrupted_run import NEWEST, OLDER, CorruptedRun, Damage
from unit.runs.forging import (
    CARD,
    HOSTILE_CARDS,
    HOSTILE_FIELDS,
    HOSTILE_TENSORS,
    REST,
    WEIGHTS,
    forge,
)
from unit.runs.kept import contents, result
from unit.runs.toy import CONFIG, run_toy, stop_at

FILES = (WEIGHTS, REST, CARD)
pytestmark = pytest.mark.usefixtures("no_flushing")


def overwrite(name: str, data: bytes) -> Damage:
    return lambda run: (run / NEWEST / name).write_bytes(data)


def instead(name: str, make: Callable[[Path], object]) -> Damage:
    """Replaces a file of the newest checkpoint, or the whole checkpoint, by something else."""

    def damage(run: Path) -> None:
        remove(run / NEWEST / name)
        make(run / NEWEST / name)

    return damage


def forged(files: dict[str, bytes]) -> Damage:
    return lambda run: forge(run / NEWEST, files)


def test_flipped_bits(corrupted: CorruptedRun) -> None:
    rng = random.Random(1)
    for name in FILES:
        size_bits = 8 * (corrupted.stopped / NEWEST / name).stat().st_size
        for bit in rng.sample(range(size_bits), 40):
            data = bytearray((corrupted.stopped / NEWEST / name).read_bytes())
            data[bit // 8] ^= 1 << bit % 8
            corrupted.check(overwrite(name, bytes(data)))


def test_truncated_and_grown(corrupted: CorruptedRun) -> None:
    rng = random.Random(2)
    for name in FILES:
        data = (corrupted.stopped / NEWEST / name).read_bytes()
        cuts = [data[:length] for length in (0, 1, *rng.sample(range(len(data)), 20))]
        for changed in (*cuts, data + b"\0", data + b"\n", data + data):
            corrupted.check(overwrite(name, changed))


def test_missing(corrupted: CorruptedRun) -> None:
    for name in FILES:
        corrupted.check(instead(name, lambda path: None))


def swap(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def test_swapped_files(corrupted: CorruptedRun) -> None:
    for name in FILES:
        corrupted.check(overwrite(name, (corrupted.stopped / OLDER / name).read_bytes()))
    corrupted.check(lambda run: swap(run / NEWEST / WEIGHTS, run / NEWEST / REST))


def test_another_steps_checkpoint(corrupted: CorruptedRun) -> None:
    def copy(run: Path) -> None:
        shutil.rmtree(run / NEWEST)
        shutil.copytree(run / OLDER, run / NEWEST)

    assert "its card is of step 6" in corrupted.check(copy)


def test_another_runs_checkpoint(corrupted: CorruptedRun, tmp_path: Path) -> None:
    other = tmp_path / "other"
    run_toy(other, header=Header("toy", {**CONFIG, "seed": 4}), before=stop_at(8))

    def copy(run: Path) -> None:
        shutil.rmtree(run / NEWEST)
        shutil.copytree(other / NEWEST, run / NEWEST)

    assert "belongs to another run" in corrupted.check(copy)


@pytest.mark.parametrize("name", HOSTILE_TENSORS)
def test_hostile_tensors_with_true_digests(corrupted: CorruptedRun, name: str) -> None:
    corrupted.check(forged({WEIGHTS: HOSTILE_TENSORS[name]}))
    corrupted.check(forged({REST: HOSTILE_TENSORS[name]}))


@pytest.mark.parametrize("name", HOSTILE_CARDS)
def test_hostile_cards(corrupted: CorruptedRun, name: str) -> None:
    corrupted.check(overwrite(CARD, HOSTILE_CARDS[name]))


@pytest.mark.parametrize("name", HOSTILE_FIELDS)
def test_hostile_fields_with_true_digests(corrupted: CorruptedRun, name: str) -> None:
    corrupted.check(lambda run: forge(run / NEWEST, {}, HOSTILE_FIELDS[name]))


class Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_a_pickle_is_not_loaded(corrupted: CorruptedRun, tmp_path: Path) -> None:
    bomb = pickle.dumps(Bomb(tmp_path / "boom"))
    for name in (WEIGHTS, REST):
        corrupted.check(overwrite(name, bomb))
        corrupted.check(forged({name: bomb}))
    corrupted.check(overwrite(CARD, bomb))
    assert not (tmp_path / "boom").exists()


def test_links_directories_and_pipes_instead_of_files(
    corrupted: CorruptedRun, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(corrupted.stopped / NEWEST, outside)
    before = contents(outside)
    for name in FILES:
        corrupted.check(instead(name, lambda path: path.symlink_to(outside / path.name)))
        corrupted.check(instead(name, lambda path: path.symlink_to("/nowhere")))
        corrupted.check(instead(name, Path.mkdir))
        corrupted.check(instead(name, os.mkfifo))
    assert contents(outside) == before


def test_a_link_or_a_file_instead_of_a_checkpoint(corrupted: CorruptedRun, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(corrupted.stopped / NEWEST, outside)

    corrupted.check(instead("", lambda path: path.symlink_to(outside)))
    corrupted.check(instead("", lambda path: path.symlink_to("/nowhere")))
    corrupted.check(instead("", Path.touch))
    corrupted.check(instead("", Path.mkdir))
    assert set(contents(outside)) == set(FILES)


def test_metrics_that_are_too_short(corrupted: CorruptedRun) -> None:
    def cut(run: Path) -> None:
        lines = (run / "metrics.jsonl").read_bytes().splitlines(keepends=True)
        (run / "metrics.jsonl").write_bytes(b"".join(lines[:7]))

    assert "metrics.jsonl has" in corrupted.check(cut)


def test_lines_after_the_checkpoint_are_dropped(
    stopped: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(stopped, run)
    for name in ("metrics.jsonl", "timings.jsonl", "games/samples.jsonl"):
        with (run / name).open("ab") as file:
            file.write(b'{"step": 9, "time": ""}\n{"step": 10')
    run_toy(run, Session(resume=True))
    assert result(run) == whole
    assert [line["step"] for line in RunDirectory(run).timings()] == list(range(1, 13))


def test_leftovers_of_a_killed_save_are_removed(stopped: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(stopped, run)
    for name in ("new-00000009", "old-00000003"):
        shutil.copytree(run / NEWEST, run / "checkpoints" / name)
    (run / "checkpoints" / "notes").mkdir()
    run_toy(run, Session(resume=True))
    names = {path.name for path in (run / "checkpoints").iterdir()}
    assert names == {"00000000", "00000002", "00000006", "00000009", "00000012", "notes"}


def test_if_no_checkpoint_is_good_nothing_is_changed(stopped: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(stopped, run)
    steps = sorted((run / "checkpoints").iterdir())
    for path in steps:
        (path / REST).write_bytes(b"")
    before = contents(run)
    notices: list[str] = []
    with pytest.raises(RunFailedError, match=r"none of the checkpoints .* nothing was changed"):
        run_toy(run, Session(resume=True, say=notices.append))
    assert len(notices) == len(steps) == 4
    assert contents(run) | {"lock": b""} == before | {"lock": b""}
    with pytest.raises(RunRefusedError, match="holds a run already"):
        run_toy(run)
