"""The engine as GUIs start it: a process with pipes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import pytest

from selfmate.players.engine import find_program
from selfmate.uci.process import MAX_LINE_BYTES, read_lines
from selfmate.weights import STRONGEST
from unit.cli.process import selfmate

HEAVY = ("numpy", "typer", "click", "pydantic", "torch", "chess", "rich", "selfmate._core")
SLOW = ("dataclasses", "inspect", "importlib.metadata")  # ten milliseconds each
TESTS = Path(__file__).parents[2]
SERVE = """
import sys
sys.path.insert(0, sys.argv[1])
from selfmate.uci.process import serve
from unit.uci.fakes import FAKES
player = FAKES[sys.argv[2]]
def load():
    print("noise of a library")
    return player()
serve("fake", load, lambda: 7, player.capabilities)
"""
GREET = """
import os, sys
sys.argv = ["selfmate", "uci", *sys.argv[1:]]
write = os.write
def observed(descriptor, data):
    if data == b"uciok\\n":
        print(*sys.modules, file=sys.stderr)
    return write(descriptor, data)
os.write = observed
from selfmate.__main__ import main
main()
"""


def start(player: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", SERVE, str(TESTS), player]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("arguments", [[], [f"{TESTS}:temperature=0.1"]])
def test_nothing_heavy_is_loaded_before_uciok(arguments: list[str]) -> None:
    """Any directory may be a run, until the player is needed."""
    run = subprocess.run(
        [sys.executable, "-c", GREET, *arguments],
        input="uci\nquit\n", capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert run.stdout.splitlines()[-1] == "uciok"
    loaded = set(run.stderr.split())
    assert "selfmate.uci.engine" in loaded
    assert not loaded & {*HEAVY, *SLOW}


@pytest.mark.parametrize("arguments", [[], ["random"], ["teacher:depth=2"], ["random", "--seed=1"]])
def test_it_introduces_itself_and_ends_at_the_end_of_input(arguments: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "selfmate", "uci", *arguments],
        input="uci\n", capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    name = arguments[0] if arguments else STRONGEST
    assert run.stdout.startswith(f"id name Selfmate {name}\n")
    assert run.stdout.endswith("\nuciok\n")
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "no player 'nobody'; there are: random, greedy, teacher"),
        (["nobody", "--seed=1"], "no player 'nobody'; there are: random, greedy, teacher"),
        ([""], "bad player '': a player is NAME or NAME:key=value"),
        (["no/run"], "there is no directory 'no/run'"),
        ([f"{TESTS}:temperature=99"], "is not a number 0..10"),
        (["teacher:depth"], "bad setting 'depth' of player 'teacher:depth'"),
        (["random", "greedy"], "Got unexpected extra argument(s) (greedy)"),
        (["--seed=x"], "'x' is not a whole number from 0"),
    ],
)
def test_bad_arguments_are_one_line_and_code_2(arguments: list[str], message: str) -> None:
    run = selfmate("uci", *arguments)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert run.stderr.startswith("selfmate: ")
    assert message in run.stderr


def test_standard_output_has_the_protocol_alone() -> None:
    with start("broken") as process:
        out, err = process.communicate("isready\ngo\nquit\n", timeout=60)
    assert out.splitlines()[0] == "readyok"
    assert all(line.startswith(("readyok", "info string", "bestmove")) for line in out.splitlines())
    assert err == "noise of a library\n"
    assert process.returncode == 0


def test_python_chess_plays_with_it() -> None:
    command = [sys.executable, "-c", SERVE, str(TESTS), "steady"]
    with chess.engine.SimpleEngine.popen_uci(command, stderr=subprocess.DEVNULL) as engine:
        board = chess.Board()
        engine.configure({"UCI_ShowWDL": True, "Move Overhead": 100})
        for _ in range(6):
            played = engine.play(board, chess.engine.Limit(time=60), info=chess.engine.INFO_ALL)
            assert played.move is not None
            assert played.info["wdl"].relative == chess.engine.Wdl(200, 500, 300)
            board.push(played.move)
        with engine.analysis(board) as analysis:
            assert analysis.get()["depth"] == 1


def test_go_before_isready_is_answered_by_the_net() -> None:
    """The net that ships takes seconds to load, and has an opinion about the start position."""
    command = [sys.executable, "-m", "selfmate", "uci", "alphazero-tiny"]
    run = subprocess.run(
        command, input="uci\ngo movetime 1\n", capture_output=True, text=True, timeout=120,
        check=True,
    )  # fmt: skip
    *_, info, answer = run.stdout.splitlines()
    assert info.startswith("info depth")
    assert answer.split()[:2] == ["bestmove", info.partition(" pv ")[2].split()[0]]
    assert "info string" not in run.stdout


def test_a_player_that_cannot_be_loaded_is_no_engine(tmp_path: Path) -> None:
    run = selfmate("uci", str(tmp_path), typed="uci\ngo movetime 1\n")
    assert run.returncode == 2
    assert "bestmove" not in run.stdout
    assert f"info string the player {tmp_path} cannot be loaded" in run.stdout
    assert "cannot be loaded" in run.stderr


@pytest.mark.skipif(find_program("stockfish") is None, reason="Stockfish is not installed")
@pytest.mark.parametrize("ours_is_white", [True, False])
def test_python_chess_plays_chess960_with_it_against_stockfish(ours_is_white: bool) -> None:
    """A short game in which both sides castle when they can; python-chess checks every move."""
    board = chess.Board("qbrnkrnb/pppppppp/8/8/8/8/PPPPPPPP/QBRNKRNB w FCfc - 0 1", chess960=True)
    limit, castled = chess.engine.Limit(nodes=2_000, depth=1), set[chess.Color]()
    command = [sys.executable, "-m", "selfmate", "uci", "teacher:depth=1"]
    with (
        chess.engine.SimpleEngine.popen_uci(command, timeout=60) as ours,
        chess.engine.SimpleEngine.popen_uci(str(find_program("stockfish"))) as stockfish,
    ):
        while not board.is_game_over() and board.ply() < 60:
            castling = list(board.generate_castling_moves())
            engine = ours if (board.turn == chess.WHITE) == ours_is_white else stockfish
            move = engine.play(board, limit, root_moves=castling or None).move
            assert move is not None
            if board.is_castling(move):
                castled.add(board.turn)
            board.push(move)
    assert ours_is_white in castled


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_process_after_bestmove(number: signal.Signals) -> None:
    with start("patient") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go infinite\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("info depth 1")
        process.send_signal(number)
        assert process.stdout.read() == "bestmove a2a3\n"
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "noise of a library\n"


def test_a_closed_output_ends_the_process_quietly() -> None:
    with start("steady") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write("uci\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


def test_a_player_that_never_stops_does_not_delay_the_exit() -> None:
    with start("deaf") as process:
        out, _ = process.communicate("go infinite\nquit\n", timeout=60)
    assert out.splitlines()[-1].startswith("bestmove")
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", [""]),
        (b"uci\r\nquit", ["uci\r", "quit"]),
        (b"\xff\n", ["\ufffd", ""]),
        (b"position startpos moves " + b"g1f3 " * MAX_LINE_BYTES + b"\nisready\n", None),
    ],
)
def test_input_may_be_any_bytes(data: bytes, lines: list[str] | None, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    read = list(read_lines(fd))
    os.close(fd)
    if lines is None:
        assert read[0].startswith("?"), "part of a line that is too long is no command"
        assert read[1:] == ["isready", ""]
    else:
        assert read == lines
