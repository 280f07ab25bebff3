"""The mini-chess in the browser: heat maps that tell the truth, and games against the lone king."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Position, expect

from contracts.learners import quick, train
from page.conftest import watch
from page.lab import RunningLab
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.game import compile_game, move_name, square_name
from selfmate.minichess.player import learned_values
from selfmate.minichess.solver import greedy_actions, solve
from selfmate.runs.directory import RunDirectory
from selfmate.runs.session import Session


def open_endgame(page: Page, settings: str = "") -> None:
    page.evaluate("hash => location.hash = hash", f"#/endgame{settings}")
    expect(page.get_by_role("heading", name="King and queen against a lone king")).to_be_visible()
    expect(page.get_by_role("table", name="All moves")).to_be_visible()


def board(page: Page, whose: str) -> Locator:
    return page.get_by_role("img", name=f"{whose} values:")


def heat(page: Page, whose: str) -> dict[str, str]:
    """The numbers in the squares."""
    cells = page.get_by_role("list", name=f"{whose} values").get_by_role("listitem")
    return {str(cell.get_attribute("data-square")): cell.inner_text() for cell in cells.all()}


def state_shown(page: Page, size: int) -> int:
    """The position, as it is told to those who cannot see it."""
    label = str(board(page, "Exact").get_attribute("aria-label"))
    names = re.findall(r"on ([a-h][1-8])", label)
    pieces = [[square_name(size, square) for square in row] for row in compile_game(size).pieces]
    return pieces.index(names)


def expect_drawn(page: Page, state: int) -> None:
    """The pieces stand where they should."""
    squares = compile_game(4).pieces[state].tolist()
    for square, selector in zip(
        squares, ("piece.white.k-piece", "piece.white.q-piece", "piece.black.k-piece"), strict=True
    ):
        piece = board(page, "Exact").locator(f"{selector}:not(.ghost)").bounding_box()
        around = board(page, "Exact").bounding_box()
        assert piece is not None
        assert around is not None
        column = round((piece["x"] - around["x"]) / piece["width"])
        row = 3 - round((piece["y"] - around["y"]) / piece["height"])
        assert row * 4 + column == square


def best_numbers(values: dict[str, float]) -> dict[str, str]:
    """By square, of two moves to it the better one, as the page writes it."""
    best: dict[str, tuple[float, str]] = {}
    for name, value in values.items():
        text = f"{name[0]}\n{value:.2f}".replace("-0.00", "0.00")
        if name[1:] not in best or value > best[name[1:]][0]:
            best[name[1:]] = (value, text)
    return {square: text for square, (_, text) in best.items()}


def point(around: Locator, square: str, size: int) -> Position:
    box = around.bounding_box()
    assert box is not None
    step = box["width"] / size
    column, row = ord(square[0]) - ord("a"), int(square[1]) - 1
    return {"x": (column + 0.5) * step, "y": (size - row - 0.5) * step}


def best_move(page: Page) -> tuple[str, str, str]:
    """Its name, and the squares it goes from and to."""
    name = page.get_by_role("table", name="All moves").get_by_role("button").first.inner_text()
    game, state = compile_game(4), state_shown(page, 4)
    origin = square_name(4, int(game.pieces[state, "KQ".index(name[0])]))
    return name, origin, name[1:]


def test_the_heat_map_is_the_solvers_and_best_moves_by_mouse_mate(page: Page) -> None:
    open_endgame(page)
    game = compile_game(4)
    truth = solve(game, 0.85, -1.0)
    expect_drawn(page, state_shown(page, 4))
    outcome = page.locator(".outcome")
    for number in range(12):
        state = state_shown(page, 4)
        values = {
            move_name(game, state, action): float(truth.q_values[state, action])
            for action in game.allowed[state].nonzero()[0].tolist()
        }
        assert heat(page, "Exact") == best_numbers(values)
        name, origin, to = best_move(page)
        assert values[name] == pytest.approx(max(values.values()))
        exact = board(page, "Exact")
        if number % 2:
            exact.click(position=point(exact, origin, 4))
            exact.click(position=point(exact, to, 4))
        else:
            exact.drag_to(
                exact,
                source_position=point(exact, origin, 4),
                target_position=point(exact, to, 4),
            )
        expect(page.locator(".moves-so-far")).to_contain_text(f"{number + 1}. {name}")
        if "Mate after" in outcome.inner_text():
            break
    expect(outcome).to_have_text(re.compile(r"Mate after \d+ moves?\."))
    page.get_by_role("button", name="New position").click()
    expect(page.locator(".moves-so-far")).to_have_text("No move yet.")
    expect(outcome).to_contain_text("Your move")


def test_without_a_run_it_says_how_to_get_one(page: Page) -> None:
    open_endgame(page, "?run=")
    expect(page.get_by_text("Let a net learn this game from nothing")).to_be_visible()
    way = page.get_by_role("link", name="Train one")
    way.click()
    expect(page.get_by_role("radio", name="ddqn")).to_be_checked()


def test_moves_are_typed_and_illegal_ones_refused_by_keyboard_alone(page: Page) -> None:
    open_endgame(page, "?run=&size=5")
    typed = page.get_by_label("Type a move")
    typed.focus()
    page.keyboard.type("Qz9")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Qz9 is not possible here.")).to_be_visible()
    typed.fill("")
    best = page.get_by_role("table", name="All moves").get_by_role("button").first.inner_text()
    typed.focus()
    page.keyboard.type(best.lower())
    page.keyboard.press("Enter")
    expect(page.locator(".moves-so-far")).to_contain_text(f"1. {best}")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(typed).to_have_value("")


@pytest.fixture(scope="module")
def trained(lab: RunningLab) -> Path:
    learner = LEARNERS["ddqn"]
    train(learner, quick(learner), lab.runs / "ddqn-1", Session(say=lambda _: None))
    return lab.runs / "ddqn-1"


def test_a_run_is_shown_beside_the_truth_and_followed(
    page: Page, trained: Path, tmp_path: Path
) -> None:
    newest = max((trained / "checkpoints").iterdir())
    newest.rename(tmp_path / "later")
    open_endgame(page, "?run=ddqn-1")
    expect(page.get_by_text("Learned by ddqn-1")).to_be_visible()
    assert_learned_as_shown(page, trained)
    earlier = heat(page, "Learned")
    (tmp_path / "later").rename(newest)  # as if it were trained further
    expect(page.get_by_role("list", name="Learned values")).not_to_have_text(
        "".join(text.replace("\n", "") for text in earlier.values())
    )
    assert_learned_as_shown(page, trained)
    row = page.get_by_role("row", name=re.compile("Games won by mate"))
    expect(row).to_contain_text("20.1 %")
    expect(row).to_contain_text("100.0 %")
    expect(page.get_by_role("img", name=re.compile("Games won by mate.*learned"))).to_be_visible()

    page.get_by_role("button", name="Watch learner").click()
    expect(page.locator(".moves-so-far")).to_contain_text("1. ")
    stop = page.get_by_role("button", name="Stop")
    if stop.is_visible():
        stop.click()


def assert_learned_as_shown(page: Page, run: Path) -> None:
    found = RunDirectory(run).checkpoint()
    game, learned = learned_values(found.card.player, found.weights)
    state = state_shown(page, 4)
    values = {
        move_name(game, state, action): float(learned[state, action])
        for action in game.allowed[state].nonzero()[0].tolist()
    }
    assert heat(page, "Learned") == best_numbers(values)
    best = move_name(game, state, int(greedy_actions(game, learned)[state]))
    expect(page.locator(".verdict")).to_contain_text(f"It would play {best},")


def test_a_phone_shows_it_all_without_scrolling_sideways(
    browser: Browser, lab: RunningLab, trained: Path
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    problems = watch(page, lab)
    page.goto(lab.link)
    open_endgame(page, f"?run={trained.name}")
    first, second = board(page, "Exact").bounding_box(), board(page, "Learned").bounding_box()
    assert first is not None
    assert second is not None
    assert second["y"] > first["y"] + first["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("radio", name="Lone king").check()
    expect(page.get_by_text("with the lone king there")).to_be_visible()
    name, origin, to = best_move(page)
    learned = board(page, "Learned")
    learned.tap(position=point(learned, origin, 4))
    learned.tap(position=point(learned, to, 4))
    expect(page.locator(".moves-so-far")).to_contain_text(f"1. {name}")
    context.close()
    assert problems == []
