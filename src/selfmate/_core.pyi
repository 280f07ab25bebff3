"""
The rules, encoders, searches and nets in C++. Private: use selfmate's public modules.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy
import numpy.typing


class Outcome:
    """
    How a game ended.

    Examples:
        >>> from selfmate import Board
        >>> board = Board()
        >>> for move in ("f2f3", "e7e5", "g2g4", "d8h4"):
        ...     board.push(move)
        >>> board.outcome()
        Outcome(winner='black', reason='checkmate')
    """

    @property
    def winner(self) -> Literal['white', 'black'] | None:
        """The winning side, or None for a draw."""

    @property
    def reason(self) -> str:
        """
        checkmate, stalemate, insufficient_material, fifty_moves, threefold_repetition or ply_limit.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

def uci_text(code: int) -> str:
    """The UCI text of a 16-bit move code."""

def uci_code(uci: str) -> int:
    """The 16-bit code of a UCI text."""

def push_moves(boards: list[Board], moves: numpy.typing.NDArray[numpy.uint16]) -> list[Outcome | None]:
    """Plays one move on each of several boards and returns their outcomes."""

class Board:
    """
    A chess game: a position and the line that led to it.

    Moves are UCI texts. Sides are White and Black, never "own" and "other". In a notebook a board is
    a picture, seen by White, with the last move marked.

    Examples:
        >>> from selfmate import Board
        >>> board = Board()
        >>> board.push("e2e4")
        >>> board.turn, len(board.legal_moves()), board.san("g8f6")
        ('black', 20, 'Nf6')
        >>> board.fen()
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'
        >>> board.pop(), board.outcome()
        ('e2e4', None)
    """

    def __init__(self, fen: str | None = None, *, chess960: bool = False) -> None:
        """
        The standard start, or the position of a FEN. It is one of Chess960 if so asked, if the FEN gives castling rights as files (HAha), or if standard chess cannot have them.
        """

    def fen(self) -> str:
        """
        The position as FEN; the en-passant square only while a capture there is legal. In Chess960 castling rights are the files of the rooks.
        """

    def legal_moves(self) -> list[str]:
        """All legal moves as UCI texts."""

    def push(self, uci: str, *, past_draw: bool = False) -> None:
        """
        Plays a move given as UCI text. After the end of the game nothing can be played, except past a draw by repetition, fifty moves or material with past_draw=True.
        """

    def pop(self) -> str:
        """Takes the last move back and returns it."""

    @property
    def turn(self) -> Literal['white', 'black']:
        """The side to move."""

    @property
    def chess960(self) -> bool:
        """
        Whether castling is the king taking its own rook, as Chess960 writes it.
        """

    @property
    def moves(self) -> list[str]:
        """The moves played so far as UCI texts."""

    @property
    def start_fen(self) -> str:
        """The position the line started from."""

    def is_check(self) -> bool:
        """Whether the side to move is in check."""

    def outcome(self) -> Outcome | None:
        """None while the game goes on, else winner and reason."""

    def san(self, uci: str) -> str:
        """A legal move in standard algebraic notation."""

    def parse_san(self, text: str) -> str:
        """The UCI text of a move in algebraic notation."""

    def copy(self) -> Board:
        """An independent copy, history included."""

    def perft(self, depth: int) -> int:
        """Number of leaf nodes of the legal move tree."""

    @property
    def hash(self) -> int:
        """Zobrist hash of the position: pieces, side, castling, en passant."""

    def __copy__(self) -> Board: ...

    def __deepcopy__(self, memo: object) -> Board: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def reason_names() -> list[str]:
    """Names of the codes in GameRecords.reasons, in order."""

class GameRecords:
    """
    Finished games in flat arrays: game i owns moves[offsets[i]:offsets[i + 1]].

    With G games of N moves in all: `moves`, `evaluations`, `best_moves` [N]; `offsets` [G + 1];
    `results`, `reasons`, `white_elo`, `black_elo`, `lines` [G]. Results are in White's view.

    Examples:
        >>> from selfmate import REASONS, random_games
        >>> games = random_games(10, seed=1)
        >>> games.offsets.shape, games.moves.shape == (games.offsets[-1],)
        ((11,), True)
        >>> games.uci(0)[:3], REASONS[games.reasons[0]], int(games.results[0])
        (['c2c4', 'c7c5', 'g2g4'], 'fifty_moves', 0)
    """

    def __len__(self) -> int: ...

    @property
    def moves(self) -> numpy.typing.NDArray[numpy.uint16]:
        """All moves, end to end: from | to << 6 | promotion << 12."""

    @property
    def offsets(self) -> numpy.typing.NDArray[numpy.int64]:
        """Where each game begins in moves, and one past the last."""

    @property
    def evaluations(self) -> numpy.typing.NDArray[numpy.int16]:
        """
        For each move, the evaluation of the position before it, in centipawns for the side to move; -32768 where there is none.
        """

    @property
    def best_moves(self) -> numpy.typing.NDArray[numpy.uint16]:
        """
        For each move, the best one in its position as comments say, 0 where they do not.
        """

    @property
    def results(self) -> numpy.typing.NDArray[numpy.int8]:
        """1 White won, 0 draw, -1 Black won, -128 not known."""

    @property
    def reasons(self) -> numpy.typing.NDArray[numpy.uint8]:
        """Why each game ended: an index into selfmate.rules.REASONS."""

    @property
    def white_elo(self) -> numpy.typing.NDArray[numpy.uint16]:
        """White's rating, 0 where not known."""

    @property
    def black_elo(self) -> numpy.typing.NDArray[numpy.uint16]:
        """Black's rating, 0 where not known."""

    @property
    def lines(self) -> numpy.typing.NDArray[numpy.int64]:
        """
        The line of the file each game begins in, 0 for games that came from elsewhere.
        """

    def start_fen(self, game: int) -> str:
        """The position the game started from."""

    def uci(self, game: int) -> list[str]:
        """The game's moves as UCI texts."""

    def san(self, game: int) -> list[str]:
        """The game's moves in algebraic notation."""

    def tags(self, game: int) -> dict[str, str]:
        """The game's PGN tags; empty for games that came from elsewhere."""

class GameBatch:
    """
    Many games stepped together, finished ones restarted in place.

    A batch of B games takes and gives arrays [B] of 16-bit move codes. Each game has a random stream of
    its own: nothing depends on the number of threads.

    Examples:
        >>> from selfmate import GameBatch, Move
        >>> batch = GameBatch(4, seed=1)
        >>> moves, offsets = batch.legal()
        >>> moves.shape, offsets.tolist()
        ((80,), [0, 20, 40, 60, 80])
        >>> slots, games = batch.step(Move.codes(["e2e4", "d2d4", "c2c4", "g1f3"]))
        >>> len(games), batch.plies.tolist()
        (0, [1, 1, 1, 1])
    """

    def __init__(self, size: int, *, starts: Sequence[str] | None = None, seed: int = 0, max_plies: int = 0, threads: int = 1) -> None:
        """
        Games start from the FENs in `starts` in turn (default: the standard start); a game of `max_plies` plies ends as ply_limit (0: no limit).
        """

    def __len__(self) -> int: ...

    def legal(self) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64]]:
        """
        Legal moves of all games end to end, and offsets: game i has moves[offsets[i]:offsets[i + 1]].
        """

    def random_moves(self) -> numpy.typing.NDArray[numpy.uint16]:
        """
        A uniformly random legal move for every game, each from its slot's own stream.
        """

    def step(self, moves: numpy.typing.NDArray[numpy.uint16]) -> tuple[numpy.typing.NDArray[numpy.int32], GameRecords]:
        """
        Plays one move in every game. Returns the slots whose games ended and those games; the slots start anew. An illegal move raises ValueError and leaves every game as it was.
        """

    def board(self, slot: int) -> Board:
        """A copy of one game as a Board."""

    def fens(self) -> list[str]:
        """The FEN of every game."""

    @property
    def white_to_move(self) -> numpy.typing.NDArray[numpy.bool_]:
        """Whether White is to move, for every game."""

    @property
    def plies(self) -> numpy.typing.NDArray[numpy.int32]:
        """Plies played since its start, for every game."""

def random_games(count: int, *, seed: int = 0, max_plies: int = 0, threads: int = 1) -> GameRecords:
    """
    Complete games of uniformly random legal moves from the standard start, as records.

    The same seed gives the same games with any number of threads. A game of `max_plies` plies ends as
    ply_limit (0: no limit).

    Examples:
        >>> from selfmate import random_games
        >>> games = random_games(100, seed=1)
        >>> len(games), set(games.results.tolist()) <= {-1, 0, 1}
        (100, True)
    """

class PgnReader:
    """Streaming reader of PGN text."""

    def __init__(self, threads: int, *, max_game_bytes: int = 1048576) -> None:
        """Parses on so many threads; a game of more bytes is dropped."""

    DEFAULT_MAX_GAME_BYTES: int = 1048576

    def feed(self, text: bytes) -> None:
        """Reads on; the text may be cut anywhere."""

    def finish(self) -> None:
        """Ends the text: a game that is still open is cut off."""

    def take(self) -> GameRecords:
        """The good games complete since the last call, in file order."""

    def take_dropped(self) -> list[tuple[int, int, str]]:
        """
        The games left out since the last call: number in the file, line, reason.
        """

def encoding_layouts() -> list[tuple[str, tuple[int, ...], str, int]]:
    """
    Name, shape of one position or move, dtype and version of every encoding.
    """

def action_encoding_layouts() -> list[tuple[str, int, int]]:
    """Name, number of actions and version of every action encoding."""

def az4672_moves() -> numpy.typing.NDArray[numpy.uint16]:
    """
    The move that each index stands for, in the view of the side to move; 0 where the board ends.
    """

def uci1968_moves() -> numpy.typing.NDArray[numpy.uint16]:
    """The move that each uci1968 index stands for."""

def uci1968_flipped() -> numpy.typing.NDArray[numpy.int32]:
    """
    For each uci1968 index the index of the same move with the ranks flipped.
    """

def encode(name: str, games: GameBatch | Sequence[Board], out: numpy.typing.NDArray[Any] | None = None, dtype: str | None = None, threads: int = 1) -> numpy.typing.NDArray[Any]:
    """The games' positions, one block per game: a new array or `out`."""

def legal_move136(games: GameBatch | Sequence[Board], dtype: str | None = None, threads: int = 1) -> tuple[numpy.typing.NDArray[Any], numpy.typing.NDArray[numpy.int64]]:
    """All legal moves as rows of 136, and where each game's rows begin."""

def legal_actions(action_encoding: str, games: GameBatch | Sequence[Board], threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
    """All legal actions end to end, and where each game's begin."""

def action_mask(action_encoding: str, games: GameBatch | Sequence[Board], out: numpy.typing.NDArray[numpy.uint8] | None = None, threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]:
    """One row per game: 1 where the action is legal, else 0."""

def actions_of_moves(action_encoding: str, games: GameBatch | Sequence[Board], moves: numpy.typing.NDArray[numpy.uint16], threads: int = 1) -> numpy.typing.NDArray[numpy.int32]:
    """The action of one legal move per game."""

def moves_of_actions(action_encoding: str, games: GameBatch | Sequence[Board], actions: numpy.typing.NDArray[numpy.int32], threads: int = 1) -> numpy.typing.NDArray[numpy.uint16]:
    """The move of one legal action per game."""

def encode_packed(games: GameBatch | Sequence[Board], threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]:
    """
    The games' positions in 107 bytes each, flipped so that White is to move.
    """

def inputs_of_packed(packed: numpy.typing.NDArray[numpy.uint8], features: str) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
    """
    The features of packed positions that are not zero, of features839 or attacks3399: columns, values, offsets.
    """

def move_rows_of_packed(packed: numpy.typing.NDArray[numpy.uint8], actions: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int64]) -> numpy.typing.NDArray[numpy.int32]:
    """
    The rows [N, 4] of a Q-net's weights that belong to each action of packed positions: by its squares, by its piece and destination, by its kind, by its bargain.
    """

MOVE_ROWS: int = 10246

def views_of_packed(packed: numpy.typing.NDArray[numpy.uint8], *, king_buckets: int, attacks: bool) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
    """
    The features of packed positions as both sides see them: columns and offsets of 2 B rows, the mover's and its opponent's of each position.
    """

def view_move_rows_of_packed(packed: numpy.typing.NDArray[numpy.uint8], action_encoding: str, actions: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int64]) -> numpy.typing.NDArray[numpy.int32]:
    """
    The rows [N, 3] of a sparse net's weights that belong to each action of packed positions: by its squares, by its piece and destination, by its kind.
    """

VIEW_MOVE_ROWS: int = 9856

FIRST_UNDERPROMOTION_ROW: int = 4480

FIRST_MOVE_KIND_ROW: int = 4672

RECORD_BYTES: int = 63

def encode_records(games: GameBatch | Sequence[Board], threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]:
    """The games' positions as records of STORED_BYTES bytes each."""

def encode_game_records(records: GameRecords, skip: int = 0, threads: int = 1, chosen: numpy.typing.NDArray[numpy.int64] | None = None) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16]]:
    """
    Positions from ply `skip` on, of all games or the chosen ones: position records, the moves played there, games, plies left.
    """

def planes_of_records(records: numpy.typing.NDArray[numpy.uint8], out: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> numpy.typing.NDArray[numpy.float32]:
    """Writes the planes96 of position records into `out`."""

def tokens_of_records(records: numpy.typing.NDArray[numpy.uint8], threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]:
    """The tokens78 of position records."""

def packed_of_records(records: numpy.typing.NDArray[numpy.uint8], threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]:
    """The packed features of position records."""

def legal_of_records(action_encoding: str, records: numpy.typing.NDArray[numpy.uint8], threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
    """The legal actions of position records, and offsets."""

def actions_of_records(action_encoding: str, records: numpy.typing.NDArray[numpy.uint8], moves: numpy.typing.NDArray[numpy.uint16], threads: int = 1) -> numpy.typing.NDArray[numpy.int32]:
    """The action of one move per position record."""

def teacher_scores(games: GameBatch | Sequence[Board], depth: int, threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
    """
    Every legal move, its exact score after so many plies in centipawns for the side to move, and where each game's begin.
    """

class TeacherSearch:
    """The alpha-beta teacher on one position; another thread may stop it."""

    def __init__(self) -> None: ...

    def scores(self, board: Board, depth: int, max_nodes: int = 0) -> list[tuple[int, int, tuple[str, ...]]] | None:
        """
        Each legal move with its score and its principal variation; None when stopped, or when `max_nodes` (0: no limit) were not enough.
        """

    def stop(self) -> None:
        """
        Ends a search under way and refuses all later ones; any thread may call it.
        """

    @property
    def nodes(self) -> int:
        """Positions searched by all searches so far."""

def choose_random(games: GameBatch | Sequence[Board], seeds: numpy.typing.NDArray[numpy.uint64], threads: int = 1) -> numpy.typing.NDArray[numpy.uint16]:
    """A uniformly random legal move of each game."""

def choose_greedy(games: GameBatch | Sequence[Board], seeds: numpy.typing.NDArray[numpy.uint64], threads: int = 1) -> numpy.typing.NDArray[numpy.uint16]:
    """A move of each game that wins the most material at once."""

def choose_best(moves: numpy.typing.NDArray[numpy.uint16], scores: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int64], seeds: numpy.typing.NDArray[numpy.uint64]) -> numpy.typing.NDArray[numpy.uint16]:
    """A move with the highest score of each row."""

def attempt_actions(logits: numpy.typing.NDArray[numpy.float32], legal: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int64], seeds: numpy.typing.NDArray[numpy.uint64], temperature: float, most: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
    """
    A legal action of each row, and the illegal ones that were attempted before it, with offsets.
    """

def move_endings(games: GameBatch | Sequence[Board], threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.int64]]:
    """
    Every legal move, what it ends (0 nothing, 1 it mates, 2 it draws), and where each game's begin.
    """

def endgame_table(pieces: str) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Plies to mate by side to move, White's king, its pieces and Black's king; 255 where the position is not won. For queen, rook and bishops.
    """

class TreeSearch:
    """
    Batched tree search of many games: leaves go out in batches, evaluations come back. For one thread at a time.
    """

    def __init__(self, **numbers: float) -> None:
        """Takes the fields of SearchConfig by their names."""

    def set(self, slot: int, board: Board) -> None:
        """Puts a game into a slot, in place of what was there."""

    def clear(self, slot: int) -> None:
        """Empties a slot."""

    def restrict_root(self, slot: int, moves: numpy.typing.NDArray[numpy.uint16]) -> None:
        """Searches only these legal moves of a game that was not searched yet."""

    def start(self, slots: numpy.typing.NDArray[numpy.int64], simulations: int, *, noise: bool, seeds: numpy.typing.NDArray[numpy.uint64]) -> None:
        """Starts a search in each slot; without noise the seeds do not matter."""

    def advance(self, slots: numpy.typing.NDArray[numpy.int64], moves: numpy.typing.NDArray[numpy.uint16]) -> None:
        """
        Plays a move in each slot and keeps the subtree below it. A search by sequential halving ends with that.
        """

    def gather(self, most: int, planes: numpy.typing.NDArray[numpy.float32] | None = None) -> int:
        """
        Simulates until there are `most` leaves, or no game has another: returns how many, 0 when all searches are done. Their planes96 are written to the first rows of `planes`.
        """

    def receive(self, wdl: numpy.typing.NDArray[numpy.float32], logits: numpy.typing.NDArray[numpy.float32] | None = None) -> None:
        """
        For the leaves that were gathered, in order: WDL for the side to move [N, 3], and logits of az4672 [N, 4672]; without these the priors are uniform.
        """

    def run(self, net: PositionEvaluator, *, most: int, enough: int, threads: int = 1) -> int:
        """
        Gathers, evaluates and receives batches of at most `most` leaves, until `enough` were evaluated or all searches are done; returns how many were.
        """

    def is_done(self, slots: numpy.typing.NDArray[numpy.int64]) -> numpy.typing.NDArray[numpy.bool_]:
        """Whether the search of each slot has started all its simulations."""

    @property
    def cached(self) -> int:
        """The number of evaluations in the cache."""

    @property
    def leaf_count(self) -> int:
        """Leaves so far, evaluated or found in the cache, of all games."""

    def moves(self, slots: numpy.typing.NDArray[numpy.int64]) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        All legal moves of the slots, with actions of az4672, visits, priors, values for the side to move, the search policy, and offsets: slot i has rows offsets[i] up to offsets[i + 1].
        """

    def roots(self, slots: numpy.typing.NDArray[numpy.int64]) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
        """
        Of each slot: the best move (0: none), WDL for the side to move [N, 3] as the mean of all simulations and as the mean of the best move's, visits, and plies to a proven mate (negative: against the side to move; 0: none is proven).
        """

    def outlooks(self, slot: int) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int32], list[list[int]]]:
        """
        Of each legal move, in the order of `moves`: WDL for the side that plays it [M, 3] (all 0 without visits), plies to a proven mate as in `roots`, and its principal variation.
        """

def sparse_times(columns: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float32], offsets: numpy.typing.NDArray[numpy.int64], matrix: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> numpy.typing.NDArray[numpy.float32]:
    """Sparse rows times a matrix."""

def sparse_transposed_times(columns: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float32], offsets: numpy.typing.NDArray[numpy.int64], matrix: numpy.typing.NDArray[numpy.float32], height: int, threads: int = 1) -> numpy.typing.NDArray[numpy.float32]:
    """The sparse rows' transpose, of so many rows, times a matrix."""

def products_at(columns: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int64], left: numpy.typing.NDArray[numpy.float32], right: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> numpy.typing.NDArray[numpy.float32]:
    """Each row of `left` times those rows of `right` that its columns name."""

def processor_is_wide() -> bool:
    """
    Whether the processor has what makes the core's convolutions faster than torch's.
    """

def kernel_names() -> list[str]:
    """The kernels that this processor can run, the fastest first."""

def winograd_weights(weights: numpy.typing.NDArray[numpy.float32], back: bool = False) -> numpy.typing.NDArray[numpy.float32]:
    """
    Weights [O, I, 3, 3] as `convolve` takes them; those of the way back, from gradients of outputs to those of inputs.
    """

def convolve(boards: numpy.typing.NDArray[numpy.float32], weights: numpy.typing.NDArray[numpy.float32], out: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> None:
    """Boards [B, 8, 8, I] to [B, 8, 8, O]: 3x3, zero beyond the edges."""

def convolution_gradient(boards: numpy.typing.NDArray[numpy.float32], gradients: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> numpy.typing.NDArray[numpy.float32]:
    """
    The gradient [O, I, 3, 3] of the weights, from that of `convolve`'s boards.
    """

class SeResNet:
    """
    The forward pass of nets.SeResNet. For any number of threads at once; a row's answer is the same, bit for bit, in any batch.
    """

    def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], *, blocks: int, filters: int, attention: int, squeeze: bool, wdl: bool, planes: int, pairs: bool, kernels: str = '') -> None: ...

    def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) -> None:
        """Takes over other weights of the same shapes."""

    def evaluate(self, planes: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
        """
        Values before softmax [N, 3] (or one number before tanh [N, 1]) and logits of az4672 [N, 4672], for planes [N, 96, 8, 8].
        """

class PositionEvaluator:
    """
    A net that evaluates positions in the core. For any number of threads at once; a position's answer is the same, bit for bit, in any batch.
    """

    def evaluate(self, games: GameBatch | Sequence[Board], threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        WDL of the side to move [B, 3], all legal moves [N], their logits [N], and where each game's begin [B + 1].
        """

class QNet(PositionEvaluator):
    """The forward pass of nets.QNet."""

    def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], *, inputs: str, hidden: Sequence[int], dueling: bool, move_kinds: bool, temperature: float) -> None: ...

    def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) -> None:
        """Takes over other weights of the same shapes."""

    def q_values(self, games: GameBatch | Sequence[Board], threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        Values of the side to move [B], all legal moves [N], their Q [N], and where each game's begin [B + 1].
        """

class MoveScorer(PositionEvaluator):
    """
    The forward pass of nets.MoveScorer. Without a value head WDL say that nothing is known.
    """

    def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], *, hidden: Sequence[int], encoding: str, value_head: bool) -> None: ...

    def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) -> None:
        """Takes over other weights of the same shapes."""

class SparseNet(PositionEvaluator):
    """
    The forward pass of nets.SparseNet in whole numbers: the same bits on every processor.
    """

    def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], *, king_buckets: int, attacks: bool, accumulator: int, policy_width: int, value_width: int, kernels: str = '') -> None: ...

    def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) -> None:
        """Takes over other weights of the same shapes."""

def play_labelled_games(games: GameBatch | Sequence[Board], seeds: numpy.typing.NDArray[numpy.uint64], movers: numpy.typing.NDArray[numpy.uint8], net: PositionEvaluator | None = None, *, depth: int, top_k: int, tau: float, net_tau: float, max_plies: int, max_positions: int) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int16], numpy.typing.NDArray[numpy.int16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int8]]:
    """
    Plays games from these starts, one after the other until there are so many positions, with the teacher's scores of every move. Movers [G, 2] are White's and Black's: 0 the teacher, 1 the net, 2 random. Returns packed features [N, 107], games [N], legal actions [L] in the view of the side to move, their scores in centipawns [L], offsets [N + 1] and White's results [G].
    """

def attend(looks: numpy.typing.NDArray[numpy.float32], geometry: numpy.typing.NDArray[numpy.float32] | None, heads: int, seen: numpy.typing.NDArray[numpy.float32]) -> None:
    """
    Attention [B, T, W] of queries, keys and values [B, T, 3 W], written to `seen`.
    """

def attend_back(looks: numpy.typing.NDArray[numpy.float32], geometry: numpy.typing.NDArray[numpy.float32] | None, heads: int, seen_gradient: numpy.typing.NDArray[numpy.float32], looks_gradient: numpy.typing.NDArray[numpy.float32], geometry_gradient: numpy.typing.NDArray[numpy.float32] | None) -> None:
    """Writes the gradients of `attend`."""

def policy_gradient(weights: dict[str, numpy.typing.NDArray[numpy.float32]], games: dict[str, numpy.typing.NDArray[Any]], rows: numpy.typing.NDArray[numpy.int64], *, encoding: str, hidden: Sequence[int], value_head: bool, temperature: float, baseline: float, value_weight: float, entropy_bonus: float, max_importance_weight: float, divisor: float, portable: bool = False) -> tuple[float, float, float, dict[str, numpy.typing.NDArray[numpy.float32]]]:
    """
    The loss of REINFORCE on some plies of sampled games: the sums of the policy loss and of the value head's squared error, and the gradient of the total loss, divided by `divisor`, by each weight of a move scorer.
    """

class Reinforce:
    """
    REINFORCE as a browser runs it, on one thread, with the settings of the learner of that name.
    """

    def __init__(self, *, seed: int = 0, encoding: str = 'onehot768', hidden: Sequence[int] = (256, 128), learning_rate: float = 0.001, max_plies: int = 200, temperature_train: float = 1.2, baseline: str = 'none', entropy_bonus: float = 0.0, replay_iterations: int = 0, plays_mate_in_one: bool = False, vs_random: float = 0.0, updates: int = 1, portable: bool = False) -> None: ...

    def iterate(self, games: int) -> dict[str, float]:
        """Plays so many games and learns from them; returns the metrics."""

    def sample(self) -> list[str]:
        """The moves of one game of the last iteration as UCI texts."""

    def weights(self) -> dict[str, numpy.typing.NDArray[numpy.float32]]:
        """The net's weights by name."""

class Transformer:
    """
    The forward pass of nets.Transformer. For any number of threads at once; a position's answer is the same, bit for bit, in any batch.
    """

    def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], *, width: int, blocks: int, heads: int, policy_head: str, square_pair_bias: bool, kernels: str = '') -> None: ...

    def logits(self, tokens: numpy.typing.NDArray[numpy.uint8], threads: int = 1) -> numpy.typing.NDArray[numpy.float32]:
        """
        Logits of all actions of uci1968 [N, 1968], for tokens78 [N, 78]; both in the view of the side to move.
        """

    def evaluate(self, games: GameBatch | Sequence[Board], threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        All legal moves [N], their logits [N], and where each game's begin [B + 1].
        """
