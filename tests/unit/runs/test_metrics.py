"""Following a file that another process writes: no line is read twice, lost or out of date."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.runs.metrics import GrowingLines, read_lines

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
        lines = [json.dumps({"step": step, "x": 0}).encode() + b"\n" for step in range(100)]
        length = 0
        for attempt, (move, size) in enumerate(moves, start=1):
            if move == "write":
                length += size
            else:
                kept = size % (length // len(lines[0]) + 1)
                length = sum(map(len, lines[:kept]))
                again = [json.dumps({"step": s, "x": attempt}) for s in range(kept, 100)]
                lines[kept:] = [line.encode() + b"\n" for line in again]
            path.write_bytes(b"".join(lines)[:length])
            is_void, new = growing.more()
            seen = new if is_void else seen + new
            assert seen == [line for _, line in read_lines(path)]


def test_a_deleted_file_voids_what_was_read(tmp_path: Path) -> None:
    growing = GrowingLines(tmp_path / "lines.jsonl")
    assert growing.more() == (False, [])
    (tmp_path / "lines.jsonl").write_text('{"step": 1}\n')
    assert growing.more() == (False, [{"step": 1}])
    (tmp_path / "lines.jsonl").unlink()
    assert growing.more() == (True, [])
    assert growing.more() == (False, [])


def test_nothing_is_read_after_a_corrupt_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"step": 1}\n{"step": NaN}\n{"step": 3}\n')
    growing = GrowingLines(path)
    assert growing.more() == (False, [{"step": 1}])
    assert growing.more() == (False, [])


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"step": 1}\n')
    (tmp_path / "lines.jsonl").symlink_to(tmp_path / "secret")
    assert GrowingLines(tmp_path / "lines.jsonl").more() == (False, [])
