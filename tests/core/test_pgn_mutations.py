"""Damaged PGN never crashes the core, and no illegal game comes out of it."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import chess
import pytest

from selfmate._core import Board, GameRecords, PgnReader
from selfmate.rules.pgn import movetext

SEEDS = [
    b'[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7# {mate} 1-0\n\n',
    b'[Event "b"]\r\n[FEN "8/4P3/8/k7/8/8/8/K7 w - - 0 1"]\r\n\r\n1. e8=Q Kb4 2. Qe4+ Kc5 *\r\n',
    b'[White "\xf6"]\n[WhiteElo "2000"]\n1.d4 d5 (1...Nf6 2.c4 (2.Nf3) ) 2.c4 $1 e6 ;ok\n1/2-1/2\n',
    b"1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O 0-0 5. d4 c5 6. d5 e5 7. dxe6 e.p. {x} dxe6 0-1 *\n",
    b"% escaped\n1. e4 a6 2. e5 d5 3. exd6e.p. Nc6 4. dxc7 Qxc7 5. Nc3 Qxh2 6. Rxh2 g5 *\n",
]
FRAGMENTS = [
    b"{", b"}", b"(", b")", b";", b"%", b"[", b"]", b'"', b"\\", b"\r", b"\n", b"\0", b"\xff",
    b" 1-0 ", b" * ", b"[Event ", b'[FEN "', b"$", b"...", b"e.p.", b"O-O", b"--", b"=Q", b"++",
    b"Kxe9", b"\xef\xbb\xbf", b'[Variant "x"]\n', b"1/2-1/2", b"e2e4", b"x", b"#",
]  # fmt: skip


def random_games(count: int) -> list[bytes]:
    rng = random.Random(1)
    games = []
    for _ in range(count):
        board, sans = Board(), list[str]()
        while len(sans) < 30 and not board.outcome():
            move = rng.choice(board.legal_moves())
            sans.append(board.san(move))
            board.push(move)
        games.append(b'[Event "r"]\n' + movetext(sans, "*").encode())
    return games


SEEDS += random_games(20)

Mutation = Callable[[random.Random, bytes], bytes]


def flip(rng: random.Random, text: bytes) -> bytes:
    at = rng.randrange(len(text))
    return text[:at] + bytes([text[at] ^ 1 << rng.randrange(8)]) + text[at + 1 :]


def delete(rng: random.Random, text: bytes) -> bytes:
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.choice([1, 1, 2, 5, 30]) :]


def insert(rng: random.Random, text: bytes) -> bytes:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(FRAGMENTS) + text[at:]


def splice(rng: random.Random, text: bytes) -> bytes:
    other = rng.choice(SEEDS)
    begin = rng.randrange(len(other))
    at = rng.randrange(len(text) + 1)
    return text[:at] + other[begin : begin + rng.randrange(40)] + text[at:]


def swap(rng: random.Random, text: bytes) -> bytes:
    first, second = sorted(rng.choices(range(len(text)), k=2))
    end = second + rng.randrange(1, 8)
    return text[:first] + text[second:end] + text[first:second] + text[end:]


def change_move(rng: random.Random, text: bytes) -> bytes:
    words = text.split(b" ")
    piece = rng.choice(["", "", "N", "B", "R", "Q", "K", "exd", "dx"])
    move = piece + rng.choice("abcdefgh") + rng.choice("12345678") + rng.choice(["", "", "+", "=Q"])
    words[rng.randrange(len(words))] = move.encode()
    return b" ".join(words)


MUTATIONS: list[Mutation] = [flip, delete, insert, splice, swap, change_move, change_move]


def mutated(rng: random.Random) -> bytes:
    text = b"".join(rng.choices(SEEDS, k=rng.randrange(1, 4)))
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        text = rng.choice(MUTATIONS)(rng, text) or b"\n"
    return text


def read(text: bytes, threads: int = 1, cut: int | None = None) -> tuple[GameRecords, object]:
    reader = PgnReader(threads, max_game_bytes=1024)
    reader.feed(text[:cut])
    if cut is not None:
        reader.feed(text[cut:])
    reader.finish()
    return reader.take(), reader.take_dropped()


def replay(start_fen: str, codes: list[int]) -> None:
    """python-chess must find the start valid and every move legal."""
    board = chess.Board(start_fen)
    assert board.is_valid()
    for code in codes:
        promotion = code >> 12
        move = chess.Move(code & 63, code >> 6 & 63, promotion + 1 if promotion else None)
        assert board.is_legal(move), (start_fen, codes, move)
        board.push(move)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_accepted_is_legal(seed: int) -> None:
    rng = random.Random(seed)
    replayed = set()
    for _ in range(20_000):
        records, _ = read(mutated(rng))
        for game in range(len(records)):
            codes = records.moves[records.offsets[game] : records.offsets[game + 1]].tolist()
            line = (records.start_fen(game), *codes)
            if line not in replayed:
                replay(line[0], codes)
                replayed.add(line)
            records.tags(game)
            assert len(records.san(game)) == len(codes)
    assert len(replayed) > 300


def test_damage_reads_the_same_however_it_is_cut() -> None:
    rng = random.Random(99)
    for _ in range(5_000):
        text = mutated(rng)
        whole, dropped = read(text)
        parts, dropped_in_parts = read(text, cut=rng.randrange(len(text) + 1))
        assert dropped_in_parts == dropped
        assert parts.moves.tolist() == whole.moves.tolist()
        assert parts.results.tolist() == whole.results.tolist()


def test_damage_in_bulk_reads_the_same_on_two_threads() -> None:
    rng = random.Random(5)
    text = b"\n".join(mutated(rng) for _ in range(2_000))
    one, dropped = read(text)
    two, dropped_by_two = read(text, threads=2)
    assert dropped_by_two == dropped
    assert two.moves.tolist() == one.moves.tolist()


def test_random_bytes() -> None:
    rng = random.Random(3)
    for _ in range(5_000):
        read(rng.randbytes(rng.randrange(200)))
        read(bytes(rng.choices(b'{}()[];%$*\n\r "\\1-0/2e4NxO=#+!?.', k=rng.randrange(100))))


def test_a_reader_shared_by_threads_does_not_crash() -> None:
    reader = PgnReader(2)

    def feed_and_take(text: bytes) -> int:
        games = 0
        for _ in range(300):
            reader.feed(text)
            games += len(reader.take())
        return games

    with ThreadPoolExecutor(4) as pool:
        games = sum(pool.map(feed_and_take, [b"1. e4 *\n", SEEDS[0], SEEDS[3], b"1. d4 1-0\n"]))
    reader.finish()
    assert games + len(reader.take()) == 300 * 5
