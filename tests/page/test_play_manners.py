"""Playing as people do: with ratings, premoves, draws and sounds; then what went wrong."""

import re
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect

from page.board import PageBoard, downloaded, expect_moves, move_texts
from page.conftest import tab
from page.lab import RunningLab
from page.test_play import start
from selfmate.weights import model_names
from selfmate.weights.card import read_card

EQUAL = "r5k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"
LOST = "3qk3/8/8/8/8/8/8/K7 w - - 0 1"
FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"


def go(page: Page, view: str, **settings: str) -> None:
    page.evaluate("hash => location.hash = hash", f"#/{view}?{urlencode(settings)}")


def test_a_rating_is_chosen_with_a_slider_and_named_in_the_game(page: Page) -> None:
    slider = page.get_by_role("slider", name="Rating")
    slider.fill("1200")
    expect(page.get_by_text("Rated about 1200:")).to_be_visible()
    slider.press("ArrowRight")
    expect(page.get_by_text("Rated about 1225:")).to_be_visible()
    slider.press("ArrowLeft")
    board = start(page)
    expect(page.get_by_text("plays like 1200")).to_be_visible()
    board.click("e2", "e4")
    expect_moves(page, 2)
    _, game = downloaded(page)
    assert game.headers["Black"].startswith("alphazero-tiny:")
    page.get_by_role("button", name="New game").click()
    expect(slider).to_have_value("1200")


def test_openings_captures_and_material_are_shown(page: Page) -> None:
    go(page, "play", player="random", moves="e2e4 d7d5 e4d5 d8d5")
    expect(page.get_by_text("Scandinavian Defence", exact=True)).to_be_visible()
    expect(page.get_by_role("img", name="1 pawn", exact=True)).to_have_count(2)
    page.get_by_role("button", name="exd5").click()
    expect(page.get_by_role("img", name="1 pawn, ahead by 1")).to_be_visible()


def test_a_premove_is_made_when_it_is_legal(page: Page) -> None:
    go(page, "play", player="alphazero-tiny:sims=6000", moves="e2e4 e7e5")
    expect_moves(page, 2)
    board = PageBoard(page)
    board.click("g1", "f3")
    board.click("d2", "d4")
    waiting = page.locator("square.current-premove")
    expect(waiting).to_have_count(2)
    expect(waiting.first).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")  # it is seen
    expect_moves(page, 6)
    assert move_texts(page)[4] == "d4"


def test_draws_are_offered_and_answered(page: Page) -> None:
    board = start(page, player="Teacher", fen=LOST)
    page.get_by_role("button", name="Offer draw").click()
    expect(page.get_by_role("button", name="Draw declined")).to_be_disabled()
    board.click("a1", "b1")
    expect(page.get_by_role("button", name="Offer draw")).to_be_enabled()
    page.get_by_role("button", name="New game").click()
    start(page, player="Teacher", side="Black", fen=EQUAL)
    page.get_by_role("button", name="Offer draw").click()
    expect(page.get_by_text("Draw by agreement.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Draw by agreement.")).to_be_visible()


def test_sounds_are_off_until_they_are_switched_on(page: Page) -> None:
    page.evaluate(
        """() => { const start = OscillatorNode.prototype.start; window.notes = 0;
        OscillatorNode.prototype.start = function(...at) {
            window.notes++; start.apply(this, at); } }"""
    )
    board = start(page, player="Random")
    board.click("e2", "e4")
    expect_moves(page, 2)
    assert page.evaluate("notes") == 0
    page.get_by_label("Sounds").check()
    assert page.evaluate("notes") == 1
    board.click("d2", "d4")
    expect_moves(page, 4)
    page.wait_for_function("() => notes >= 3")


def test_a_phone_shows_the_whole_name_of_the_opponent(browser: Browser, lab: RunningLab) -> None:
    with tab(browser, lab, viewport={"width": 390, "height": 844}, has_touch=True) as page:
        go(page, "play", player="alphazero-tiny:elo=1200", moves="e2e4 d7d5 e4d5 d8d5")
        name = page.locator(".strip b").first
        expect(name).to_have_text("alphazero-tiny")
        assert name.evaluate("one => one.scrollWidth <= one.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_lost_game_is_reviewed_and_its_blunder_tried_again(page: Page) -> None:
    go(page, "play", player="teacher:depth=2", moves="f2f3 e7e5 g2g4", side="white")
    expect(page.get_by_text("You lost by checkmate.")).to_be_visible()
    page.get_by_role("link", name="Review").click()
    expect(page.get_by_text(re.compile(r"^Evaluated by "))).to_be_visible()
    expect(page.get_by_role("columnheader", name="White (you)")).to_be_visible()
    page.get_by_role("button", name="Your next mistake").click()
    page.keyboard.press("ArrowRight")
    while "g4" not in page.locator(".verdict.card b").first.inner_text():
        page.get_by_role("button", name="Next mistake").click()
    expect(page.get_by_text("is a blunder: it loses")).to_be_visible()
    expect(page.get_by_text("Best was")).to_be_visible()
    expect(page.locator(".points .mark.blunder")).to_have_count(1)
    expect(page.get_by_role("button", name="g4 blunder")).to_be_visible()
    page.get_by_role("link", name="Try again from here").click()
    expect(page.get_by_text("Barnes Opening")).to_be_visible()
    expect_moves(page, 2)
    board = PageBoard(page)
    board.click("e2", "e4")
    expect_moves(page, 4)
    assert move_texts(page)[:3] == ["f3", "e5", "e4"]


def test_next_mistake_leads_to_the_own_ones(page: Page) -> None:
    """White allows mate in one, and Black does not see it."""
    for side, own in (("white", "g4"), ("black", "a6")):
        go(page, "review", moves="f2f3 e7e5 g2g4 a7a6", side=side)
        expect(page.get_by_role("columnheader", name=f"{side.capitalize()} (you)")).to_be_visible()
        expect(page.get_by_text(re.compile(r"^Evaluated by "))).to_be_visible()
        shown = page.locator(".verdict.card b").first
        for _ in range(2):  # White's first move may be marked as well
            page.get_by_role("button", name="Your next mistake").click()
            if shown.inner_text() == own:
                break
        expect(shown).to_have_text(own)


def test_moves_that_a_search_never_tried_are_not_shown(page: Page) -> None:
    go(page, "play", player="alphazero-tiny:sims=1", moves="e2e4 e7e5 g1f3")
    expect_moves(page, 4)
    page.get_by_label("Show its analysis").check()
    rows = page.get_by_role("table", name=re.compile("^Moves that")).get_by_role("row")
    expect(rows).to_have_count(1)
    expect(page.locator(".cg-shapes line")).to_have_count(1)


def test_players_are_offered_in_groups_the_strongest_net_first(page: Page) -> None:
    against = page.get_by_label("Against")
    nets = against.locator("optgroup[label='Nets that ship'] option")
    best = {name: max(one.elo for one in read_card(name).ratings) for name in model_names()}
    strongest = sorted(best, key=lambda name: -best[name])
    assert nets.evaluate_all("all => all.map(one => one.value)") == strongest
    expect(page.get_by_text(read_card(strongest[0]).about)).to_be_visible()
    others = against.locator("optgroup[label='Other players'] option")
    expect(others.filter(has_text="Random")).to_have_count(1)


def test_a_review_by_keyboard_and_from_a_bad_link(page: Page) -> None:
    go(page, "review", moves=FOOLS_MATE)
    expect(page.get_by_role("table", name="Both sides")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".verdict.card b").first).to_have_text("g4")
    page.locator("svg.points").click(position={"x": 2, "y": 20})
    expect(page.get_by_text("Step through the game")).to_be_visible()
