// What a move scorer sees of positions and moves, without the zeros. The encodings are those of
// selfmate.encodings.features.
#pragma once

#include <array>

#include "encode/features.h"

namespace selfmate {

enum class PositionEncoding : std::uint8_t {
  kOnehot768,  // White's view
  kTurned768,  // the side to move plays up the board
  kCounts      // of each kind of piece, and the side to move
};
// BadInput for an unknown name.
PositionEncoding position_encoding_named(std::string_view name);
int position_input_count(PositionEncoding encoding);

struct PositionInputs {
  std::array<std::int32_t, 64> columns;
  std::array<float, 64> values;
  std::int32_t size = 0;

  void add(std::int32_t column, float value) {
    columns[std::size_t(size)] = column;
    values[std::size_t(size++)] = value;
  }
};
PositionInputs position_inputs(PositionEncoding encoding, const Position& position);

constexpr std::int32_t kCheckColumn = 134;  // of a move that gives check

// All values are 1.
struct MoveInputs {
  std::array<std::int32_t, 7> columns;
  std::int32_t size = 0;
};
// The move must be legal in the position.
MoveInputs move_inputs(PositionEncoding encoding, const Position& position, Move move);

}  // namespace selfmate
