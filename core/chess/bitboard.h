// Sets of squares as 64 bits, bit n for square n.
#pragma once

#include <bit>

#include "chess/types.h"

namespace selfmate {

constexpr Bitboard kFileA = 0x0101010101010101ULL;
constexpr Bitboard kFileH = kFileA << 7;
constexpr Bitboard kRank1 = 0xFF;
constexpr Bitboard kBackRanks = kRank1 | kRank1 << 56;

constexpr Bitboard bit(Square square) {
  return 1ULL << square;
}
constexpr Bitboard file_mask(int file) {
  return kFileA << file;
}
constexpr Bitboard rank_mask(int rank) {
  return kRank1 << (8 * rank);
}

constexpr int popcount(Bitboard set) {
#ifdef __POPCNT__
  return std::popcount(set);
#else
  // Without the instruction std::popcount becomes a library call; this stays inline.
  set -= set >> 1 & 0x5555555555555555ULL;
  set = (set & 0x3333333333333333ULL) + (set >> 2 & 0x3333333333333333ULL);
  return int(((set + (set >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL >> 56);
#endif
}

constexpr bool more_than_one(Bitboard set) {
  return (set & (set - 1)) != 0;
}
constexpr Square lowest(Bitboard set) {
  return std::countr_zero(set);
}
constexpr Square highest(Bitboard set) {
  return 63 - std::countl_zero(set);
}

constexpr Square pop_lowest(Bitboard& set) {
  const Square square = lowest(set);
  set &= set - 1;
  return square;
}

// One step towards the eighth rank for White, the first for Black.
template <Color Us>
constexpr Bitboard forward(Bitboard set) {
  return Us == kWhite ? set << 8 : set >> 8;
}
constexpr Bitboard east(Bitboard set) {
  return (set & ~kFileH) << 1;
}
constexpr Bitboard west(Bitboard set) {
  return (set & ~kFileA) >> 1;
}

}  // namespace selfmate
