"""Other systems, as far as Linux can play them: Selfmate starts, trains and locks without fcntl,
sched_getaffinity, and flags that only some have."""

import subprocess
import sys
from pathlib import Path

# macOS has no sched_getaffinity; Windows has none of these, and locks with msvcrt. os.lockf stands
# in for its system call, but needs a descriptor for writing. Libraries see the system as it is.
WITHOUT = """
import os, signal, sys, types
import asyncio, fastapi, numpy, rich.console, safetensors.numpy, subprocess, typer, uvicorn
sys.modules["fcntl"] = None
msvcrt = types.ModuleType("msvcrt")
msvcrt.LK_NBLCK = os.F_TLOCK
msvcrt.locking = lambda fd, how, size: os.lockf(
    os.open(f"/proc/self/fd/{fd}", os.O_RDWR), how, size
)
sys.modules["msvcrt"] = msvcrt
for name in ("sched_getaffinity", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY",
             "setpriority", "killpg", "sysconf"):
    delattr(os, name)
del signal.SIGUSR1
"""
HOLD = """
from pathlib import Path
from selfmate.runs.status import Lock, is_locked
lock = Lock(Path("."))
print("held", flush=True)
input()
lock.release()
"""
LOOK = """
from pathlib import Path
from selfmate.runs.status import Lock, is_locked
print(is_locked(Path(".")))
Lock(Path("."))
"""


def run_without(program: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", WITHOUT + program]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False
    )


def selfmate_without(*words: str, cwd: Path) -> str:
    program = f"sys.argv[1:] = {words}\nfrom selfmate.__main__ import main\nmain()"
    done = run_without(program, cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_training_starts_pauses_and_resumes(tmp_path: Path) -> None:
    train = ("train", "sarsa", "--preset", "try", "--pause-after", "1", "--run", "r")
    assert "paused: r" in selfmate_without(*train, cwd=tmp_path)
    assert "paused: r" in selfmate_without(*train, "--resume", cwd=tmp_path)


def test_doctor_finds_nothing_broken(tmp_path: Path) -> None:
    assert "memory" in selfmate_without("doctor", cwd=tmp_path)


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WITHOUT + HOLD],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path,
    ) as holder:  # fmt: skip
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        looked = run_without(LOOK, tmp_path)
        assert looked.stdout == "True\n"
        assert f"is being written by process {holder.pid}" in looked.stderr
        holder.stdin.write("\n")
    free = run_without(LOOK, tmp_path)
    assert (free.stdout, free.returncode) == ("False\n", 0), free.stderr
