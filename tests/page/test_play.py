"""Playing in a real browser, as people do: by mouse, by keyboard, on a phone, or only watching."""

import re
import shutil
from math import floor
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from page.board import PageBoard, downloaded, expect_moves, move_texts
from page.conftest import tab, watch
from page.lab import RunningLab, running_lab
from selfmate.arena.rating import SCALE
from selfmate.runs import Checkpoints
from selfmate.weights.card import read_card
from unit.players.trained_runs import make_run

TWO_ROOKS = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"  # Ra7 Kg8 Rb8 mate: Black has no choice
ONE_WAY_TO_MATE = "7k/1R6/8/8/8/8/8/R5K1 b - - 0 1"  # Kg8 Ra8 mate
PAWN_ARRIVES = "8/4P3/8/8/8/k7/7P/K7 w - - 0 1"


def start(
    page: Page, *, player: str | None = None, side: str = "White", fen: str = ""
) -> PageBoard:
    page.get_by_role("radio", name=side).check()
    if player is not None:
        page.get_by_label("Against").select_option(player)
    if fen:
        page.get_by_text("Start from another position").click()
        page.get_by_label("Position as FEN").fill(fen)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()
    return PageBoard(page, from_black=side == "Black")


def test_a_whole_game_with_the_mouse_ends_as_pgn(page: Page) -> None:
    board = start(page, player="Teacher", fen=TWO_ROOKS)
    board.drag("a2", "a7")
    expect_moves(page, 2)
    board.click("b1", "b8")
    expect(page.get_by_role("status").filter(has_text="You won by checkmate.")).to_be_visible()
    assert move_texts(page) == ["Ra7", "Kg8", "Rb8#"]
    name, game = downloaded(page)
    assert re.fullmatch(r"selfmate-\d{4}-\d\d-\d\d-teacher-depth-1\.pgn", name)
    assert game.end().board().is_checkmate()
    assert [move.uci() for move in game.mainline_moves()] == ["a2a7", "h8g8", "b1b8"]
    assert game.headers["FEN"] == TWO_ROOKS
    assert (game.headers["White"], game.headers["Black"]) == ("Human", "teacher:depth=1")
    assert game.headers["Result"] == "1-0"
    page.get_by_role("button", name="Rematch").click()
    expect(page.get_by_text("No moves yet.")).to_be_visible()


def test_the_strongest_net_that_ships_is_chosen_first_with_its_rating(
    browser: Browser, tmp_path: Path
) -> None:
    make_run(tmp_path / "runs" / "fresh")
    for step in (1, 2, 3):
        shutil.rmtree(Checkpoints(tmp_path / "runs" / "fresh").path(step))
    strongest = max(rating.elo for rating in read_card("alphazero-tiny").ratings)
    with running_lab(tmp_path) as lab, tab(browser, lab) as page:
        against = page.get_by_label("Against")
        expect(against).to_have_value("alphazero-tiny")
        expect(page.get_by_text(f"Rated about {floor(strongest + 0.5)}: {SCALE}.")).to_be_visible()
        expect(against.get_by_text("fresh (not trained yet, dqn)")).to_have_count(1)
        against.select_option("fresh")
        expect(page.get_by_text("Not trained yet:")).to_be_visible()
        against.select_option("Greedy")
        expect(page.get_by_text("Not rated yet.")).to_be_visible()


def test_a_board_that_was_pushed_down_knows_where_it_is(page: Page) -> None:
    board = start(page, fen=TWO_ROOKS)
    page.locator("main").evaluate("main => main.style.marginTop = '90px'")
    board.drag("a2", "a7")
    expect_moves(page, 2)


def test_a_game_from_the_start_with_second_thoughts(page: Page) -> None:
    board = start(page, player="Teacher")
    board.drag("e2", "e5")  # goes back, and nobody complains
    board.wait_for("P", "e2")
    expect(page.get_by_role("alert")).to_have_count(0)
    board.click("e2", "e4")
    expect_moves(page, 2)
    page.get_by_label("Show its analysis").check()
    expect(page.get_by_role("table", name="Moves that Teacher considered")).to_be_visible()
    expect(page.locator(".cg-shapes line")).to_have_count(5)
    board.drag("g1", "f3")
    expect_moves(page, 4)
    first = move_texts(page)

    page.keyboard.press("Home")
    board.wait_for("P", "e2")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="e4", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    page.get_by_role("button", name=first[-1], exact=True).click()

    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("status").filter(has_text="would play")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect_moves(page, 2)
    assert move_texts(page) == first[:2]

    page.get_by_role("button", name="Flip").click()
    board.from_black = True
    board.click("d2", "d4")
    expect_moves(page, 4)
    assert move_texts(page)[2] == "d4"
    page.reload()
    expect_moves(page, 4)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Play on").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.get_by_role("status").filter(has_text="You resigned.")).to_be_visible()
    page.get_by_role("button", name="Play black").click()
    expect_moves(page, 1)


def test_a_pawn_becomes_what_is_chosen(page: Page) -> None:
    board = start(page, player="Random", fen=PAWN_ARRIVES)
    board.click("e7", "e8")
    expect(page.get_by_role("dialog", name="Promote to")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    board.wait_for("P", "e7")
    board.drag("e7", "e8")
    page.get_by_role("button", name="Knight").click()
    expect_moves(page, 2)
    assert move_texts(page)[0] == "e8=N"
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("No moves yet.")).to_be_visible()
    board.click("e7", "e8")
    expect(page.get_by_role("button", name="Queen")).to_be_focused()
    page.keyboard.press("r")
    expect_moves(page, 2)
    assert move_texts(page)[0] == "e8=R"


def test_a_game_with_the_keyboard_alone(page: Page) -> None:
    def reach(focused: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.locator(":focus").and_(page.locator(focused)).count():
                return
        raise AssertionError(f"no way to {focused} by Tab")

    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    reach("details:not(.by-settings) > summary")
    page.keyboard.press("Enter")
    reach("details:not(.by-settings) input")
    page.keyboard.type(TWO_ROOKS)
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()
    reach(".typed input")
    page.keyboard.type("Qh5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Qh5 is not possible here.")).to_be_visible()
    for key in ("Control+a", "Delete"):
        page.keyboard.press(key)
    page.keyboard.type("Ra7")
    page.keyboard.press("Enter")
    expect_moves(page, 2)
    page.keyboard.type("rb8")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="You won by checkmate.")).to_be_visible()


def test_a_phone_shows_all_of_it(browser: Browser, lab: RunningLab) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    problems = watch(page, lab)
    page.goto(lab.link)
    board = start(page, player="Random", side="Black")
    expect_moves(page, 1)
    page.evaluate("scrollTo(0, 0)")
    box = page.locator("main cg-board").bounding_box()
    assert box is not None
    assert box["width"] >= 340
    assert box["y"] + box["height"] <= 844
    page.touchscreen.tap(*board.point("e7"))
    page.touchscreen.tap(*board.point("e5"))
    expect_moves(page, 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
    assert problems == []


def test_players_are_watched_move_by_move(page: Page) -> None:
    page.get_by_role("radio", name="Just watch").check()
    page.get_by_role("combobox", name="White").select_option("Teacher")
    page.get_by_role("combobox", name="Black").select_option("Random")
    page.get_by_role("button", name="Watch", exact=True).click()
    page.get_by_role("button", name="Pause").click()
    paused = len(move_texts(page))
    page.get_by_role("button", name="Step").click()
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves.nth(paused)).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(moves.nth(paused + 1)).to_be_visible()

    page.get_by_role("button", name="New game").click()
    page.get_by_text("Start from another position").click()
    page.get_by_label("Position as FEN").fill(ONE_WAY_TO_MATE)
    page.get_by_role("button", name="Watch", exact=True).click()
    expect(page.get_by_role("button", name="Watch another")).to_be_visible()
    _, game = downloaded(page)
    assert (game.headers["White"], game.headers["Black"]) == ("teacher:depth=1", "random")
    assert [move.uci() for move in game.mainline_moves()] == ["h8g8", "a1a8"]
    assert game.headers["Result"] == "1-0"


def test_a_link_opens_a_game_and_a_restarted_lab_resumes_it(
    browser: Browser, tmp_path: Path
) -> None:
    page = browser.new_context(reduced_motion="reduce").new_page()
    with running_lab(tmp_path) as lab:
        page.goto(lab.link)
        page.goto(f"{lab.address}/#/play?player=greedy")
        expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()
        board = PageBoard(page)
        board.click("e2", "e4")
        expect_moves(page, 2)
        before = move_texts(page)
    with running_lab(tmp_path, "--port", str(lab.port)):
        expect(page.get_by_text("Looking for the lab")).to_have_count(0)
        board.click("d2", "d4")
        expect_moves(page, 4)
        assert move_texts(page)[:3] == [*before, "d4"]
    page.context.close()
