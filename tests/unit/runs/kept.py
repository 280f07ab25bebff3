"""What a run leaves on disk, for comparisons."""

from pathlib import Path

# These tell of time and of the process; everything else must not depend on how often it was ended.
OF_THE_MOMENT = {"lock", "status.json", "timings.jsonl"}


def contents(directory: Path) -> dict[str, bytes]:
    """Every file's bytes."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def kept(directory: Path) -> dict[str, bytes]:
    """What must be the same however a run came to its end."""
    files = contents(directory)
    return {name: data for name, data in files.items() if name not in OF_THE_MOMENT}


def result(directory: Path) -> dict[str, bytes]:
    """The last checkpoint, the metrics, the best: the same even after being stopped on the way,
    which leaves checkpoints at other steps."""
    files = kept(directory)
    last = max(name for name in files if name.startswith("checkpoints/")).rpartition("/")[0]
    return {
        name: data
        for name, data in files.items()
        if not name.startswith("checkpoints/") or name.startswith(last)
    }
