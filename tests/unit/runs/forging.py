"""Checkpoints that are corrupt on purpose."""

import json
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any

from selfmate.runs.files import canonical, pretty

WEIGHTS, REST, CARD = "weights.safetensors", "rest.safetensors", "card.json"


def forge(checkpoint: Path, files: dict[str, bytes], fields: dict[str, Any] | None = None) -> None:
    """Changes files or fields of the card, and corrects all digests."""
    card = json.loads((checkpoint / CARD).read_bytes()) | (fields or {})
    for name, data in files.items():
        (checkpoint / name).write_bytes(data)
        card["files"][name] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
    del card["sha256"]
    card["sha256"] = sha256(canonical(card).encode()).hexdigest()
    (checkpoint / CARD).write_bytes(pretty(card))


def safetensors(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    """A file with any header, given as JSON text or as a value."""
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(kind: str, shape: list[int], start: int, stop: int) -> dict[str, Any]:
    return {"dtype": kind, "shape": shape, "data_offsets": [start, stop]}


W, B = tensor("F32", [4, 4], 8, 72), tensor("F64", [], 0, 8)
GOOD = bytes(72)
HOSTILE_TENSORS: dict[str, bytes] = {
    "empty": b"",
    "no header": b"\x01",
    "huge header": safetensors({"w": W, "b": B}, GOOD, length=2**63),
    "header beyond the file": safetensors({"w": W, "b": B}, GOOD, length=10**6),
    "no JSON": safetensors("{", GOOD),
    "deep JSON": safetensors("[" * 50_000, GOOD),
    "overlap": safetensors({"w": tensor("F32", [4, 4], 0, 64), "b": B}, GOOD),
    "hole": safetensors({"w": W}, GOOD),
    "doubled key": safetensors('{"w":%s,"w":%s,"b":%s}' % ((json.dumps(B),) * 3), GOOD),
    "backwards": safetensors({"w": tensor("F32", [4, 4], 72, 8), "b": B}, GOOD),
    "negative": safetensors({"w": tensor("F32", [4, 4], -64, 0), "b": B}, GOOD),
    "overflowing shape": safetensors({"w": tensor("F32", [2**62, 4], 8, 72), "b": B}, GOOD),
    "past the end": safetensors({"w": tensor("F32", [4, 5], 8, 88), "b": B}, GOOD),
    "unknown type": safetensors({"w": tensor("PICKLE", [4, 4], 8, 72), "b": B}, GOOD),
    "type NumPy lacks": safetensors({"w": tensor("BF16", [4, 8], 8, 72), "b": B}, GOOD),
    "other shape": safetensors({"w": tensor("F32", [2, 8], 8, 72), "b": B}, GOOD),
    "other type": safetensors({"w": tensor("I32", [4, 4], 8, 72), "b": B}, GOOD),
    "other name": safetensors({"v": W, "b": B}, GOOD),
    "one missing": safetensors({"w": tensor("F32", [4, 4], 0, 64)}, GOOD[:64]),
    "one more": safetensors({"w": W, "b": B, "c": tensor("U8", [1], 72, 73)}, GOOD + b"\0"),
    "not a number": safetensors({"w": W, "b": B}, bytes(68) + struct.pack("<f", float("nan"))),
    "infinite": safetensors({"w": W, "b": B}, struct.pack("<d", float("inf")) + bytes(64)),
}
HOSTILE_CARDS: dict[str, bytes] = {
    "empty": b"",
    "no text": b"\xff\xfe",
    "cut": b'{"step": 8',
    "a list": b"[]",
    "deep": b"[" * 1_000_000,
    "deep object": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "gigantic number": b'{"step": ' + b"9" * 100_000 + b"}",
    "not a number": b'{"step": NaN}',
    "huge": b" " * (5 * 2**20),
    "other keys": b'{"step": 8}',
}
SHARD = {"name": "step 8", "bytes": 82, "sha256": "0" * 64}
HOSTILE_FIELDS: dict[str, dict[str, Any]] = {
    "text as step": {"step": "8"},
    "bool as done": {"done": True},
    "number with a point": {"done": 40.0},
    "negative": {"metrics_bytes": -1},
    "missing metrics": {"metrics_bytes": 10**15},
    "other step": {"step": 6},
    "other progress": {"done": 39},
    "other total": {"total": 58},
    "other unit": {"unit": "cycles"},
    "other format": {"format": 2},
    "other learner": {"learner": "ddqn"},
    "other config": {"config": {"seed": 3}},
    "other run": {"run": "0" * 64},
    "list as facts": {"facts": []},
    "no facts": {"facts": {}},
    "wrong facts": {"facts": {"seen": 40, "rng": {"state": 2**200}}},
    "text as random state": {"facts": {"seen": 40, "rng": "PCG64"}},
    "best without step": {"best": {"score": 1.0}},
    "text as score": {"best": {"score": "1", "step": 2}},
    "files as a list": {"files": []},
    "other files": {"files": {"../../config.toml": {"bytes": 1, "sha256": ""}}},
    "an extra key": {"code": "import os"},
    "shards as an object": {"pages": {}},
    "an explicit empty list of shards": {"pages": []},
    "a shard without a name": {"pages": [{"bytes": 1, "sha256": "0" * 64}]},
    "a shard that is a text": {"pages": ["step 8"]},
    "a missing shard": {"pages": [SHARD]},
    "a shard twice": {"pages": [SHARD, SHARD]},
    "a shard elsewhere": {"pages": [SHARD | {"sha256": "../checkpoints/00000008/weights"}]},
    "a shard anywhere": {"pages": [SHARD | {"sha256": "/" + "0" * 63}]},
    "a shard in capitals": {"pages": [SHARD | {"sha256": "A" * 64}]},
    "a shard of another size": {"pages": [SHARD | {"bytes": -1}]},
    "a shard with an extra key": {"pages": [SHARD | {"code": "import os"}]},
    "an explicit first attempt": {"attempt": 1},
    "no attempt": {"attempt": 0},
    "attempt with a point": {"attempt": 2.0},
}
