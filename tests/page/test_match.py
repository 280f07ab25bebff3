"""Matches and the ladder as a user meets them, in a real browser."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pytest
from playwright.sync_api import Browser, Page, expect

from page.conftest import watch
from page.lab import RunningLab, running_lab
from selfmate.arena.elo import Pentanomial
from selfmate.arena.ladder import Ladder, shipped_ruler
from selfmate.arena.match_run import request_stop
from selfmate.arena.rating import Pairing
from selfmate.lab.players import shipped_ratings
from selfmate.runs.status import is_taken
from unit.cli.process import selfmate


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    with running_lab(tmp_path_factory.mktemp("matches")) as lab:
        yield lab


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """For labs whose matches outlive them; tests may not leave these behind."""
    yield tmp_path
    for log in (tmp_path / "runs" / "matches").glob("*.jsonl"):
        if is_taken(log):
            request_stop(log)


def test_a_match_builds_up_to_what_the_command_line_says(
    page: Page, lab: RunningLab, tmp_path: Path
) -> None:
    page.get_by_role("link", name="Match").click()
    page.goto(f"{lab.address}/#/match?a=teacher:depth=1&b=greedy")
    expect(page.get_by_text("None yet.")).to_be_visible()
    page.get_by_text("More settings").click()
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Start the match").click()
    expect(page.get_by_role("heading", name="Teacher, depth 1 against Greedy")).to_be_visible()
    expect(page.get_by_text("20 of 20 games")).to_be_visible()
    expect(page.get_by_text("finished", exact=True)).to_be_visible()
    typed = selfmate(
        *("match", "teacher:depth=1", "greedy", "--games", "20", "--seed", "7", "--json"),
        cwd=tmp_path,
    )
    report = json.loads(typed.stdout)
    score = page.get_by_label("Score", exact=True)
    expect(score.get_by_role("status")).to_contain_text(
        re.compile(rf"{report['wins']} wins?, {report['draws']} draws?, {report['losses']} loss")
    )
    elo = f"{report['elo']:+.0f} Elo, between {report['elo_low']:+.0f} and"
    expect(score).to_contain_text(elo.replace("-", "\N{MINUS SIGN}"))
    assert 0.9 < report["los"] < 0.975
    expect(score).to_contain_text("Teacher, depth 1 is probably stronger.")
    expect(score.get_by_role("img", name=re.compile("^Score with"))).to_be_visible()

    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download PGN").click()
    games = io.StringIO(Path(downloading.value.path()).read_text("utf-8"))
    results = []
    while (game := chess.pgn.read_game(games)) is not None:
        assert game.errors == []
        assert {game.headers["White"], game.headers["Black"]} == {"teacher:depth=1", "greedy"}
        results.append(game.headers["Result"])
    assert len(results) == 20
    assert results.count("1/2-1/2") == report["draws"]

    replay_with_keys(page)
    page.get_by_role("button", name="Play 20 more games").click()
    expect(page.get_by_text("40 of 40 games")).to_be_visible()
    page.get_by_role("link", name="All matches").click()
    row = page.get_by_role("link", name=re.compile("Teacher, depth 1 against Greedy"))
    expect(row).to_contain_text("in 40 games")


def replay_with_keys(page: Page) -> None:
    page.get_by_role("button", name=re.compile(r"^1 (won|drawn|lost) as White")).click()
    board = page.get_by_role("img", name=re.compile(r"^Game 1 after"))
    expect(board).to_be_visible()
    page.keyboard.press("Home")
    expect(board).to_have_accessible_name(re.compile("^Game 1 after 0 of"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(board).to_have_accessible_name(re.compile("^Game 1 after 1 of"))
    expect(board.locator("square.last-move")).to_have_count(2)
    page.get_by_role("button", name="To the end").click()
    expect(page.get_by_role("button", name="One move on")).to_be_disabled()
    analysis = page.get_by_role("link", name="Analyse", exact=True).last.get_attribute("href")
    page.get_by_role("button", name="To the newest game").click()
    expect(board).to_have_count(0)
    match = page.url
    page.goto(f"{page.url.partition('#')[0]}{analysis}")
    expect(page.get_by_text("The game is over")).to_be_visible()
    page.goto(match)


def test_a_long_match_survives_the_server_is_stopped_and_resumed(
    browser: Browser, folder: Path
) -> None:
    with running_lab(folder) as first:
        page = browser.new_page()
        watch(page, first)
        page.goto(first.link)
        page.goto(f"{first.address}/#/match?a=teacher:depth=3&b=teacher:depth=1")
        page.get_by_role("spinbutton", name="Games").fill("2000")
        page.get_by_role("button", name="Start the match").click()
        expect(page.get_by_text("is being played, move")).to_be_visible()
        expect(page.get_by_text("running", exact=True)).to_be_visible()
        place = page.url.partition("#")[2]
        page.close()
    with running_lab(folder) as second:
        page = browser.new_page()
        problems = watch(page, second)
        page.goto(second.link)
        page.goto(f"{second.address}/#{place}")
        expect(page.get_by_text("running", exact=True)).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("stopped", exact=True)).to_be_visible()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_text("running", exact=True)).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("stopped", exact=True)).to_be_visible()
        assert problems == []
        page.close()


def test_what_cannot_be_played_is_said(browser: Browser, lab: RunningLab) -> None:
    page = browser.new_page()
    problems = watch(page, lab)
    page.goto(lab.link)
    page.goto(f"{lab.address}/#/match?a=runs/nobody&b=random")
    page.get_by_role("button", name="Start the match").click()
    expect(page.get_by_role("alert")).to_contain_text("there is no run 'nobody'")
    page.close()
    assert [line for line in problems if "404" not in line] == []  # browsers tell of refusals


def test_the_ladder_new_and_used_and_on_a_phone(page: Page, lab: RunningLab) -> None:
    page.get_by_role("link", name="Ladder").click()
    expect(page.get_by_text("Stockfish skill scale, 100 ms a move")).to_be_visible()
    expect(page.get_by_text("No run has been evaluated")).to_be_visible()
    rows = page.get_by_role("table").get_by_role("row")
    shipped = len(shipped_ruler().names) + len(shipped_ratings())
    expect(rows).to_have_count(1 + shipped)
    expect(rows.filter(has_text="alphazero-tiny, 200 sims")).to_contain_text(
        "rated when it shipped"
    )
    number = "\N{MINUS SIGN}?[0-9]+"
    expect(rows.last).to_contain_text(re.compile(rf"Random{number} \({number} to {number}\)"))
    pool = Ladder(lab.runs / "pool.jsonl", seed=1).pool
    pool.add(Pairing("runs/mine:version=7", "random", Pentanomial((0, 0, 2, 10, 38))))
    pool.add(Pairing("greedy", "somebody", Pentanomial((0, 0, 2, 10, 38))))
    expect(rows).to_have_count(2 + shipped)
    expect(page.get_by_role("row", name="mine, version 7")).to_be_visible()
    expect(page.get_by_text("1 against players that are no rung of the ladder")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    for view in ("Ladder", "Match"):
        page.get_by_role("link", name=view, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_player_is_rated_and_the_rating_is_stopped(page: Page, lab: RunningLab) -> None:
    page.get_by_role("link", name="Ladder").click()
    players = page.get_by_role("combobox", name="Player")
    players.select_option(label=players.get_by_text("alphazero-tiny").first.inner_text())
    page.get_by_role("button", name="Rate").click()
    progress = page.get_by_role("region", name="Rate a player").get_by_role("status")
    expect(progress).to_contain_text(re.compile(r"\d+ of 200 games, now against"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Rate")).to_be_visible()
