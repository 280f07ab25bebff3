"""Files that are whole or absent: written beside their name, flushed to disk, then renamed."""

import os
import shutil
import stat
from io import BufferedReader
from pathlib import Path

from selfmate.runs.errors import DamagedError

# A run may come from a stranger: a link in it must not lead writing or reading elsewhere, and a
# pipe must not make us wait.
PLAIN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


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
    """The file holds either its old or its new content, whenever one looks or dies."""
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
    return path.with_name(f"{path.name}.tmp")


def sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directory(path: Path) -> None:
    """Makes the directory if it is missing, and makes it last."""
    if not path.is_dir():
        path.mkdir()
        sync_directory(path.parent)


def open_plain(path: Path) -> BufferedReader:
    """Opens a regular file for reading; DamagedError for a link, a directory, a pipe, nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | PLAIN)
    except OSError as error:
        raise DamagedError(f"{path.name} cannot be opened: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DamagedError(f"{path.name} is not a regular file")
    return os.fdopen(descriptor, "rb")


def read_plain(path: Path, most_bytes: int) -> bytes:
    with open_plain(path) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise DamagedError(f"{path.name} is larger than {most_bytes:,} bytes")
    return data


def remove(path: Path) -> None:
    """Removes a file, a link (not where it leads) or a whole directory."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
