"""What crashed the interpreter once, or never returned, raises an exception with a sentence now."""

from pathlib import Path

import pytest

from core.apart import outcomes
from core.crashing_calls import cases

# Where the arguments are good, or races are won or lost: not to crash is all.
MAY_PASS = {
    "two_threads_step_a_batch",
    "two_threads_gather",
    "columns_changed_meanwhile",
    "position_records_changed_meanwhile",
    "legal_actions_changed_meanwhile",
    "moves_changed_meanwhile",
    "gumbel_search_after_an_advance",
    "evaluations_too_large_for_a_float",
    "endless_attempts",
    "search_without_memory",
}
# Objects in use, and methods of objects that were never initialized.
OTHER_ERRORS = {
    "step_while_the_teacher_scores": "RuntimeError: this object is in use",
    "push_while_the_teacher_scores": "RuntimeError: this object is in use",
    "push_moves_while_the_teacher_scores": "RuntimeError: this object is in use",
    "uninitialized_records": "TypeError: ",
}


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    return outcomes(Path(__file__).with_name("crashing_calls.py"))


@pytest.mark.parametrize("name", cases)
def test_a_crash_became_an_exception(name: str, found: dict[str, str]) -> None:
    if name in MAY_PASS:
        assert found[name] == "ok"
    else:
        assert found[name].startswith(OTHER_ERRORS.get(name, "ValueError: ")), found[name]
