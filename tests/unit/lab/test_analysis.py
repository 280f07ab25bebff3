"""Analysing in the lab: positions by the rules, opinions as the players have them."""

from pathlib import Path
from threading import Thread
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.lab.analysis import PlayerCache, describe_analysis, read_tree, several_lines
from selfmate.lab.players import LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.players import Analysis, Player, SearchRequest, load_player
from selfmate.players.baseline import OnePlyPlayer
from selfmate.rules import Board
from selfmate.searches.sampling import random_choices
from unit.lab.asking import AskedLab

PROMOTION = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"
MATE_FOR_BLACK = "6k1/8/8/8/8/5q2/7r/6K1 b - - 0 1"
SCHOLAR = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> AskedLab:
    folder = tmp_path_factory.mktemp("lab")
    return AskedLab(folder / "runs", folder / "page")


def look(lab: AskedLab, **body: object) -> dict[str, Any]:
    answer = lab.post("/api/analyse/position", body)
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 300), max_size=60))
def test_a_line_is_described_as_by_python_chess(lab: AskedLab, choices: list[int]) -> None:
    board, sans = chess.Board(), []
    for choice in choices:
        legal = sorted(board.legal_moves, key=str)
        if not legal:
            break
        sans.append(board.san(legal[choice % len(legal)]))
        board.push(legal[choice % len(legal)])
    moves = [str(move) for move in board.move_stack]
    found = look(lab, moves=moves, ply=len(moves))
    assert found["sans"] == sans
    assert found["fen"] == board.fen(en_passant="legal")
    assert found["check"] == board.is_check()
    expected = {str(move)[:4] for move in board.legal_moves}
    shown = {origin + to for origin, tos in found["destinations"].items() for to in tos}
    assert shown == expected
    assert look(lab, moves=moves, ply=0)["sans"] == sans
    assert look(lab, moves=moves, ply=0)["fen"] == chess.STARTING_FEN


def test_a_move_is_added_in_any_notation_and_cuts_what_followed(lab: AskedLab) -> None:
    found = look(lab, moves=["e2e4", "e7e5", "g1f3"], ply=2, add="Bc4")
    assert found["sans"] == ["e4", "e5", "Bc4"]
    assert found["ply"] == 3
    assert look(lab, moves=["e2e4"], ply=1, add="e7e5")["moves"] == ["e2e4", "e7e5"]


def test_promotions_are_named_once(lab: AskedLab) -> None:
    found = look(lab, start=PROMOTION)
    assert found["promotions"] == ["a7a8"]
    assert found["destinations"]["a7"] == ["a8"]
    assert look(lab, start=PROMOTION, add="a7a8n")["sans"] == ["a8=N"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"start": "8/8/8/8/8/8/8/8 w - - 0 1"}, "White has no king"),
        ({"start": "<b>hello</b>"}, "bad FEN"),
        ({"moves": ["e2e5"]}, "illegal move 'e2e5'"),
        ({"add": "Ke2"}, "illegal move 'Ke2'"),
        ({"add": "castle"}, "bad move 'castle'"),
        ({"add": ""}, "bad move"),
    ],
)
def test_what_people_get_wrong_is_said_in_a_sentence(
    lab: AskedLab, body: dict[str, object], says: str
) -> None:
    if "moves" in body:
        body = body | {"ply": 1}
    assert says in look(lab, **body)["problem"]


@pytest.mark.parametrize("text", [SCHOLAR, f'[White "A"]\n[Black "B"]\n\n{SCHOLAR}\n'])
def test_a_pasted_game_is_read(lab: AskedLab, text: str) -> None:
    (game,) = lab.post("/api/analyse/read", {"text": text}).json["games"]
    assert len(game["moves"]) == 7
    found = look(lab, start=game["start"], moves=game["moves"], ply=7)
    assert found["sans"][-1] == "Qxf7#"
    assert found["ending"] == "The game is over: White wins by checkmate."
    assert lab.post("/api/analyse/analysis", {"moves": game["moves"], "player": "random"}).json == {
        "problem": found["ending"]
    }


def test_a_pasted_position_is_read_however_it_is_spaced(lab: AskedLab) -> None:
    text = f"\n  {PROMOTION.replace(' ', '  ')}\n"
    (game,) = lab.post("/api/analyse/read", {"text": text}).json["games"]
    assert game == {"title": "Position", "start": PROMOTION, "moves": []}


def test_good_games_are_shown_beside_what_was_left_out(lab: AskedLab) -> None:
    text = f"{SCHOLAR}\n\n1. e4 Ke5 *\n\n1. d4 *\n"
    found = lab.post("/api/analyse/read", {"text": text}).json
    assert [len(game["moves"]) for game in found["games"]] == [7, 1]
    assert len(found["left_out"]) == 1
    assert "Ke5" in found["left_out"][0]
    many = lab.post("/api/analyse/read", {"text": "1. e4 *\n\n" * 201}).json
    assert len(many["games"]) == 200
    assert "first 200 of 201" in many["left_out"][0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nothing to read"),
        ("hello", "hello"),
        ("1. e4 Ke5 *", "illegal move 'Ke5'"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
        ("\x00" * 20, "binary data"),
    ],
)
def test_what_is_no_game_is_said_in_a_sentence(lab: AskedLab, text: str, says: str) -> None:
    assert says in lab.post("/api/analyse/read", {"text": text}).json["problem"]


def test_an_analysis_is_the_players_from_both_views(lab: AskedLab) -> None:
    teacher = load_player("teacher:depth=2")
    board = Board(MATE_FOR_BLACK)
    expected = teacher.analyse(SearchRequest(board=board, seed=0))
    body = {"start": MATE_FOR_BLACK, "player": "teacher:depth=2"}
    found = lab.post("/api/analyse/analysis", body).json
    assert found["best"] == {"uci": expected.best, "san": board.san(expected.best)}
    assert found["mover"]["mate_in"] == expected.mate_in == 1
    assert found["white"]["mate_in"] == -1
    assert found["white"]["pawns"] == -found["mover"]["pawns"]
    assert found["nodes"] == expected.nodes
    assert len(found["moves"]) == 12
    assert found["moves"][0]["uci"] == expected.best
    assert found["moves"][0]["white"]["mate_in"] == -1


def test_policies_and_wdl_are_flipped_for_white() -> None:
    board = Board()
    board.push("e2e4")
    analysis = Analysis(
        best="e7e5",
        line=("e7e5", "g1f3", "e5e4", "f3e5", "a1a1"),
        wdl=(0.5, 0.3, 0.2),
        policy={"a7a6": 0.1, "e7e5": 0.7, "c7c5": 0.2},
        visits={"a7a6": 10, "e7e5": 70, "c7c5": 20},
    )
    found = describe_analysis("net", board, analysis)
    assert found["mover"]["wdl"] == (0.5, 0.3, 0.2)
    assert found["white"]["wdl"] == (0.2, 0.3, 0.5)
    assert found["line"] == ["e5", "Nf3"]
    assert [(move["san"], move["probability"], move["visits"]) for move in found["moves"]] == [
        ("e5", 0.7, 70),
        ("c5", 0.2, 20),
        ("a6", 0.1, 10),
    ]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("analysis", {"player": "uci:path=/bin/sh"}, 400),
        ("analysis", {"player": "/etc"}, 400),
        ("analysis", {"player": "runs/../../etc"}, 404),
        ("analysis", {"player": "runs/nobody"}, 404),
        ("analysis", {"player": "x" * 301}, 422),
        ("analysis", {"player": "random", "moves": ["e2e5"]}, 400),
        ("analysis", {"player": "random", "start": "x" * 121}, 422),
        ("analysis", {"player": "teacher:depth=99"}, 400),
        ("position", {"moves": ["e2e4"] * 2001}, 422),
        ("position", {"ply": -1}, 422),
        ("position", {"add": "x" * 13}, 422),
        ("position", {"file": "/etc/passwd"}, 422),
        ("read", {"text": "x" * 500_001}, 422),
        ("read", {}, 422),
        ("read", {"text": "\ud800"}, 422),
    ],
)
def test_what_no_page_would_send_is_refused(
    lab: AskedLab, path: str, body: dict[str, object], status: int
) -> None:
    answer = lab.post(f"/api/analyse/{path}", body)
    assert answer.status == status
    assert answer.json["error"]


@pytest.mark.parametrize("text", ["\U0001f600", "\x00", "\u2028"])
def test_odd_characters_are_no_accident(lab: AskedLab, text: str) -> None:
    assert lab.post("/api/analyse/read", {"text": text}).json["problem"]
    assert look(lab, add=text)["problem"]
    assert look(lab, start=text)["problem"]
    assert lab.post("/api/analyse/analysis", {"player": text}).status == 400


class Watched(LabPlayers):
    """Players that say when they are loaded and closed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(RunsFolder(folder))
        self.events: list[str] = []

    def load(self, name: str) -> Player:
        self.events.append(f"loaded {name}")
        player = super().load(name)
        events = self.events

        class Closing:
            def __getattr__(self, attribute: str) -> Any:
                return getattr(player, attribute)

            def close(self) -> None:
                events.append(f"closed {name}")

        closing: Any = Closing()
        found: Player = closing
        return found


def test_players_stay_loaded_until_others_need_their_place(tmp_path: Path) -> None:
    players = Watched(tmp_path)
    cache = PlayerCache(players, size=2)
    for name in ("random", "greedy", "random", "teacher:depth=1"):
        with cache.borrow(name) as player:
            assert player.name == name
    closing = ["closed greedy", "loaded teacher:depth=1"]
    assert players.events == ["loaded random", "loaded greedy", *closing]
    cache.close()
    assert sorted(players.events[-2:]) == ["closed random", "closed teacher:depth=1"]


def test_nothing_waits_for_a_player_that_is_removed(tmp_path: Path) -> None:
    players = Watched(tmp_path)
    cache = PlayerCache(players, size=1)

    def ask_another() -> None:
        with cache.borrow("greedy"):
            pass

    with cache.borrow("random"):
        asking = Thread(target=ask_another, daemon=True)
        asking.start()
        asking.join(30)
        assert players.events == ["loaded random", "loaded greedy"]
    assert players.events[2:] == ["closed random"]


def test_a_tree_is_read_with_its_variations() -> None:
    tree = read_tree(None, "e2e4 e7e5 (c7c5 g1f3 (b1c3)) g1f3")
    assert [(one["parent"], one["san"]) for one in tree["nodes"]] == [
        (-1, "e4"),
        (0, "e5"),
        (0, "c5"),
        (2, "Nf3"),
        (2, "Nc3"),
        (1, "Nf3"),
    ]
    assert read_tree(None, "")["nodes"] == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("e2e4 e2e4", "move 2 of this link cannot be played"),
        ("(e2e4)", "must follow the move"),
        ("e2e4 (d2d4", "not closed"),
        ("e2e4)", "not opened"),
        ("e2e4 (((", "must follow the move"),
        ("hello", "move 1 of this link"),
    ],
)
def test_a_tree_that_cannot_be_played_says_why(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_tree(None, text)


class BestMoveOnly(OnePlyPlayer):
    """Judges its best move and names no other, as engines do."""

    def analyse(self, request: SearchRequest) -> Analysis:
        moves = request.root_moves or tuple(sorted(request.board.legal_moves()))
        return Analysis(best=moves[0], line=moves[:1], score_pawns=0.5)


def test_a_player_that_names_one_move_is_asked_for_the_next_ones() -> None:
    player = BestMoveOnly("one", random_choices)
    found = several_lines(player, SearchRequest(board=Board()))
    best = [found.best, *(one.best for one in found.others)]
    assert best == sorted(Board().legal_moves())[:3]
    two_moves = Board("k7/8/8/8/8/8/8/1R5K b - - 0 1")
    assert len(several_lines(player, SearchRequest(board=two_moves)).others) == 0


class Focused(OnePlyPlayer):
    """A search that spends all its visits on one move, and has looked no further at the others."""

    def analyse(self, request: SearchRequest) -> Analysis:
        legal = sorted(request.board.legal_moves())
        best = min(request.root_moves or legal)
        others = tuple(Analysis(best=move, line=(move,)) for move in legal if move != best)
        return Analysis(
            best=best,
            line=(best, "e7e5"),
            wdl=(0.5, 0.25, 0.25),
            policy={move: float(move == best) for move in reversed(legal)},
            visits={move: 10 * (move == best) for move in legal},
            others=others,
        )


def test_a_search_that_tried_one_move_is_asked_for_the_next_ones() -> None:
    board = Board()
    legal = sorted(board.legal_moves())
    found = several_lines(Focused("one", random_choices), SearchRequest(board=board))
    assert [one.best for one in found.others][:2] == legal[1:3]
    assert len(found.others) == len(legal) - 1
    described = describe_analysis("one", board, found)["moves"]
    assert described[0]["uci"] == legal[0]
    assert {one["uci"] for one in described[1:3]} == set(legal[1:3])
    assert [len(one["line"]) for one in described] == [2, 2, 2] + [1] * 9
    assert [one["visits"] for one in described][:3] == [10, 0, 0]


def test_a_policy_without_a_search_has_no_lines() -> None:
    player = load_player("alphazero-tiny:sims=0")
    found = several_lines(player, SearchRequest(board=Board()))
    player.close()
    assert not [one for one in (found, *found.others) if one.line[1:]]
