"""Puzzles in a real browser: solved, failed, rated, and asked of players."""

import re

from playwright.sync_api import Browser, Page, expect

from page.conftest import tab
from page.lab import RunningLab
from selfmate.arena.puzzles import shipped_puzzles
from selfmate.lab.puzzle_book import attempt
from selfmate.weights import model_names


def solve(page: Page, number: int) -> None:
    """By typing: the moves of the solution, in SAN."""
    own = shipped_puzzles()[number - 1].moves[1::2]
    for done, san in enumerate(attempt(number, list(own))["played"][::2]):
        expect(page.get_by_role("button", name="Move", exact=True)).to_be_enabled()
        page.get_by_label("Type a move").fill(san)
        with page.expect_response("**/api/puzzles/*"):
            page.keyboard.press("Enter")
        if done + 1 < len(own):
            expect(page.get_by_text("Right.")).to_be_visible()
            expect(page.get_by_label("Type a move")).to_have_value("")
    expect(page.get_by_text("Solved.", exact=True)).to_be_visible()


def number_of(page: Page) -> int:
    heading = page.get_by_role("heading", name=re.compile(r"^Puzzle \d"))
    expect(heading).to_be_visible()
    return int(re.findall(r"\d+", heading.inner_text())[0])


def shown(page: Page, term: str) -> str:
    return page.locator(".score div").filter(has_text=term).locator("dd").first.inner_text()


def test_ten_puzzles_are_solved_with_the_keyboard(page: Page) -> None:
    page.get_by_role("link", name="Puzzles").click()
    seen = set[int]()
    for _ in range(10):
        number = number_of(page)
        seen.add(number)
        solve(page, number)
        page.get_by_role("button", name="Next puzzle").press("Enter")
        expect(page.get_by_text("One move alone is good.")).to_be_visible()
    assert len(seen) == 10
    assert shown(page, "Best streak") == "10"
    assert int(shown(page, "Your puzzle rating")) > 1000
    page.reload()
    expect(page.locator(".score dd").nth(1)).to_have_text("10")
    page.get_by_role("button", name="Show the solution").click()
    expect(page.get_by_text("Not solved.")).to_be_visible()
    expect(page.locator(".score dd").nth(1)).to_have_text("0")


def test_who_else_solves_it_on_a_phone(browser: Browser, lab: RunningLab) -> None:
    with tab(browser, lab, viewport={"width": 390, "height": 844}) as page:
        page.evaluate("location.hash = '#/puzzles?number=1'")
        solve(page, 1)
        page.get_by_role("button", name="Who else solves it?").click()
        answers = page.get_by_role("region", name="Who else solves it").get_by_role("row")
        expect(answers).to_have_count(len(model_names()) + 4)  # four teachers
        expect(answers.filter(has_text="Teacher, depth 1")).to_contain_text("plays")
        expect(answers.filter(has_text="Teacher, depth 4")).to_contain_text("solves it")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_wrong_number_is_said(page: Page) -> None:
    page.evaluate("location.hash = '#/puzzles?number=99999'")
    expect(page.get_by_role("alert")).to_contain_text("There are puzzles 1 to")


def test_a_wrong_move_is_taken_back_and_the_right_one_shown(page: Page) -> None:
    page.evaluate("location.hash = '#/puzzles?number=5'")
    answer = shipped_puzzles()[4].moves[1]
    task = attempt(5, [])
    wrong = next(uci for uci in task["legal"] if attempt(5, [uci])["state"] == "failed")
    page.get_by_label("Type a move").fill(wrong)
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"{task['legal'][wrong]} is not the move.")).to_be_visible()
    expect(page.locator(".cg-shapes line")).to_have_count(1)
    page.locator("main").get_by_role("link", name="Analyse").click()  # with the solution
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves.first).to_have_text(task["legal"][answer])
    expect(page.get_by_label("This position as FEN")).to_have_value(task["start"])
