"""The page's types are those of the server, and what it bundles is what the package says."""

from pathlib import Path

from golden.golden import check_golden
from golden.page_types import draw_types
from golden.tab_facts import draw_facts

PAGE = Path(__file__).parents[2] / "src" / "selfmate" / "lab" / "page" / "src"


def test_the_pages_types_are_current() -> None:
    check_golden(PAGE / "types.ts", draw_types())


def test_the_facts_of_the_tab_are_current() -> None:
    check_golden(PAGE / "tab" / "facts.json", draw_facts())
