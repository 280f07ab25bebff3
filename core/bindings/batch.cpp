#include "chess/game_batch.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

constexpr const char* kGameBatchDoc =
    R"(Many games stepped together, finished ones restarted in place.

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
    (0, [1, 1, 1, 1]))";

constexpr const char* kRandomGamesDoc =
    R"(Complete games of uniformly random legal moves from the standard start, as records.

The same seed gives the same games with any number of threads. A game of `max_plies` plies ends as
ply_limit (0: no limit).

Examples:
    >>> from selfmate import random_games
    >>> games = random_games(100, seed=1)
    >>> len(games), set(games.results.tolist()) <= {-1, 0, 1}
    (100, True))";

void init(GameBatch* batch, int size, const std::optional<std::vector<nb::str>>& starts,
          std::uint64_t seed, int max_plies, int threads) {
  std::vector<Position> positions;
  if (starts)
    for (const nb::str& fen : *starts) positions.push_back(parse_fen(utf8(fen)));
  new (batch) GameBatch(size, std::move(positions), seed, max_plies, threads);
}

nb::tuple legal(const GameBatch& batch) {
  const InUse in_use(batch, InUse::kRead);
  Ragged<Move> all;
  {
    nb::gil_scoped_release release;
    all = batch.legal_moves_of_all();
  }
  return nb::make_tuple(to_numpy(std::move(all.values)), to_numpy(std::move(all.offsets)));
}

nb::object random_moves(GameBatch& batch) {
  const InUse in_use(batch, InUse::kChange);
  std::vector<Move> moves(std::size_t(batch.size()));
  {
    nb::gil_scoped_release release;
    batch.random_moves(moves);
  }
  return to_numpy(std::move(moves));
}

nb::tuple step(GameBatch& batch, nb::handle moves) {
  const InUse in_use(batch, InUse::kChange);
  const auto codes = checked_copy<Move>(moves, "moves", {std::size_t(batch.size())});
  Finished finished;
  {
    nb::gil_scoped_release release;
    finished = batch.step(codes);
  }
  return nb::make_tuple(to_numpy(std::move(finished.slots)), std::move(finished.games));
}

nb::object white_to_move(const GameBatch& batch) {
  const InUse in_use(batch, InUse::kRead);
  std::vector<std::uint8_t> values;
  for (const Game* game : batch.games()) values.push_back(game->position().turn() == kWhite);
  return to_numpy<bool>(std::move(values));
}

nb::object plies(const GameBatch& batch) {
  const InUse in_use(batch, InUse::kRead);
  std::vector<std::int32_t> values;
  for (const Game* game : batch.games()) values.push_back(game->plies());
  return to_numpy(std::move(values));
}

std::vector<std::string> fens(const GameBatch& batch) {
  const InUse in_use(batch, InUse::kRead);
  std::vector<std::string> texts;
  for (const Game* game : batch.games()) texts.push_back(to_fen(game->position()));
  return texts;
}

Game board(const GameBatch& batch, int slot) {
  const InUse in_use(batch, InUse::kRead);
  if (slot < 0 || slot >= batch.size())
    throw BadInput("slot " + std::to_string(slot) + " is not in 0.." +
                   std::to_string(batch.size() - 1));
  return batch.game(slot);
}

}  // namespace

void bind_batch(nb::module_& module) {
  nb::class_<GameBatch>(module, "GameBatch", kGameBatchDoc)
      .def("__init__", &init, "size"_a, nb::kw_only(), "starts"_a = nb::none(), "seed"_a = 0,
           "max_plies"_a = 0, "threads"_a = 1,
           "Games start from the FENs in `starts` in turn (default: the standard start); a game of "
           "`max_plies` plies ends as ply_limit (0: no limit).")
      .def("__len__", &GameBatch::size)
      .def("legal", &legal,
           nb::sig("def legal(self) -> tuple[numpy.typing.NDArray[numpy.uint16], "
                   "numpy.typing.NDArray[numpy.int64]]"),
           "Legal moves of all games end to end, and offsets: game i has "
           "moves[offsets[i]:offsets[i + 1]].")
      .def("random_moves", &random_moves,
           nb::sig("def random_moves(self) -> numpy.typing.NDArray[numpy.uint16]"),
           "A uniformly random legal move for every game, each from its slot's own stream.")
      .def("step", &step, "moves"_a.none(),
           nb::sig("def step(self, moves: numpy.typing.NDArray[numpy.uint16]) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], "
                   "GameRecords]"),
           "Plays one move in every game. Returns the slots whose games ended and those games; the "
           "slots start anew. An illegal move raises ValueError and leaves every game as it was.")
      .def("board", &board, "slot"_a, "A copy of one game as a Board.")
      .def("fens", &fens, "The FEN of every game.")
      .def_prop_ro("white_to_move", &white_to_move,
                   nb::sig("def white_to_move(self) -> numpy.typing.NDArray[numpy.bool_]"),
                   "Whether White is to move, for every game.")
      .def_prop_ro("plies", &plies, nb::sig("def plies(self) -> numpy.typing.NDArray[numpy.int32]"),
                   "Plies played since its start, for every game.");
  module.def(
      "random_games",
      [](std::int64_t count, std::uint64_t seed, int max_plies, int threads) {
        nb::gil_scoped_release release;
        return random_games(count, seed, max_plies, threads);
      },
      "count"_a, nb::kw_only(), "seed"_a = 0, "max_plies"_a = 0, "threads"_a = 1, kRandomGamesDoc);
}

}  // namespace selfmate::bindings
