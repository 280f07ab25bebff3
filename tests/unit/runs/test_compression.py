"""Compressed checkpoints: what says gzip is gzip, what does not is not, and both resume alike."""

import gzip
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from selfmate.runs.card import FileNote
from selfmate.runs.checkpoint import Checkpoints, unpack
from selfmate.runs.run import CorruptError
from selfmate.runs.session import DiskRun, Session, open_run
from unit.runs.toy import HEADER, POLICY, ToyState, stop_at, train

COMPRESSED = replace(POLICY, compress=True)
QUIET = Session(say=lambda _: None)
GZIP_MAGIC = b"\x1f\x8b"
pytestmark = pytest.mark.usefixtures("no_flushing")


def run_compressed(directory: Path, session: Session = QUIET, stop: int = 0) -> DiskRun:
    with open_run(directory, HEADER, COMPRESSED, session) as run:
        train(run, ToyState(), stop_at(stop))
    return run


def tensor_files(run: Path) -> dict[str, bytes]:
    """What every file of arrays holds, by its name without .gz."""
    found = {}
    for path in run.rglob("*.safetensors*"):
        data = path.read_bytes()
        assert data.startswith(GZIP_MAGIC) == (path.suffix == ".gz")
        name = "shard" if path.parent.name == "pages" else str(path.relative_to(run))
        unpacked = gzip.decompress(data) if path.suffix == ".gz" else data
        digest = sha256(unpacked).hexdigest() if name == "shard" else ""
        found[name.removesuffix(".gz") + digest] = unpacked
    return found


def test_files_that_say_gzip_are_gzip_and_hold_the_same(tmp_path: Path) -> None:
    run_compressed(tmp_path / "compressed")
    with open_run(tmp_path / "plain", HEADER, POLICY, QUIET) as run:
        train(run, ToyState())
    plain, compressed = tensor_files(tmp_path / "plain"), tensor_files(tmp_path / "compressed")
    assert plain == compressed
    assert not list((tmp_path / "plain").rglob("*.gz"))
    assert not list((tmp_path / "compressed").rglob("*.safetensors"))
    card = json.loads(next((tmp_path / "compressed").rglob("card.json")).read_text())
    assert card["files"]["weights.safetensors"]["unpacked_bytes"] > 0


def test_a_compressed_run_resumes_bit_for_bit(tmp_path: Path) -> None:
    run_compressed(tmp_path / "whole")
    run_compressed(tmp_path / "broken", stop=8)
    assert run_compressed(tmp_path / "broken", replace(QUIET, resume=True)).finished
    last = max(Checkpoints(tmp_path / "whole").steps())
    for name in ("weights.safetensors.gz", "rest.safetensors.gz", "card.json"):
        files = [Checkpoints(tmp_path / run).path(last) / name for run in ("whole", "broken")]
        assert files[0].read_bytes() == files[1].read_bytes()


FORGED = {
    "more than its card says": gzip.compress(bytes(10**6)),
    "less than its card says": gzip.compress(b"abc"),
    "a truncated one": gzip.compress(bytes(100))[:-9],
    "no gzip": b"not gzip at all",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "w.safetensors.gz").write_bytes(FORGED[name])
    with pytest.raises(CorruptError, match=r"w\.safetensors\.gz is not safetensors"):
        unpack(tmp_path / "w.safetensors", FileNote.of(FORGED[name], unpacked_bytes=100))
