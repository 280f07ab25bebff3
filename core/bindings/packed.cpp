#include "encode/packed.h"

#include "bindings/lent_games.h"
#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

nb::object pack_games(nb::handle holder, int threads) {
  check_threads(threads);
  const Lent lent(holder);
  const Games games = lent.games();
  std::vector<std::uint8_t> packed(games.size() * kPackedSize);
  {
    nb::gil_scoped_release release;
    encode_packed(games, packed.data(), threads);
  }
  return to_numpy(std::move(packed), {games.size(), kPackedSize});
}

nb::tuple inputs_of_positions(nb::handle packed) {
  const std::size_t count = checked_extents(packed, "packed").first;
  const auto* bytes = checked_array<std::uint8_t>(packed, "packed", {count, kPackedSize});
  Inputs inputs;
  {
    nb::gil_scoped_release release;
    inputs = inputs_of_packed({bytes, count * kPackedSize});
  }
  return nb::make_tuple(to_numpy(std::move(inputs.columns)), to_numpy(std::move(inputs.values)),
                        to_numpy(std::move(inputs.offsets)));
}

}  // namespace

void bind_packed(nb::module_& module) {
  module.def("encode_packed", &pack_games, "games"_a.none(), "threads"_a = 1,
             nb::sig("def encode_packed(games: GameBatch | collections.abc.Sequence[Board], "
                     "threads: int = 1) -> numpy.typing.NDArray[numpy.uint8]"),
             "The games' positions in 107 bytes each, turned so that White is to move.");
  module.def("inputs_of_packed", &inputs_of_positions, "packed"_a.none(),
             nb::sig("def inputs_of_packed(packed: numpy.typing.NDArray[numpy.uint8]) -> "
                     "tuple[numpy.typing.NDArray[numpy.int32], "
                     "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]"),
             "The features839 of packed positions that are not zero: columns, values, offsets.");
}

}  // namespace selfmate::bindings
