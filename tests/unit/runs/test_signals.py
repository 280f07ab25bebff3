"""Ctrl-C is answered at once and ends the process, whatever its threads do."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from selfmate.runs.signals import STOPPING

PROGRAM = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import pbkdf2_hmac
from selfmate.runs.signals import StopSignals

def say(sentence):
    print(sentence, flush=True)

entering = threading.Event()

def announce():
    entering.wait()
    say("working")

def work():
    threading.Thread(target=announce, daemon=True).start()
    sys.setswitchinterval(3600)  # the announcer gets the interpreter's lock only when C releases it
    entering.set()
    pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # minutes in C, without the interpreter's lock

with StopSignals(say=say, ends_process=True):
    if sys.argv[1] == "main":
        work()
    else:
        with ThreadPoolExecutor(1) as pool:  # waits for its threads, also after Ctrl-C
            pool.submit(work).result()
"""


@pytest.mark.parametrize("thread", ["main", "other"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_deaf_process_answers_and_ends(
    tmp_path: Path, thread: str, number: signal.Signals, code: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, thread],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        process.send_signal(number)
        assert process.stdout.readline() == f"{STOPPING}\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert errors == ""
