"""The page before any view does something: it opens, hides its key, and says when it is alone."""

from playwright.sync_api import Page, expect

from page.lab import RunningLab


def test_the_link_opens_the_page_and_the_token_disappears(page: Page, lab: RunningLab) -> None:
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()
    assert "token" not in page.url
    cookie = page.context.cookies()[0]
    assert cookie.get("httpOnly")
    assert cookie.get("sameSite") == "Strict"
