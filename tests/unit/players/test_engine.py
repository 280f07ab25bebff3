"""External engines: good ones play, bad ones lose the game, and no process is left running."""

import math
import os
import shlex
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event, Timer

import numpy as np
import pytest

from selfmate.players import Analysis, Limits, SearchRequest, load_player, parse_name
from selfmate.players.engine import EnginePlayer, make_external
from selfmate.players.engine_client import Timeouts
from selfmate.players.engine_process import MAX_LINE_BYTES, EngineFaultError
from selfmate.players.player import UnsupportedVariantError
from selfmate.rules import Board, available_cores

SCRIPT = Path(__file__).with_name("faulty_engine.py")
TIMEOUTS = Timeouts(start_s=5, answer_s=0.8, search_s=1, quit_s=0.2)

FAULTS = {
    "crash": "crashed",
    "crash-after": "crashed",
    "silent": "time",
    "late": "time",
    "grandchild": "time",
    "info-flood": "time",
    "endless-line": f"flood: a line of more than {MAX_LINE_BYTES} bytes",
    "two-answers": "two_answers",
    "bestmove e2e5": "illegal_move: e2e5",
    "bestmove (none)": "no_move",
    "bestmove 0000": "no_move",
    "bestmove": "no_move",
    "bestmove \xff\x00?": "no_move",
}


class Scripted:
    """A launcher of the scripted engine, and what its processes wrote in their log."""

    def __init__(self, folder: Path, fault: str) -> None:
        self.path = folder / "engine"
        self._log = folder / "log"
        words = [sys.executable, str(SCRIPT), fault, str(self._log)]
        self.path.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
        self.path.chmod(0o755)

    def player(self, settings: str = "movetime=50", timeouts: Timeouts = TIMEOUTS) -> EnginePlayer:
        return make_external(parse_name(f"uci:path={self.path},{settings}"), timeouts)

    def heard(self, word: str) -> list[str]:
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [line for line in lines if line.startswith(word)]

    def pids(self) -> list[int]:
        return [int(line.split()[1]) for line in self.heard("pid")]


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Callable[[str], Scripted]]:
    """Makes scripted engines, and checks that all their processes are gone in the end."""
    made: list[Scripted] = []

    def make(fault: str) -> Scripted:
        made.append(Scripted(tmp_path, fault))
        return made[-1]

    yield make
    for engine in made:
        assert_gone(engine.pids())


def assert_gone(pids: Sequence[int]) -> None:
    deadline = time.monotonic() + 2  # orphans that were killed need a moment
    while (left := [pid for pid in pids if is_there(pid)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left


def is_there(pid: int) -> bool:
    """Whether a process runs, or is dead and was not waited for by us."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    state, parent = stat.rpartition(")")[2].split()[:2]
    return state != "Z" or int(parent) == os.getpid()


def after(*moves: str) -> Board:
    board = Board()
    for move in moves:
        board.push(move)
    return board


def choose(
    player: EnginePlayer, boards: Sequence[Board], limits: Limits | None = None
) -> tuple[list[str | None], Mapping[int, str]]:
    """Moves as texts, None where forfeited; and why."""
    choices = player.choose(boards, np.zeros(len(boards), np.uint64), limits or Limits())
    moves = [
        None if game in choices.forfeits else text_of(int(code))
        for game, code in enumerate(choices.moves)
    ]
    return moves, choices.forfeits


def text_of(code: int) -> str:
    squares = (code & 63, code >> 6 & 63)
    text = "".join(f"{'abcdefgh'[square % 8]}{square // 8 + 1}" for square in squares)
    return text + " nbrq"[code >> 12].strip()


def test_chess960_is_set_for_its_games_and_no_others(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("chess960")
    boards = [Board(), Board("4k3/8/8/8/8/8/8/RK6 w Q - 0 1"), Board()]
    with engine.player() as player:
        assert [choose(player, [board])[0] for board in boards[:2]] == [["a2a3"], ["b1a1"]]
        boards[1].push("b1a1")
        assert [choose(player, [board])[0] for board in boards[1:3]] == [["e8e7"], ["a2a3"]]
    set_to = [line.split()[-1] for line in engine.heard("setoption name UCI_Chess960")]
    assert set_to == ["true", "false"]
    assert "position fen 4k3/8/8/8/8/8/8/RK6 w A - 0 1 moves b1a1" in engine.heard("position")


def test_an_engine_without_chess960_is_refused(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("good")
    with (
        engine.player() as player,
        pytest.raises(UnsupportedVariantError, match="has no option UCI_Chess960: it plays"),
    ):
        choose(player, [Board("4k3/8/8/8/8/8/8/RK6 w Q - 0 1")])
    assert not engine.heard("go")


def test_a_good_engine_plays_to_the_end(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("good")
    board = Board()
    with engine.player() as player:
        while not board.outcome():
            (move,), forfeits = choose(player, [board])
            assert move is not None, forfeits
            board.push(move)
    assert len(engine.pids()) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_forfeits_the_game_but_not_the_next(
    scripted: Callable[[str], Scripted], fault: str
) -> None:
    engine = scripted(fault)
    with engine.player() as player:
        assert choose(player, [after("d2d4")]) == ([None], {0: FAULTS[fault]})
        assert_gone(engine.pids())
        assert choose(player, [after("e2e4")]) == (["a7a5"], {})


def test_each_of_many_games_gets_a_move_or_a_reason(scripted: Callable[[str], Scripted]) -> None:
    boards = [after("d2d4" if game % 3 == 0 else "e2e4") for game in range(9)]
    with scripted("bestmove d2d4").player() as player:
        moves, forfeits = choose(player, boards)
    assert forfeits == dict.fromkeys((0, 3, 6), "illegal_move: d2d4")
    assert [move for move in moves if move] == ["a7a5"] * 6


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("start-crash", "did_not_start: it ended with code 3"),
        ("start-silent", "did_not_start: no answer in 0.3 s"),
        ("start-flood", "did_not_start: no answer in 0.3 s"),
    ],
)
def test_an_engine_that_does_not_start_is_not_tried_again(
    scripted: Callable[[str], Scripted], fault: str, reason: str
) -> None:
    engine = scripted(fault)
    start_s = 5 if fault == "start-crash" else 0.3
    timeouts = Timeouts(start_s=start_s, answer_s=0.2, search_s=1, quit_s=0.2)
    with engine.player(timeouts=timeouts) as player:
        assert choose(player, [Board()] * 8)[1] == dict.fromkeys(range(8), reason)
    # At the third failure, other slots may be starting a process.
    assert len(engine.pids()) <= 2 + available_cores()


def test_a_file_that_is_no_program_does_not_start(tmp_path: Path) -> None:
    path = tmp_path / "engine"
    path.write_text("not a program")
    path.chmod(0o755)
    with make_external(parse_name(f"uci:path={path}"), TIMEOUTS) as player:
        assert choose(player, [Board()]) == ([None], {0: "did_not_start: Exec format error"})


@pytest.mark.parametrize("fault", ["idle-answer", "idle-crash"])
def test_a_fault_between_searches_forfeits_no_game(
    scripted: Callable[[str], Scripted], fault: str
) -> None:
    engine = scripted(fault)
    with engine.player() as player:
        for _ in range(3):
            assert choose(player, [Board()]) == (["a2a3"], {})
            wait_for_fault(engine, fault)
    assert len(engine.pids()) == 3


def wait_for_fault(engine: Scripted, fault: str) -> None:
    pid = engine.pids()[-1]
    deadline = time.monotonic() + 2
    while fault == "idle-crash" and time.monotonic() < deadline:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.01)
    time.sleep(0.05)


@pytest.mark.parametrize("fault", ["info-flood", "endless-line"])
def test_floods_take_little_memory(scripted: Callable[[str], Scripted], fault: str) -> None:
    with scripted(fault).player() as player:
        tracemalloc.start()
        try:
            choose(player, [after("d2d4")])
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()


def test_positions_and_limits_reach_the_engine(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("good")
    castled = Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    castled.push("e1g1")
    with engine.player("nodes=500") as player:
        choose(player, [castled])
        castled.push("a8b8")
        choose(player, [castled], Limits(time_ms=70, nodes=9))
        choose(player, [Board()], Limits(depth=4))
    position = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1"
    fresh = f"position fen {Board().fen()}"
    assert engine.heard("position") == [position, f"{position} a8b8", fresh]
    assert engine.heard("go") == ["go nodes 500", "go nodes 9 movetime 70", "go depth 4 nodes 500"]
    assert len(engine.heard("ucinewgame")) == 2  # not between two moves of one game


def analyse(player: EnginePlayer, board: Board, limits: Limits, stop: Event) -> list[Analysis]:
    analyses: list[Analysis] = []
    analyses.append(
        player.analyse(
            SearchRequest(board=board, seed=0, limits=limits, stop=stop, report=analyses.append)
        )
    )
    return analyses


def test_analyses_come_from_info_lines(scripted: Callable[[str], Scripted]) -> None:
    with scripted("good").player() as player:
        analyses = analyse(player, after("e2e4"), Limits(), Event())
    wdl = (0.2, 0.7, 0.1)
    expected = Analysis(best="a7a5", line=("a7a5",), score_pawns=0.35, wdl=wdl, depth=3, nodes=99)
    assert analyses == [expected, expected]


def test_stop_ends_a_search_without_limit(scripted: Callable[[str], Scripted]) -> None:
    stop = Event()
    with scripted("good").player() as player:
        choose(player, [Board()])
        Timer(0.1, stop.set).start()
        assert analyse(player, Board(), Limits(time_ms=math.inf), stop)[-1].best == "a2a3"


def test_a_fault_in_analyse_is_raised(scripted: Callable[[str], Scripted]) -> None:
    with scripted("crash").player() as player, pytest.raises(EngineFaultError, match="crashed"):
        analyse(player, after("d2d4"), Limits(), Event())


def test_an_engine_that_ignores_quit_is_killed(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("ignores-quit")
    player = engine.player()
    choose(player, [Board()])
    player.close()
    assert_gone(engine.pids())
    player.close()
    assert choose(player, [Board()]) == (["a2a3"], {})  # a closed player starts anew
    player.close()


def test_close_ends_a_search_in_another_thread(scripted: Callable[[str], Scripted]) -> None:
    player = scripted("silent").player("movetime=60000")
    closing = Timer(0.5, player.close)
    closing.start()
    reasons = set(choose(player, [after("d2d4")] * 4)[1].values())
    closing.join()
    assert reasons <= {"crashed", "stopped"}


def test_a_garbage_collected_player_ends_its_engines(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("good")
    player = engine.player()
    choose(player, [Board()])
    del player
    assert_gone(engine.pids())


def run_program(engine: Scripted, then: str) -> "subprocess.Popen[str]":
    """A program that Ctrl-C ends even where the tests run in the background, which ignores it."""
    program = f"""
import signal
import numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)
from selfmate.players import load_player
from selfmate.rules import Board
board = Board()
player = load_player("uci:path={engine.path},movetime=60000")
{then}
"""
    return subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)


def test_ctrl_c_ends_the_program_and_its_engines(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("silent")
    with run_program(engine, "player.choose([board] * 4, np.zeros(4, np.uint64))") as program:
        deadline = time.monotonic() + 10
        while len(engine.heard("go")) < available_cores() and time.monotonic() < deadline:
            time.sleep(0.02)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=5)
    assert program.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert_gone(engine.pids())


def test_the_end_of_the_program_ends_its_engines(scripted: Callable[[str], Scripted]) -> None:
    engine = scripted("ignores-quit")
    then = "board.push('e2e4'); player.choose([board], np.zeros(1, np.uint64))"
    with run_program(engine, then) as program:
        assert program.communicate(timeout=10)[1] == ""
    assert len(engine.pids()) == 1
    assert_gone(engine.pids())


def test_full_names_have_absolute_paths_and_limits(
    scripted: Callable[[str], Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scripted("good").path
    monkeypatch.chdir(path.parent)
    for settings, limit in [("", ",movetime=100"), (",depth=3", ",depth=3")]:
        name = load_player(f"uci:path=engine{settings}").name
        assert name == f"uci:path={path}{limit}"
        assert load_player(name).name == name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("nodes=5", "needs a program"),
        ("path=/nowhere/engine", "is not a file"),
        (f"path={SCRIPT}", "is not executable"),
        ("path=/bin/sh,nodes=5,depth=2", "several limits"),
        ("path=/bin/sh,movetime=0", "not a whole number 1..3600000"),
        ("path=/bin/sh,elo=1500", "no setting 'elo'"),
    ],
)
def test_bad_names(settings: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_player(f"uci:{settings}")
