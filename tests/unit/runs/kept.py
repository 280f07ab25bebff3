"""The files of a run, for comparisons."""

import json
from pathlib import Path

# These depend on time and process; nothing else may depend on how often the run was stopped.
VOLATILE = {"lock", "status.json", "timings.jsonl"}


def contents(directory: Path) -> dict[str, bytes]:
    """Every file's bytes."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def kept(directory: Path) -> dict[str, bytes]:
    """All that must be the same if the run is repeated."""
    files = contents(directory)
    return {name: data for name, data in files.items() if name not in VOLATILE}


def result(directory: Path) -> dict[str, bytes]:
    """The last checkpoint and its shards, the metrics, the best: the same even if the run was
    stopped in between, which leaves checkpoints at other steps."""
    files = kept(directory)
    last = max(name for name in files if name.startswith("checkpoints/")).rpartition("/")[0]
    wanted = (last, *shards_of(directory / last))
    return {
        name: data
        for name, data in files.items()
        if not name.startswith(("checkpoints/", "pages/")) or name.startswith(wanted)
    }


def shards_of(checkpoint: Path) -> list[str]:
    """The files of a checkpoint's shards, in its order."""
    card = json.loads((checkpoint / "card.json").read_bytes())
    return [f"pages/{shard['sha256']}.safetensors" for shard in card.get("pages", [])]
