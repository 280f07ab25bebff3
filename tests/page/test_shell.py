"""The page before any view does something: it opens, hides its key, and says when it is alone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from page.lab import RunningLab, require_page, running_lab
from selfmate.lab.app import page_folder
from unit.players.trained_runs import make_run

MAX_SCRIPT_BYTES = 300_000
MARKUP = "<img src=x onerror=alert(1)>"


def test_the_link_opens_the_page_and_the_token_disappears(page: Page, lab: RunningLab) -> None:
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()
    assert "token" not in page.url
    cookie = page.context.cookies()[0]
    assert cookie.get("httpOnly")
    assert cookie.get("sameSite") == "Strict"


def test_the_script_stays_small() -> None:
    require_page()
    assert (page_folder() / "page.js").stat().st_size < MAX_SCRIPT_BYTES


def test_markup_in_names_is_shown_as_text_in_every_view(page: Page, lab: RunningLab) -> None:
    make_run(lab.runs / MARKUP)  # it plays, so every view can ask it
    page.on("dialog", lambda dialog: dialog.accept())
    views = page.get_by_role("navigation", name="Views").get_by_role("link")
    for number in range(views.count()):
        views.nth(number).click()
        page.reload()
        expect(views.nth(number)).to_have_attribute("aria-current", "page")
        expect(page.locator("main")).not_to_be_empty()
        expect(page.locator("img[src=x]")).to_have_count(0)
    views.first.click()
    expect(page.locator("body")).to_contain_text(MARKUP, timeout=30_000)
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_a_page_with_an_old_key_says_so_and_reconnects_with_the_new_one(
    browser: Browser, tmp_path: Path
) -> None:
    context = browser.new_context()
    page = context.new_page()
    with running_lab(tmp_path) as lab:
        page.goto(f"{lab.link}#/train")
        expect(page).to_have_title("Train \N{EN DASH} Selfmate")
    expect(page.get_by_text("Looking for the lab")).to_be_visible()
    with running_lab(tmp_path, "--port", str(lab.port), "--new-token") as newer:
        expect(page.get_by_text("The lab has a new key")).to_be_visible()
        context.new_page().goto(newer.link)
        expect(page.get_by_text("The lab has a new key")).to_have_count(0)
    context.close()


@pytest.mark.parametrize(
    ("view", "shown"),
    [("review?moves=f2f3", "Both sides"), ("puzzles?number=1", "Streak"), ("analyse", "Analyses")],
)
def test_a_view_that_lost_its_server_recovers_by_itself(
    browser: Browser, tmp_path: Path, view: str, shown: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    with running_lab(tmp_path) as lab:
        page.goto(lab.link)
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.get_by_text("Looking for the lab")).to_be_visible()
    page.evaluate("hash => location.hash = hash", f"#/{view}")
    with running_lab(tmp_path, "--port", str(lab.port)):
        expect(page.get_by_text("Looking for the lab")).to_have_count(0)
        target = page.get_by_role("table", name=shown).or_(page.get_by_text(shown, exact=True))
        expect(target.first).to_be_visible()
    context.close()


def test_without_the_link_the_page_says_where_it_is(browser: Browser, lab: RunningLab) -> None:
    page = browser.new_page()
    page.goto(lab.address)
    expect(page.get_by_role("heading", name="The lab is locked")).to_be_visible()
    page.goto(lab.link)
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()
    page.goto(lab.address)
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()
    page.close()


@pytest.mark.parametrize(
    "view",
    ["play?player=random", "analyse?player=random", "puzzles?number=5", "review?moves=f2f3"],
)
def test_the_first_rank_is_at_the_bottom_of_a_board_seen_from_white(page: Page, view: str) -> None:
    page.evaluate("hash => location.hash = hash", f"#/{view}")
    expect(page.locator("main cg-board piece").first).to_be_visible()
    labels = page.locator("main coords.side coord")
    expect(labels).to_have_count(8)
    box = page.locator("main cg-board").bounding_box()
    assert box is not None
    for label in labels.all():
        at = label.bounding_box()
        assert at is not None
        row = round((at["y"] - box["y"]) / (box["height"] / 8))
        assert label.inner_text() == str(8 - row)
