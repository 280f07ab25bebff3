"""The token lasts, is the owner's alone, and a file that is no token is replaced; a key for the
browser's command line does not last."""

import os
import stat
from pathlib import Path

import pytest

from selfmate.lab.access import ONE_TIME_SECONDS, OneTimeKeys, lasting_token, token_path
from unit.lab.opponents import Watch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "selfmate" / "lab-token"


def test_it_lasts_until_a_new_one_is_wanted(path: Path) -> None:
    first = lasting_token(path)
    assert lasting_token(path) == first
    second = lasting_token(path, new=True)
    assert second != first
    assert lasting_token(path) == second


def test_only_its_owner_can_read_it(path: Path) -> None:
    before = os.umask(0)
    try:
        lasting_token(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "damaged", [b"", b"\n", b"short\n", b"\xff" * 32, b"x" * 33, b"a; b=c" + b"x" * 26, b"\0" * 32]
)
def test_what_is_no_token_is_replaced(path: Path, damaged: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(damaged)
    token = lasting_token(path)
    assert len(token) == 32
    assert path.read_text("ascii") == f"{token}\n"


def test_where_none_can_be_written_nothing_is_left(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(OSError, match="lab-token"):
        lasting_token(path)
    assert list(path.parent.iterdir()) == [path]


def test_it_is_kept_with_the_users_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert token_path() == Path("/state/selfmate/lab-token")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert token_path() == Path("/home/somebody/.local/state/selfmate/lab-token")


def test_a_one_time_key_is_valid_once_and_soon(watch: Watch) -> None:
    keys = OneTimeKeys(watch)
    first, second, third = (keys.new() for _ in range(3))
    assert not keys.use("another")
    assert (keys.use(first), keys.use(first)) == (True, False)
    watch.seconds += ONE_TIME_SECONDS
    assert keys.use(second)
    watch.seconds += 1
    assert not keys.use(third)
