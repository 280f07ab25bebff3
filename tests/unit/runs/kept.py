"""What a run leaves on disk, for comparisons."""

import json
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
    """The last checkpoint and its pages, the metrics, the best: the same even after being stopped
    on the way, which leaves checkpoints at other steps."""
    files = kept(directory)
    last = max(name for name in files if name.startswith("checkpoints/")).rpartition("/")[0]
    wanted = (last, *pages_of(directory / last))
    return {
        name: data
        for name, data in files.items()
        if not name.startswith(("checkpoints/", "pages/")) or name.startswith(wanted)
    }


def pages_of(checkpoint: Path) -> list[str]:
    """The files a checkpoint needs besides its own, in its order."""
    card = json.loads((checkpoint / "card.json").read_bytes())
    return [f"pages/{page['sha256']}.safetensors" for page in card.get("pages", [])]
