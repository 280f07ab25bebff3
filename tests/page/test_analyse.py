"""Analysing in the browser: positions and games from anywhere, and several opinions at once."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, Position, expect

from contracts.learners import quick, train
from page.conftest import watch
from page.lab import RunningLab
from selfmate.learners.registry import LEARNERS
from selfmate.players import SearchRequest, load_player
from selfmate.rules import Board
from selfmate.runs.session import Session
from unit.players.trained_runs import make_tree_run

PLAY = re.compile("^Play ")  # a move
PROMOTION = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"
SCHOLAR = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
GAMES = f'[White "Anna"]\n[Black "<i>Ben</i>"]\n\n{SCHOLAR}\n\n1. d4 Ke5 *\n\n1. d4 d5 *\n'


def open_analysis(page: Page, *players: str, fen: str | None = None) -> None:
    settings = [("player", player) for player in players] + ([("fen", fen)] if fen else [])
    page.evaluate("hash => location.hash = hash", f"#/analyse?{urlencode(settings)}")
    expect(page.get_by_role("heading", name="Analyses")).to_be_visible()


def board(page: Page) -> Locator:
    return page.get_by_role("img", name="Position:")


def expect_fen(page: Page, start: str) -> None:
    expect(page.get_by_label("This position as FEN")).to_have_value(re.compile(f"^{start}"))


def point(around: Locator, square: str) -> Position:
    box = around.bounding_box()
    assert box is not None
    step = box["width"] / 8
    return {
        "x": (ord(square[0]) - ord("a") + 0.5) * step,
        "y": (8 - int(square[1]) + 0.5) * step,
    }


def drag(page: Page, origin: str, to: str) -> None:
    at = board(page)
    at.drag_to(at, source_position=point(at, origin), target_position=point(at, to))


def card(page: Page, number: int) -> Locator:
    return page.get_by_role("region", name=f"Player {number}", exact=True)


def test_moves_by_mouse_and_keyboard_and_what_players_think_of_them(page: Page) -> None:
    open_analysis(page, "teacher:depth=2", "greedy")
    drag(page, "e2", "e5")  # illegal: the pawn goes back
    expect_fen(page, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w")
    drag(page, "e2", "e4")
    expect_fen(page, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b")
    board(page).click(position=point(board(page), "e7"))
    board(page).click(position=point(board(page), "e5"))
    expect_fen(page, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w")
    typed = page.get_by_label("Type a move")
    typed.fill("Ke3")
    typed.press("Enter")
    expect(page.get_by_text("Ke3 is not possible here.")).to_be_visible()
    typed.fill("Nf3")
    typed.press("Enter")
    expect(page.get_by_text("is not possible here.")).to_have_count(0)
    expect(page.get_by_role("list", name="Moves")).to_have_text(re.compile("1. ?e4 ?e5 ?2. ?Nf3"))

    position = Board()
    for move in ("e2e4", "e7e5", "g1f3"):
        position.push(move)
    analysis = load_player("teacher:depth=2").analyse(SearchRequest(board=position, seed=0))
    assert analysis.score_pawns is not None
    first = card(page, 1).get_by_role("button", name=PLAY).first
    expect(first).to_have_text(position.san(analysis.best))
    white, black = -analysis.score_pawns, analysis.score_pawns  # Black is to move
    expect(card(page, 1)).to_contain_text(f"White: {white:+.2f} pawns")
    expect(card(page, 1)).to_contain_text(f"Black, to move: {black:+.2f} pawns")
    expect(card(page, 2)).to_contain_text("It does not judge the position.")
    expect(board(page).locator(".cg-shapes line")).to_have_count(2)  # an arrow of each

    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect_fen(page, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b")
    position.pop()
    position.pop()
    answer = load_player("teacher:depth=2").analyse(SearchRequest(board=position, seed=0)).best
    first.click()  # its move is played
    shown = page.get_by_role("list", name="Moves").locator("[aria-current]")
    expect(shown).to_have_text(position.san(answer))
    expect_fen(page, "[^ ]* w")


def test_players_come_and_go_up_to_four(page: Page) -> None:
    open_analysis(page, "random")
    for _ in range(3):
        page.get_by_role("button", name="Add a player").click()
    expect(page.get_by_role("button", name="Add a player")).to_have_count(0)
    expect(page.locator(".opinion")).to_have_count(4)
    for number in range(1, 5):
        expect(card(page, number).get_by_role("button", name=PLAY).first).to_be_enabled()
    page.get_by_role("button", name="Remove player 2").click()
    expect(page.locator(".opinion")).to_have_count(3)
    card(page, 1).get_by_role("combobox").first.select_option("Teacher")
    for depth, text in ((3, "3 plies deep"), (1, "1 ply deep")):
        card(page, 1).get_by_label(re.compile("^Strength")).select_option(f"teacher:depth={depth}")
        expect(card(page, 1)).to_contain_text(text)


def test_games_are_pasted_opened_from_a_file_and_left_and_found_again(
    page: Page, tmp_path: Path
) -> None:
    open_analysis(page, "greedy")
    text = page.get_by_label("A position (FEN) or games (PGN)")
    text.fill(GAMES)
    page.get_by_role("button", name="Show").click()
    games = page.get_by_label("2 games")
    expect(games).to_contain_text("1. Anna - <i>Ben</i> 1-0")
    expect(page.get_by_text("game 2 was left out")).to_contain_text("Ke5")
    for _ in range(7):
        page.get_by_role("button", name="One move on").click()
    expect(page.get_by_text("The game is over: White wins by checkmate.")).to_be_visible()
    expect(card(page, 1)).to_contain_text("Nothing is left to analyse.")
    page.get_by_role("list", name="Moves").get_by_role("button", name="Bc4").click()
    drag(page, "g8", "f6")
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves).to_have_count(8)  # the game, and a variation
    page.get_by_role("button", name="Back to the game").click()
    expect(page.get_by_role("button", name="Back to the game")).to_have_count(0)
    expect(moves.and_(page.locator("[aria-current]"))).to_have_text("Bc4")
    expect(moves).to_have_count(8)
    games.select_option("1")
    expect(page.get_by_role("list", name="Moves").get_by_role("button")).to_have_count(2)

    text.fill("1. e4 Ke5 *")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("alert")).to_contain_text("illegal move 'Ke5'")
    text.fill(PROMOTION)
    page.get_by_role("button", name="Show").click()
    expect_fen(page, "4k3/P7")
    drag(page, "a7", "a8")
    page.get_by_role("button", name="Knight").click()
    expect(page.get_by_role("list", name="Moves")).to_contain_text("a8=N")

    (tmp_path / "game.pgn").write_text(SCHOLAR)
    page.get_by_label("Open a PGN file").set_input_files(tmp_path / "game.pgn")
    expect(page.get_by_role("list", name="Moves")).to_contain_text("Qxf7#")


def test_a_wrong_position_in_the_link_is_said_and_a_board_is_there(page: Page) -> None:
    open_analysis(page, "random", fen="8/8/8/8/8/8/8/8 w - - 0 1")
    expect(page.get_by_role("alert")).to_contain_text("White has no king")
    expect_fen(page, "rnbqkbnr/pppppppp")


@pytest.fixture(scope="module")
def trained(lab: RunningLab) -> str:
    learner = LEARNERS["reinforce"]
    config = quick(learner, "games=20", "evaluation_games=2")
    train(learner, config, lab.runs / "scorer", Session(say=lambda _: None))
    return "scorer"


def test_a_trained_policy_on_a_phone(browser: Browser, lab: RunningLab, trained: str) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    problems = watch(page, lab)
    page.goto(lab.link)
    open_analysis(page)  # the trained one is asked without being named
    expect(card(page, 1).get_by_role("combobox").first).to_have_value(trained)
    card(page, 1).get_by_role("combobox", name="Strength").select_option(label="best move")
    expect(card(page, 1)).to_contain_text("Probability")
    expect(card(page, 1)).to_contain_text("%")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    at = board(page)
    at.tap(position=point(at, "d2"))
    at.tap(position=point(at, "d4"))
    expect(page.get_by_role("list", name="Moves")).to_contain_text("d4")
    context.close()
    assert problems == []


def test_a_search_shows_visits_and_chances(page: Page, lab: RunningLab) -> None:
    make_tree_run(lab.runs / "deep")
    open_analysis(page, "runs/deep:sims=50")
    opinion = card(page, 1)
    expect(opinion.get_by_text("Visits")).to_be_visible()
    expect(opinion.get_by_role("img", name=re.compile("White wins .* draw"))).to_be_visible()
    expect(opinion.get_by_text("51 positions searched")).to_be_visible()
    counts = [int(row.locator(".number").first.inner_text()) for row in rows(opinion)]
    assert counts == sorted(counts, reverse=True)
    assert 0 < sum(counts) <= 50


def test_a_net_that_is_told_no_rules_shows_how_far_it_knows_them(page: Page) -> None:
    open_analysis(page, "searchless-tiny")
    expect(card(page, 1).get_by_text(re.compile(r"Legal mass (\d\d|100) %:"))).to_be_visible()
    expect(board(page).locator(".cg-shapes line")).not_to_have_count(0)  # its likeliest moves


def rows(opinion: Locator) -> list[Locator]:
    """Of the moves, without their heading."""
    return opinion.locator(".bars li").all()[1:]


def test_variations_are_kept_and_shared_by_the_address(page: Page, lab: RunningLab) -> None:
    open_analysis(page, "greedy")
    for origin, to in (("e2", "e4"), ("e7", "e5")):
        drag(page, origin, to)
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves).to_have_count(2)
    page.keyboard.press("ArrowLeft")
    expect_fen(page, "rnbqkbnr/pppppppp/8/8/4P3")
    drag(page, "c7", "c5")
    drag(page, "g1", "f3")
    expect(moves).to_have_text(["e4", "e5", "c5", "Nf3"])
    expect(page.get_by_text("Sicilian Defence", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"moves=e2e4\+e7e5\+%28c7c5\+g1f3%29&at=4"))

    other = page.context.new_page()
    problems = watch(other, lab)
    other.goto(page.url)
    shared = other.get_by_role("list", name="Moves").get_by_role("button")
    expect(shared).to_have_text(["e4", "e5", "c5", "Nf3"])
    expect(shared.and_(other.locator("[aria-current]"))).to_have_text("Nf3")
    expect(other.get_by_role("combobox", name="Player 1")).to_have_value("Greedy")
    other.get_by_role("button", name="Make main line").click()
    expect(shared).to_have_text(["e4", "c5", "e5", "Nf3"])
    shared.filter(has_text="e5").click()
    other.get_by_role("button", name="Remove from here").click()
    expect(shared).to_have_text(["e4", "c5", "Nf3"])
    other.reload()
    expect(shared).to_have_text(["e4", "c5", "Nf3"])
    assert problems == []


def test_a_bad_link_says_which_move_is_wrong(page: Page) -> None:
    page.evaluate("location.hash = '#/analyse?player=random&moves=e2e4 e7e5 (c7c5 e1e3)'")
    expect(page.get_by_role("alert")).to_contain_text("move 4 of this link cannot be played")
    expect_fen(page, "rnbqkbnr/pppppppp")


def test_a_position_is_set_up_with_the_keyboard(page: Page) -> None:
    open_analysis(page, "greedy")
    page.get_by_role("button", name="Edit board").click()
    page.get_by_role("button", name="Clear").click()
    for piece, square in (("white king", "a1"), ("black king", "h8"), ("white queen", "d4")):
        page.get_by_role("radio", name=piece).press("Enter")
        page.get_by_role("button", name=f"{square}: empty").press("Enter")
    page.get_by_role("button", name="Use this position").click()
    expect(page.get_by_role("alert")).to_be_visible()  # Black is in check, and White to move
    page.get_by_role("radio", name="Black", exact=True).check()
    for castling in ("White short", "White long", "Black short", "Black long"):
        page.get_by_label(castling).uncheck()
    page.get_by_role("button", name="Use this position").click()
    expect_fen(page, "7k/8/8/8/3Q4/8/8/K7 b - -")


def test_every_player_that_judges_has_a_bar_and_several_lines(page: Page) -> None:
    open_analysis(page, "teacher:depth=2", "alphazero-tiny:sims=50")
    expect(card(page, 1).get_by_role("img", name=re.compile("White expects"))).to_be_visible()
    expect(card(page, 2).get_by_role("img", name=re.compile("White wins"))).to_be_visible()
    for number in (1, 2):
        lines = card(page, number).get_by_role("list", name="Lines").get_by_role("listitem")
        expect(lines).to_have_count(3)
    shares = [row.locator("i").get_attribute("style") or "" for row in rows(card(page, 2))]
    widths = [float(one.partition("width: ")[2].partition("%")[0]) for one in shares]
    assert 0 < sum(widths) <= 100.5
