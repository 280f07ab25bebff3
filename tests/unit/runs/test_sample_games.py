"""Sample games: saved with their step, bounded, and the newest found without reading them all."""

from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.runs.directory import RunDirectory
from selfmate.runs.lines import LineReader, checked_line
from selfmate.runs.run import MAX_MOVES, MAX_SAMPLE_BYTES, SampleGame, Step
from selfmate.runs.session import Session, open_run
from unit.runs.kept import result
from unit.runs.toy import HEADER, PLAYER, POLICY, STEPS, ToyState, run_toy, stop_at

pytestmark = pytest.mark.usefixtures("no_flushing")
GAME = SampleGame(
    start="k3/4/1KQ1/4", moves=("c2c4",), result="*", reason="ply_limit", white="x", black="y"
)


def shown_twice(step: Step) -> None:
    step.show(GAME)  # the toy then shows its own


def test_games_are_saved_with_their_step_and_not_of_failed_steps(
    tmp_path: Path,
) -> None:
    run_toy(tmp_path)
    lines = list(RunDirectory(tmp_path).samples())
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1))
    assert {line["step"]: line["black"] for line in lines} == {
        step: "attempt 2" if step in (4, 5, 6) else "attempt 1" for step in range(1, STEPS + 1)
    }


def test_the_format_of_a_line(tmp_path: Path) -> None:
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        for step in run.steps(ToyState(), total=2, unit="cycles", player=PLAYER):
            if step.number == 2:
                step.show(GAME)
            step.record({})
    (line,) = (tmp_path / "games" / "samples.jsonl").read_text().splitlines()
    assert LineReader("").read(line.encode()) == {"step": 2, **asdict(GAME), "moves": "c2c4"}
    assert line.startswith('{"step": 2, "start": "k3/4/1KQ1/4", "moves": "c2c4", ')


def test_a_step_shows_one_game_at_most(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="step 1 has shown a game already"):
        run_toy(tmp_path, before=shown_twice)


def test_the_newest_is_the_last_whole_line(tmp_path: Path) -> None:
    run_toy(tmp_path, before=stop_at(3))
    run, path = RunDirectory(tmp_path), tmp_path / "games" / "samples.jsonl"
    data = path.read_bytes()
    *_, before, last = run.samples()
    assert run.newest_sample() == last
    for cut in range(1, len(data.splitlines()[-1])):
        path.write_bytes(data[:-cut])
        assert run.newest_sample() == before
    path.write_bytes(b"")
    assert run.newest_sample() is None
    path.unlink()
    assert run.newest_sample() is None
    assert list(run.samples()) == []


def test_the_newest_is_found_after_long_ones(tmp_path: Path) -> None:
    run_toy(tmp_path, before=stop_at(2))
    wide = "\N{GRINNING FACE}" * 200  # twelve bytes each
    moves = ("a7a8q",) * MAX_MOVES
    long = SampleGame(start=wide, moves=moves, result=wide, reason=wide, white=wide, black=wide)
    line = checked_line(long.entry(10**9))
    assert len(line) <= MAX_SAMPLE_BYTES
    path = tmp_path / "games" / "samples.jsonl"
    path.write_bytes(3 * line + line[:-1])
    assert RunDirectory(tmp_path).newest_sample() == LineReader("").read(line)


@given(st.binary(max_size=60))
def test_any_file_can_be_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("run")
    (folder / "config.toml").write_bytes(HEADER.to_toml())
    (folder / "games").mkdir()
    (folder / "games" / "samples.jsonl").write_bytes(data)
    found = RunDirectory(folder).newest_sample()
    assert found is None or isinstance(found, dict)


def test_an_older_run_without_games_can_be_resumed(tmp_path: Path, whole: dict[str, bytes]) -> None:
    run_toy(tmp_path, before=stop_at(8))
    (tmp_path / "games" / "samples.jsonl").unlink()
    (tmp_path / "games").rmdir()
    run_toy(tmp_path, Session(resume=True))
    same = result(tmp_path)
    assert [line["step"] for line in RunDirectory(tmp_path).samples()] == [9, 10, 11, 12]
    del same["games/samples.jsonl"]
    assert same == {name: data for name, data in whole.items() if name in same}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"moves": ("e2 e4",)}, "'e2 e4' is no move"),
        ({"moves": ("",)}, "'' is no move"),
        ({"moves": ("e7e8qq",)}, "'e7e8qq' is no move"),
        ({"moves": ("é2e4",)}, "is no move"),
        ({"moves": ("e2e4",) * (MAX_MOVES + 1)}, "at most 16,384 moves"),
        ({"white": "x" * 201}, "white of a sample game has at most 200 characters"),
    ],
)
def test_games_are_bounded(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SampleGame(**{**asdict(GAME), **wrong})
