#include "encode/packed_features.h"

#include "bindings/borrowed_games.h"
#include "bindings/module.h"
#include "bindings/sparse_places.h"
#include "encode/move_kinds.h"
#include "encode/side_views.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

nb::object pack_games(nb::handle holder, int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  std::vector<std::uint8_t> packed(games.size() * kPackedFeaturesSize);
  {
    nb::gil_scoped_release release;
    pack_features(games, packed.data(), threads);
  }
  return to_numpy(std::move(packed), {games.size(), kPackedFeaturesSize});
}

nb::tuple features_of_positions(nb::handle packed, const nb::str& features_name) {
  const InputFeatures kind = input_features_named(utf8(features_name));
  const std::size_t count = checked_extents<2>(packed, "packed")[0];
  const Array<const std::uint8_t> bytes(packed, "packed", {count, kPackedFeaturesSize});
  SparseFeatures features;
  {
    nb::gil_scoped_release release;
    features = unpack_features(kind, {bytes.data(), bytes.size()});
  }
  return nb::make_tuple(to_numpy(std::move(features.columns)), to_numpy(std::move(features.values)),
                        to_numpy(std::move(features.offsets)));
}

nb::object rows_of_moves(nb::handle packed, nb::handle actions, nb::handle offsets) {
  const SparsePlaces moves(actions, offsets, 64 * 64);
  const Array<const std::uint8_t> bytes(packed, "packed", {moves.rows(), kPackedFeaturesSize});
  std::vector<std::int32_t> rows;
  {
    nb::gil_scoped_release release;
    rows = move_rows({bytes.data(), bytes.size()}, moves.columns(), moves.offsets());
  }
  return to_numpy(std::move(rows), {moves.size(), kRowsOfMove});
}

nb::tuple views_of_positions(nb::handle packed, int king_buckets, bool attacks) {
  const ViewFeatures features{king_buckets, attacks};
  check(features);
  const std::size_t count = checked_extents<2>(packed, "packed")[0];
  const Array<const std::uint8_t> bytes(packed, "packed", {count, kPackedFeaturesSize});
  ViewRows rows;
  {
    nb::gil_scoped_release release;
    rows = view_rows(features, {bytes.data(), bytes.size()});
  }
  return nb::make_tuple(to_numpy(std::move(rows.columns)), to_numpy(std::move(rows.offsets)));
}

nb::object view_rows_of_moves(nb::handle packed, const nb::str& action_encoding, nb::handle actions,
                              nb::handle offsets) {
  const ActionEncoding encoding = action_encoding_named(utf8(action_encoding));
  if (encoding == ActionEncoding::kUci1968)
    throw BadInput("moves of a view are those of az4672 or from_to4096");
  const SparsePlaces moves(actions, offsets, std::size_t(action_count(encoding)));
  const Array<const std::uint8_t> bytes(packed, "packed", {moves.rows(), kPackedFeaturesSize});
  std::vector<std::int32_t> rows;
  {
    nb::gil_scoped_release release;
    rows = view_move_rows({bytes.data(), bytes.size()}, encoding, moves.columns(), moves.offsets());
  }
  return to_numpy(std::move(rows), {moves.size(), kRowsOfViewMove});
}

}  // namespace

void bind_packed_features(nb::module_& module) {
  module.def("encode_packed", &pack_games, "games"_a.none(), "threads"_a = 1,
             nb::sig("def encode_packed(games: GameBatch | collections.abc.Sequence[Board], "
                     "threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]"),
             "The games' positions in 107 bytes each, flipped so that White is to move.");
  module.def("inputs_of_packed", &features_of_positions, "packed"_a.none(), "features"_a,
             nb::sig("def inputs_of_packed(packed: numpy.typing.NDArray[numpy.uint8], "
                     "features: str) -> "
                     "tuple[numpy.typing.NDArray[numpy.int32], "
                     "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]"),
             "The features of packed positions that are not zero, of features839 or attacks3399: "
             "columns, values, offsets.");
  module.def("move_rows_of_packed", &rows_of_moves, "packed"_a.none(), "actions"_a.none(),
             "offsets"_a.none(),
             nb::sig("def move_rows_of_packed(packed: numpy.typing.NDArray[numpy.uint8], "
                     "actions: numpy.typing.NDArray[numpy.int32], "
                     "offsets: numpy.typing.NDArray[numpy.int64]) -> "
                     "numpy.typing.NDArray[numpy.int32]"),
             "The rows [N, 4] of a Q-net's weights that belong to each action of packed positions: "
             "by its squares, by its piece and destination, by its kind, by its bargain.");
  module.attr("MOVE_ROWS") = kMoveRowCount;
  module.def("views_of_packed", &views_of_positions, "packed"_a.none(), nb::kw_only(),
             "king_buckets"_a, "attacks"_a,
             nb::sig("def views_of_packed(packed: numpy.typing.NDArray[numpy.uint8], *, "
                     "king_buckets: int, attacks: bool) -> "
                     "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]"),
             "The features of packed positions as both sides see them: columns and offsets of 2 B "
             "rows, the mover's and its opponent's of each position.");
  module.def("view_move_rows_of_packed", &view_rows_of_moves, "packed"_a.none(),
             "action_encoding"_a, "actions"_a.none(), "offsets"_a.none(),
             nb::sig("def view_move_rows_of_packed(packed: numpy.typing.NDArray[numpy.uint8], "
                     "action_encoding: str, actions: numpy.typing.NDArray[numpy.int32], "
                     "offsets: numpy.typing.NDArray[numpy.int64]) -> "
                     "numpy.typing.NDArray[numpy.int32]"),
             "The rows [N, 3] of a sparse net's weights that belong to each action of packed "
             "positions: by its squares, by its piece and destination, by its kind.");
  module.attr("VIEW_MOVE_ROWS") = kViewMoveRowCount;
  module.attr("FIRST_UNDERPROMOTION_ROW") = kFirstPieceRow + 6 * 64;
  module.attr("FIRST_MOVE_KIND_ROW") = kFirstKindRow;
}

}  // namespace selfmate::bindings
