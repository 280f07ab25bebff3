"""`selfmate play`: games in the terminal as a person types them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from selfmate.cli.dialogue import accepts_draw, judgement, read_move, why_not
from selfmate.cli.terminal_game import GameFile, TerminalGame
from selfmate.players import Analysis
from selfmate.rules import Board
from selfmate.weights.card import read_card
from unit.arena.scripted import Scripted
from unit.cli.process import command_of, selfmate

TWO_ROOKS = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1"
PROMOTION = "8/P3k3/8/8/8/8/4K3/8 w - - 0 1"
CHECK = "4k3/8/8/8/8/8/4q3/R3K3 w Q - 0 1"


def saved_game(folder: Path) -> chess.pgn.Game:
    (path,) = (folder / "runs" / "games").iterdir()
    with path.open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    assert not game.errors
    return game


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        (None, "Nf3", "g1f3"),
        (None, "nf3!?", "g1f3"),
        (None, "G1F3", "g1f3"),
        (None, "e4", "e2e4"),
        (None, "Nd4", None),
        (None, "what", None),
        (TWO_ROOKS, "Rd1", None),
        (TWO_ROOKS, "Rad1", "a1d1"),
        (PROMOTION, "a8=Q", "a7a8q"),
        (PROMOTION, "a8", None),
    ],
)
def test_moves_are_read_as_people_write_them(fen: str | None, text: str, move: str | None) -> None:
    assert read_move(Board(fen), text) == move


@pytest.mark.parametrize(
    ("fen", "text", "answer"),
    [
        (TWO_ROOKS, "Rd1", "Rd1 may mean several moves: Rad1, Rhd1."),
        (PROMOTION, "a8", "a8 may mean several moves: a8=B, a8=N, a8=Q, a8=R."),
        (None, "Nd4", "Nd4 is not legal here. With that piece: Na3, Nc3, Nf3, Nh3."),
        (None, "Qd4", "Qd4 is not legal here. Legal: Na3, Nc3, Nf3, Nh3, a3, a4, b3, b4, "),
        (None, "what", "'what' is no move and no command: type help. Legal: Na3, Nc3, "),
        (CHECK, "Ra2", "Ra2 is not legal here. You are in check. Legal: Kxe2."),
    ],
)
def test_a_refusal_says_what_is_legal(fen: str | None, text: str, answer: str) -> None:
    assert why_not(Board(fen), text).startswith(answer)


def test_judgements_and_draw_offers() -> None:
    board = Board()
    said = Analysis(best="e2e4", line=("e2e4", "e7e5"), wdl=(0.5, 0.3, 0.2))
    assert judgement(board, said) == "win 50%, draw 30%, loss 20%; expects e5"
    assert judgement(board, Analysis(best="e2e4", mate_in=-2)) == "mated in 2"
    assert judgement(board, Analysis(best="e2e4")) == ""
    assert accepts_draw(said)  # it is the other side that is better
    assert not accepts_draw(Analysis(best="e2e4", score_pawns=-0.5))
    assert not accepts_draw(Analysis(best="e2e4"))


def play(
    typed: list[str], answers: dict[str, str], monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    """A game as White against a player that knows what to answer to each move."""
    lines = iter(typed)

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    monkeypatch.setattr(sys, "argv", ["selfmate"])
    player = Scripted("scripted", lambda board, _: answers[board.moves[-1]])
    file = GameFile(path)
    TerminalGame(player, Board(), "white", rating="not rated yet", file=file, seed=1).play()


def test_a_game_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.pgn"
    typed = ["back", "e4", "back", "f3", "g4"]
    play(typed, {"e2e4": "c7c5", "f2f3": "e7e5", "g2g4": "d8h4"}, monkeypatch, path)
    shown = capsys.readouterr().out
    assert "There is no move of yours to take back." in shown
    assert "scripted plays 2... Qh4#." in shown
    assert "4  ·  ·  ·  ·  ·  ·  ♙ [♛]" in shown
    assert "scripted wins after 2 moves, by checkmate." in shown
    assert f"The game is in {path}." in shown
    assert "1. f3 e5 2. g4 Qh4# 0-1" in path.read_text()


def test_resigning_and_leaving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, answers = tmp_path / "x.pgn", {"e2e4": "e7e5"}
    play(["e4", "resign"], answers, monkeypatch, path)
    assert "scripted wins after 1 move, by resignation." in capsys.readouterr().out
    assert '[Result "0-1"]' in path.read_text()
    play(["e4", "quit"], answers, monkeypatch, path)
    assert "Continue it with: selfmate play scripted --resume " in capsys.readouterr().out
    assert '[Result "*"]' in path.read_text()


def test_a_game_that_cannot_be_saved_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(["e4"], {"e2e4": "e7e5"}, monkeypatch, Path("/dev/full"))
    shown = capsys.readouterr().out
    assert "The game cannot be saved to /dev/full: No space left on device. Here it is:" in shown
    assert "1. e4 e5 *" in shown


def test_a_piped_game_is_saved_and_resumed(tmp_path: Path) -> None:
    arguments = ("play", "teacher:depth=1", "--color", "black")
    first = selfmate(*arguments, cwd=tmp_path, typed="e5\nletters\n")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("You play teacher:depth=1, rated about ")
    assert "You have Black, the filled pieces ♚. Type a move, or help." in first.stdout
    assert "\n1  R  N  B  Q  K  B  N  R" not in first.stdout  # seen from Black's side
    game = saved_game(tmp_path)
    assert (game.headers["White"], game.headers["Black"]) == ("teacher:depth=1", "Human")
    assert game.headers["Result"] == "*"
    path = next((tmp_path / "runs" / "games").iterdir())
    again = selfmate("play", "greedy", "--resume", str(path), cwd=tmp_path, typed="moves\nresign\n")
    assert "So far: 1. " in again.stdout
    assert "You have Black" in again.stdout
    assert saved_game(tmp_path).headers["Result"] == "1-0"
    over = selfmate("play", "greedy", "--resume", str(path), cwd=tmp_path)
    assert over.returncode == 2
    assert "is over: start another" in over.stderr


def test_letters_where_the_terminal_has_no_pieces(tmp_path: Path) -> None:
    run = subprocess.run(
        command_of("play", "greedy", "--seed", "1"),
        input="e4\nNd4\n",
        capture_output=True,
        encoding="ascii",
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "80"},
        check=True,
    )
    assert "1  R  N  B  Q  K  B  N  R" in run.stdout
    assert "You have White, the capital letters." in run.stdout
    assert "Nd4 is not legal here." in run.stdout
    board = [line for line in run.stdout.splitlines() if not line.startswith("Continue")]
    assert max(map(len, board)) <= 80


def test_the_strongest_net_is_the_opponent(tmp_path: Path) -> None:
    run = selfmate("play", cwd=tmp_path, typed="quit\n")
    elo = round(read_card("alphazero-tiny").elo)
    assert run.stdout.startswith(f"You play alphazero-tiny:sims=200, rated about {elo} ")
    assert not (tmp_path / "runs").exists()


def test_ctrl_c_leaves_with_the_game_saved(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command_of("play", "greedy"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("e4\n")
    process.stdin.flush()
    while "greedy plays 1..." not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert "The game is in runs/games/" in output
    assert len(list(saved_game(tmp_path).mainline_moves())) == 2


def test_a_run_of_the_mini_chess_opens_its_own_game(tmp_path: Path) -> None:
    train = ("train", "sarsa", "--preset", "try", "--set", "episodes=20", "--run", "runs/mini")
    assert selfmate(*train, cwd=tmp_path).returncode == 0
    run = selfmate("play", "runs/mini", "--seed", "1", cwd=tmp_path, typed="hint\nquit\n")
    assert run.returncode == 0, run.stderr
    assert "You have king and queen (K, Q) on 4 x 4, seed 1;" in run.stdout
    assert "learned" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "no player 'nobody'"),
        (["greedy", "--fen", "x"], "bad FEN"),
        (["greedy", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "that game is over (stalemate)"),
        (["greedy", "--fen", PROMOTION, "--resume", "x"], "--fen and --resume exclude each other"),
        (["greedy", "--resume", "no.pgn"], "No such file or directory: 'no.pgn'"),
        (["greedy", "--color", "red"], "'red' is not one of"),
    ],
)
def test_bad_input(arguments: list[str], message: str, tmp_path: Path) -> None:
    run = selfmate("play", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert run.stderr.count("\n") == 1
