// A position as a sequence of 78 tokens out of 16, in the view of the side to move: the input of
// searchless. The layout is drawn in docs/encodings.md.
#pragma once

#include "chess/game.h"

namespace selfmate {

constexpr int kTokens78Size = 1 + 64 + 4 + 9;
constexpr int kTokenVocabulary = 16;

// The tokens: 0 starts the sequence; own pieces are 2..7, the enemy's 8..13.
constexpr std::uint8_t kTokenStart = 0;
constexpr std::uint8_t kTokenEmpty = 1;
constexpr std::uint8_t kTokenOwn = 2;
constexpr std::uint8_t kTokenEnemy = 8;
constexpr std::uint8_t kTokenNo = 14;
constexpr std::uint8_t kTokenYes = 15;

void encode_tokens78(const Position& position, std::uint8_t* out);

inline void encode_tokens78(const Game& game, std::uint8_t* out) {
  encode_tokens78(game.position(), out);
}

}  // namespace selfmate
