#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/module.h"
#include "chess/game.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

constexpr const char* kBoardDoc = R"(A chess game: a position and the line that led to it.

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
    ('e2e4', None))";

constexpr const char* kOutcomeDoc = R"(How a game ended.

Examples:
    >>> from selfmate import Board
    >>> board = Board()
    >>> for move in ("f2f3", "e7e5", "g2g4", "d8h4"):
    ...     board.push(move)
    >>> board.outcome()
    Outcome(winner='black', reason='checkmate'))";

constexpr int kMaxPerftDepth = 20;

const char* color_name(Color color) {
  return color == kWhite ? "white" : "black";
}

std::optional<std::string> winner_name(const Outcome& outcome) {
  if (!outcome.winner) return std::nullopt;
  return color_name(*outcome.winner);
}

void push(Game& game, const nb::str& text, bool past_draw) {
  const InUse in_use(game, InUse::kChange);
  const std::string_view uci = utf8(text);
  const Move move = parse_uci(game.position(), uci);
  if (!past_draw) {
    if (const auto outcome = game.outcome())
      throw BadInput(
          "the game is over (" + std::string(reason_name(outcome->reason)) + "): " + quoted(uci) +
          " cannot be played; push(..., past_draw=True) plays on after an unclaimed draw");
  }
  game.push(move);
}

// All or nothing: an illegal move, or a game that is over, changes no board.
std::vector<std::optional<Outcome>> push_moves(const nb::list& boards, nb::handle moves) {
  const nb::tuple held(boards);
  const std::size_t size = held.size();
  const auto codes = checked_copy<Move>(moves, "moves", {size});
  std::vector<Game*> games;
  for (nb::handle board : held) {
    Game* game = instance_of<Game>(board);
    if (!game) throw BadInput("boards must be a list of Board");
    const InUse in_use(*game, InUse::kChange);
    games.push_back(game);
  }
  // The moves are checked before any is made, which means nothing for a board that comes again.
  std::vector<Game*> sorted = games;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw BadInput("boards must be different, but one is given twice");
  for (std::size_t i = 0; i < size; ++i)
    if (!games[i]->position().is_legal(codes[i]) || games[i]->outcome())
      throw BadInput("board " + std::to_string(i) + ": " + describe_move(codes[i]) +
                     " cannot be played in " + to_fen(games[i]->position()));
  std::vector<std::optional<Outcome>> outcomes;
  for (std::size_t i = 0; i < size; ++i) {
    games[i]->push(codes[i]);
    outcomes.push_back(games[i]->outcome());
  }
  return outcomes;
}

std::string uci_text(std::int64_t code) {
  if (code < 0 || code > 0xFFFF || promotion_of(Move(code)) > kQueen)
    throw BadInput(std::to_string(code) + " is no move code");
  return to_uci(Move(code));
}

std::string pop(Game& game) {
  const InUse in_use(game, InUse::kChange);
  if (game.plies() == 0) throw BadInput("no move to take back: the board is at its start");
  const Move move = game.moves().back();
  game.pop();
  return to_uci(move);
}

std::vector<std::string> uci_texts(const std::vector<Move>& moves) {
  std::vector<std::string> texts;
  for (const Move move : moves) texts.push_back(to_uci(move));
  return texts;
}

std::vector<std::string> legal_texts(const Game& game) {
  const MoveList moves = legal_moves(game.position());
  return uci_texts({moves.begin(), moves.end()});
}

std::uint64_t board_perft(const Game& game, int depth) {
  if (depth < 0 || depth > kMaxPerftDepth)
    throw BadInput("perft depth " + std::to_string(depth) + " is not in 0..20");
  Position position = game.position();
  nb::gil_scoped_release release;
  return perft(position, depth);
}

std::string drawn(const Game& game) {
  std::string text;
  for (int rank = 7; rank >= 0; --rank)
    for (int file = 0; file < 8; ++file) {
      const Piece piece = game.position().piece_on(make_square(file, rank));
      text += piece == kNoPiece ? '.' : "PNBRQKpnbrqk"[piece];
      text += file < 7 ? ' ' : '\n';
    }
  text.pop_back();
  return text;
}

void bind_outcome(nb::module_& module) {
  nb::class_<Outcome>(module, "Outcome", kOutcomeDoc)
      .def_prop_ro("winner", &winner_name,
                   nb::sig("def winner(self) -> typing.Literal['white', 'black'] | None"),
                   "The winning side, or None for a draw.")
      .def_prop_ro(
          "reason", [](const Outcome& outcome) { return reason_name(outcome.reason); },
          "checkmate, stalemate, insufficient_material, fifty_moves, "
          "threefold_repetition or ply_limit.")
      .def(
          "__eq__", [](const Outcome& a, const Outcome& b) { return a == b; },
          nb::sig("def __eq__(self, other: object, /) -> bool"), nb::is_operator())
      .def("__hash__",
           [](const Outcome& a) { return int(a.reason) * 3 + (a.winner ? int(*a.winner) : 2); })
      .def("__repr__", [](const Outcome& outcome) {
        const auto winner = winner_name(outcome);
        return "Outcome(winner=" + (winner ? "'" + *winner + "'" : "None") + ", reason='" +
               std::string(reason_name(outcome.reason)) + "')";
      });
}

}  // namespace

void bind_board(nb::module_& module) {
  bind_outcome(module);
  module.def("uci_text", &uci_text, "code"_a, "The UCI text of a 16-bit move code.");
  module.def(
      "uci_code", [](const nb::str& uci) { return parse_uci(utf8(uci)); }, "uci"_a,
      "The 16-bit code of a UCI text.");
  module.def("push_moves", &push_moves, "boards"_a, "moves"_a.none(),
             nb::sig("def push_moves(boards: list[Board], moves: "
                     "numpy.typing.NDArray[numpy.uint16]) -> list[Outcome | None]"),
             "Plays one move on each of several boards and returns their outcomes.");
  nb::class_<Game>(module, "Board", kBoardDoc)
      .def(
          "__init__",
          [](Game* game, const std::optional<nb::str>& fen, bool chess960) {
            const bool standard_start = !fen && !chess960;
            new (game) Game(standard_start ? Position::start()
                                           : parse_fen(fen ? utf8(*fen) : kStartFen, chess960));
          },
          "fen"_a = nb::none(), nb::kw_only(), "chess960"_a = false,
          "The standard start, or the position of a FEN. It is one of Chess960 if so asked, if the "
          "FEN gives castling rights as files (HAha), or if standard chess cannot have them.")
      .def(
          "fen", [](const Game& game) { return to_fen(game.position()); },
          "The position as FEN; the en-passant square only while a capture there is legal. In "
          "Chess960 castling rights are the files of the rooks.")
      .def("legal_moves", &legal_texts, "All legal moves as UCI texts.")
      .def(
          "push", &push, "uci"_a, nb::kw_only(), "past_draw"_a = false,
          "Plays a move given as UCI text. After the end of the game nothing can be played, except "
          "past a draw by repetition, fifty moves or material with past_draw=True.")
      .def("pop", &pop, "Takes the last move back and returns it.")
      .def_prop_ro(
          "turn", [](const Game& game) { return color_name(game.position().turn()); },
          nb::sig("def turn(self) -> typing.Literal['white', 'black']"), "The side to move.")
      .def_prop_ro(
          "chess960", [](const Game& game) { return game.position().chess960(); },
          "Whether castling is the king taking its own rook, as Chess960 writes it.")
      .def_prop_ro(
          "moves", [](const Game& game) { return uci_texts(game.moves()); },
          "The moves played so far as UCI texts.")
      .def_prop_ro(
          "start_fen", [](const Game& game) { return to_fen(game.start()); },
          "The position the line started from.")
      .def(
          "is_check", [](const Game& game) { return game.position().in_check(); },
          "Whether the side to move is in check.")
      .def("outcome", &Game::outcome, "None while the game goes on, else winner and reason.")
      .def(
          "san",
          [](const Game& game, const nb::str& uci) {
            return to_san(game.position(), parse_uci(game.position(), utf8(uci)));
          },
          "uci"_a, "A legal move in standard algebraic notation.")
      .def(
          "parse_san",
          [](const Game& game, const nb::str& text) {
            return to_uci(parse_san(game.position(), utf8(text)));
          },
          "text"_a, "The UCI text of a move in algebraic notation.")
      .def(
          "copy", [](const Game& game) { return game; }, "An independent copy, history included.")
      .def("perft", &board_perft, "depth"_a, "Number of leaf nodes of the legal move tree.")
      .def_prop_ro(
          "hash", [](const Game& game) { return game.position().hash(); },
          "Zobrist hash of the position: pieces, side, castling, en passant.")
      .def("__copy__", [](const Game& game) { return game; })
      .def(
          "__deepcopy__", [](const Game& game, nb::handle) { return game; }, "memo"_a)
      .def(
          "_repr_svg_",
          [](nb::object self) {
            return nb::cast<std::string>(
                nb::module_::import_("selfmate.rules.drawing").attr("board_svg")(self));
          },
          "The picture that a notebook shows.")
      .def("__str__", &drawn)
      .def("__repr__", [](const Game& game) { return "Board('" + to_fen(game.position()) + "')"; });
}

}  // namespace selfmate::bindings
