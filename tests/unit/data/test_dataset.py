"""A folder of chunks as others read it."""

import json
from pathlib import Path

import pytest

from selfmate.data.dataset import MANIFEST, ChunkFolder
from unit.data.imports import games_text, import_all


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "games.pgn").write_text(games_text(12, seed=1))
    import_all([tmp_path / "games.pgn"], tmp_path / "chunks")
    return tmp_path / "chunks"


def test_the_manifest_tells_what_is_there(folder: Path) -> None:
    chunks = ChunkFolder(folder)
    for split, count in chunks.counts.items():
        sizes = chunks.chunk_sizes(split)
        assert [len(chunks.read(split, n)) for n in range(len(sizes))] == sizes
        assert sum(sizes) == count == chunks.manifest.positions[split]
        assert set(sizes[:-1]) <= {150}
    assert sum(chunks.counts.values()) > 300


def test_the_digest_is_of_the_contents(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(games_text(12, seed=2))
    other = import_all([tmp_path / "games.pgn"], tmp_path / "other")
    moved = folder.rename(tmp_path / "moved")
    assert ChunkFolder(moved).digest == ChunkFolder(moved).digest != other.digest


def test_what_is_no_folder_of_chunks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no folder"):
        ChunkFolder(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"not a folder of chunks, .* it has no manifest\.json"):
        ChunkFolder(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="not a folder of chunks"):
        ChunkFolder(tmp_path / "file")
    for text in ("", "{}", "[1]", "\xff", '{"format": 2}'):
        (tmp_path / MANIFEST).write_text(text, "latin-1")
        with pytest.raises(ValueError, match=r"manifest\.json is not a manifest of chunks: "):
            ChunkFolder(tmp_path)


def test_a_damaged_or_missing_chunk_is_named(folder: Path) -> None:
    path = folder / "training-00001.h5"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    chunks = ChunkFolder(folder)
    with pytest.raises(ValueError, match=r"training-00001\.h5 is damaged"):
        chunks.read("training", 1)
    path.unlink()
    with pytest.raises(ValueError, match=r"cannot read the chunk .*training-00001\.h5"):
        chunks.read("training", 1)
    assert len(chunks.read("training", 0)) == 150


@pytest.mark.parametrize("name", ["../training-00000.h5", "/etc/passwd", "x/training-00000.h5"])
def test_a_manifest_cannot_lead_elsewhere(folder: Path, name: str) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["chunks"]["training"][0]["file"] = name
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match="is not a manifest of chunks"):
        ChunkFolder(folder)


def test_positions_of_another_version_are_refused(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | {"stored_version": 1}))
    with pytest.raises(ValueError, match=r"positions of version 1, .* import the games again"):
        ChunkFolder(folder)
