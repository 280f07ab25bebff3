"""Training from Python: the same run as from the command line, interruptible and resumable."""

import signal
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path

import pytest

import selfmate
from selfmate.runs import Progress


def stop_at(step: int, number: signal.Signals) -> Callable[[Progress], None]:
    def watch(progress: Progress) -> None:
        if progress.step == step:
            signal.raise_signal(number)

    return watch


def bits(run: Path) -> dict[str, bytes]:
    """What the run learned: its metrics and its last checkpoint."""
    files = [run / "metrics.jsonl", *max((run / "checkpoints").iterdir()).rglob("*")]
    return {str(path.relative_to(run)): path.read_bytes() for path in files if path.is_file()}


@pytest.mark.parametrize("learner", ["ddqn", "reinforce"])
def test_an_interrupted_run_continues_with_the_same_bits(learner: str, tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    selfmate.train(learner, preset="try", seed=3, run=whole)
    with pytest.raises(KeyboardInterrupt, match=r"stopped is saved; run='.*', resume=True contin"):
        selfmate.train(
            learner, preset="try", seed=3, run=stopped, on_progress=stop_at(2, signal.SIGINT)
        )
    assert selfmate.train(learner, preset="try", seed=3, run=stopped, resume=True).path == stopped
    assert bits(stopped) == bits(whole)


def test_after_an_interrupt_the_handler_is_the_one_before(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        selfmate.train(
            "ddqn", preset="try", run=tmp_path / "run", on_progress=stop_at(1, signal.SIGINT)
        )
    assert signal.getsignal(signal.SIGINT) is before


def test_a_request_to_end_the_process_ends_it_after_saving(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        selfmate.train(
            "ddqn", preset="try", run=tmp_path / "run", on_progress=stop_at(1, signal.SIGTERM)
        )
    assert ended.value.code == 143
    assert selfmate.train("ddqn", preset="try", run=tmp_path / "run", resume=True)


def test_a_board_is_a_picture_in_a_notebook() -> None:
    drawn = methodcaller("_repr_svg_")  # what IPython asks for
    board = selfmate.Board()
    start = drawn(board)
    assert start.startswith("<svg ")
    board.push("e2e4")
    assert "lastmove" in drawn(board)
    assert drawn(board) != start
    assert "check" in drawn(selfmate.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"))
