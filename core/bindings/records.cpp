#include "chess/records.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/module.h"
#include "chess/pgn_tags.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

constexpr const char* kGameRecordsDoc =
    R"(Finished games in flat arrays: game i owns moves[offsets[i]:offsets[i + 1]].

With G games of N moves in all: `moves`, `evaluations`, `best_moves` [N]; `offsets` [G + 1];
`results`, `reasons`, `white_elo`, `black_elo`, `lines` [G]. Results are in White's view.

Examples:
    >>> from selfmate import REASONS, random_games
    >>> games = random_games(10, seed=1)
    >>> games.offsets.shape, games.moves.shape == (games.offsets[-1],)
    ((11,), True)
    >>> games.uci(0)[:3], REASONS[games.reasons[0]], int(games.results[0])
    (['c2c4', 'c7c5', 'g2g4'], 'fifty_moves', 0))";

// A read-only view of one of the record's arrays; the array keeps the record alive.
template <class Out, class T>
nb::object view(nb::handle self, const std::vector<T>& values) {
  static_assert(sizeof(Out) == sizeof(T));
  const std::size_t size = values.size();
  return nb::cast(nb::ndarray<nb::numpy, const Out>(reinterpret_cast<const Out*>(values.data()), 1,
                                                    &size, self));
}

std::size_t checked_index(const GameRecords& records, std::int64_t index) {
  const std::int64_t size = records.size();
  if (index < -size || index >= size)
    throw BadInput("game " + std::to_string(index) + " is not among " + std::to_string(size) +
                   " games");
  return std::size_t(index < 0 ? index + size : index);
}

template <class Out, auto Member>
auto array_property() {
  return [](const GameRecords& records) { return view<Out>(nb::find(records), records.*Member); };
}

std::string start_fen(const GameRecords& records, std::int64_t index) {
  const std::string& fen = records.start_fens[checked_index(records, index)];
  return fen.empty() ? std::string(kStartFen) : fen;
}

std::vector<std::string> uci_line(const GameRecords& records, std::int64_t index) {
  const std::size_t game = checked_index(records, index);
  std::vector<std::string> line;
  for (std::int64_t ply = records.offsets[game]; ply < records.offsets[game + 1]; ++ply)
    line.push_back(to_uci(records.moves[std::size_t(ply)]));
  return line;
}

// The game's moves in algebraic notation.
std::vector<std::string> san_line(const GameRecords& records, std::int64_t index) {
  const std::size_t game = checked_index(records, index);
  Position position = parse_fen(start_fen(records, index));
  std::vector<std::string> line;
  for (std::int64_t ply = records.offsets[game]; ply < records.offsets[game + 1]; ++ply) {
    const Move move = records.moves[std::size_t(ply)];
    line.push_back(to_san(position, move));
    position.make(move);
  }
  return line;
}

// PGN knows no encoding: UTF-8 where it fits, Latin-1 for the old files where it does not.
nb::object decoded(const std::string& text) {
  const auto size = Py_ssize_t(text.size());
  PyObject* unicode = PyUnicode_DecodeUTF8(text.data(), size, nullptr);
  if (!unicode) {
    PyErr_Clear();
    unicode = PyUnicode_DecodeLatin1(text.data(), size, nullptr);
  }
  if (!unicode) throw nb::python_error();
  return nb::steal(unicode);
}

nb::dict tags(const GameRecords& records, std::int64_t index) {
  nb::dict tags;
  for (const auto& [name, value] :
       read_tag_section(records.tag_sections[checked_index(records, index)]))
    tags[decoded(name)] = decoded(value);
  return tags;
}

}  // namespace

void bind_records(nb::module_& module) {
  module.def(
      "reason_names",
      [] { return std::vector<std::string>(std::begin(kReasonNames), std::end(kReasonNames)); },
      "Names of the codes in GameRecords.reasons, in order.");
  nb::class_<GameRecords>(module, "GameRecords", kGameRecordsDoc)
      .def("__len__", [](const GameRecords& records) { return records.size(); })
      .def_prop_ro("moves", array_property<std::uint16_t, &GameRecords::moves>(),
                   nb::sig("def moves(self) -> numpy.typing.NDArray[numpy.uint16]"),
                   "All moves, end to end: from | to << 6 | promotion << 12.")
      .def_prop_ro("offsets", array_property<std::int64_t, &GameRecords::offsets>(),
                   nb::sig("def offsets(self) -> numpy.typing.NDArray[numpy.int64]"),
                   "Where each game begins in moves, and one past the last.")
      .def_prop_ro("evaluations", array_property<std::int16_t, &GameRecords::evaluations>(),
                   nb::sig("def evaluations(self) -> numpy.typing.NDArray[numpy.int16]"),
                   "For each move, the evaluation of the position before it, in centipawns for the "
                   "side to move; -32768 where there is none.")
      .def_prop_ro("best_moves", array_property<std::uint16_t, &GameRecords::best_moves>(),
                   nb::sig("def best_moves(self) -> numpy.typing.NDArray[numpy.uint16]"),
                   "For each move, the best one in its position as comments say, 0 where they do "
                   "not.")
      .def_prop_ro("results", array_property<std::int8_t, &GameRecords::results>(),
                   nb::sig("def results(self) -> numpy.typing.NDArray[numpy.int8]"),
                   "1 White won, 0 draw, -1 Black won, -128 not known.")
      .def_prop_ro("reasons", array_property<std::uint8_t, &GameRecords::reasons>(),
                   nb::sig("def reasons(self) -> numpy.typing.NDArray[numpy.uint8]"),
                   "Why each game ended: an index into selfmate.rules.REASONS.")
      .def_prop_ro("white_elo", array_property<std::uint16_t, &GameRecords::white_elo>(),
                   nb::sig("def white_elo(self) -> numpy.typing.NDArray[numpy.uint16]"),
                   "White's rating, 0 where not known.")
      .def_prop_ro("black_elo", array_property<std::uint16_t, &GameRecords::black_elo>(),
                   nb::sig("def black_elo(self) -> numpy.typing.NDArray[numpy.uint16]"),
                   "Black's rating, 0 where not known.")
      .def_prop_ro("lines", array_property<std::int64_t, &GameRecords::lines>(),
                   nb::sig("def lines(self) -> numpy.typing.NDArray[numpy.int64]"),
                   "The line of the file each game begins in, 0 for games that came from "
                   "elsewhere.")
      .def("start_fen", &start_fen, "game"_a, "The position the game started from.")
      .def("uci", &uci_line, "game"_a, "The game's moves as UCI texts.")
      .def("san", &san_line, "game"_a, "The game's moves in algebraic notation.")
      .def("tags", &tags, "game"_a, nb::sig("def tags(self, game: int) -> dict[str, str]"),
           "The game's PGN tags; empty for games that came from elsewhere.");
}

}  // namespace selfmate::bindings
