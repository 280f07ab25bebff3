"""A match: pairs of games on the same opening with colours swapped, many games at once."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any, TextIO

import numpy as np

from selfmate.arena.elo import NO_GAMES, Pentanomial, Wdl, estimate_elo
from selfmate.arena.openings import Opening, shipped_openings, shuffled
from selfmate.arena.sprt import Sprt
from selfmate.players import Choices, Player
from selfmate.rules import Board, available_cores, derive_seeds, push_moves
from selfmate.rules.pgn import RESULT_TEXTS, ROSTER, movetext, setup_tags, tag_text
from selfmate.runs import SampleGame
from selfmate.searches.teacher import score_moves

RESULTS = {"white": 1, "black": -1, None: 0}  # winner -> result in White's view
PLY_LIMIT = "ply_limit"  # the reason of truncated games
DID_NOT_START = "did_not_start"  # how the reason of a forfeit begins if there was no engine to play
DEFAULT_MAX_PLIES = 400  # after the opening
ADJUDICATION_PLIES = 6  # how long a lead must last
ADJUDICATION_DEPTH = 2  # of the teacher that sees it


@dataclass(frozen=True)
class PlayedGame:
    """A finished game. Games 2k and 2k + 1 are a pair on one opening; A has White in game 2k."""

    number: int
    opening: Opening
    moves: tuple[str, ...]  # UCI, including the opening's
    result: int  # White's view: 1 win, 0 draw, -1 loss
    reason: str  # of REASONS, `ply_limit`, `adjudication`, or why a player forfeited
    forfeit: bool = False
    # What searches found, one text per move after the opening; empty if no player says anything.
    comments: tuple[str, ...] = ()

    @property
    def points_of_a(self) -> float:
        """1, 1/2 or 0 for the first player."""
        view = 1 if self.number % 2 == 0 else -1
        return (1 + view * self.result) / 2


@dataclass
class RunningGame:
    number: int
    opening: Opening
    board: Board
    plies: int = 0  # since the opening
    white_lead_plies: int = 0  # plies in a row with a large lead of White; negative for Black
    comments: list[str] = field(default_factory=list)  # one per ply

    def player_to_move(self) -> int:
        """0 for A, 1 for B."""
        white_is_b = self.number % 2
        return white_is_b if self.board.turn == "white" else 1 - white_is_b

    def finish(self, result: int, reason: str, forfeit: bool = False) -> PlayedGame:
        """The game as it ended now; `result` is in White's view."""
        comments = tuple(self.comments) if any(self.comments) else ()
        moves = tuple(self.board.moves)
        return PlayedGame(self.number, self.opening, moves, result, reason, forfeit, comments)

    def forfeited(self, reason: str) -> PlayedGame:
        """The game lost by the side to move."""
        return self.finish(-1 if self.board.turn == "white" else 1, reason, forfeit=True)


@dataclass(frozen=True)
class SprtReport:
    """Where the test stands; the verdict is None while it is undecided."""

    elo0: float
    elo1: float
    llr: float
    lower_bound: float
    upper_bound: float
    verdict: str | None  # "H0" or "H1"

    def sentence(self) -> str:
        """For people."""
        bounds = f"LLR {self.llr:.2f} in [{self.lower_bound:.2f}, {self.upper_bound:.2f}]"
        if self.verdict is None:
            return f"{bounds}: undecided between {self.elo0:g} and {self.elo1:g} Elo"
        accepted = self.elo1 if self.verdict == "H1" else self.elo0
        return f"{bounds}: {self.verdict} accepted, {accepted:+g} Elo"


@dataclass(frozen=True, kw_only=True)
class MatchReport:
    """What the games of a match say, from the first player's side.

    `elo` is None if one side won every game; then only one bound is known.
    """

    wins: int
    draws: int
    losses: int
    ply_limit_games: int  # among the draws
    score: float  # points per game, 0..1
    elo: float | None  # above the opponent
    elo_low: float | None  # of the 95 % interval
    elo_high: float | None
    los: float  # likelihood of superiority, 0..1
    pentanomial: tuple[int, int, int, int, int]  # pairs by points: 0, 0.5, 1, 1.5, 2
    games: int
    distinct_games: int
    mean_plies: float  # including the opening's
    ends: dict[str, int]  # games by reason, all forfeits together
    forfeits: int
    forfeit_reasons: dict[str, int]
    illegal_moves: int
    sprt: SprtReport | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def elo_text(self) -> str:
        """The Elo difference with its interval, or the bound that is known."""
        if self.elo is not None and self.elo_low is not None and self.elo_high is not None:
            return f"{self.elo:+.0f} [{self.elo_low:+.0f}, {self.elo_high:+.0f}]"
        if self.elo_low is not None:
            return f"above {self.elo_low:+.0f}"
        if self.elo_high is not None:
            return f"below {self.elo_high:+.0f}"
        return "?"


def make_report(games: Sequence[PlayedGame], sprt: Sprt | None = None) -> MatchReport:
    """Counts games and pairs and estimates Elo; no games give an even, empty report."""
    by_points = Counter(game.points_of_a for game in games)
    pairs, unpaired = pair_counts(games), _unpaired(games)
    estimate = estimate_elo(pairs, unpaired) if games else None
    ends = Counter("forfeit" if game.forfeit else game.reason for game in games)
    return MatchReport(
        wins=by_points[1.0],
        draws=by_points[0.5],
        losses=by_points[0.0],
        ply_limit_games=ends["ply_limit"],
        score=estimate.score if estimate else 0.5,
        elo=estimate.elo if estimate else None,
        elo_low=estimate.elo_low if estimate else None,
        elo_high=estimate.elo_high if estimate else None,
        los=estimate.los if estimate else 0.5,
        pentanomial=pairs.counts,
        games=len(games),
        distinct_games=len({(game.opening.fen, game.moves) for game in games}),
        mean_plies=fmean(len(game.moves) for game in games) if games else 0.0,
        ends=dict(ends.most_common()),
        forfeits=ends["forfeit"],
        forfeit_reasons=dict(Counter(game.reason for game in games if game.forfeit).most_common()),
        illegal_moves=sum(game.reason.startswith("illegal_move") for game in games),
        sprt=_sprt_report(sprt, pairs) if sprt else None,
    )


def pair_counts(games: Sequence[PlayedGame]) -> Pentanomial:
    """Complete pairs by the first player's points."""
    points = {game.number: game.points_of_a for game in games}
    return Pentanomial.of_points(
        points[n] + points[n + 1] for n in points if n % 2 == 0 and n + 1 in points
    )


def _unpaired(games: Sequence[PlayedGame]) -> Wdl:
    """Games whose partner is missing."""
    numbers = {game.number for game in games}
    points = [game.points_of_a for game in games if game.number ^ 1 not in numbers]
    if not points:
        return NO_GAMES
    return Wdl(points.count(1.0), points.count(0.5), points.count(0.0))


def _sprt_report(sprt: Sprt, pairs: Pentanomial) -> SprtReport:
    verdict = sprt.verdict(pairs)
    return SprtReport(
        sprt.elo0,
        sprt.elo1,
        sprt.llr(pairs),
        sprt.lower_bound,
        sprt.upper_bound,
        str(verdict) if verdict else None,
    )


class MatchScore:
    """The score of a match while it is played: which games count, and whether SPRT has decided."""

    def __init__(self, games: Mapping[int, PlayedGame], total: int, sprt: Sprt | None) -> None:
        """`games` by number; the caller adds to it and calls `count`. `total` is the length of
        the match."""
        self._games, self._total, self._sprt = games, total, sprt
        self._counted: list[PlayedGame] = []  # with SPRT only
        self.decided = False  # by SPRT
        self.count()

    def count(self) -> None:
        """Counts new pairs, for SPRT, in the order of their numbers, not as they happen to end.

        So the same seed gives the same verdict however many games run at once.
        """
        if self._sprt is None:
            return
        while not self.decided:
            first = len(self._counted)
            pair = [self._games.get(first), self._games.get(first + 1)]
            if first >= self._total or None in pair:
                return
            self._counted += [game for game in pair if game is not None]
            self.decided = self._sprt.verdict(pair_counts(self._counted)) is not None

    def counted(self) -> list[PlayedGame]:
        """The games that count: all, or with SPRT the pairs up to the decision."""
        if self._sprt is not None:
            return list(self._counted)
        return [self._games[n] for n in sorted(self._games) if n < self._total]

    def report(self) -> MatchReport:
        """The report of the games that count so far."""
        return make_report(self.counted(), self._sprt)

    @property
    def over(self) -> bool:
        return self.decided or all(n in self._games for n in range(self._total))


class PlayerDidNotStartError(RuntimeError):
    """A player never made a move because its program does not start: there is no match to count."""

    def __init__(self, player: str, reason: str) -> None:
        super().__init__(f"{player} did not start: {reason.partition(': ')[2] or reason}")


def play_match(
    player: Player,
    opponent: Player,
    *,
    games: int,
    seed: int = 1,
    max_plies: int = DEFAULT_MAX_PLIES,
) -> MatchReport:
    """Plays a match on the openings that ship and reports it from the first player's side. Blocks.

    The seed decides the order of the openings and all randomness of the players. A forfeited game
    is lost.
    """
    match = Match((player, opponent), shuffled(shipped_openings(), seed), seed, max_plies)
    return make_report(list(match.play(range(games))))


@dataclass
class Match:
    """Plays the games of a match that are asked for, as many at once as the players want."""

    players: tuple[Player, Player]
    openings: Sequence[Opening]  # pair k has opening k, from the start again after the last
    seed: int
    max_plies: int = DEFAULT_MAX_PLIES
    adjudicate_pawns: int | None = None  # a lead that ends a game; None: games are played out
    # Called after every round of moves with the game that has been running longest.
    watch: Callable[[RunningGame], None] | None = None
    moves: int = 0  # played so far, in all games
    _running: list[RunningGame] = field(default_factory=list)
    _started: set[int] = field(default_factory=set)  # the players that have made a move

    def play(self, numbers: Sequence[int]) -> Iterator[PlayedGame]:
        """Plays the games with these numbers and yields each when it ends.

        A game depends on seed and number alone, not on which games run beside it.
        PlayerDidNotStartError if a player fails before its first move of all.
        """
        waiting = list(reversed(numbers))
        parallel_games = min(player.parallel_games for player in self.players)
        self._running = []
        while waiting or self._running:
            while waiting and len(self._running) < parallel_games:
                self._running.append(self._start(waiting.pop()))
            for side in (0, 1):
                yield from self._play_moves(side)
            if self.watch is not None and self._running:
                self.watch(self._running[0])

    def _start(self, number: int) -> RunningGame:
        opening = self.openings[number // 2 % len(self.openings)]
        return RunningGame(number, opening, opening.board())

    def _play_moves(self, side: int) -> list[PlayedGame]:
        """One move in every game with this player to move; returns the games that ended by it."""
        games = [game for game in self._running if game.player_to_move() == side]
        if not games:
            return []
        numbers = np.array([game.number for game in games])
        plies = np.array([game.plies for game in games])
        choices = self.players[side].choose(
            [game.board for game in games], derive_seeds(self.seed, numbers, plies)
        )
        self._check_started(side, choices, len(games))
        ended, unfinished = self._push(games, choices)
        ended += self._adjudicate(unfinished)
        over = {game.number for game in ended}
        self._running = [game for game in self._running if game.number not in over]
        return ended

    def _check_started(self, side: int, choices: Choices, boards: int) -> None:
        if len(choices.forfeits) < boards:
            self._started.add(side)
        reason = next(iter(choices.forfeits.values()), "")
        if side not in self._started and reason.startswith(DID_NOT_START):
            raise PlayerDidNotStartError(self.players[side].name, reason)

    def _push(
        self, games: Sequence[RunningGame], choices: Choices
    ) -> tuple[list[PlayedGame], list[RunningGame]]:
        """Plays the chosen moves: the games that ended, and those that go on."""
        ended = [games[i].forfeited(reason) for i, reason in choices.forfeits.items()]
        unfinished = []
        moved = [i for i in range(len(games)) if i not in choices.forfeits]
        self.moves += len(moved)
        outcomes = push_moves([games[i].board for i in moved], choices.moves[moved])
        for i, outcome in zip(moved, outcomes, strict=True):
            game = games[i]
            game.plies += 1
            game.comments.append(choices.comments.get(i, ""))
            if outcome is not None:
                ended.append(game.finish(RESULTS[outcome.winner], outcome.reason))
            elif game.plies >= self.max_plies:
                ended.append(game.finish(0, PLY_LIMIT))
            else:
                unfinished.append(game)
        return ended, unfinished

    def _adjudicate(self, games: Sequence[RunningGame]) -> list[PlayedGame]:
        """Ends games in which the teacher has seen the same side far ahead for long enough."""
        if self.adjudicate_pawns is None or not games:
            return []
        boards = [game.board for game in games]
        scores = score_moves(boards, depth=ADJUDICATION_DEPTH, threads=available_cores())
        best_pawns = np.maximum.reduceat(scores.pawns, scores.offsets[:-1])
        ended = []
        for game, pawns in zip(games, best_pawns, strict=True):
            lead = pawns if game.board.turn == "white" else -pawns
            leader = 0 if abs(lead) < self.adjudicate_pawns else 1 if lead > 0 else -1
            same = leader * game.white_lead_plies > 0
            game.white_lead_plies = game.white_lead_plies + leader if same else leader
            if abs(game.white_lead_plies) >= ADJUDICATION_PLIES:
                ended.append(game.finish(leader, "adjudication"))
        return ended


def write_match_pgn(
    games: Iterable[PlayedGame], players: tuple[str, str], file: TextIO, *, date: str, seed: int
) -> None:
    """Writes games as PGN: players, opening and ending in tags, what searches found in comments."""
    for game in games:
        sans, board = [], Board(game.opening.fen)
        for move in game.moves:
            sans.append(board.san(move))
            board.push(move)
        result = RESULT_TEXTS[game.result]
        file.write(tag_text(_tags(game, players, result, date, seed)))
        comments = ("",) * len(game.opening.moves) + game.comments
        file.write("\n" + movetext(sans, result, game.opening.fen, comments) + "\n")


def _tags(
    game: PlayedGame, players: tuple[str, str], result: str, date: str, seed: int
) -> dict[str, str]:
    white, black = players if game.number % 2 == 0 else players[::-1]
    return ROSTER | {
        "Event": f"Selfmate match, seed {seed}",
        "Date": date,
        "Round": f"{game.number // 2 + 1}.{game.number % 2 + 1}",
        "White": white,
        "Black": black,
        "Result": result,
        "Termination": game.reason.replace("_", " "),
        "OpeningPlies": str(len(game.opening.moves)),
        **setup_tags(game.opening.fen),
    }


def sample_of(board: Board, white: str, black: str) -> SampleGame:
    """The game that led to the board, as runs keep it; one that is not over was truncated."""
    outcome = board.outcome()
    return SampleGame(
        start=board.start_fen,
        moves=tuple(board.moves),
        result=RESULT_TEXTS[RESULTS[outcome.winner]] if outcome else "*",
        reason=outcome.reason if outcome else PLY_LIMIT,
        white=white,
        black=black,
    )
