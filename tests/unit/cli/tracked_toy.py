"""Trains a toy run in two sessions with trackio, and prints what trackio kept of it."""

import json
import sys
from pathlib import Path

from trackio.sqlite_storage import SQLiteStorage

from selfmate.cli.tracking import PROJECT, Tracker, TrackioSink
from selfmate.runs.session import Session
from unit.runs.toy import run_toy, stop_at

if __name__ == "__main__":
    directory = Path(sys.argv[1])
    for last in (4, 99):
        tracker = Tracker(directory, TrackioSink(directory))
        run_toy(directory, Session(resume=True, watch=tracker), before=stop_at(last))
        tracker.close()
    kept = SQLiteStorage.get_logs(PROJECT, directory.name)
    lines = [[line["step"], line["level"], line["seen"]] for line in kept]
    Path(sys.argv[2]).write_text(json.dumps(lines))
