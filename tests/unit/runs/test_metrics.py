"""Following a file that another process writes: no line is read twice, lost or out of date."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.runs.lines import CheckedLines, checked_line
from selfmate.runs.metrics import GrowingLines

# Either some more bytes appear (also half lines), or the writer rolls back to a line and continues
# with other lines.
moves = st.lists(
    st.tuples(st.sampled_from(["write", "roll back"]), st.integers(0, 60)), max_size=20
)


@settings(deadline=None)
@given(moves)
def test_lines_read_so_far_are_the_lines_in_the_file(moves: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lines.jsonl"
        growing, seen = GrowingLines(path), list[dict[str, Any]]()
        lines = [checked_line({"step": step, "x": 0}) for step in range(100)]
        length = 0
        for attempt, (move, size) in enumerate(moves, start=1):
            if move == "write":
                length += size
            else:
                kept = size % (length // len(lines[0]) + 1)
                length = sum(map(len, lines[:kept]))
                lines[kept:] = [checked_line({"step": s, "x": attempt}) for s in range(kept, 100)]
            path.write_bytes(b"".join(lines)[:length])
            is_void, new = growing.more()
            seen = new if is_void else seen + new
            assert seen == [line for _, line in CheckedLines(path)]


def test_a_deleted_file_voids_what_was_read(tmp_path: Path) -> None:
    growing = GrowingLines(tmp_path / "lines.jsonl")
    assert growing.more() == (False, [])
    (tmp_path / "lines.jsonl").write_text('{"step": 1}\n')
    assert growing.more() == (False, [{"step": 1}])
    (tmp_path / "lines.jsonl").unlink()
    assert growing.more() == (True, [])
    assert growing.more() == (False, [])


def test_damaged_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [checked_line({"step": step, "loss": 0.5}) for step in (1, 2, 3)]
    path.write_bytes(lines[0] + lines[1].replace(b"0.5", b"0.4") + lines[2])
    growing, good = GrowingLines(path), [{"step": 1, "loss": 0.5}, {"step": 3, "loss": 0.5}]
    assert growing.more() == (False, good)
    assert growing.more() == (False, [])
    assert growing.damage() == "line 2 of lines.jsonl is damaged and left out"
    checked = CheckedLines(path)
    assert [line for _, line in checked] == good
    assert checked.notices() == ["line 2 of lines.jsonl is damaged and left out"]


def test_every_flipped_bit_is_noticed_and_costs_its_own_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [checked_line({"step": step, "loss": step / 8}) for step in range(1, 5)]
    data = b"".join(lines)
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        steps = [line["step"] for _, line in CheckedLines(path)]
        at_end = bit // 8 == len(data) - 1  # as if a kill had cut the last line off
        assert len(steps) >= 2
        assert CheckedLines(path).notices() or at_end, bit


def test_lines_of_version_0_1_are_read_with_one_notice(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"step": 1}\n{"step": 2}\n' + checked_line({"step": 3}))
    checked = CheckedLines(path)
    assert [line for _, line in checked] == [{"step": 1}, {"step": 2}, {"step": 3}]
    (notice,) = checked.notices()
    assert notice.startswith("lines.jsonl has 2 lines without a checksum, as version 0.1 wrote")
    path.write_bytes(checked_line({"step": 1}) + b'{"step": 2}\n')
    assert [line for _, line in checked] == [{"step": 1}]
    assert checked.notices() == ["line 2 of lines.jsonl is damaged and left out"]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"step": 1}\n')
    (tmp_path / "lines.jsonl").symlink_to(tmp_path / "secret")
    assert GrowingLines(tmp_path / "lines.jsonl").more() == (False, [])
