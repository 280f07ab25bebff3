"""Pages are written once, kept as long as they are needed, and never believed unseen."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from selfmate.runs import pages as module
from selfmate.runs.directory import RunDirectory
from selfmate.runs.errors import RunFailedError
from selfmate.runs.files import remove
from selfmate.runs.on_disk import Session, open_run
from selfmate.runs.run import Arrays, Step
from selfmate.runs.tensors import pack
from unit.runs.kept import pages_of
from unit.runs.patient import NEWEST, OLDER, Patient
from unit.runs.toy import HEADER, PLAYER, POLICY, STEPS, ToyState, run_toy

RESUME = Session(resume=True)
pytestmark = pytest.mark.usefixtures("no_flushing")


def files_of(run: Path) -> set[str]:
    return {str(path.relative_to(run)) for path in (run / "pages").glob("*")}


def needed(run: Path) -> set[str]:
    return {page for path in (run / "checkpoints").iterdir() for page in pages_of(path)}


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> list[Arrays]:
    """Every page that was made ready to be written."""
    seen: list[Arrays] = []

    def watched(page: Arrays) -> bytes:
        seen.append(page)
        return pack(page)

    monkeypatch.setattr(module, "pack", watched)
    return seen


class Paged(ToyState):
    """With pages of one's own."""

    def __init__(self, pages: dict[str, Arrays]) -> None:
        super().__init__()
        self.pages = pages


def run_paged(directory: Path, state: Paged, session: Session, steps: int = 3) -> None:
    with open_run(directory, HEADER, POLICY, session) as run:
        for step in run.steps(state, total=steps, unit="cycles", player=PLAYER):
            step.record({})


def test_a_page_is_packed_and_written_once(tmp_path: Path, packed: list[Arrays]) -> None:
    written: dict[str, set[int]] = {}

    def look(step: Step) -> None:
        for page in files_of(tmp_path):
            written.setdefault(page, set()).add((tmp_path / page).stat().st_ino)

    run_toy(tmp_path, before=look)
    assert len(packed) == STEPS
    assert all(len(files) == 1 for files in written.values())


def test_going_on_writes_only_what_is_new(
    stopped: Path, tmp_path: Path, packed: list[Arrays]
) -> None:
    shutil.copytree(stopped, tmp_path / "run")
    run_toy(tmp_path / "run", RESUME)
    assert len(packed) == STEPS - 8


def test_pages_come_back_in_order_whatever_they_are_called(tmp_path: Path) -> None:
    names = ["b", "a", "../../x", "/tmp/x", "", "ä\n", "a.safetensors"]
    pages: dict[str, Arrays] = {
        name: {"i": np.full((2, 3), i, np.int16), "none": np.zeros((0, 4))}
        for i, name in enumerate(names)
    }
    run_paged(tmp_path / "run", Paged(pages), Session())
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert len(files_of(tmp_path / "run")) == len(names)
    back = Paged({})
    back.load = lambda saved: back.pages.update(saved.pages)  # type: ignore[method-assign]
    run_paged(tmp_path / "run", back, RESUME)
    assert list(back.pages) == names
    for name, page in pages.items():
        assert page.keys() == back.pages[name].keys()
        for array in page:
            np.testing.assert_array_equal(page[array], back.pages[name][array], strict=True)


def test_equal_pages_share_a_file_and_others_never(tmp_path: Path) -> None:
    ones = {"a": np.ones(3)}
    run_paged(tmp_path, Paged({"one": ones, "two": ones, "three": {"a": np.zeros(3)}}), Session())
    assert len(files_of(tmp_path)) == 2
    assert len(pages_of(tmp_path / "checkpoints/00000003")) == 3


def test_what_is_on_disk_is_what_checkpoints_need(tmp_path: Path) -> None:
    most = 0

    def look(step: Step) -> None:
        nonlocal most
        assert files_of(tmp_path) == needed(tmp_path)
        most = max(most, len(needed(tmp_path)))

    run_toy(tmp_path, before=look)
    assert files_of(tmp_path) == needed(tmp_path)
    assert 4 < most < STEPS


def test_leftovers_go_and_what_is_not_ours_stays(stopped: Path, tmp_path: Path) -> None:
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


def test_a_run_without_pages_says_nothing_of_them(tmp_path: Path) -> None:
    run_paged(tmp_path, Paged({}), Session())
    assert not (tmp_path / "pages").exists()
    assert b"pages" not in (tmp_path / "checkpoints/00000003/card.json").read_bytes()


def test_playing_needs_no_pages(stopped: Path, tmp_path: Path) -> None:
    shutil.copytree(stopped, tmp_path / "run")
    before = RunDirectory(tmp_path / "run").checkpoint()
    shutil.rmtree(tmp_path / "run" / "pages")
    after = RunDirectory(tmp_path / "run").checkpoint()
    assert (after.card, after.passed_over) == (before.card, ())


def test_a_page_that_is_no_number_is_not_saved(tmp_path: Path) -> None:
    state = Paged({"good": {"a": np.ones(2)}, "bad": {"a": np.array([np.nan])}})
    with pytest.raises(RunFailedError, match="step 0 cannot be saved: page bad: a holds a number"):
        run_paged(tmp_path, state, Session())
    assert not (tmp_path / "checkpoints").exists()
    run_paged(tmp_path, Paged({}), RESUME)
    assert files_of(tmp_path) == set()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "flipped": lambda page: page.write_bytes(page.read_bytes()[:-1] + b"?"),
    "cut": lambda page: page.write_bytes(page.read_bytes()[:-1]),
    "grown": lambda page: page.write_bytes(page.read_bytes() + b"\0"),
    "empty": lambda page: page.write_bytes(b""),
    "missing": lambda page: None,
    "a link": lambda page: page.symlink_to(page.parent.parent.parent / "outside"),
    "a link to nothing": lambda page: page.symlink_to("/nowhere"),
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_page_is_said_and_an_older_checkpoint_taken(patient: Patient, name: str) -> None:
    newest, older = (pages_of(patient.stopped / path) for path in (NEWEST, OLDER))

    def damage(page: str) -> Callable[[Path], None]:
        def on(run: Path) -> None:
            shutil.copy(run / page, run.parent / "outside")
            if name not in ("flipped", "cut", "grown", "empty"):
                remove(run / page)
            DAMAGES[name](run / page)

        return on

    only_newest = next(page for page in newest if page not in older)
    shared = next(page for page in newest if page in older)
    assert only_newest.removeprefix("pages/") in patient.check(damage(only_newest))
    patient.check(damage(shared), (NEWEST, OLDER))


def test_swapped_pages(patient: Patient) -> None:
    def swap(run: Path) -> None:
        one, other = (run / page for page in pages_of(run / NEWEST)[-2:])
        mine = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(mine)

    assert "is not the file its card describes" in patient.check(swap)


def test_all_pages_lost(patient: Patient) -> None:
    """Only the version from before the first step can do without."""
    blamed = (NEWEST, OLDER, "checkpoints/00000002")
    patient.check(lambda run: shutil.rmtree(run / "pages"), blamed)
