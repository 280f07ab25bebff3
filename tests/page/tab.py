"""Selfmate in a tab as a user meets it, served as static files."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from page.conftest import tab
from page.lab import RunningLab, running_lab
from selfmate.lab.static_site import site_folder

LEARNED = "learned"


@contextmanager
def running_site(folder: Path) -> Iterator[RunningLab]:
    """Skips the test where Emscripten or Node.js was missing."""
    try:
        site = site_folder()
    except ValueError as missing:
        pytest.skip(str(missing))
    with running_lab(folder, "--static", str(site)) as server:
        yield server


@contextmanager
def opened(browser: Browser, server: RunningLab, **options: object) -> Iterator[Page]:
    """A tab of a browser that has never been here; what goes wrong in it fails the test."""
    with tab(browser, server, viewport={"width": 1280, "height": 900}, **options) as page:
        expect(page.get_by_role("button", name="Train 50 games")).to_be_visible()
        page.on("dialog", lambda dialog: dialog.accept())
        yield page


def train(page: Page, games: int) -> None:
    """And wait until they are played, learned from and measured."""
    played = games_played(page)
    page.get_by_label("Games per Train").fill(str(games))
    page.get_by_role("button", name=f"Train {games:,} games").click()
    status = page.get_by_role("region", name="Training").get_by_role("status")
    expect(status.filter(has_text=f"{played + games:,} games played")).to_be_visible()
    expect(page.locator("h1 .state")).to_have_text("finished")


def games_played(page: Page) -> int:
    text = page.locator(".facts").inner_text()
    return 0 if "not trained" in text else int(text.split(" games")[0].replace(",", ""))


def tile(page: Page, title: str) -> str:
    """The value in a tile, without its unit."""
    found = page.locator(".tile").filter(has=page.get_by_text(title, exact=True))
    return found.locator("b").inner_text().split()[0]


def memory_megabytes(page: Page) -> float:
    return float(page.locator(".memory b").inner_text().split()[0])


ASK_WORKER = """async ([verb, body]) => {
  const worker = new Worker("worker.js");
  const ask = (verb, body) => new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if ("error" in data) reject(new Error(data.error));
      else if (data.id === verb) resolve(data.answer);
    };
    worker.postMessage({ id: verb, verb, body });
  });
  const moved = () => new Promise((resolve) => worker.addEventListener("message", ({ data }) => {
    if (data.about === "game" && data.game?.moves.length > 0) resolve(data.game);
  }));
  await ask("start", {});
  const game = verb === "newGame" ? moved() : null;
  const answer = await ask(verb, body);
  const found = game === null ? answer : await game;
  worker.terminate();
  return JSON.stringify(found);
}"""


def ask_worker(page: Page, verb: str, body: dict[str, Any]) -> Any:
    """What a second worker of this page says, which has nothing but what is stored in the browser.
    To `newGame` it answers with the game after its first move."""
    return json.loads(page.evaluate(ASK_WORKER, [verb, body]))


def probabilities(page: Page, fen: str, player: str = LEARNED) -> dict[str, float]:
    """Of the likeliest moves of White, by the net that is stored in the browser."""
    choice = {"player": player, "side": "black", "opponent": None, "fen": fen, "clock": None}
    game = ask_worker(page, "newGame", {"choice": choice})
    considered = game["moves"][0]["analysis"]["considered"]
    return {one["move"]: one["share"] for one in considered}
