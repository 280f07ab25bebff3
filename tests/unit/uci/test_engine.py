"""The engine with well and badly behaved players: one legal `bestmove` for each `go`."""

import random
from threading import Event

import pytest

from selfmate.players import Analysis, Limits, Player, RootStatistics
from selfmate.rules import Board
from selfmate.uci.commands import GO_KEYWORDS
from selfmate.uci.engine import Engine, NoPlayerError
from selfmate.uci.options import Capabilities
from unit.uci.fakes import FAKES, Chance, Deaf, Fake, Patient, Report, Searcher, Steady
from unit.uci.session import TIMEOUT_S, Session, bestmoves, converse

COMMANDS = ["uci", "debug", "isready", "setoption", "register", "ucinewgame", "position"]
COMMANDS += ["go", "stop", "ponderhit"]
WORDS = [*COMMANDS, *GO_KEYWORDS, "startpos", "fen", "moves", "name", "value", "on", "off", "true"]
WORDS += ["e2e4", "e7e5", "g1f3", "a7a8q", "0000", "e2e5", "0", "1", "-1", "50", "99999999999"]
WORDS += ["SyzygyPath", "UCI_LimitStrength", "UCI_Elo", "Clear Hash", "Hash"]
WORDS += ["Move Overhead", "UCI_ShowWDL", "8/8/8/8/8/8/8/K1k5 w - - 0 1", Board().fen()]
WORDS += ["\x00", "é", "\t", "♞", "k" * 999]


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("go", Limits()),
        ("go depth 5", Limits(depth=5)),
        ("go mate 3", Limits(mate=3)),
        ("go mate 3 depth 2 nodes 7", Limits(depth=2, nodes=7, mate=3)),
        ("go movetime 1060", Limits(time_ms=1000.0)),
        ("go movetime 0", Limits(time_ms=1.0)),
        ("go ponder movetime 1060", Limits()),
        ("go infinite wtime 5000 btime 5000", Limits()),
    ],
)
def test_the_player_gets_the_limits_of_go(line: str, limits: Limits) -> None:
    player = Chance()
    with Session(player) as session:
        session.send("isready", line, "stop")
        session.read_until("bestmove")
        assert session.engine.close(30)
    assert player.asked == [limits]


class Loader:
    """Loads a player when it is told to."""

    def __init__(self, player: Fake) -> None:
        self.player = player
        self.calls = 0
        self.has_begun, self.may_end = Event(), Event()

    def __call__(self) -> Player:
        self.calls += 1
        self.has_begun.set()
        assert self.may_end.wait(TIMEOUT_S)
        return self.player


@pytest.mark.parametrize("lines", [["uci"], ["ucinewgame"], ["go", "isready"]])
def test_the_player_is_loaded_once_and_soon(lines: list[str]) -> None:
    loader = Loader(Chance())
    with Session(loader.player, loader) as session:
        session.send(*lines)
        assert loader.has_begun.wait(TIMEOUT_S)
        loader.may_end.set()
        session.send("isready", "go", "ucinewgame", "isready", "go")
        session.read_until("readyok")
    assert loader.calls == 1


def test_go_waits_for_the_player_and_is_never_answered_by_chance() -> None:
    loader = Loader(Steady())
    with Session(loader.player, loader) as session:
        session.send("go movetime 1", "stop")
        assert loader.has_begun.wait(TIMEOUT_S)
        assert session.engine_is_silent()
        loader.may_end.set()
        said = session.read_until("bestmove")
    assert said[-1] == "bestmove a2a3 ponder a7a5"
    assert not any("random" in line for line in said)


def test_lines_that_need_no_player_are_handled_while_it_is_loaded() -> None:
    loader = Loader(Steady())
    with Session(loader.player, loader) as session:
        session.send("uci", "setoption name UCI_ShowWDL value true", "stop", "register later")
        session.send("hello")
        assert session.read_until("info string unknown command 'hello'")[-2] == "uciok"
        session.send("position startpos moves e2e4", "go depth 2")
        loader.may_end.set()
        assert "wdl 200 500 300" in session.read_until("bestmove")[-2]


@pytest.mark.parametrize("lines", [["uci", "quit"], ["isready", "quit"], ["ucinewgame", "quit"]])
def test_quit_does_not_wait_for_the_player(lines: list[str]) -> None:
    loader = Loader(Chance())
    with Session(loader.player, loader) as session:
        session.send(*lines)
        said = session.end()
    assert "readyok" not in said
    loader.may_end.set()


def test_a_signal_does_not_wait_for_the_player() -> None:
    loader = Loader(Chance())
    with Session(loader.player, loader) as session:
        session.send("go infinite")
        assert loader.has_begun.wait(TIMEOUT_S)
        session.engine.quit()
        assert session.end() == []
    loader.may_end.set()


def test_the_time_to_load_is_part_of_the_budget() -> None:
    loader = Loader(Chance())
    with Session(loader.player, loader) as session:
        session.send("go movetime 1060")
        assert loader.has_begun.wait(TIMEOUT_S)
        assert session.engine_is_silent()
        loader.may_end.set()
        session.read_until("bestmove")
    (limits,) = loader.player.asked
    assert limits.time_ms is not None
    assert limits.time_ms < 1000


@pytest.mark.parametrize("error", [ValueError("depth=9"), ImportError("no torch"), OSError("gone")])
def test_a_player_that_does_not_load_ends_the_engine(error: Exception) -> None:
    def load() -> Player:
        raise error

    said: list[str] = []
    with pytest.raises(NoPlayerError, match=f"player 'x' cannot be loaded: {error}"):
        Engine("x", load, said.append, lambda: 0).run(["isready", "isready"])
    assert said == [f"info string the player x cannot be loaded: {error}"]


def test_close_closes_the_player() -> None:
    player = Chance()
    engine = Engine("x", lambda: player, lambda line: None, lambda: 0)
    assert engine.close(0)
    engine.run(["go"])
    assert engine.close(30)
    assert player.closed


@pytest.mark.parametrize("name", sorted(set(FAKES) - {"deaf"}))
def test_every_go_gets_one_bestmove(name: str) -> None:
    lines = ["go depth 1", "go infinite", "go ponder", "stop", "stop", "go movetime 1"] * 20
    moves = bestmoves(converse(FAKES[name](), lines))
    assert len(moves) == 80
    assert set(moves) <= set(Board().legal_moves())


def test_a_new_game_forgets_and_only_then() -> None:
    player = Searcher()
    lines = ["go", "go", "ucinewgame", "go", "go", "setoption name clear hash", "go", "go"]
    converse(player, lines)
    asked = [request.is_fresh for request in player.requests]
    assert asked == [False, False, True, False, True, False]


def test_hash_is_the_size_of_the_cache() -> None:
    player = Searcher()
    converse(player, ["go", "setoption name Hash value 64", "go"])
    assert [request.cache_mb for request in player.requests] == [16, 64]


def test_limited_strength_sets_simulations_and_temperature() -> None:
    player = Searcher()
    limit = "setoption name UCI_LimitStrength value true"
    lines = ["go movetime 60000", limit, "go movetime 60000", "setoption name UCI_Elo value 900"]
    lines += ["go infinite", "setoption name UCI_Elo value 1200", "go nodes 5000", "go nodes 1"]
    converse(player, lines)
    unlimited, strongest, weak, middle, hurried = player.requests
    assert (unlimited.limits.nodes, unlimited.temperature) == (LARGEST, None)
    assert (strongest.limits.nodes, strongest.temperature, strongest.is_fresh) == (8, 0.0, True)
    assert (weak.limits.nodes, weak.temperature, weak.cache_mb) == (0, 0.5, 0)
    assert (middle.limits.nodes, hurried.limits.nodes) == (2, 1)


def test_wdl_is_offered_if_the_player_has_one() -> None:
    assert "option name UCI_ShowWDL type check default false" in converse(Steady(), ["uci"])
    said = converse(Chance(), ["uci", "setoption name UCI_ShowWDL value true"])
    assert not any(line.startswith("option name UCI_ShowWDL") for line in said)
    assert said[-1].startswith("info string no option 'UCI_ShowWDL'; there are: Move Overhead")


def test_quit_answers_the_search_first_and_ignores_later_lines() -> None:
    said = converse(Patient(), ["go infinite", "quit", "go", "isready", "quit"])
    assert len(bestmoves(said)) == 1
    assert "readyok" not in said


def test_quit_from_outside_answers_the_search_first() -> None:
    with Session(Patient()) as session:
        session.send("go infinite")
        session.read()
        session.engine.quit()
        assert session.read_until("bestmove")[-1] == "bestmove a2a3"


def test_a_player_that_does_not_stop_gets_a_random_move() -> None:
    player = Deaf()
    with Session(player) as session:
        session.send("go infinite", "stop")
        assert (
            session.read() == "info string the player gave no move: a random legal move is played"
        )
        assert session.read().startswith("bestmove")
        session.send("go movetime 1", "isready")
        session.read_until("readyok")
        assert len(player.asked) <= 1, "it gets one request at a time"
        player.release.set()
        session.send("go")
        session.read_until("info time")
        assert session.read().startswith("bestmove")


def test_analyses_after_bestmove_are_dropped() -> None:
    player = Deaf()
    with Session(player) as session:
        session.send("go", "stop")
        session.read_until("bestmove")
        player.release.set()
        assert session.engine.close(30)
        assert session.end() == []


def test_debug_shows_limits_and_time_budget() -> None:
    said = converse(Chance(), ["debug on", "go movetime 1060", "debug off", "go"])
    plans = [line for line in said if "Limits" in line]
    assert len(plans) == 1
    assert "20 moves" in plans[0]


def test_option_lines_always_have_the_defaults() -> None:
    said = converse(Steady(), ["uci", "setoption name Move Overhead value 0", "uci"])
    assert said[: len(said) // 2] == said[len(said) // 2 :]


def test_temperature_is_offered_if_the_player_has_one() -> None:
    player, said = Chance(), list[str]()
    lines = ["uci", "go", "stop"]
    for value in ("25", "0", "1001", "12"):
        lines += [f"setoption name temperature value {value}", "go", "stop"]
    Engine("x", lambda: player, said.append, lambda: 0, Capabilities(0.125)).run(lines)
    assert "option name Temperature type spin default 12 min 0 max 1000" in said
    assert "info string '1001' is not a whole number 0..1000" in said
    assert player.temperatures == [None, 0.25, 0.0, 0.0, None]


def test_searchmoves_keep_the_temperature() -> None:
    player = Chance()
    lines = ["setoption name Temperature value 30", "go searchmoves e2e4"]
    Engine("x", lambda: player, lambda line: None, lambda: 0, Capabilities(0.0)).run(lines)
    assert set(player.temperatures) == {0.3}


def test_temperature_is_not_offered_if_the_player_has_none() -> None:
    said = converse(Chance(), ["uci", "setoption name Temperature value 25"])
    assert not any(line.startswith("option name Temperature") for line in said)
    assert said[-1].startswith("info string no option 'Temperature'; there are: Move Overhead")


@pytest.mark.parametrize("seed", range(20))
def test_no_input_breaks_the_engine(seed: int) -> None:
    """A thousand lines of words in any order, with a good `go` now and then."""
    rng = random.Random(seed)
    lines = []
    for _ in range(1000):
        words = rng.choices(WORDS, k=rng.randrange(8))
        lines.append(" ".join([rng.choice(COMMANDS), *words] if rng.random() < 0.8 else words))
    player = Searcher() if seed % 2 else Chance()
    said = converse(player, [*lines, "stop", "isready"])
    assert said[-1] == "readyok"
    assert len(bestmoves(said)) == sum(line.split()[:1] == ["go"] for line in lines)
    assert all(line and line.split("\n") == [line] for line in said)


@pytest.mark.parametrize("seed", range(4))
def test_games_against_itself_are_legal(seed: int) -> None:
    """The engine against itself: every move it gives can be played."""
    rng = random.Random(seed)
    board, player = Board(), Chance()
    with Session(player) as session:
        while board.outcome() is None and len(board.moves) < 200:
            limit = rng.choice(["depth 1", "wtime 9999 btime 9999", "nodes 5", "infinite"])
            session.send(f"position startpos moves {' '.join(board.moves)}", f"go {limit}", "stop")
            board.push(session.read_until("bestmove")[-1].split()[1])


LARGEST = 2**31 - 1


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("go", Limits()),
        ("go depth 5", Limits(depth=5, nodes=LARGEST)),
        ("go mate 2", Limits(mate=2, nodes=LARGEST)),
        ("go nodes 7 movetime 1060", Limits(nodes=7, time_ms=1000.0)),
        ("go movetime 1060", Limits(nodes=LARGEST, time_ms=1000.0)),
        ("go wtime 4000 btime 60", Limits(nodes=LARGEST, time_ms=100.0)),
        ("go infinite", Limits(nodes=LARGEST)),
        ("go ponder movetime 1060", Limits(nodes=LARGEST)),
    ],
)
def test_a_tree_search_uses_all_of_its_time(line: str, limits: Limits) -> None:
    player = Searcher()
    with Session(player) as session:
        session.send("isready", line, "stop")
        session.read_until("bestmove")
        assert session.engine.close(30)
    assert player.asked == [limits]


def test_a_tree_search_gets_its_options() -> None:
    player = Searcher()
    with Session(player) as session:
        session.send("go", "setoption name CPuct value 170", "setoption name Threads value 2", "go")
        session.send("go searchmoves a2a3")
        for _ in range(3):
            session.read_until("bestmove")
    changed = {"c_puct": 1.7}
    assert player.searched_with == [({}, 1), (changed, 2), (changed, 2)]


class Grower(Searcher):
    """A tree search that asks after every visit whether to end, `most` times at most. The lead of
    the best move is always the same."""

    def __init__(self, lead: int, most: int = 10**9) -> None:
        super().__init__()
        self._lead, self._most = lead, most
        self.is_enough: list[bool] = []

    def answer(self, board: Board, seed: int, stop: Event, report: Report) -> Analysis:
        ask, best = self.requests[-1].is_enough, min(board.legal_moves())
        assert ask is not None
        for visits in range(self._most):
            root = RootStatistics(
                best=best,
                visits=2 * visits + self._lead,
                best_visits=visits + self._lead,
                second_visits=visits,
                value=0.0,
            )
            self.is_enough.append(ask(root))
            if self.is_enough[-1]:
                break
        return Analysis(best=best)


DAYS = "wtime 999999999"  # hours for a move


def test_a_clock_is_not_spent_on_a_settled_move() -> None:
    assert bestmoves(converse(Grower(10**12), [f"go {DAYS}"])) == ["a2a3"]


def test_a_forced_move_costs_no_time_of_the_clock() -> None:
    player, forced = Grower(0), "position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1"
    assert bestmoves(converse(player, [forced, f"go {DAYS}"])) == ["h1g2"]
    assert player.is_enough == [True]


def test_what_was_settled_while_pondering_is_played_after_ponderhit() -> None:
    player = Grower(10**12)
    with Session(player) as session:
        session.send(f"go ponder {DAYS}")
        assert session.engine_is_silent()
        session.send("ponderhit")
        assert session.read_until("bestmove")[-1] == "bestmove a2a3"
    assert player.is_enough.count(True) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["go movetime 999999999"],
        ["setoption name UCI_LimitStrength value true", f"go {DAYS}"],
    ],
)
def test_a_fixed_time_or_strength_is_not_cut_short(lines: list[str]) -> None:
    player = Grower(10**12, most=20)
    assert bestmoves(converse(player, lines)) == ["a2a3"]
    assert player.is_enough == [False] * 20


def test_an_analysis_without_end_has_no_clock() -> None:
    player = Grower(10**12, most=20)
    with Session(player) as session:
        session.send(f"go infinite {DAYS}", "stop")
        session.read_until("bestmove")
        assert session.engine.close(30)
    assert player.is_enough == [False] * 20
