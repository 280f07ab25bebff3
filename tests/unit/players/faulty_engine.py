"""An engine that misbehaves as its first argument says; its second is the path of its log.

It misbehaves in games without e2e4, so that a test can tell one game from the next;
`start-` faults hit every start, `idle-` faults come after an answer. `good` and `chess960` do not
misbehave; the latter also plays Chess960, and castles whenever it can.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess

FAULT, LOG = sys.argv[1], Path(sys.argv[2])


def say(text: str) -> None:
    print(text, flush=True)


def note(text: str) -> None:
    with LOG.open("a") as file:
        file.write(f"{text}\n")


def good_move(position: list[str]) -> str:
    cut = position.index("moves") if "moves" in position else len(position)
    board = chess.Board(" ".join(position[2:cut]), chess960=FAULT == "chess960")
    for move in position[cut + 1 :]:
        board.push_uci(move)
    castling = list(board.generate_castling_moves()) if board.chess960 else []
    return min(move.uci() for move in castling or board.legal_moves)


def start() -> None:
    match FAULT:
        case "start-crash":
            sys.exit(3)
        case "start-silent":
            time.sleep(600)
        case "start-flood":
            flood("id name Flood\n")
        case "grandchild":
            note(f"pid {subprocess.Popen(['sleep', '600']).pid}")


def flood(text: str) -> None:
    while True:
        sys.stdout.write(text)


def answer_and_crash() -> None:
    say("bestmove d7d5")
    os._exit(1)


def answer_late() -> None:
    time.sleep(1.5)
    say("bestmove d7d5")


# Any other fault is itself the answer to `go`.
FAULTS: dict[str, Callable[[], object]] = {
    "crash": lambda: os._exit(1),
    "crash-after": answer_and_crash,
    "grandchild": sys.exit,  # its child still holds the pipe
    "silent": lambda: time.sleep(600),
    "late": answer_late,
    "info-flood": lambda: flood("info depth 1 score cp 10 pv d7d5\n"),
    "endless-line": lambda: flood("x" * 4096),
    "two-answers": lambda: say("bestmove d7d5\nbestmove e7e5"),
}


def misbehave() -> None:
    FAULTS.get(FAULT, lambda: say(FAULT))()


def go(position: list[str], words: list[str]) -> None:
    if (
        FAULT not in {"good", "chess960", "ignores-quit"}
        and not FAULT.startswith("idle-")
        and "e2e4" not in position
    ):
        misbehave()
        return
    best = good_move(position)
    say("info depth 3 multipv 2 score cp -20 pv b7b6")
    say("info depth 2 score mate x pv")
    say(f"info depth 3 nodes 99 score cp 35 wdl 200 700 100 pv {best} junk")
    if "infinite" not in words:
        say(f"bestmove {best} ponder a1a1")


def be_ready(after_answer: bool) -> None:
    say("readyok")
    if after_answer and FAULT == "idle-answer":
        say("bestmove h7h5")
    if after_answer and FAULT == "idle-crash":
        sys.exit(1)


def main() -> None:
    note(f"pid {os.getpid()}")
    start()
    position: list[str] = []
    searched = False
    for line in sys.stdin:
        words = line.split()
        if words[0] in {"position", "go", "ucinewgame", "setoption"}:
            note(line.strip())
        match words[0]:
            case "uci":
                if FAULT == "chess960":
                    say("option name UCI_Chess960 type check default false")
                say("id name Faulty\nuciok")
            case "isready":
                be_ready(searched)
            case "position":
                position = words
            case "go":
                searched = True
                go(position, words)
            case "stop":
                say(f"bestmove {good_move(position)}")
            case "quit" if FAULT != "ignores-quit":
                return


main()
