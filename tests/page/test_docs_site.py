"""The documentation site as it was built: every page on a desktop and on a phone, without a server.
Nothing is asked of another host, nothing fails, nothing is wider than the screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

SITE = Path(__file__).parents[2] / "build" / "docs-site"
PARTS = 4  # of the pages, for as many workers
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LARGE = "reference/api.html"


@pytest.fixture
def watched(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page, and what goes wrong in it."""
    if not (SITE / "index.html").exists():
        pytest.skip("the documentation site is not built: make docs-site")
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")  # type: ignore[arg-type]
    page, problems = context.new_page(), list[str]()
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((SITE.as_uri(), "data:", "blob:", "about:"))
            else problems.append(f"asked for {request.url}")
        ),
    )
    yield page, problems
    context.close()


def pages(part: int) -> list[Path]:
    return [path for path in sorted(SITE.rglob("*.html")) if path.name != "404.html"][part::PARTS]


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than the screen."""
    wide: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return wide


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_is_sound_on_a_desktop_and_on_a_phone(
    watched: tuple[Page, list[str]], part: int
) -> None:
    page, problems = watched
    for path in pages(part):
        name = path.relative_to(SITE)
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
        page.goto(path.as_uri())
        expect(page.locator("h1").first).to_be_visible()
        assert overflow(page) <= 0, f"{name} on a desktop"
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        assert overflow(page) <= 0, f"{name} on a phone"
        assert problems == [], name


def test_the_search_finds_words_without_a_server(watched: tuple[Page, list[str]]) -> None:
    page, problems = watched
    page.goto((SITE / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("fpu_reduction")
    expect(page.locator(".md-search-result__meta")).to_contain_text("matching document")
    assert problems == []


def test_what_is_generated_is_there(watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    page.goto((SITE / LARGE).as_uri())
    for name in ("Board", "GameBatch", "load_player", "SearchConfig", "train"):
        assert page.locator(f'[id="selfmate.{name}"]').count() == 1, name
    assert "array([ 1804, 20016]" in page.inner_text("article")
    page.goto((SITE / "reference" / "settings" / "dqn.html").as_uri())
    assert "gamma" in page.inner_text("article")
    page.goto((SITE / "reference" / "verbs.html").as_uri())
    assert "--sprt" in page.inner_text("article")
