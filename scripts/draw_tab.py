"""Draws docs/pictures/tab.png: Selfmate in a tab after three thousand games. Run by `make docs`."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import expect, sync_playwright

from selfmate.lab.static_site import site_folder
from selfmate_benchmarks.lab import running_lab

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "tab.png"
GAMES = 3000
PATIENCE_MS = 600_000


def main() -> None:
    with (
        TemporaryDirectory() as folder,
        running_lab(Path(folder), "--static", str(site_folder())) as link,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = chromium.new_page(viewport={"width": 1280, "height": 1330})
        page.goto(link)
        page.get_by_text("More settings").click()
        page.get_by_label("Preset").select_option("sparring")
        page.get_by_label("Learning rate").fill("0.003")
        page.get_by_text("More settings").click()
        page.get_by_label("Games per Train").fill(str(GAMES))
        page.get_by_role("button", name=f"Train {GAMES:,} games").click()
        expect(page.locator("h1 .state")).to_have_text("finished", timeout=PATIENCE_MS)
        to_the_end = page.get_by_role("button", name="To the end", exact=True)
        if to_the_end.is_enabled():
            to_the_end.click()
        page.mouse.move(0, 0)
        page.wait_for_timeout(1000)  # until animations have ended
        page.screenshot(path=PICTURE)
        chromium.close()


if __name__ == "__main__":
    main()
