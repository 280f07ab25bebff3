#include "encode/position_record.h"

#include <nanobind/stl/string_view.h>

#include <numeric>

#include "bindings/borrowed_games.h"
#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

std::vector<std::uint8_t> checked_rows(nb::handle records) {
  const std::size_t count = checked_extents<2>(records, "records")[0];
  return checked_copy<std::uint8_t>(records, "records", {count, kPositionRecordSize});
}

nb::object record_borrowed_games(nb::handle holder, int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  std::vector<std::uint8_t> records(games.size() * kPositionRecordSize);
  {
    nb::gil_scoped_release release;
    record_games(games, records.data(), threads);
  }
  return to_numpy(std::move(records), {games.size(), kPositionRecordSize});
}

// Numbers of games in the records; all of them for None.
std::vector<std::int64_t> checked_games(nb::handle chosen, const GameRecords& records) {
  if (chosen.is_none()) {
    std::vector<std::int64_t> all(std::size_t(records.size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<std::int64_t> numbers = checked_list<std::int64_t>(chosen, "chosen");
  for (const std::int64_t number : numbers)
    if (number < 0 || number >= records.size())
      throw BadInput("game " + std::to_string(number) + " is not among " +
                     std::to_string(records.size()) + " games");
  return numbers;
}

nb::tuple record_games_of(const GameRecords& records, int skip, int threads, nb::handle chosen) {
  check_threads(threads);
  if (skip < 0) throw BadInput("skip must be 0 or more, not " + std::to_string(skip));
  const std::vector<std::int64_t> games = checked_games(chosen, records);
  RecordedPositions out;
  {
    nb::gil_scoped_release release;
    out = record_positions(records, games, skip, threads);
  }
  const std::size_t rows = out.moves.size();
  return nb::make_tuple(to_numpy(std::move(out.records), {rows, kPositionRecordSize}),
                        to_numpy(std::move(out.moves)), to_numpy(std::move(out.games)),
                        to_numpy(std::move(out.plies_left)));
}

nb::object planes_of_rows(nb::handle records, nb::handle out, int threads) {
  check_threads(threads);
  const std::vector<std::uint8_t> rows = checked_rows(records);
  const std::size_t count = rows.size() / kPositionRecordSize;
  const Array<float> planes(out, "out", {count, kPlanes96Count, 8, 8});
  {
    nb::gil_scoped_release release;
    planes_of_records(rows, planes.data(), threads);
  }
  return nb::borrow(out);
}

nb::object tokens_of_rows(nb::handle records, int threads) {
  check_threads(threads);
  const std::vector<std::uint8_t> rows = checked_rows(records);
  const std::size_t count = rows.size() / kPositionRecordSize;
  std::vector<std::uint8_t> tokens(count * kTokens78Size);
  {
    nb::gil_scoped_release release;
    tokens_of_records(rows, tokens.data(), threads);
  }
  return to_numpy(std::move(tokens), {count, std::size_t(kTokens78Size)});
}

nb::object packed_of_rows(nb::handle records, int threads) {
  check_threads(threads);
  const std::vector<std::uint8_t> rows = checked_rows(records);
  const std::size_t count = rows.size() / kPositionRecordSize;
  std::vector<std::uint8_t> packed(count * kPackedFeaturesSize);
  {
    nb::gil_scoped_release release;
    packed_of_records(rows, packed.data(), threads);
  }
  return to_numpy(std::move(packed), {count, kPackedFeaturesSize});
}

nb::tuple legal_of_rows(std::string_view action_encoding, nb::handle records, int threads) {
  check_threads(threads);
  const ActionEncoding chosen = action_encoding_named(action_encoding);
  const std::vector<std::uint8_t> rows = checked_rows(records);
  Ragged<std::int32_t> ragged;
  {
    nb::gil_scoped_release release;
    ragged = legal_actions_of_records(chosen, rows, threads);
  }
  return nb::make_tuple(to_numpy(std::move(ragged.values)), to_numpy(std::move(ragged.offsets)));
}

nb::object actions_of_rows(std::string_view action_encoding, nb::handle records, nb::handle moves,
                           int threads) {
  check_threads(threads);
  const ActionEncoding chosen = action_encoding_named(action_encoding);
  const std::vector<std::uint8_t> rows = checked_rows(records);
  const std::size_t count = rows.size() / kPositionRecordSize;
  const auto codes = checked_copy<Move>(moves, "moves", {count});
  std::vector<std::int32_t> actions(count);
  {
    nb::gil_scoped_release release;
    actions_of_records(chosen, rows, codes.data(), actions.data(), threads);
  }
  return to_numpy(std::move(actions));
}

}  // namespace

void bind_position_records(nb::module_& module) {
  module.attr("RECORD_BYTES") = kPositionRecordSize;
  module.def("encode_records", &record_borrowed_games, "games"_a.none(), "threads"_a = 1,
             nb::sig("def encode_records(games: GameBatch | collections.abc.Sequence[Board], "
                     "threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]"),
             "The games' positions as records of STORED_BYTES bytes each.");
  module.def(
      "encode_game_records", &record_games_of, "records"_a, "skip"_a = 0, "threads"_a = 1,
      "chosen"_a.none() = nb::none(),
      nb::sig("def encode_game_records(records: GameRecords, skip: int = 0, threads: int = 1, "
              "chosen: numpy.typing.NDArray[numpy.int64] | None = None) -> "
              "tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint16], "
              "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16]]"),
      "Positions from ply `skip` on, of all games or the chosen ones: position records, the moves "
      "played there, games, plies left.");
  module.def("planes_of_records", &planes_of_rows, "records"_a.none(), "out"_a.none(),
             "threads"_a = 1,
             nb::sig("def planes_of_records(records: numpy.typing.NDArray[numpy.uint8], "
                     "out: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> "
                     "numpy.typing.NDArray[numpy.float32]"),
             "Writes the planes96 of position records into `out`.");
  module.def("tokens_of_records", &tokens_of_rows, "records"_a.none(), "threads"_a = 1,
             nb::sig("def tokens_of_records(records: numpy.typing.NDArray[numpy.uint8], "
                     "threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]"),
             "The tokens78 of position records.");
  module.def("packed_of_records", &packed_of_rows, "records"_a.none(), "threads"_a = 1,
             nb::sig("def packed_of_records(records: numpy.typing.NDArray[numpy.uint8], "
                     "threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]"),
             "The packed features of position records.");
  module.def(
      "legal_of_records", &legal_of_rows, "action_encoding"_a, "records"_a.none(), "threads"_a = 1,
      nb::sig(
          "def legal_of_records(action_encoding: str, records: numpy.typing.NDArray[numpy.uint8], "
          "threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.int32], "
          "numpy.typing.NDArray[numpy.int64]]"),
      "The legal actions of position records, and offsets.");
  module.def("actions_of_records", &actions_of_rows, "action_encoding"_a, "records"_a.none(),
             "moves"_a.none(), "threads"_a = 1,
             nb::sig("def actions_of_records(action_encoding: str, "
                     "records: numpy.typing.NDArray[numpy.uint8], "
                     "moves: numpy.typing.NDArray[numpy.uint16], threads: int = 1) -> "
                     "numpy.typing.NDArray[numpy.int32]"),
             "The action of one move per position record.");
}

}  // namespace selfmate::bindings
