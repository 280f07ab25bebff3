"""Runs on disk: steps, checkpoints, metrics and sessions. Nothing in here knows chess.

The names below are what learners, command line and lab use; docs/runs.md describes the files. They
are imported on first use: a net that ships is read without the machinery of a training run."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selfmate.runs.activity import Activity, Tick, unwatched
    from selfmate.runs.card import CONFIG, Best, FileNote, Header, read_header
    from selfmate.runs.checkpoint import (
        BEST,
        CARD,
        Checkpoint,
        Checkpoints,
        Policy,
        Shard,
        ShardStore,
        pack,
        read_card,
        read_checkpoint,
        unpack,
    )
    from selfmate.runs.directory import (
        DELETED,
        Found,
        RunDirectory,
        delete_run,
        free_name,
        list_runs,
    )
    from selfmate.runs.locks import take
    from selfmate.runs.run import (
        Arrays,
        CorruptError,
        Json,
        Rehearsal,
        Run,
        RunFailedError,
        RunRefusedError,
        SampleGame,
        SavedState,
        Step,
        Stopwatch,
        check_layout,
        copied,
        means_of,
        restore,
        split_prefix,
        with_prefix,
    )
    from selfmate.runs.session import DiskRun, Session, open_run
    from selfmate.runs.signals import PAUSE, STOPPING, StopSignals
    from selfmate.runs.status import STATUS, Progress, is_locked, is_taken, read_status, writer_of

__all__ = [
    "BEST",
    "CARD",
    "CONFIG",
    "DELETED",
    "PAUSE",
    "STATUS",
    "STOPPING",
    "Activity",
    "Arrays",
    "Best",
    "Checkpoint",
    "Checkpoints",
    "CorruptError",
    "DiskRun",
    "FileNote",
    "Found",
    "Header",
    "Json",
    "Policy",
    "Progress",
    "Rehearsal",
    "Run",
    "RunDirectory",
    "RunFailedError",
    "RunRefusedError",
    "SampleGame",
    "SavedState",
    "Session",
    "Shard",
    "ShardStore",
    "Step",
    "StopSignals",
    "Stopwatch",
    "Tick",
    "check_layout",
    "copied",
    "delete_run",
    "free_name",
    "is_locked",
    "is_taken",
    "list_runs",
    "means_of",
    "open_run",
    "pack",
    "read_card",
    "read_checkpoint",
    "read_header",
    "read_status",
    "restore",
    "split_prefix",
    "take",
    "unpack",
    "unwatched",
    "with_prefix",
    "writer_of",
]

_NAMES = {
    "activity": ("Activity", "Tick", "unwatched"),
    "card": ("CONFIG", "Best", "FileNote", "Header", "read_header"),
    "checkpoint": (
        "BEST",
        "CARD",
        "Checkpoint",
        "Checkpoints",
        "Policy",
        "Shard",
        "ShardStore",
        "pack",
        "read_card",
        "read_checkpoint",
        "unpack",
    ),
    "directory": ("DELETED", "Found", "RunDirectory", "delete_run", "free_name", "list_runs"),
    "locks": ("take",),
    "run": (
        "Arrays",
        "CorruptError",
        "Json",
        "Rehearsal",
        "Run",
        "RunFailedError",
        "RunRefusedError",
        "SampleGame",
        "SavedState",
        "Step",
        "Stopwatch",
        "check_layout",
        "copied",
        "means_of",
        "restore",
        "split_prefix",
        "with_prefix",
    ),
    "session": ("DiskRun", "Session", "open_run"),
    "signals": ("PAUSE", "STOPPING", "StopSignals"),
    "status": ("STATUS", "Progress", "is_locked", "is_taken", "read_status", "writer_of"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'selfmate.runs' has no attribute {name!r}")
    return getattr(import_module(f"selfmate.runs.{_HOME[name]}"), name)
