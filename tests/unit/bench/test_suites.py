"""The suites that `selfmate bench` offers."""

import pytest

from selfmate.cli import bench as verb
from selfmate.cli.console import JobFailedError
from selfmate_benchmarks import SUITES, load_suite


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_can_be_loaded(name: str) -> None:
    assert callable(load_suite(name))


def test_an_unknown_suite_is_refused() -> None:
    with pytest.raises(ValueError, match="no benchmark suite 'speed'; there are: rules, teacher"):
        load_suite("speed")


def test_without_the_package_the_verb_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "find_spec", lambda _name: None)
    with pytest.raises(JobFailedError, match="selfmate_benchmarks is not installed"):
        verb.bench()
