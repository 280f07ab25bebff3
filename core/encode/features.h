// Flat features with White's pieces first and the board never flipped: the inputs of dqn and
// reinforce. Layouts are drawn in docs/encodings.md.
#pragma once

#include "chess/game.h"

namespace selfmate {

constexpr int kOnehot768Size = 12 * 64;
constexpr int kFeatures839Size = kOnehot768Size + 1 + 4 + 64 + 2;
constexpr int kMove136Size = 64 + 64 + 5 + 3;

// Counters are capped so that every value lies in [0, 1].
constexpr std::uint32_t kHalfmoveCap = 100;
constexpr std::uint32_t kFullmoveCap = 200;
float halfmove_fraction(const Position& position);
float fullmove_fraction(const Position& position);

// The ones of a move136, rising; -1 behind the last. The move must be legal in the position.
std::array<std::int32_t, 7> move136_columns(const Position& position, Move move);

// Each writes the whole of its block.
void encode_onehot768(const Position& position, std::uint8_t* out);
void encode_features839(const Position& position, float* out);
// The move must be legal in the position.
void encode_move136(const Position& position, Move move, std::uint8_t* out);

inline void encode_onehot768(const Game& game, std::uint8_t* out) {
  encode_onehot768(game.position(), out);
}
inline void encode_features839(const Game& game, float* out) {
  encode_features839(game.position(), out);
}

}  // namespace selfmate
