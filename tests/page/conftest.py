"""A real browser for the page's tests. Every page is watched: an error in its console or a request
to elsewhere fails the test."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from page.lab import RunningLab, require_page, running_lab

CHROMIUM = shutil.which("chromium")
PATIENCE_MS = 60_000  # a training has to load torch on a machine that has other things to do
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: apt install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    require_page()
    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture
def page(browser: Browser, lab: RunningLab) -> Iterator[Page]:
    """A fresh tab with the lab open."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    problems = watch(page, lab)
    page.goto(lab.link)
    yield page
    context.close()
    assert problems == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    """Selfmate in a tab, as static files."""
    from page.tab import running_site

    with running_site(tmp_path_factory.mktemp("tab")) as site:
        yield site


@pytest.fixture
def tab_page(browser: Browser, site: RunningLab) -> Iterator[Page]:
    """Selfmate in a tab, in a browser that has never been there."""
    from page.tab import opened

    with opened(browser, site) as page:
        yield page


def watch(page: Page, lab: RunningLab) -> list[str]:
    """What goes wrong in a page from now on."""
    problems: list[str] = []
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((lab.address, "data:", "blob:"))
            else problems.append(f"asked for {request.url}")
        ),
    )
    return problems


@contextmanager
def tab(browser: Browser, lab: RunningLab, **options: object) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce", **options)  # type: ignore[arg-type]
    page = context.new_page()
    problems = watch(page, lab)
    page.goto(lab.link)
    yield page
    context.close()
    assert problems == []
