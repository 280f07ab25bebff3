"""An engine whose scores are hashes of the position and of the number of earlier searches.

Arguments: how it behaves (`good`; `alone` knows no MultiPV; `mute` never scores; `crash` ends after
six plies), and the path of its log: `pid N` at its start, `go` for each search.
"""

import os
import sys
from pathlib import Path
from zlib import crc32

import chess

HOW, LOG = sys.argv[1], Path(sys.argv[2])


def note(text: str) -> None:
    with LOG.open("a") as file:
        file.write(f"{text}\n")


def board_of(words: list[str]) -> chess.Board:
    cut = words.index("moves") if "moves" in words else len(words)
    board = chess.Board(" ".join(words[2:cut]))
    for move in words[cut + 1 :]:
        board.push_uci(move)
    return board


def hashed_score(board: chess.Board, move: chess.Move, searches: int) -> int:
    return crc32(f"{board.fen()} {move} {searches}".encode()) % 400 - 200


def go(board: chess.Board, lines: int, searches: int) -> None:
    if HOW == "crash" and board.ply() >= 6:
        os._exit(1)
    scores = {move: hashed_score(board, move, searches) for move in board.legal_moves}
    ranked = sorted(scores, key=lambda move: -scores[move])
    for rank, move in enumerate(ranked[:lines], start=1):
        if HOW != "mute":
            print(f"info depth 1 multipv {rank} score cp {scores[move]} pv {move}")
    print(f"bestmove {ranked[0]}", flush=True)


def main() -> None:
    note(f"pid {os.getpid()}")
    board, lines, searches = chess.Board(), 1, 0
    for line in sys.stdin:
        words = line.split()
        match words[0]:
            case "uci":
                print("uciok", flush=True)
            case "isready":
                print("readyok", flush=True)
            case "ucinewgame":
                searches = 0
            case "setoption" if words[2] == "MultiPV" and HOW != "alone":
                lines = int(words[-1])
            case "position":
                board = board_of(words)
            case "go":
                note("go")
                go(board, lines, searches)
                searches += 1
            case "quit":
                return


main()
