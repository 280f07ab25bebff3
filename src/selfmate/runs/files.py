"""Files of a run: strict JSON and TOML, atomic writes, and reads that follow no links."""

import json
import math
import os
import re
import shutil
import stat
import tomllib
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any

from selfmate.runs.run import CorruptError, Json

# A run may come from a stranger: a link in it must not redirect reads or writes, and a pipe must
# not block us. Windows has neither flag, but tells binary files from text.
BINARY: int = getattr(os, "O_BINARY", 0)
PLAIN: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | BINARY
DIRECTORY: int | None = getattr(os, "O_DIRECTORY", None)  # None: they cannot be opened
BARE_TOML_KEY = re.compile(r"[A-Za-z0-9_-]+")


def write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def write_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | PLAIN, 0o644)
    try:
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Writes beside the file, flushes, renames: whenever a reader looks or the process dies, the
    file holds either its old or its new content."""
    beside = beside_name(path)
    try:
        write_file(beside, data, durable=durable)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    if durable:
        sync_directory(path.parent)


def beside_name(path: Path) -> Path:
    """The temporary name of a file that is being written."""
    return path.with_name(f"{path.name}.tmp")


def sync_directory(path: Path) -> None:
    """Flushes what was renamed or made in a directory, where the system can do so."""
    if DIRECTORY is None:
        return
    descriptor = os.open(path, os.O_RDONLY | DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directory(path: Path) -> None:
    """Creates the directory if it is missing, durably."""
    if not path.is_dir():
        path.mkdir()
        sync_directory(path.parent)


def open_plain(path: Path) -> BufferedReader:
    """Opens a regular file for reading; CorruptError for a link, a directory, a pipe or nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | PLAIN)
    except OSError as error:
        raise CorruptError(f"{path.name} cannot be opened: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CorruptError(f"{path.name} is not a regular file")
    return os.fdopen(descriptor, "rb")


def read_plain(path: Path, max_bytes: int) -> bytes:
    """The bytes of a regular file; CorruptError if there are more than `max_bytes`."""
    with open_plain(path) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise CorruptError(f"{path.name} is larger than {max_bytes:,} bytes")
    return data


def remove(path: Path) -> None:
    """Removes a file, a link (not its target) or a whole directory."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def canonical(value: Json) -> str:
    """One text per value, for digests and comparisons; ValueError if a number is not finite."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def pretty(value: Json) -> bytes:
    """Indented JSON with sorted keys, for files that people read."""
    return json.dumps(value, sort_keys=True, indent=1, allow_nan=False).encode() + b"\n"


def parse(data: bytes, name: str) -> dict[str, Any]:
    """A JSON object without NaN or infinity, or CorruptError."""
    try:
        value = json.loads(data.decode(), parse_constant=_refuse)
        if b"\\ud" in data.lower():  # a lone surrogate, which UTF-8 cannot encode
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise CorruptError(f"{name} is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise CorruptError(f"{name} is not UTF-8 text") from error
    except ValueError as error:
        raise CorruptError(f"{name} is not JSON: {str(error)[:100]}") from error
    if not isinstance(value, dict):
        raise CorruptError(f"{name} is not a JSON object")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def timestamp() -> str:
    """The present time as it is written to files: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def config_toml(learner: str, config: dict[str, Json]) -> str:
    """A run's config.toml: the learner's name and one table of settings."""
    lines = [f"learner = {_value('learner', learner)}", "", "[config]"]
    lines += [f"{_key(key)} = {_value(key, value)}" for key, value in config.items()]
    return "\n".join(lines) + "\n"


def parse_config_toml(data: bytes) -> tuple[str, dict[str, Any]]:
    """Learner and settings of a config.toml, or CorruptError."""
    try:
        document = tomllib.loads(data.decode())
    except UnicodeError as error:
        raise CorruptError("config.toml is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise CorruptError(f"config.toml is not TOML: {str(error)[:100]}") from error
    learner, config = document.get("learner"), document.get("config")
    if document.keys() != {"learner", "config"} or not isinstance(learner, str):
        raise CorruptError("config.toml does not hold a learner and its [config]")
    if not isinstance(config, dict):
        raise CorruptError("[config] in config.toml is not a table")
    for key, value in config.items():
        if not _is_setting(value):
            raise CorruptError(
                f"{key!r} in config.toml is {str(value)[:40]}; settings are texts, finite numbers, "
                "bools or lists"
            )
    return learner, config


def _is_setting(value: Any) -> bool:
    """TOML also has dates, tables, NaN and infinity."""
    if isinstance(value, list):
        return all(map(_is_setting, value))
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _key(key: str) -> str:
    return key if BARE_TOML_KEY.fullmatch(key) else _text(key)


def _value(key: str, value: Json) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float() if math.isfinite(value):
            return repr(value)
        case str():
            return _text(value)
        case list() | tuple():
            return f"[{', '.join(_value(key, item) for item in value)}]"
        case _:
            raise ValueError(
                f"{key} is {value!r}; settings are texts, finite numbers, bools or lists"
            )


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but TOML wants DEL escaped and no lone surrogates.
    text.encode()
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
