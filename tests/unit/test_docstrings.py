"""Every public name explains itself: what it is, shapes and views, and an example that runs."""

import doctest
import inspect
import pydoc
from pathlib import Path
from typing import Any

import pytest

import selfmate
from docs_site.reference import RESULTS

EXPLAINED = [name for name in selfmate.__all__ if callable(getattr(selfmate, name))]


def run_examples(text: str, name: str) -> int:
    """How many examples ran; a failed one is shown."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    told: list[str] = []
    result = doctest.DocTestRunner().run(test, out=told.append)
    assert result.failed == 0, "".join(told)
    return result.attempted


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_example_of_every_public_name_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(getattr(selfmate, name))
    assert text
    assert run_examples(text, name) >= 2


def test_the_examples_of_the_package_run() -> None:
    assert selfmate.__doc__
    assert run_examples(selfmate.__doc__, "selfmate") >= 2


def test_help_lists_every_name_with_a_line_of_its_own() -> None:
    told = pydoc.plain(pydoc.render_doc(selfmate))
    for name in selfmate.__dir__()[:-1]:
        assert f"\n        {name} " in told, name


def test_dir_tells_the_names_in_the_order_of_the_story() -> None:
    names = selfmate.__dir__()
    assert sorted(names) == sorted(selfmate.__all__)
    assert names[0] == "Board"
    assert names.index("load_player") < names.index("search") < names.index("train")


@pytest.mark.parametrize("path", [*(f"selfmate.{name}" for name in EXPLAINED), *RESULTS])
def test_every_public_member_of_a_class_has_a_docstring(path: str) -> None:
    found: Any = pydoc.locate(path)
    assert found is not None
    assert inspect.getdoc(found)
    if not inspect.isclass(found):
        return
    for name, member in vars(found).items():
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert inspect.getdoc(member), f"{path}.{name}"
