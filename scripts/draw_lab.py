"""Draws docs/pictures/lab-*.png: the lab with newly trained runs. Run by `make docs`."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Page, expect, sync_playwright

from selfmate_benchmarks.lab import SELFMATE, running_lab

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
TRAININGS = (
    ("reinforce", "--preset", "sparring", "--run", "runs/first-steps", "--pause-after", "8000"),
    ("ddqn", "--run", "runs/mini"),
)
OPENING = ("e4", "Nf3", "Bc4")
ITALIAN = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5"
NETS = ("searchless-tiny", "alphazero-tiny:sims=200")


def main() -> None:
    """Trains, opens the lab in Chromium, and takes a screenshot of each view."""
    with TemporaryDirectory() as folder:
        for training in TRAININGS:
            subprocess.run([*SELFMATE, "train", *training], cwd=folder, check=True)
        with running_lab(Path(folder)) as link, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = chromium.new_page(viewport={"width": 1280, "height": 900})
            expect.set_options(timeout=60_000)
            page.goto(link)
            draw_train(page)
            draw_play(page)
            draw_endgame(page)
            draw_analyse(page)
            chromium.close()


def draw_train(page: Page) -> None:
    page.evaluate("location.hash = '#/train?run=first-steps'")
    expect(page.get_by_role("radio", name="ddqn", exact=True)).to_be_visible()
    expect(page.locator(".charts canvas")).not_to_have_count(0)
    page.get_by_role("button", name="To the end", exact=True).click()
    page.set_viewport_size({"width": 1280, "height": 1120})  # tall enough for the curves
    draw(page, "train")
    page.set_viewport_size({"width": 1280, "height": 900})


def draw_play(page: Page) -> None:
    page.evaluate("location.hash = '#/play?player=runs/first-steps'")
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    for number, move in enumerate(OPENING, start=1):
        page.get_by_label("Type a move").fill(move)
        page.keyboard.press("Enter")
        expect(moves).to_have_count(2 * number)
    page.get_by_label("Show its analysis").check()
    draw(page, "play")


def draw_endgame(page: Page) -> None:
    page.evaluate("location.hash = '#/endgame?run=mini'")
    expect(page.get_by_text("It would play")).to_be_visible()
    draw(page, "endgame")


def draw_analyse(page: Page) -> None:
    """Two shipped nets side by side: one without search, one with."""
    query = urlencode([("fen", ITALIAN), *(("player", player) for player in NETS)])
    page.evaluate("hash => location.hash = hash", f"#/analyse?{query}")
    expect(page.get_by_text("Legal mass")).to_be_visible()
    expect(page.get_by_text("positions searched")).to_be_visible()
    draw(page, "analyse")


def draw(page: Page, view: str) -> None:
    page.mouse.move(0, 0)
    page.wait_for_timeout(1000)  # until animations have ended
    page.screenshot(path=PICTURES / f"lab-{view}.png")


if __name__ == "__main__":
    main()
