"""The files of a run as its one writer sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from selfmate.runs.card import Best, Card, FileNote
from selfmate.runs.checkpoints import Checkpoints, Policy
from selfmate.runs.files import make_directory, replace_file
from selfmate.runs.header import CONFIG, Header
from selfmate.runs.json_text import pretty
from selfmate.runs.lines import LineFile, read_lines
from selfmate.runs.pages import Pages
from selfmate.runs.run import Json, Saved
from selfmate.runs.sample_game import SampleGame
from selfmate.runs.status import now
from selfmate.runs.steps import Note

METRICS, TIMINGS, NOTES, BEST = "metrics.jsonl", "timings.jsonl", "notes.jsonl", "best.json"
GAMES, SAMPLES = "games", "games/samples.jsonl"


class RunWriter:
    """Opened on a new run (`card` is None) or on one that goes on from `card`: all later is cut."""

    def __init__(self, directory: Path, header: Header, policy: Policy, card: Card | None) -> None:
        self.directory = directory
        self._policy = policy
        self._checkpoints, self._pages = Checkpoints(directory), Pages(directory)
        if not (directory / CONFIG).exists():
            replace_file(directory / CONFIG, header.to_toml())
        self._known: Mapping[str, FileNote] = {}  # pages of the newest checkpoint, so on disk
        self._metrics = LineFile(directory / METRICS)
        self._timings = LineFile(directory / TIMINGS)
        self._notes = LineFile(directory / NOTES)
        make_directory(directory / GAMES)
        self._samples = LineFile(directory / SAMPLES)
        self.go_back_to(card)

    @property
    def metrics_bytes(self) -> int:
        return self._metrics.size_bytes

    def add(self, line: Mapping[str, float], notes: Sequence[Note]) -> None:
        """One step's line of metrics, and what was said in it."""
        self._metrics.append(line)
        for note in notes:
            entry: dict[str, Json] = {"step": line["step"], "note": note.text}
            if not note.aloud:
                entry["aloud"] = False
            if note.alarm:
                entry["alarm"] = True
            self._notes.append(entry)

    def add_sample(self, step: int, game: SampleGame) -> None:
        self._samples.append(game.entry(step))

    def add_timing(self, step: int, seconds: float, parts: Mapping[str, float]) -> None:
        """A step's time, where time may be written."""
        timing: dict[str, Json] = {"step": step, "seconds": round(seconds, 6), "time": now()}
        if parts:
            timing["parts"] = {name: round(part, 6) for name, part in parts.items()}
        self._timings.append(timing)

    def save(self, card: Card, saved: Saved) -> None:
        self._metrics.sync()
        self._known = self._pages.write(saved.pages, self._known)
        self._checkpoints.save(replace(card, pages=self._known), saved)
        self._tidy(card.best)

    def go_back_to(self, card: Card | None) -> None:
        """Cuts all that is later; without a card, all there is."""
        step = card.step if card else 0
        self._known = card.pages if card else {}
        self._checkpoints.go_back_to(step)
        self._tidy(card.best if card else None)
        self._metrics.cut(card.metrics_bytes if card else 0)
        self._timings.cut(_bytes_until(self.directory / TIMINGS, step))
        self._notes.cut(_bytes_until(self.directory / NOTES, step))
        self._samples.cut(_bytes_until(self.directory / SAMPLES, step))

    def close(self) -> None:
        self._metrics.close()
        self._timings.close()
        self._notes.close()
        self._samples.close()

    def _tidy(self, best: Best | None) -> None:
        """What follows from the newest checkpoint; done again when a run goes on."""
        self._write_best(best)
        self._checkpoints.retain(self._policy, best.step if best else None)

    def _write_best(self, best: Best | None) -> None:
        path = self.directory / BEST
        if best is None:
            path.unlink(missing_ok=True)
            return
        checkpoint = self._checkpoints.path(best.step).relative_to(self.directory)
        entry: dict[str, Json] = {
            "step": best.step,
            "score": best.score,
            "checkpoint": str(checkpoint),
        }
        # Not flushed to disk: every card says the same.
        replace_file(path, pretty(entry), durable=False)


def _bytes_until(lines: Path, step: int) -> int:
    size_bytes = 0
    for end, line in read_lines(lines):
        number = line.get("step")
        if not isinstance(number, int) or number > step:
            break
        size_bytes = end
    return size_bytes
