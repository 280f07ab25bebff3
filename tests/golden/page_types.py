"""TypeScript types of what the lab's server answers and accepts, from their JSON Schema."""

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from selfmate.lab.analysis import PastedGames, PositionAnalysis, PositionData, Problem, TreeData
from selfmate.lab.datasets import DatasetsData, NewCollection, NewImport
from selfmate.lab.game import GameData, GameHint
from selfmate.lab.ladder import LadderData, LearningRow, NewRating
from selfmate.lab.match_file import GameRecord
from selfmate.lab.matches import MatchData, MatchId, MatchRow, NewMatch
from selfmate.lab.minichess import EndgameFacts, MiniPosition, PlayedMove
from selfmate.lab.minichess_runs import EndgameData
from selfmate.lab.play import NewGame
from selfmate.lab.players import Offer
from selfmate.lab.puzzle_book import PlayerAnswer, PuzzleData, PuzzleRow
from selfmate.lab.review import ReviewData
from selfmate.lab.run_feed import RunData
from selfmate.lab.runs_folder import RunRow
from selfmate.lab.samples import SampleGame
from selfmate.lab.topics import TopicError
from selfmate.lab.tournaments import NewTournament, TournamentData, TournamentId, TournamentRow
from selfmate.lab.trainings import LearnerForm, NewTraining, RunName

ANSWERS: tuple[Any, ...] = (
    GameData,
    GameHint,
    Offer,
    LearnerForm,
    DatasetsData,
    RunName,
    RunRow,
    RunData,
    SampleGame,
    MatchId,
    MatchRow,
    MatchData,
    TournamentId,
    TournamentRow,
    TournamentData,
    GameRecord,
    LadderData,
    LearningRow,
    PastedGames,
    PositionData,
    PositionAnalysis,
    Problem,
    TreeData,
    ReviewData,
    PuzzleRow,
    PuzzleData,
    PlayerAnswer,
    EndgameData,
    EndgameFacts,
    MiniPosition,
    PlayedMove,
    TopicError,
)
REQUESTS: tuple[Any, ...] = (
    NewGame,
    NewMatch,
    NewTournament,
    NewRating,
    NewTraining,
    NewImport,
    NewCollection,
)
HEADER = "// Generated from the server's types by `make docs`. Do not edit.\n"
Schema = dict[str, Any]


def draw_types() -> str:
    """All types, in the order of their names."""
    drawn = _drawn(ANSWERS, "serialization") | _drawn(REQUESTS, "validation")
    return "\n".join([HEADER, *(drawn[name] for name in sorted(drawn))])


def _drawn(types: tuple[Any, ...], mode: JsonSchemaMode) -> dict[str, str]:
    """Declarations by name. A field with a default is always in an answer, not in a request."""
    adapters = [(one.__name__, mode, TypeAdapter(one)) for one in types]
    _, schema = TypeAdapter.json_schemas(adapters)
    for one in schema["$defs"].values():
        if mode == "serialization":
            fields = one["properties"].items()
            defaults = [name for name, field in fields if "default" in field]
            one["required"] = [*one.get("required", ()), *defaults]
    return {name: _declaration(name, one) for name, one in schema["$defs"].items()}


def _declaration(name: str, schema: Schema) -> str:
    return f"export type {name} = {_type(schema)};\n"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return _union(map(_type, schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return _union(f'"{value}"' for value in schema.get("enum", [schema.get("const")]))
    return KINDS[schema["type"]](schema)


def _union(parts: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(parts))


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    item = _type(schema["items"])
    return f"({item})[]" if "|" in item else f"{item}[]"


def _object(schema: Schema) -> str:
    if "properties" not in schema:
        return f"Record<string, {_type(schema['additionalProperties'])}>"
    required = schema.get("required", ())
    fields = [
        f"  {name}{'' if name in required else '?'}: {_type(one)};"
        for name, one in schema["properties"].items()
    ]
    return "\n".join(["{", *fields, "}"])


KINDS: dict[str, Callable[[Schema], str]] = {
    "array": _array,
    "object": _object,
    "string": lambda _: "string",
    "integer": lambda _: "number",
    "number": lambda _: "number",
    "boolean": lambda _: "boolean",
    "null": lambda _: "null",
}
