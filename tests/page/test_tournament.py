"""A tournament of four with its cross table; the lab is stopped and started in between."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from page.conftest import tab
from page.lab import require_page, running_lab


def rows(page: Page) -> list[str]:
    return page.get_by_role("table", name="Cross table").locator("tbody tr").all_inner_texts()


def test_four_players_meet_though_the_lab_is_restarted(browser: Browser, tmp_path: Path) -> None:
    require_page()
    with running_lab(tmp_path) as lab, tab(browser, lab) as page:
        page.get_by_role("link", name="Match", exact=True).click()
        page.get_by_text("New tournament: everybody against everybody").click()
        page.get_by_label("Games of each pair").fill("2")
        page.get_by_role("button", name="Start the tournament").click()
        expect(page.get_by_role("heading", name="tournament-1")).to_be_visible()
        expect(page.get_by_text("Playing now:")).to_be_visible()
        expect(page.get_by_role("status").filter(has_text=re.compile("^[1-9]"))).to_be_visible()
    with (
        running_lab(tmp_path) as lab,
        tab(browser, lab, viewport={"width": 390, "height": 844}) as page,
    ):
        page.get_by_role("link", name="Match", exact=True).click()
        page.get_by_role("link", name="tournament-1").click()
        expect(page.get_by_text("12 of 12 games")).to_be_visible()
        expect(page.locator("h1 .state")).to_have_text("finished")
        table = rows(page)
        assert len(table) == 4
        assert all(row.split()[-1] == "6" for row in table)  # games of each
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator(".cross a").first.click()
        games = page.locator(".game-rows button")
        expect(games).to_have_count(2)
        games.first.click()
        expect(page.get_by_role("button", name="One move back")).to_be_visible()
