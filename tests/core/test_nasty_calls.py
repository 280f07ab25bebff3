"""Nothing in the core crashes, whatever it is called with."""

from pathlib import Path

import pytest

import selfmate._core as core
from core.apart import outcomes
from core.good_arguments import CONSTRUCTORS, FUNCTIONS, METHODS, OBJECTS, targets


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    return outcomes(Path(__file__).with_name("nasty_calls.py"))


@pytest.mark.parametrize("name", targets())
def test_the_interpreter_survives(name: str, found: dict[str, str]) -> None:
    assert found[name] == "ok"


def test_everything_is_called() -> None:
    public = {name for name in dir(core) if not name.startswith("_")}
    constants = {
        "FIRST_MOVE_KIND_ROW",
        "FIRST_UNDERPROMOTION_ROW",
        "MOVE_ROWS",
        "RECORD_BYTES",
        "VIEW_MOVE_ROWS",
    }
    assert public == FUNCTIONS.keys() | OBJECTS.keys() | constants
    assert CONSTRUCTORS.keys() <= OBJECTS.keys()
    assert METHODS.keys() <= targets().keys()


@pytest.mark.parametrize("name", targets())
def test_the_good_arguments_are_good(name: str) -> None:
    call, arguments = targets()[name]
    given = {parameter: make() for parameter, make in arguments.items()}
    if name in {"endgame_table", "moves_of_actions"}:  # see there; none of its actions is legal
        with pytest.raises(ValueError, match="not"):
            call(**given)
    else:
        call(**given)
