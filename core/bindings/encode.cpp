#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string_view>

#include "bindings/borrowed_games.h"
#include "bindings/module.h"
#include "encode/action_batch.h"
#include "encode/encode_batch.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

Number number_named(std::optional<std::string_view> dtype, Number natural) {
  if (!dtype) return natural;
  if (*dtype == "float32") return Number::kFloat32;
  if (*dtype == "uint8") return Number::kUint8;
  throw BadInput("unknown dtype " + quoted(*dtype) + "; known are float32, uint8");
}

const char* number_name(Number number) {
  return number == Number::kUint8 ? "uint8" : "float32";
}

template <class T>
nb::object new_array(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  T* data = new T[size];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(NumpyArray<T>(data, shape.size(), shape.data(), owner));
}

template <class T>
Array<T> prepared(nb::object& out, const std::vector<std::size_t>& shape) {
  if (out.is_none()) out = new_array<T>(shape);
  return {out, "out", shape};
}

template <class T>
nb::tuple to_tuple(Ragged<T>&& ragged, const std::vector<std::size_t>& shape = {}) {
  return nb::make_tuple(to_numpy(std::move(ragged.values), shape),
                        to_numpy(std::move(ragged.offsets)));
}

template <class T>
nb::tuple move136_rows(Games games, int threads) {
  Ragged<T> ragged;
  {
    nb::gil_scoped_release release;
    ragged = legal_move136<T>(games, threads);
  }
  const std::size_t rows = std::size_t(ragged.offsets.back());
  return to_tuple(std::move(ragged), {rows, kMove136Size});
}

template <class T>
nb::object encoded(Encoding encoding, Games games, nb::object out, Number number, int threads) {
  const EncodingLayout& layout = layout_of(encoding);
  std::vector<std::size_t> shape{games.size()};
  shape.insert(shape.end(), layout.shape.begin(), layout.shape.end());
  const Array<T> array = prepared<T>(out, shape);
  nb::gil_scoped_release release;
  encode_batch(encoding, games, array.data(), number, threads);
  return out;
}

nb::object encode_games(std::string_view encoding, nb::handle holder, nb::object out,
                        std::optional<std::string_view> dtype, int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  const Encoding chosen = encoding_named(encoding);
  const Number number = number_named(dtype, layout_of(chosen).number);
  return number == Number::kUint8
             ? encoded<std::uint8_t>(chosen, games, std::move(out), number, threads)
             : encoded<float>(chosen, games, std::move(out), number, threads);
}

nb::tuple legal_actions_of_games(std::string_view action_encoding, nb::handle holder, int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  const ActionEncoding chosen = action_encoding_named(action_encoding);
  Ragged<std::int32_t> ragged;
  {
    nb::gil_scoped_release release;
    ragged = legal_actions(chosen, games, threads);
  }
  return to_tuple(std::move(ragged));
}

nb::object action_mask_of_games(std::string_view action_encoding, nb::handle holder, nb::object out,
                                int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  const ActionEncoding chosen = action_encoding_named(action_encoding);
  const auto mask = prepared<std::uint8_t>(out, {games.size(), std::size_t(action_count(chosen))});
  nb::gil_scoped_release release;
  action_mask(chosen, games, mask.data(), threads);
  return out;
}

nb::object actions_of_games(std::string_view action_encoding, nb::handle holder, nb::handle moves,
                            int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  const ActionEncoding chosen = action_encoding_named(action_encoding);
  const auto codes = checked_copy<Move>(moves, "moves", {games.size()});
  std::vector<std::int32_t> actions(games.size());
  {
    nb::gil_scoped_release release;
    actions_of_moves(chosen, games, codes.data(), actions.data(), threads);
  }
  return to_numpy(std::move(actions));
}

nb::object moves_of_games(std::string_view action_encoding, nb::handle holder, nb::handle actions,
                          int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  const ActionEncoding chosen = action_encoding_named(action_encoding);
  const auto indices = checked_copy<std::int32_t>(actions, "actions", {games.size()});
  std::vector<Move> moves(games.size());
  {
    nb::gil_scoped_release release;
    moves_of_actions(chosen, games, indices.data(), moves.data(), threads);
  }
  return to_numpy(std::move(moves));
}

nb::tuple legal_move136_of_games(nb::handle holder, std::optional<std::string_view> dtype,
                                 int threads) {
  check_threads(threads);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  return number_named(dtype, Number::kUint8) == Number::kUint8
             ? move136_rows<std::uint8_t>(games, threads)
             : move136_rows<float>(games, threads);
}

nb::tuple shape_tuple(std::span<const std::size_t> shape) {
  nb::list extents;
  for (const std::size_t extent : shape) extents.append(extent);
  return nb::tuple(extents);
}

nb::list encoding_layouts() {
  nb::list layouts;
  for (const EncodingLayout& layout : kEncodings)
    layouts.append(nb::make_tuple(nb::str(layout.name.data(), layout.name.size()),
                                  shape_tuple(layout.shape), number_name(layout.number),
                                  layout.version));
  layouts.append(nb::make_tuple("move136", nb::make_tuple(kMove136Size),
                                number_name(Number::kUint8), kMove136Version));
  return layouts;
}

nb::list action_encoding_layouts() {
  nb::list layouts;
  for (const ActionLayout& layout : kActionEncodings)
    layouts.append(nb::make_tuple(nb::str(layout.name.data(), layout.name.size()), layout.size,
                                  layout.version));
  return layouts;
}

nb::object uci_moves() {
  return to_numpy(std::vector<Move>(uci1968_moves().begin(), uci1968_moves().end()));
}

nb::object az_moves() {
  return to_numpy(std::vector<Move>(az4672_moves().begin(), az4672_moves().end()));
}

nb::object flipped_indices() {
  return to_numpy(std::vector<std::int32_t>(uci1968_flipped().begin(), uci1968_flipped().end()));
}

void bind_layouts(nb::module_& module) {
  module.def("encoding_layouts", &encoding_layouts,
             nb::sig("def encoding_layouts() -> list[tuple[str, tuple[int, ...], str, int]]"),
             "Name, shape of one position or move, dtype and version of every encoding.");
  module.def("action_encoding_layouts", &action_encoding_layouts,
             nb::sig("def action_encoding_layouts() -> list[tuple[str, int, int]]"),
             "Name, number of actions and version of every action encoding.");
  module.def("az4672_moves", &az_moves,
             nb::sig("def az4672_moves() -> numpy.typing.NDArray[numpy.uint16]"),
             "The move that each index stands for, in the view of the side to move; 0 where the "
             "board ends.");
  module.def("uci1968_moves", &uci_moves,
             nb::sig("def uci1968_moves() -> numpy.typing.NDArray[numpy.uint16]"),
             "The move that each uci1968 index stands for.");
  module.def("uci1968_flipped", &flipped_indices,
             nb::sig("def uci1968_flipped() -> numpy.typing.NDArray[numpy.int32]"),
             "For each uci1968 index the index of the same move with the ranks flipped.");
}

void bind_encodings(nb::module_& module) {
  module.def("encode", &encode_games, "name"_a, "games"_a.none(), "out"_a = nb::none(),
             "dtype"_a = nb::none(), "threads"_a = 1,
             nb::sig("def encode(name: str, games: GameBatch | collections.abc.Sequence[Board], "
                     "out: numpy.typing.NDArray[typing.Any] | None = None, "
                     "dtype: str | None = None, threads: int = 1) "
                     "-> numpy.typing.NDArray[typing.Any]"),
             "The games' positions, one block per game: a new array or `out`.");
  module.def(
      "legal_move136", &legal_move136_of_games, "games"_a.none(), "dtype"_a = nb::none(),
      "threads"_a = 1,
      nb::sig("def legal_move136(games: GameBatch | collections.abc.Sequence[Board], "
              "dtype: str | None = None, threads: int = 1) "
              "-> tuple[numpy.typing.NDArray[typing.Any], numpy.typing.NDArray[numpy.int64]]"),
      "All legal moves as rows of 136, and where each game's rows begin.");
}

void bind_actions(nb::module_& module) {
  module.def(
      "legal_actions", &legal_actions_of_games, "action_encoding"_a, "games"_a.none(),
      "threads"_a = 1,
      nb::sig("def legal_actions(action_encoding: str, "
              "games: GameBatch | collections.abc.Sequence[Board], threads: int = 1) "
              "-> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]"),
      "All legal actions end to end, and where each game's begin.");
  module.def("action_mask", &action_mask_of_games, "action_encoding"_a, "games"_a.none(),
             "out"_a = nb::none(), "threads"_a = 1,
             nb::sig("def action_mask(action_encoding: str, "
                     "games: GameBatch | collections.abc.Sequence[Board], "
                     "out: numpy.typing.NDArray[numpy.uint8] | None = None, threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.uint8]"),
             "One row per game: 1 where the action is legal, else 0.");
  module.def("actions_of_moves", &actions_of_games, "action_encoding"_a, "games"_a.none(),
             "moves"_a.none(), "threads"_a = 1,
             nb::sig("def actions_of_moves(action_encoding: str, "
                     "games: GameBatch | collections.abc.Sequence[Board], "
                     "moves: numpy.typing.NDArray[numpy.uint16], threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.int32]"),
             "The action of one legal move per game.");
  module.def("moves_of_actions", &moves_of_games, "action_encoding"_a, "games"_a.none(),
             "actions"_a.none(), "threads"_a = 1,
             nb::sig("def moves_of_actions(action_encoding: str, "
                     "games: GameBatch | collections.abc.Sequence[Board], "
                     "actions: numpy.typing.NDArray[numpy.int32], threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.uint16]"),
             "The move of one legal action per game.");
}

}  // namespace

void bind_encode(nb::module_& module) {
  bind_layouts(module);
  bind_encodings(module);
  bind_actions(module);
}

}  // namespace selfmate::bindings
