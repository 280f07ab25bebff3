"""Starts a long verb, prints the number of its process, and is killed."""

import os
import signal
import sys
from pathlib import Path

from selfmate.strength.process import VerbProcess

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    verb = VerbProcess(["perft", "9"], folder, folder / "log")
    print(verb.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
