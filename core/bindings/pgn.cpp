#include "chess/pgn.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void feed(PgnReader& reader, const nb::bytes& text) {
  const std::string_view bytes(text.c_str(), text.size());
  nb::gil_scoped_release release;
  reader.feed(bytes);
}

std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> take_dropped(PgnReader& reader) {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> games;
  for (DroppedGame& game : reader.take_dropped())
    games.emplace_back(game.game, game.line, std::move(game.reason));
  return games;
}

}  // namespace

void bind_pgn(nb::module_& module) {
  nb::class_<PgnReader> reader(module, "PgnReader", "Streaming reader of PGN text.");
  reader.attr("DEFAULT_MAX_GAME_BYTES") = kDefaultGameBytes;
  reader
      .def(nb::init<int, std::size_t>(), "threads"_a, nb::kw_only(),
           "max_game_bytes"_a = kDefaultGameBytes,
           "Parses on so many threads; a game of more bytes is dropped.")
      .def("feed", &feed, "text"_a, "Reads on; the text may be cut anywhere.")
      .def("finish", &PgnReader::finish, nb::call_guard<nb::gil_scoped_release>(),
           "Ends the text: a game that is still open is cut off.")
      .def("take", &PgnReader::take, "The good games complete since the last call, in file order.")
      .def("take_dropped", &take_dropped,
           "The games left out since the last call: number in the file, line, reason.");
}

}  // namespace selfmate::bindings
