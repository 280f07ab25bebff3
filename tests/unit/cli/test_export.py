"""`selfmate export` as a user meets it."""

import json
from pathlib import Path

import pytest

from unit.cli.process import selfmate


def test_a_shipped_net_is_written_and_then_plays(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    done = selfmate("export", "alphazero-tiny", "--onnx", str(path), "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["largest_difference"] <= 1e-4
    assert facts["file_bytes"] == path.stat().st_size
    assert facts["inputs"] == ["planes"]
    typed = "uci\nisready\nposition startpos\ngo nodes 8\nquit\n"
    engine = selfmate("uci", f"onnx:path={path}", typed=typed)
    assert "readyok" in engine.stdout
    assert "bestmove" in engine.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("teacher", "--onnx", "x.onnx"), "teacher is no net of ours"),
        (("nobody", "--onnx", "x.onnx"), "no player 'nobody'"),
        (("searchless-tiny", "--onnx", "nowhere/x.onnx"), "no file in a folder that exists"),
        (("searchless-tiny", "--onnx", "x.onnx", "--opset", "9"), "--opset 9 is not 18..20"),
        (("searchless-tiny:mask=0", "--onnx", "x.onnx"), "has no setting 'mask'"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = selfmate("export", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
