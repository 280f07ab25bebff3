"""The Train view as a newcomer uses it: Train, watch, Train again, Play."""

import os
import re
import signal
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from page.board import PageBoard, downloaded, expect_moves, move_texts
from page.conftest import tab
from page.lab import RunningLab, running_lab
from selfmate.players import SearchRequest, load_player
from selfmate.rules import Board
from selfmate.runs.directory import RunDirectory
from unit.lab.run_writer import writer
from unit.lab.test_trainings import make_run


def train_view(page: Page) -> Locator:
    page.get_by_role("link", name="Train", exact=True).click()
    view = page.locator(".train")
    expect(view.get_by_role("button", name=re.compile("^Train"))).not_to_have_count(0)
    return view


def choose(page: Page, learner: str, preset: str = "try") -> None:
    page.get_by_role("radio", name=learner, exact=True).check()
    page.get_by_label("Preset").select_option(preset)


def state_of(page: Page) -> Locator:
    return page.locator(".run h1 .state")


def sees_no_overflow(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_first_click_shows_curves_that_rise(page: Page, lab: RunningLab) -> None:
    """The preselected training from its untrained net on, though not to its end."""
    view = train_view(page)
    expect(view.get_by_role("heading", name="Teach a net to mate")).to_be_visible()
    expect(view.get_by_role("radio", name="ddqn", exact=True)).to_be_checked()
    view.get_by_label("pause after, episodes").fill("10000")
    view.get_by_role("button", name="Train 10,000 episodes", exact=True).click()
    expect(state_of(page)).to_have_text("paused")
    lines = list(RunDirectory(lab.runs / "ddqn-default-1").metrics())
    assert lines[0]["mate_percent"] + 40 < lines[-1]["mate_percent"]
    optimal = [line["exact_optimal_move_percent"] for line in (lines[49], lines[99])]
    assert optimal[0] + 10 < optimal[1]
    drawn = re.compile(f"^Exact strength.* Optimal moves {optimal[1]:.4g}$")
    expect(view.get_by_role("img", name=drawn)).to_be_visible()
    expect(view.get_by_role("region", name="Alarms")).to_have_count(0)
    legend = view.locator(".u-legend", has_text="episodes").first
    expect(legend).to_contain_text("10,000")
    assert not [text for text in view.locator(".u-legend").all_text_contents() if "e+" in text]


def test_a_newcomer_trains_watches_trains_again_and_plays(
    page: Page, browser: Browser, lab: RunningLab
) -> None:
    view = train_view(page)
    choose(page, "reinforce")
    button = view.get_by_role("button", name="Train 6 games", exact=True)
    button.click()
    expect(view.get_by_role("heading", name="reinforce-try-1")).to_be_visible()
    expect(state_of(page)).to_have_text("paused")
    expect(view.get_by_text("6 of 30 games · trained for")).to_be_visible()
    expect(view.get_by_text("How its last 6 games ended")).to_be_visible()
    expect(view.get_by_text("Game length").first).to_be_visible()
    expect(view.locator(".charts canvas")).not_to_have_count(0)
    expect(view.locator(".replay piece").first).to_be_visible()
    expect(view.locator(".steps tbody tr")).to_have_count(1)

    assert "run=reinforce-try-1" in page.url
    with tab(browser, lab, viewport={"width": 390, "height": 844}) as phone:
        phone.goto(page.url)
        expect(state_of(phone)).to_have_text("paused")
        sees_no_overflow(phone)
        view.get_by_role("button", name="Train 6 more games").click()
        expect(view.get_by_text("12 of 30 games")).not_to_have_count(0)
        expect(state_of(page)).to_have_text("paused")
        expect(view.locator(".steps tbody tr")).to_have_count(2)
        expect(phone.get_by_text("12 of 30 games · trained for")).to_be_visible()
        expect(phone.locator(".steps tbody tr")).to_have_count(2)
        phone.get_by_role("link", name="New training and all runs").click()
        expect(phone.get_by_role("link", name="reinforce-try-1 paused")).to_be_visible()
        sees_no_overflow(phone)

    view.get_by_role("button", name="One move on").click()
    view.get_by_role("button", name="To the end", exact=True).click()
    expect(view.locator(".replay .caption b")).to_have_text(re.compile("mate|material|ply limit"))
    page.reload()
    expect(view.get_by_text("12 of 30 games · trained for")).to_be_visible()
    view.get_by_role("link", name="Play", exact=True).click()
    expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()
    play_to_the_end(page)
    name, game = downloaded(page)
    assert "reinforce-try-1" in name
    assert game.headers["Black"].startswith("runs/reinforce-try-1:")
    assert [node.san() for node in game.mainline()] == move_texts(page)
    assert game.end().board().is_game_over(claim_draw=True)


def play_to_the_end(page: Page) -> None:
    """With the mouse, as White; the teacher says what to play."""
    on_page, teacher = PageBoard(page), load_player("teacher:depth=3")
    while True:
        board = Board()
        for san in move_texts(page):
            board.push(board.parse_san(san))
        if board.outcome() is not None:
            break
        move = teacher.analyse(SearchRequest(board=board, seed=1)).best
        on_page.click(move[:2], move[2:4])
        if len(move) == 5:
            page.get_by_role("button", name="Queen").click()
        board.push(move)
        expect_moves(page, len(board.moves) + (board.outcome() is None))
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def test_a_training_is_paused_stopped_resumed_and_deleted(page: Page, lab: RunningLab) -> None:
    view = train_view(page)
    choose(page, "ddqn")
    view.get_by_label("episodes", exact=True).fill("100000000")
    expect(view.get_by_text("episodes changed")).to_be_visible()
    view.get_by_text("All settings").click()
    view.get_by_label("name of the run").fill("mini")
    view.get_by_role("button", name="Train", exact=True).click()
    expect(state_of(page)).to_have_text("running")
    expect(view.get_by_text(re.compile("a second · about .* left"))).to_be_visible()
    view.get_by_role("button", name="Pause").click()
    expect(state_of(page)).to_have_text("paused")
    view.get_by_role("button", name="Resume to the end").click()
    expect(state_of(page)).to_have_text("running")
    view.get_by_role("button", name="Stop").click()
    expect(state_of(page)).to_have_text("stopped")
    expect(view.get_by_role("link", name="Look at its play")).to_have_attribute(
        "href", "#/endgame?run=mini"
    )
    page.once("dialog", lambda dialog: dialog.dismiss())
    view.get_by_role("button", name="Delete").click()
    assert (lab.runs / "mini").exists()
    page.once("dialog", lambda dialog: dialog.accept())
    view.get_by_role("button", name="Delete").click()
    expect(view.get_by_role("heading", name="mini")).to_have_count(0)
    assert not (lab.runs / "mini").exists()


def test_a_training_that_does_not_stop_is_ended_at_once(page: Page, lab: RunningLab) -> None:
    path = make_run(lab.runs / "deaf").path
    with writer(path, path):
        train_view(page).get_by_role("link", name="deaf running").click()
        page.get_by_role("button", name="Stop").click()
        expect(state_of(page)).to_have_text("stopping ...")
        expect(page.get_by_text("Stopping after this batch ...")).to_be_visible()
        page.get_by_role("button", name="End now").click()
        expect(state_of(page)).to_have_text("killed")
        expect(page.locator(".facts")).to_contain_text("it can be resumed")


def test_wrong_values_are_answered_with_a_sentence(browser: Browser, lab: RunningLab) -> None:
    """The browser logs refused requests as errors of its own, so this page is not watched."""
    page = browser.new_page()
    page.goto(lab.link)
    view = train_view(page)
    choose(page, "reinforce")
    view.get_by_label("learning_rate").fill("fast")
    view.get_by_role("button", name="Train 6 games").click()
    expect(view.get_by_role("alert")).to_have_text(
        "learning_rate cannot be 'fast' (--set); allowed is a number above 0 and up to 1"
    )
    view.get_by_label("learning_rate").fill("0.001")
    view.get_by_text("All settings").click()
    view.get_by_label("name of the run").fill("<b>../x</b>")
    view.get_by_role("button", name="Train 6 games").click()
    expect(view.get_by_role("alert")).to_contain_text("a run cannot be called '<b>../x</b>'")
    page.close()


def test_markup_in_a_name_is_shown_as_text(page: Page, lab: RunningLab) -> None:
    name = "<img src=x onerror=alert(1)>&amp; ü"
    run = make_run(lab.runs / name)
    (run.path / "notes.jsonl").write_text(
        '{"step": 1, "note": "<script>alert(1)</script>", "alarm": true}\n'
    )
    train_view(page).get_by_role("link", name=f"{name} finished").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_text("<script>alert(1)</script>")


def test_a_training_outlives_its_lab(browser: Browser, tmp_path: Path) -> None:
    with running_lab(tmp_path) as first:
        with tab(browser, first, viewport={"width": 1280, "height": 900}) as page:
            view = train_view(page)
            choose(page, "ddqn")
            view.get_by_label("episodes", exact=True).fill("100000000")
            view.get_by_role("button", name="Train", exact=True).click()
            expect(state_of(page)).to_have_text("running")
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
        before = RunDirectory(first.runs / "ddqn-try-1").status()
        assert before.state == "running"
        with running_lab(tmp_path) as second, tab(browser, second) as page:
            train_view(page).get_by_role("link", name="ddqn-try-1 running").click()
            expect(state_of(page)).to_have_text("running")
            expect(page.locator(".facts")).to_contain_text("a second")
            page.get_by_role("button", name="Pause").click()
            expect(state_of(page)).to_have_text("paused")
        status = RunDirectory(first.runs / "ddqn-try-1").status()
        assert (status.pid, status.state) == (before.pid, "paused")
        assert status.done > before.done
