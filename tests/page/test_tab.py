"""Selfmate in a tab: it learns, plays, remembers, and needs no server once it is loaded."""

import os
import signal
from pathlib import Path
from urllib.parse import urlsplit

import chess
import pytest
from playwright.sync_api import Browser, Page, expect

from page.board import PageBoard, downloaded, expect_moves, move_texts
from page.lab import RunningLab
from page.tab import ask_worker, games_played, memory_megabytes, opened, running_site, tile, train
from selfmate.lab.static_site import site_folder

TWO_ROOKS = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"  # Ra7 Kg8 Rb8 mate: Black has no choice
PAWN_ARRIVES = "8/4P3/8/8/8/k7/7P/K7 w - - 0 1"
MAX_LOADED_BYTES = 1_500_000
MANY_GAMES = int(os.environ.get("SELFMATE_TAB_GAMES", "1000"))  # 10,000 in `make slow`
MINUTES = int(os.environ.get("SELFMATE_TAB_MINUTES", "0"))  # 5 in `make slow`
PERFT_5 = 4_865_609


@pytest.fixture
def page(tab_page: Page) -> Page:
    return tab_page


def play(page: Page, fen: str, player: str | None = None) -> PageBoard:
    page.get_by_role("link", name="Play", exact=True).click()
    if player is not None:
        page.get_by_label("Against").select_option(player)
    page.get_by_text("Start from another position").click()
    page.get_by_label("Position as FEN").fill(fen)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()
    return PageBoard(page)


def test_it_trains_plays_and_is_all_there_after_a_reload(page: Page) -> None:
    page.get_by_label("Learning rate").fill("0.01")  # ten times the usual: much is learned soon
    page.get_by_role("switch", name="Look-ahead").check()
    train(page, 50)
    results = page.locator(".results .bar").get_attribute("aria-label")
    kl, entropy = float(tile(page, "KL from untrained")), float(tile(page, "Entropy"))
    train(page, 500)
    assert page.locator(".results .bar").get_attribute("aria-label") != results
    assert float(tile(page, "KL from untrained")) > max(kl, 0.1)
    assert float(tile(page, "Entropy")) < entropy
    assert float(tile(page, "Entropy")) < float(tile(page, "Uniform entropy")) - 0.1
    assert tile(page, "Score vs random").isdigit()
    expect(page.get_by_role("img", name="KL from untrained, nats")).to_be_visible()
    expect(page.get_by_role("img", name="Position after")).to_be_visible()

    board = play(page, TWO_ROOKS)
    board.drag("a2", "a7")
    expect_moves(page, 2)
    board.click("b1", "b8")
    expect(page.get_by_role("status").filter(has_text="You won by checkmate.")).to_be_visible()
    name, game = downloaded(page)
    assert name.startswith("selfmate-")
    assert game.end().board().is_checkmate()
    assert game.headers["FEN"] == TWO_ROOKS
    assert game.headers["Result"] == "1-0"

    page.reload()
    expect_moves(page, 3)
    assert move_texts(page) == ["Ra7", "Kg8", "Rb8#"]
    page.get_by_role("link", name="Train", exact=True).click()
    expect(page.locator("h1 .state")).to_have_text("finished")
    assert games_played(page) == 550
    expect(page.get_by_label("Games per Train")).to_have_value("500")
    expect(page.get_by_role("img", name="KL from untrained, nats")).to_be_visible()


def test_little_is_loaded_and_then_the_server_may_go(browser: Browser, tmp_path: Path) -> None:
    asked: list[str] = []
    with running_site(tmp_path) as site, opened(browser, site) as page:
        page.on("request", lambda request: asked.append(urlsplit(request.url).path[1:]))
        page.reload()
        expect(page.get_by_role("button", name="Train 50 games")).to_be_visible()
        files = {name or "index.html" for name in asked} | {"core.wasm", "worker.js"}
        assert {"index.html", "tab.js", "tab.css"} <= files
        assert not any("nets" in name for name in files)
        sizes = {name: (site_folder() / name).stat().st_size for name in files}
        assert sum(sizes.values()) < MAX_LOADED_BYTES

        site.process.send_signal(signal.SIGTERM)
        site.process.wait()
        train(page, 10)
        board = play(page, TWO_ROOKS)
        board.drag("a2", "a7")
        expect_moves(page, 2)
        assert move_texts(page)[0] == "Ra7"


def test_training_pauses_resumes_and_begins_anew(page: Page) -> None:
    page.get_by_role("button", name="Train until paused").click()
    expect(page.locator(".facts")).to_contain_text("games played")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.locator("h1 .state")).to_have_text("paused")
    page.get_by_label("Learning rate").fill("0.01")
    page.get_by_role("switch", name="Look-ahead").check()
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("h1 .state")).to_have_text("running")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("switch", name="Value head").check()
    expect(page.get_by_text("needs another net")).to_be_visible()
    page.get_by_role("button", name="Reset").click()
    expect(page.locator(".facts")).to_contain_text("not trained yet")
    expect(page.get_by_text("needs another net")).to_have_count(0)
    expect(page.get_by_role("switch", name="Look-ahead")).to_be_checked()
    page.get_by_label("Encoding").select_option("piece counts")  # nothing is lost: no need to ask
    train(page, 10)
    expect(page.get_by_text("--set encoding=counts --set baseline=value_head")).to_be_visible()


def test_memory_is_flat_over_many_games(page: Page) -> None:
    page.get_by_label("Ply limit").fill("60")  # as many games, in a third of the time
    train(page, 400)
    before = memory_megabytes(page)
    for _ in range((MANY_GAMES - 400) // 600):
        train(page, 600)
    assert memory_megabytes(page) <= before + 0.5


@pytest.mark.skipif(MINUTES == 0, reason="takes five minutes: `make slow`")
def test_five_minutes_are_enough_against_random_moves(page: Page) -> None:
    page.get_by_text("More settings").click()
    page.get_by_label("Preset").select_option("sparring")
    page.get_by_role("button", name="Train until paused").click()
    trained = f"trained for {MINUTES} min"
    expect(page.locator(".facts")).to_contain_text(trained, timeout=3 * 60_000 * MINUTES)
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Measure against random").click()
    expect(page.locator(".facts")).to_contain_text("playing against random")
    expect(page.locator(".facts")).not_to_contain_text("playing against random")
    assert int(tile(page, "Score vs random")) >= 60
    assert int(tile(page, "Lost vs random")) <= 4  # of 200


def test_its_rules_are_right(page: Page) -> None:
    page.get_by_role("button", name="Check the rules").click()
    expect(page.get_by_text(f"{PERFT_5:,} positions after 5 plies, in")).to_be_visible()
    assert ask_worker(page, "perft", {"depth": 5})["nodes"] == PERFT_5


@pytest.mark.parametrize("player", ["alphazero-tiny", "searchless-tiny"])
def test_nets_that_ship_play_from_the_browser(page: Page, player: str) -> None:
    board = play(page, chess.STARTING_FEN, player)
    board.click("e2", "e4")
    expect_moves(page, 2)
    page.get_by_label("Show its analysis").check()
    considered = page.get_by_role("table", name=f"Moves that {player} considered").get_by_role(
        "row"
    )
    expect(considered.first).to_be_visible()
    shown = considered.count()  # a search may have spent all its visits on one move
    assert shown == 5 or (player == "alphazero-tiny" and 1 <= shown < 5)
    expect(page.locator(".cg-shapes line")).to_have_count(shown)
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("status").filter(has_text="would play")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("No moves yet.")).to_be_visible()


def test_a_game_by_keyboard_with_a_promotion(page: Page) -> None:
    play(page, PAWN_ARRIVES, "Random")
    page.get_by_label("Type a move").fill("e8=N")
    page.keyboard.press("Enter")
    expect_moves(page, 2)
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("No moves yet.")).to_be_visible()
    page.get_by_role("button", name="Flip").click()
    PageBoard(page, from_black=True).click("e7", "e8")
    expect(page.get_by_role("button", name="Queen")).to_be_focused()
    page.keyboard.press("r")
    expect_moves(page, 2)
    assert move_texts(page)[0] == "e8=R"
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    page.reload()
    expect(page.get_by_role("status").filter(has_text="You resigned.")).to_be_visible()


def test_a_game_by_touch_while_it_trains(browser: Browser, site: RunningLab) -> None:
    phone = {"width": 390, "height": 844}
    with opened(browser, site, has_touch=True, is_mobile=True) as page:
        page.set_viewport_size(phone)  # type: ignore[arg-type]
        page.get_by_role("button", name="Train until paused").tap()
        page.get_by_role("link", name="Play", exact=True).tap()
        page.get_by_role("button", name="Play", exact=True).tap()
        expect(page.get_by_text("No moves yet.")).to_be_visible()
        board = PageBoard(page)
        for square in ("e2", "e4"):
            x, y = board.place(square)
            page.locator("main cg-board").tap(position={"x": x, "y": y})
        expect_moves(page, 2)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= phone["width"]
