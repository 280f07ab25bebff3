"""The lab's token: who knows it may use the lab. It lasts until a new one is asked for."""

import os
import re
import secrets
from pathlib import Path

BYTES = 24
FORM = re.compile(r"[A-Za-z0-9_-]{32}")  # what 24 bytes look like in a link


def token_path() -> Path:
    """Among the user's own state, because runs may be shared."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "selfmate" / "lab-token"


def lasting_token(path: Path, *, new: bool = False) -> str:
    """The token of earlier labs; made where there is none that is good, or when a new one is
    wanted."""
    token = "" if new else _read(path)
    if not token:
        token = secrets.token_urlsafe(BYTES)
        _write(path, token)
    return token


def _read(path: Path) -> str:
    try:
        token = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return token if FORM.fullmatch(token) else ""


def _write(path: Path, token: str) -> None:
    """Readable by its owner only, from the first byte on."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{token}\n")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
