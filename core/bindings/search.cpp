#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/borrowed_games.h"
#include "bindings/module.h"
#include "search/attempts.h"
#include "search/endgame_table.h"
#include "search/endings.h"
#include "search/teacher.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void check_depth(int depth) {
  if (depth < 1 || depth > kMaxTeacherDepth)
    throw BadInput("depth " + std::to_string(depth) + " is not in 1.." +
                   std::to_string(kMaxTeacherDepth));
}

nb::tuple scores_of_games(nb::handle holder, int depth, int threads) {
  check_threads(threads);
  check_depth(depth);
  const BorrowedGames borrowed(holder);
  MoveScores found;
  {
    nb::gil_scoped_release release;
    found = teacher_scores(borrowed.games(), depth, threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.moves)), to_numpy(std::move(found.scores)),
                        to_numpy(std::move(found.offsets)));
}

template <auto Choose>
nb::object choice_of_games(nb::handle holder, nb::handle seed_array, int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  const Array<const std::uint64_t> seeds(seed_array, "seeds", {games.size()});
  std::vector<Move> chosen(games.size());
  {
    nb::gil_scoped_release release;
    Choose(games, seeds.data(), chosen.data(), threads);
  }
  return to_numpy(std::move(chosen));
}

void check_offsets(std::span<const std::int64_t> offsets, std::size_t rows) {
  const auto refuse = [](const std::string& why) { throw BadInput("offsets must " + why); };
  if (offsets.front() != 0 || offsets.back() != std::int64_t(rows))
    refuse("run from 0 to the number of moves, " + std::to_string(rows));
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] >= offsets[i + 1])
      refuse("rise: game " + std::to_string(i) + " has no move to choose");
}

nb::object best_of_rows(nb::handle moves, nb::handle scores, nb::handle offsets,
                        nb::handle seed_array) {
  const std::size_t rows = checked_length(moves, "moves"),
                    games = checked_length(seed_array, "seeds");
  const Array<const Move> codes(moves, "moves", {rows});
  const Array<const std::int32_t> values(scores, "scores", {rows});
  const auto begins = checked_copy<std::int64_t>(offsets, "offsets", {games + 1});
  const Array<const std::uint64_t> seeds(seed_array, "seeds", {games});
  check_offsets(begins, rows);
  std::vector<Move> chosen(games);
  choose_best(codes.data(), values.data(), begins, seeds.data(), chosen.data());
  return to_numpy(std::move(chosen));
}

nb::object scores_of_board(TeacherSearch& search, const Game& game, int depth,
                           std::int64_t max_nodes) {
  check_depth(depth);
  if (max_nodes < 0)
    throw BadInput("max_nodes must be at least 0, not " + std::to_string(max_nodes));
  const Game copy = game;
  std::optional<std::vector<RootMove>> found;
  {
    nb::gil_scoped_release release;
    found = search.scores(copy, depth, max_nodes);
  }
  if (!found) return nb::none();
  nb::list rows;
  for (const RootMove& root : *found) {
    nb::list line;
    for (const Move move : root.line) line.append(to_uci(move));
    rows.append(nb::make_tuple(root.move, root.score, nb::tuple(line)));
  }
  return rows;
}

void bind_teacher(nb::module_& module) {
  module.def("teacher_scores", &scores_of_games, "games"_a.none(), "depth"_a, "threads"_a = 1,
             nb::sig("def teacher_scores(games: GameBatch | collections.abc.Sequence[Board], "
                     "depth: int, threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], "
                     "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]"),
             "Every legal move, its exact score after so many plies in centipawns for the side to "
             "move, and where each game's begin.");
  nb::class_<TeacherSearch>(module, "TeacherSearch",
                            "The alpha-beta teacher on one position; another thread may stop it.")
      .def(nb::init<>())
      .def("scores", &scores_of_board, "board"_a, "depth"_a, "max_nodes"_a = 0,
           nb::sig("def scores(self, board: Board, depth: int, max_nodes: int = 0) -> "
                   "list[tuple[int, int, tuple[str, ...]]] | None"),
           "Each legal move with its score and its principal variation; None when stopped, or "
           "when `max_nodes` (0: no limit) were not enough.")
      .def("stop", &TeacherSearch::stop,
           "Ends a search under way and refuses all later ones; any thread may call it.")
      .def_prop_ro("nodes", &TeacherSearch::nodes, "Positions searched by all searches so far.");
}

void bind_choices(nb::module_& module) {
  module.def("choose_random", &choice_of_games<choose_random>, "games"_a.none(), "seeds"_a.none(),
             "threads"_a = 1,
             nb::sig("def choose_random(games: GameBatch | collections.abc.Sequence[Board], "
                     "seeds: numpy.typing.NDArray[numpy.uint64], threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.uint16]"),
             "A uniformly random legal move of each game.");
  module.def("choose_greedy", &choice_of_games<choose_greedy>, "games"_a.none(), "seeds"_a.none(),
             "threads"_a = 1,
             nb::sig("def choose_greedy(games: GameBatch | collections.abc.Sequence[Board], "
                     "seeds: numpy.typing.NDArray[numpy.uint64], threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.uint16]"),
             "A move of each game that wins the most material at once.");
  module.def("choose_best", &best_of_rows, "moves"_a.none(), "scores"_a.none(), "offsets"_a.none(),
             "seeds"_a.none(),
             nb::sig("def choose_best(moves: numpy.typing.NDArray[numpy.uint16], "
                     "scores: numpy.typing.NDArray[numpy.int32], "
                     "offsets: numpy.typing.NDArray[numpy.int64], "
                     "seeds: numpy.typing.NDArray[numpy.uint64]) "
                     "-> numpy.typing.NDArray[numpy.uint16]"),
             "A move with the highest score of each row.");
}

nb::tuple attempts_of_rows(nb::handle logits, nb::handle legal, nb::handle offsets,
                           nb::handle seed_array, double temperature, int most) {
  const auto [rows, actions] = checked_extents<2>(logits, "logits");
  const std::size_t count = checked_length(legal, "legal");
  const Array<const float> numbers(logits, "logits", {rows, actions});
  const auto codes = checked_copy<std::int32_t>(legal, "legal", {count});
  const auto begins = checked_copy<std::int64_t>(offsets, "offsets", {rows + 1});
  const Array<const std::uint64_t> seeds(seed_array, "seeds", {rows});
  check_offsets(begins, count);
  for (const std::int32_t code : codes)
    if (code < 0 || std::size_t(code) >= actions)
      throw BadInput("there is no action " + std::to_string(code) + " of " +
                     std::to_string(actions));
  if (!(temperature >= 0.0)) throw BadInput("temperature must be 0 or more");
  if (most < 0) throw BadInput("most must be 0 or more, not " + std::to_string(most));
  Attempts found;
  {
    nb::gil_scoped_release release;
    found = attempt_actions(numbers.data(), actions, codes.data(), begins, seeds.data(),
                            {temperature, most});
  }
  return nb::make_tuple(to_numpy(std::move(found.chosen)),
                        to_numpy(std::move(found.illegal.values)),
                        to_numpy(std::move(found.illegal.offsets)));
}

void bind_attempts(nb::module_& module) {
  module.def("attempt_actions", &attempts_of_rows, "logits"_a.none(), "legal"_a.none(),
             "offsets"_a.none(), "seeds"_a.none(), "temperature"_a, "most"_a,
             nb::sig("def attempt_actions(logits: numpy.typing.NDArray[numpy.float32], "
                     "legal: numpy.typing.NDArray[numpy.int32], "
                     "offsets: numpy.typing.NDArray[numpy.int64], "
                     "seeds: numpy.typing.NDArray[numpy.uint64], temperature: float, most: int) "
                     "-> tuple[numpy.typing.NDArray[numpy.int32], "
                     "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]"),
             "A legal action of each row, and the illegal ones that were attempted before it, with "
             "offsets.");
}

nb::tuple endings_of_games(nb::handle holder, int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  MoveEndings found;
  {
    nb::gil_scoped_release release;
    found = move_endings(borrowed.games(), threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.moves)), to_numpy(std::move(found.endings.values)),
                        to_numpy(std::move(found.endings.offsets)));
}

void bind_endings(nb::module_& module) {
  module.def("move_endings", &endings_of_games, "games"_a.none(), "threads"_a = 1,
             nb::sig("def move_endings(games: GameBatch | collections.abc.Sequence[Board], "
                     "threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], "
                     "numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.int64]]"),
             "Every legal move, what it ends (0 nothing, 1 it mates, 2 it draws), and where each "
             "game's begin.");
}

Endgame endgame_named(std::string_view pieces) {
  if (pieces == "queen") return Endgame::kQueen;
  if (pieces == "rook") return Endgame::kRook;
  if (pieces == "bishops") return Endgame::kBishops;
  throw BadInput("there is a table for queen, rook and bishops, not for " + quoted(pieces));
}

nb::object table_of(std::string_view pieces) {
  const Endgame endgame = endgame_named(pieces);
  std::vector<std::uint8_t> table;
  {
    nb::gil_scoped_release release;
    table = endgame_table(endgame);
  }
  if (endgame == Endgame::kBishops) return to_numpy(std::move(table), {2, 64, 64, 64, 64});
  return to_numpy(std::move(table), {2, 64, 64, 64});
}

void bind_endgame_table(nb::module_& module) {
  module.def("endgame_table", &table_of, "pieces"_a,
             nb::sig("def endgame_table(pieces: str) -> numpy.typing.NDArray[numpy.uint8]"),
             "Plies to mate by side to move, White's king, its pieces and Black's king; 255 where "
             "the position is not won. For queen, rook and bishops.");
}

}  // namespace

void bind_search(nb::module_& module) {
  bind_teacher(module);
  bind_choices(module);
  bind_attempts(module);
  bind_endings(module);
  bind_endgame_table(module);
}

}  // namespace selfmate::bindings
