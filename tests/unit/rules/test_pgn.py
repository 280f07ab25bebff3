"""Reading PGN: every oddity that is allowed, every error that drops a game."""

import gzip
import io
from pathlib import Path
from typing import BinaryIO, cast

import pytest
import zstandard

from selfmate._core import PgnReader
from selfmate.rules import random_games
from selfmate.rules.pgn import DroppedGame, read_pgn
from unit.rules.pgn_texts import lines, parse

UNKNOWN, CHECKMATE, STALEMATE = 0, 1, 2


def good(text: str | bytes) -> list[str]:
    records, dropped = parse(text)
    assert dropped == []
    return lines(records)


def only_dropped(text: str | bytes) -> DroppedGame:
    records, dropped = parse(text)
    assert (len(records), len(dropped)) == (0, 1)
    return dropped[0]


@pytest.mark.parametrize(
    "movetext_as_written",
    [
        "1. e4 e5 2. Nf3 *",
        "1.e4 e5 2.Nf3 *",
        "1 e4 e5 2 Nf3 *",
        "e4 e5 Nf3 *",
        "1. e4 1... e5 2. Nf3 *",
        "1. e4 1. ... e5 2. Nf3 *",
        "1.e4 ...e5 2.Nf3*",
        "1.\te4\t\te5  \t 2.\n\n\nNf3\n\n*",
        "1. e4 e5\r\n2. Nf3\r\n*\r\n",
        "1. e4 e5\r2. Nf3\r*\r",
        "1. e4{a}e5{b}2. Nf3{c}*",
        "1. e4 {over\ntwo\n\nlines; ( [White} e5 2. Nf3 *",
        "1. e4 ; a comment { ( 1-0\ne5 2. Nf3 *",
        "1. e4\n% an escaped { line 1-0\ne5 2. Nf3 *",
        "1. e4 $1 e5 $2$14 2. Nf3 $139 *",
        "1. e4! e5?! 2. Nf3 !! ?? *",
        "1. e4 (1. d4 d5 (1... Nf6 {)} ; )\n2. c4) 2. c4 1-0) e5 2. Nf3 (2. f4\n%)\n) *",
        "{before} 1. e4 e5 2. Nf3 {after} *",
        "1. e2e4 e7-e5 2. Ng1f3 *",
        "1. e2-e4 e7e5 2. Ng1-f3 *",
        "37. e4 e5 1. Nf3 *",
    ],
)
def test_movetext_is_free_format(movetext_as_written: str) -> None:
    assert good(movetext_as_written) == ["e4 e5 Nf3"]
    assert good('[Event "x"]\n\n' + movetext_as_written) == ["e4 e5 Nf3"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("e4 a6 e5 d5 exd6 e.p. *", "e4 a6 e5 d5 exd6"),
        ("e4 a6 e5 d5 exd6e.p. *", "e4 a6 e5 d5 exd6"),
        ("e4 e5 Nf3 Nf6 Bc4 Bc5 0-0 0-0 *", "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O O-O"),
        (
            "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 0-0-0 O-O-O *",
            "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O",
        ),
        ("e4 f6 Qh5++ *", "e4 f6 Qh5+"),
        ("e4 f6 Qh5 *", "e4 f6 Qh5+"),
        ("e4 f6 Qh5#!? *", "e4 f6 Qh5+"),
    ],
)
def test_moves_as_people_write_them(written: str, read: str) -> None:
    assert good(written) == [read]


@pytest.mark.parametrize("promotion", ["e8Q", "e8=Q", "e7e8q", "e8=Q+", "e7-e8=Q"])
def test_promotions(promotion: str) -> None:
    assert good(f'[FEN "8/4P3/8/k7/8/8/8/K7 w - - 0 1"]\n{promotion} *') == ["e8=Q"]


def test_byte_order_mark_and_empty_texts() -> None:
    assert good(b"\xef\xbb\xbf" + b'[Event "x"]\n1. e4 *') == ["e4"]
    assert good(b"\xef\xbb\xbf1. e4 *") == ["e4"]
    for nothing in (
        b"",
        b"\n\r\n \t",
        b"{only a comment}",
        b"; nothing\n% nothing",
        b"\xef\xbb\xbf",
    ):
        assert good(nothing) == []


def test_tagless_games_are_separated_by_results() -> None:
    text = "1. e4 1-0 1. d4 0-1\n1. c4 1/2-1/2\n\n1. Nf3 * 1. g3 *"
    records, dropped = parse(text)
    assert dropped == []
    assert lines(records) == ["e4", "d4", "c4", "Nf3", "g3"]
    assert records.results.tolist() == [1, -1, 0, -128, -128]


def test_many_tagless_games_are_no_single_long_game() -> None:
    text = "1. e4 e5 2. Nf3 Nc6 (2... d6 1-0\n) 1-0\n" * 40_000
    records, dropped = parse(text)
    assert (len(records), dropped) == (40_000, [])


def test_games_without_moves() -> None:
    records, dropped = parse('[Event "a"]\n[Result "1-0"]\n\n1-0\n\n[Event "b"]\n\n*\n')
    assert dropped == []
    assert lines(records) == ["", ""]


def test_tags_on_one_line_indented_and_with_movetext_behind() -> None:
    records, dropped = parse('[White "{"] [Black ";"] 1. e4 *\n  [ White  "c" ]\n1. d4 *')
    assert dropped == []
    assert [records.tags(game) for game in (0, 1)] == [
        {"White": "{", "Black": ";"},
        {"White": "c"},
    ]


def test_tag_values_are_unescaped_and_decoded() -> None:
    text = (
        rb"""[Event "say \"hi\" to C:\\ and "this""]
[White "J"""
        + "\u00f6".encode()
        + b"""rg"]
[Black "J\xf6rg"]

1. e4 *
"""
    )
    records, dropped = parse(text)
    assert dropped == []
    assert records.tags(0) == {
        "Event": 'say "hi" to C:\\ and "this"',
        "White": "J\u00f6rg",
        "Black": "J\u00f6rg",
    }


def test_tags_of_an_index_out_of_range() -> None:
    records, _ = parse("1. e4 *")
    assert records.tags(-1) == {}
    with pytest.raises(ValueError, match="game 1 is not among 1"):
        records.tags(1)


def test_ratings() -> None:
    def ratings(white: str, black: str) -> tuple[int, int]:
        records, _ = parse(f'[WhiteElo "{white}"]\n[BlackElo "{black}"]\n*')
        return int(records.white_elo[0]), int(records.black_elo[0])

    assert ratings("2850", "1") == (2850, 1)
    assert ratings("9999", "10000") == (9999, 0)
    assert ratings("?", "-5") == (0, 0)
    assert ratings("2100?", "99999999999999999999") == (0, 0)


def test_start_positions() -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 b Q - 3 40"
    for set_up in ("", '[SetUp "1"]\n', '[SetUp "0"]\n'):
        records, dropped = parse(f'[Event "x"]\n{set_up}[FEN "{fen}"]\n\n40... Kd7 41. O-O-O+ *')
        assert dropped == []
        assert records.start_fen(0) == fen
    records, _ = parse('[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]\ne4 *')
    assert lines(records) == ["e4"]


def test_result_tag_and_marker() -> None:
    def result(tag: str, marker: str) -> int:
        records, dropped = parse(f'[Result "{tag}"]\n1. e4 {marker}')
        assert dropped == []
        return int(records.results[0])

    assert result("1-0", "1-0") == 1
    assert result("*", "0-1") == -1
    assert result("1/2-1/2", "*") == 0
    assert result("?", "*") == -128
    assert "Result tag says 1-0" in only_dropped('[Result "1-0"]\n1. e4 0-1').reason


def test_reasons_come_from_the_board_where_it_agrees() -> None:
    mate = "1. f3 e5 2. g4 Qh4# "
    assert parse(mate + "0-1")[0].reasons.tolist() == [CHECKMATE]
    assert parse(mate + "*")[0].reasons.tolist() == [UNKNOWN]
    assert parse("1. e4 1-0")[0].reasons.tolist() == [UNKNOWN]
    contradicted = only_dropped(mate + "\n1-0")
    assert contradicted == DroppedGame(1, 2, "the result contradicts the checkmate on the board")
    stalemate = '[FEN "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"]\n1. Qc7 '
    assert parse(stalemate + "1/2-1/2")[0].reasons.tolist() == [STALEMATE]
    assert "stalemate" in only_dropped(stalemate + "1-0").reason


def test_play_may_go_on_past_an_unclaimed_draw() -> None:
    shuffle = "Nf3 Nf6 Ng1 Ng8 " * 4
    records, dropped = parse(shuffle + "e4 1-0")
    assert dropped == []
    assert len(records.moves) == 17


GOOD = '[Event "good"]\n\n1. e4 e5 *\n\n'
BROKEN = [
    ("illegal move 'Ke3' (2.)", "1. e4 e5\n2. Ke3 Nc6 1-0", 2),
    ("ambiguous move 'Nd2' (3.)", "1. Nf3 a6 2. d3 a5 3. Nd2 *", 1),
    ("null move '--' (1...)", "1. e4 -- 2. d4 *", 1),
    ("null move 'Z0' (1...)", "1. e4 Z0 2. d4 *", 1),
    ("null move '0000' (1.)", "0000 *", 1),
    ("unreadable move 'hello' (1...)", "1. e4 hello e5 *", 1),
    ("unreadable move '1-1' (1...)", "1. e4 1-1", 1),
    ("unreadable move 'e.p.' (1.)", "e.p. e4 *", 1),
    ("unreadable text '<x>'", "1. e4 <x> e5 *", 1),
    ("unreadable text '\\x00'", "1. e4 \0 e5 *", 1),
    ("unreadable text '}'", "1. e4 } e5 *", 1),
    ("unreadable text '$'", "1. e4 $ e5 *", 1),
    ("unreadable text '%'", "1. e4 % e5 *", 1),
    ("unreadable text '[%clk'", "1. e4 [%clk 1] e5 *", 1),
    ("illegal move 'e5' (3.)", "1. f3 e5 2. g4 Qh4# 3. e5 0-1", 1),
    ("a closing parenthesis has no opening one", "1. e4 ) e5 *", 1),
    ("a variation is never closed", "1. e4\n(1. d4 e5 *", 2),
    ("a comment is never closed", "1. e4 e5\n\n{ oh *", 3),
    ("a comment is never closed", "{ oh *", 1),
    ("the game is cut off: no result ends its moves", "1. e4 e5\n2. Nf3\n\n", 2),
]


@pytest.mark.parametrize(("reason", "text", "line"), BROKEN)
def test_a_broken_game_is_dropped_whole_and_reading_goes_on(
    reason: str, text: str, line: int
) -> None:
    records, dropped = parse(GOOD + '[Event "broken"]\n' + text + "\n\n" + GOOD)
    assert lines(records) == ["e4 e5", "e4 e5"]
    assert [(game.game, game.line) for game in dropped] == [(2, line + 5)]
    assert dropped[0].reason.startswith(reason)


@pytest.mark.parametrize(
    ("reason", "tags"),
    [
        ("bad FEN", '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]'),
        ("the variant 'Atomic' is neither standard chess nor Chess960", '[Variant "Atomic"]'),
        ("unreadable tag '[White \"x'", '[White "x'),
        ("unreadable tag '[White]'", "[White]"),
        ("the tag 'Result' is given twice", '[Result "*"]\n[Result "*"]'),
        ("a tag is longer than 4096 bytes", f'[White "{"x" * 5000}"]'),
        ("more than 128 tags", "\n".join(f'[Tag{i} "x"]' for i in range(200))),
    ],
)
def test_broken_tags_drop_the_game(reason: str, tags: str) -> None:
    text = f'{GOOD}[Event "broken"]\n{tags}\n[Result "1-0"]\n\n1. e4 1-0\n\n{GOOD}'
    records, dropped = parse(text)
    assert lines(records) == ["e4 e5", "e4 e5"]
    assert [game.game for game in dropped] == [2]
    assert dropped[0].reason.startswith(reason)


@pytest.mark.parametrize("variant", ["Standard", "chess", "From Position"])
def test_standard_variants(variant: str) -> None:
    assert good(f'[Variant "{variant}"]\n1. e4 *') == ["e4"]


def test_a_broken_tagless_game_ends_with_its_result() -> None:
    records, dropped = parse("1. e4 1-0\n1. e5 d5 (1-0) {1-0} 1-0\n1. d4 1-0\n")
    assert lines(records) == ["e4", "d4"]
    assert dropped == [DroppedGame(2, 2, "illegal move 'e5' (1.)")]


def test_a_game_without_result_does_not_swallow_the_next_tags() -> None:
    text = '[Event "a"]\n[FEN "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"]\n\n[Event "b"]\n\n1. e4 *\n'
    records, dropped = parse(text)
    assert lines(records) == ["e4"]
    assert [(game.game, game.line) for game in dropped] == [(1, 2)]


def test_an_open_comment_costs_one_game() -> None:
    text = GOOD + '[Event "broken"]\n1. e4 {open\n\n' + GOOD + GOOD.replace("e5", "{c} e5")
    records, dropped = parse(text)
    assert lines(records) == ["e4 e5"] * 3
    assert dropped == [DroppedGame(2, 6, "a comment is never closed")]


def test_line_numbers_with_each_kind_of_line_end() -> None:
    for line_end in ("\n", "\r\n", "\r"):
        text = line_end.join(["1. e4 *", "", "{a", "b}", "1. e4 e5 2. Ke3 *", "1. d4 *"])
        records, dropped = parse(text)
        assert lines(records) == ["e4", "d4"]
        assert [(game.game, game.line) for game in dropped] == [(2, 5)]


def test_an_over_long_game_is_dropped_and_reading_goes_on() -> None:
    long = '[Event "long"]\n\n1. e4 {' + "x\n" * 5000 + "} e5 *\n\n[White 'x']\n1. d4 *\n"
    for text in (long, long.replace("\n", "y" * 200, 500)):
        records, dropped = parse(GOOD + text + GOOD, max_game_bytes=4096)
        assert lines(records)[-1] == "e4 e5"
        assert "the game is longer than 4096 bytes" in dropped[0].reason


def test_variations_have_a_bounded_depth() -> None:
    assert good("1. e4 " + "(" * 64 + ")" * 64 + " e5 *") == ["e4 e5"]
    assert "nested 65 deep" in only_dropped("1. e4 " + "(" * 65 + ")" * 65 + " e5 *").reason


def test_games_have_a_bounded_length() -> None:
    shuffle = "Nf3 Nf6 Ng1 Ng8 "
    assert len(good(shuffle * 5000 + "*")) == 1
    assert "more than 20000 half-moves" in only_dropped(shuffle * 5001 + "*").reason


def test_reader_refuses_wrong_use() -> None:
    for threads in (0, -1, 1000):
        with pytest.raises(ValueError, match="threads"):
            PgnReader(threads)
    with pytest.raises(ValueError, match="max_game_bytes"):
        PgnReader(1, max_game_bytes=10)
    reader = PgnReader(1)
    reader.finish()
    reader.finish()
    with pytest.raises(ValueError, match="finished"):
        reader.feed(b"1. e4 *")


TWO_GAMES = GOOD + '[Event "broken"]\n1. e4 e4 *\n\n' + GOOD


def write_file(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.fixture
def packed() -> dict[str, bytes]:
    text = TWO_GAMES.encode()
    compress = zstandard.ZstdCompressor(write_content_size=False).compress
    return {
        "plain": text,
        "gzip": gzip.compress(text),
        "two gzip members": gzip.compress(text[:30]) + gzip.compress(text[30:]),
        "zstd": compress(text),
        "zstd behind a skippable frame": b"\x50\x2a\x4d\x18\x03\0\0\0abc" + compress(text),
        "two zstd frames": compress(text[:30]) + compress(text[30:]),
    }


def test_files_plain_and_compressed(tmp_path: Path, packed: dict[str, bytes]) -> None:
    for name, data in packed.items():
        path = write_file(tmp_path / name, data)
        for source in (path, str(path), io.BytesIO(data)):
            for chunk_bytes in (7, 1 << 20):
                chunks = list(read_pgn(source, threads=1, chunk_bytes=chunk_bytes))
                read = [line for chunk in chunks for line in lines(chunk.games)]
                assert read == ["e4 e5", "e4 e5"], name
                dropped = [game for chunk in chunks for game in chunk.dropped]
                assert dropped == [DroppedGame(2, 6, "illegal move 'e4' (1...)")]
                assert sum(len(chunk.dropped) for chunk in chunks) == 1
                if isinstance(source, io.BytesIO):
                    source.seek(0)


def test_cut_off_compressed_files_are_refused(tmp_path: Path, packed: dict[str, bytes]) -> None:
    for name in ("gzip", "zstd"):
        for length in range(10, len(packed[name])):
            path = write_file(tmp_path / "cut", packed[name][:length])
            with pytest.raises(ValueError, match=r"cut is damaged"):
                list(read_pgn(path, threads=1))


def test_flipped_bits_in_compressed_files_do_no_harm(
    tmp_path: Path, packed: dict[str, bytes]
) -> None:
    for name in ("gzip", "zstd"):
        for index in range(len(packed[name])):
            data = bytearray(packed[name])
            data[index] ^= 0x10
            path = write_file(tmp_path / "flipped", bytes(data))
            try:
                games = sum(len(chunk.games) for chunk in read_pgn(path, threads=1))
            except ValueError:
                continue
            assert games <= 3


def test_what_is_no_pgn(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a directory"):
        list(read_pgn(tmp_path))
    with pytest.raises(FileNotFoundError):
        list(read_pgn(tmp_path / "missing.pgn"))
    with pytest.raises(ValueError, match="UTF-16"):
        list(read_pgn(io.BytesIO(GOOD.encode("utf-16"))))
    with pytest.raises(ValueError, match="binary data"):
        list(read_pgn(io.BytesIO(b"\x7fELF\x00\x00\x01")))
    with pytest.raises(TypeError, match="open as text"):
        list(read_pgn(cast(BinaryIO, io.StringIO(GOOD))))
    with pytest.raises(ValueError, match="threads is 0"):
        read_pgn(tmp_path, threads=0)
    with pytest.raises(ValueError, match="chunk_bytes"):
        read_pgn(tmp_path, chunk_bytes=0)


def test_an_empty_file_gives_one_empty_chunk() -> None:
    (chunk,) = read_pgn(io.BytesIO(b""))
    assert (len(chunk.games), chunk.dropped) == (0, ())


def test_a_lent_file_stays_open() -> None:
    file = io.BytesIO(GOOD.encode())
    list(read_pgn(file))
    assert not file.closed


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("chunk_bytes", [1, 30, 1 << 20])
def test_games_know_the_line_they_begin_in(line_end: str, chunk_bytes: int) -> None:
    tagged = ['[Event "a"]', "", "1. e4", "e5 *", "", ""]
    wrong = ['[Event "b"]', "", "1. Ke2 *", ""]
    bare = ["1. e4 * 1. d4 *", "1. c4", "* 1. b4 *"]
    text = line_end.join([*tagged, *wrong, *tagged, *bare, ""])
    pieces = list(read_pgn(io.BytesIO(text.encode()), chunk_bytes=chunk_bytes))
    found = [line for piece in pieces for line in piece.games.lines.tolist()]
    assert found == [1, 11, 17, 17, 18, 19]


def test_games_that_were_never_in_a_file_have_no_line() -> None:
    assert random_games(2, seed=1, max_plies=5).lines.tolist() == [0, 0]
