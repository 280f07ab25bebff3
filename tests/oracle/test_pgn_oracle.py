"""Generated PGN read by python-chess and by the core: the same games must come out."""

import io
import random
from dataclasses import dataclass
from functools import cache

import chess
import chess.pgn
import pytest

from selfmate._core import GameRecords, PgnReader
from selfmate.rules.pgn import RESULT_TEXTS, write_pgn

STARTS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 3 17",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
]
WORDS = [
    "",
    "good",
    "a { brace",
    "semi; colon",
    "( paren",
    "1-0",
    "*",
    "\n",
    "[%clk 0:01:02]",
    "$3",
]
NAGS = ["", "", "", "", " $1", "$14", "!", " ?!", "??", " $6 $132"]


@dataclass(frozen=True)
class GeneratedGame:
    start_fen: str
    ucis: list[str]
    result: str
    text: str


def random_comment(rng: random.Random) -> str:
    words = " ".join(rng.choices(WORDS, k=rng.randrange(6)))
    if rng.random() < 0.2:
        return " ;" + words.replace("\n", " ") + "\n"
    return "{" + words + "}"


def random_variation(rng: random.Random, board: chess.Board, depth: int = 1) -> str:
    """An alternative to the last move, with comments and deeper variations."""
    board = board.copy()
    board.pop()
    text = "("
    for _ in range(rng.randrange(1, 4)):
        if board.is_game_over():
            break
        move = rng.choice(list(board.legal_moves))
        text += " " + board.san(move)
        board.push(move)
        if rng.random() < 0.3:
            text += random_comment(rng)
        if depth < 3 and rng.random() < 0.3:
            text += random_variation(rng, board, depth + 1)
    return text + ")"


def random_number(rng: random.Random, board: chess.Board) -> str:
    number = str(board.fullmove_number)
    if board.turn == chess.WHITE:
        return rng.choice([number + ". ", number + ".", number + " . ", ""])
    return rng.choice(["", "", number + "... ", number + "...", number + ". ... "])


def random_san(rng: random.Random, board: chess.Board, move: chess.Move) -> str:
    san = board.san(move)
    if board.is_castling(move):
        return rng.choice([san, san.replace("O", "0")])
    return rng.choice([san, san, san, san.rstrip("+#"), board.lan(move), board.uci(move)])


def random_game(rng: random.Random) -> GeneratedGame:
    board = chess.Board(rng.choice(STARTS))
    start_fen = board.fen()
    words = []
    for _ in range(rng.choice([0, 5, 40, 120])):
        if board.is_game_over():
            break
        move = rng.choice(list(board.legal_moves))
        words.append(random_number(rng, board) + random_san(rng, board, move) + rng.choice(NAGS))
        board.push(move)
        if rng.random() < 0.1:
            words.append(random_comment(rng))
        if rng.random() < 0.05:
            words.append(random_variation(rng, board))
    over = board.is_checkmate() or board.is_stalemate()
    result = board.result() if over else rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    text = tags(rng, start_fen, result) + "\n" + laid_out(rng, [*words, result]) + "\n\n"
    return GeneratedGame(start_fen, [move.uci() for move in board.move_stack], result, text)


def tags(rng: random.Random, start_fen: str, result: str) -> str:
    pairs = [("Event", "?"), ("White", "a;b{c}(d"), ("Result", result), ("Round", "[1]")]
    if start_fen != chess.STARTING_FEN:
        pairs.append(("FEN", start_fen))
        if rng.random() < 0.5:
            pairs.append(("SetUp", "1"))
    return "".join(f'[{name} "{value}"]\n' for name, value in pairs)


def laid_out(rng: random.Random, words: list[str]) -> str:
    """Words with odd spacing and line breaks; python-chess ends a game at a blank line."""
    text = "".join(word + rng.choice([" ", " ", " ", "  ", "\t", "\n"]) for word in words)
    while "\n\n" in text or "\n \n" in text:
        text = text.replace("\n\n", "\n").replace("\n \n", "\n")
    return text.lstrip()


@cache
def generated() -> tuple[GeneratedGame, ...]:
    rng = random.Random(20_240)
    return tuple(random_game(rng) for _ in range(400))


def text_of(games: tuple[GeneratedGame, ...], line_end: str = "\n") -> bytes:
    return "".join(game.text for game in games).replace("\n", line_end).encode()


def read(text: bytes, threads: int = 1, chunk: int = 1 << 20) -> GameRecords:
    reader = PgnReader(threads)
    for begin in range(0, len(text), chunk):
        reader.feed(text[begin : begin + chunk])
    reader.finish()
    assert reader.take_dropped() == []
    return reader.take()


def uci_of(code: int) -> str:
    promotion = code >> 12
    return chess.Move(code & 63, code >> 6 & 63, promotion + 1 if promotion else None).uci()


def ucis(records: GameRecords, game: int) -> list[str]:
    begin, end = records.offsets[game], records.offsets[game + 1]
    return [uci_of(int(code)) for code in records.moves[begin:end]]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_generated_games_come_out(line_end: str) -> None:
    games = generated()
    records = read(text_of(games, line_end))
    assert len(records) == len(games)
    for number, game in enumerate(games):
        assert ucis(records, number) == game.ucis
        assert RESULT_TEXTS[int(records.results[number])] == game.result
        assert records.start_fen(number) == chess.Board(game.start_fen).fen()


def test_python_chess_reads_the_same_games() -> None:
    text = text_of(generated())
    records = read(text)
    stream = io.StringIO(text.decode())
    for number in range(len(records)):
        game = chess.pgn.read_game(stream)
        assert game is not None
        assert game.errors == []
        assert [move.uci() for move in game.mainline_moves()] == ucis(records, number)
        assert game.headers["Result"] == RESULT_TEXTS[int(records.results[number])]
    assert chess.pgn.read_game(stream) is None


def test_the_reason_is_what_python_chess_finds_on_the_board() -> None:
    records = read(text_of(generated()))
    for number, game in enumerate(generated()):
        board = chess.Board(game.start_fen)
        for uci in game.ucis:
            board.push_uci(uci)
        assert (records.reasons[number] == 1) == (board.is_checkmate() and game.result != "*")


def flat(records: GameRecords) -> tuple[list[int], list[int], list[int], list[dict[str, str]]]:
    tag_dicts = [records.tags(game) for game in range(len(records))]
    return (
        records.moves.tolist(),
        records.offsets.tolist(),
        records.results.tolist(),
        tag_dicts,
    )


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_make_no_difference(threads: int) -> None:
    text = text_of(generated())
    assert flat(read(text, threads)) == flat(read(text))


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 1000, 4097])
def test_chunks_make_no_difference(chunk: int) -> None:
    text = text_of(generated()[:100], "\r\n")
    assert flat(read(text, 2, chunk)) == flat(read(text))


BROKEN = (
    b'\xef\xbb\xbf{note}\r\n[Event "a"]\r\n[White "x\\""] [Black "{"]\r\n\r\n1. e4 {c\r\n'
    b'[Event no\r\n} e5 1-0 1. d4 (1. c4\r\n%)\r\n) d5 *\r\n  [White "b"]\r\n1. e4 e4 *\r\n\r\n'
    b'[Event "c"]\r\n1. e4 {open\r\n\r\n[Event "d"]\r1. d4 ; x { \r*\n'
    b'[Event "e"]\n[Event "f"]\n1. c4'
)


def outcome_of(reader: PgnReader) -> object:
    reader.finish()
    records = reader.take()
    return [records.san(game) for game in range(len(records))], reader.take_dropped()


def test_a_cut_at_every_byte_makes_no_difference() -> None:
    whole = PgnReader(1)
    whole.feed(BROKEN)
    expected = outcome_of(whole)
    for cut in range(len(BROKEN) + 1):
        reader = PgnReader(1)
        reader.feed(BROKEN[:cut])
        reader.feed(BROKEN[cut:])
        assert outcome_of(reader) == expected


def test_cuts_around_over_long_games_make_no_difference() -> None:
    rng = random.Random(7)
    good = b'[Event "g"]\n1. e4 *\n'
    long_comment = b'[Event "l"]\n1. e4 {' + b"x" * 1500 + b"\n" + b"y" * 300 + b"} *\n"
    text = good + long_comment + good + b"1. d4 {" + b"z\n" * 800 + b"} *\n1. c4 *\n" + good
    outcomes = []
    for _ in range(200):
        reader = PgnReader(1, max_game_bytes=1024)
        rest = text
        while rest:
            size = rng.choice([1, 10, 100, 1000, 5000])
            reader.feed(rest[:size])
            rest = rest[size:]
        outcomes.append(outcome_of(reader))
    assert all(outcome == outcomes[0] for outcome in outcomes)


def test_written_games_read_back_the_same() -> None:
    records = read(text_of(generated()))
    file = io.StringIO()
    write_pgn(records, file)
    again = read(file.getvalue().encode())
    assert flat(again)[:3] == flat(records)[:3]
    file.seek(0)
    for number in range(len(records)):
        game = chess.pgn.read_game(file)
        assert game is not None
        assert game.errors == []
        assert [move.uci() for move in game.mainline_moves()] == ucis(records, number)
