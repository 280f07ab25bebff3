#include "chess/attacks.h"

#include <vector>

#include "chess/random.h"

namespace selfmate {
namespace {

struct Step {
  int file, rank;
};
constexpr std::array<Step, 4> kBishopSteps{{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}};
constexpr std::array<Step, 4> kRookSteps{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
constexpr std::array<Step, 8> kKnightSteps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};
constexpr std::array<Step, 8> kKingSteps{
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};

constexpr bool on_board(int file, int rank) {
  return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

template <std::size_t N>
Bitboard leaps(Square square, const std::array<Step, N>& steps) {
  Bitboard attacks = 0;
  for (const Step step : steps) {
    const int file = file_of(square) + step.file, rank = rank_of(square) + step.rank;
    if (on_board(file, rank)) attacks |= bit(make_square(file, rank));
  }
  return attacks;
}

Bitboard slide(Square square, Step step, Bitboard occupied) {
  Bitboard attacks = 0;
  int file = file_of(square) + step.file, rank = rank_of(square) + step.rank;
  for (; on_board(file, rank); file += step.file, rank += step.rank) {
    attacks |= bit(make_square(file, rank));
    if (occupied & bit(make_square(file, rank))) break;
  }
  return attacks;
}

Bitboard slides(Square square, const std::array<Step, 4>& steps, Bitboard occupied) {
  Bitboard attacks = 0;
  for (const Step step : steps) attacks |= slide(square, step, occupied);
  return attacks;
}

// The last square of a ray never blocks anything, so it is left out of the mask.
Bitboard blocker_mask(Square square, const std::array<Step, 4>& steps) {
  Bitboard mask = 0;
  for (const Step step : steps) {
    const Bitboard ray = slide(square, step, 0);
    for (Bitboard rest = ray; rest;) {
      const Square target = pop_lowest(rest);
      if (on_board(file_of(target) + step.file, rank_of(target) + step.rank)) mask |= bit(target);
    }
  }
  return mask;
}

std::vector<Bitboard> subsets_of(Bitboard mask) {
  std::vector<Bitboard> subsets;
  Bitboard subset = 0;
  do {
    subsets.push_back(subset);
    subset = (subset - mask) & mask;
  } while (subset);
  return subsets;
}

// Tries random sparse factors until no two blocker sets with different attacks collide.
void find_magic(Magic& magic, Bitboard* table, Square square, const std::array<Step, 4>& steps,
                Random& random) {
  magic.mask = blocker_mask(square, steps);
  magic.shift = 64 - popcount(magic.mask);
  magic.attacks = table;
  const std::vector<Bitboard> blockers = subsets_of(magic.mask);
  std::vector<Bitboard> attacks;
  for (const Bitboard set : blockers) attacks.push_back(slides(square, steps, set));

  std::vector<int> written_in_try(blockers.size(), 0);
  for (int attempt = 1;; ++attempt) {
    magic.factor = random.next() & random.next() & random.next();
    if (popcount(magic.mask * magic.factor >> 56) < 6) continue;
    std::size_t done = 0;
    for (; done < blockers.size(); ++done) {
      const std::size_t index = blockers[done] * magic.factor >> magic.shift;
      if (written_in_try[index] != attempt) {
        written_in_try[index] = attempt;
        table[index] = attacks[done];
      } else if (table[index] != attacks[done]) {
        break;
      }
    }
    if (done == blockers.size()) return;
  }
}

constexpr int kBishopEntries = 5248, kRookEntries = 102400;
Bitboard bishop_table[kBishopEntries];
Bitboard rook_table[kRookEntries];

void fill_magics(std::array<Magic, 64>& magics, Bitboard* table, const std::array<Step, 4>& steps,
                 std::uint64_t seed) {
  for (Square square = 0; square < 64; ++square) {
    Random random(seed, std::uint64_t(square));
    find_magic(magics[square], table, square, steps, random);
    table += 1ULL << popcount(magics[square].mask);
  }
}

}  // namespace

AttackTables::AttackTables() {
  for (Square square = 0; square < 64; ++square) {
    knight[square] = leaps(square, kKnightSteps);
    king[square] = leaps(square, kKingSteps);
    pawn[kWhite][square] = pawn_attacks<kWhite>(bit(square));
    pawn[kBlack][square] = pawn_attacks<kBlack>(bit(square));
    diagonal[square] = bit(square) | slide(square, {1, 1}, 0) | slide(square, {-1, -1}, 0);
    anti_diagonal[square] = bit(square) | slide(square, {1, -1}, 0) | slide(square, {-1, 1}, 0);
    between[square].fill(0);
    line[square].fill(0);
    for (const Step step : kKingSteps) {
      const Bitboard ray = slide(square, step, 0);
      const Bitboard whole = ray | slide(square, {-step.file, -step.rank}, 0) | bit(square);
      for (Bitboard rest = ray; rest;) {
        const Square target = pop_lowest(rest);
        line[square][target] = whole;
        between[square][target] = slide(square, step, bit(target)) & ~bit(target);
      }
    }
  }
  fill_magics(bishop, bishop_table, kBishopSteps, 1);
  fill_magics(rook, rook_table, kRookSteps, 1);
}

const AttackTables kAttacks;

Bitboard piece_attacks(PieceType type, Square square, Bitboard occupied) {
  switch (type) {
    case kKnight:
      return knight_attacks(square);
    case kBishop:
      return bishop_attacks(square, occupied);
    case kRook:
      return rook_attacks(square, occupied);
    case kQueen:
      return queen_attacks(square, occupied);
    case kKing:
      return king_attacks(square);
    default:
      return 0;
  }
}

}  // namespace selfmate
