"""The numbers in docs/how-to/read-ratings.md are what the code computes."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "read-ratings.md"


def test_the_examples_of_the_page_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 10
    assert results.failed == 0
