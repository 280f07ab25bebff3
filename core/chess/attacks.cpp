#include "chess/attacks.h"

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

// Fills the square's part of the table. Factors were found by trying sparse random numbers until
// no two blocker sets with different attacks shared an index; tests prove them against slow rays.
void fill_magic(Magic& magic, Bitboard* table, Square square, const std::array<Step, 4>& steps,
                Bitboard factor) {
  const Bitboard mask = blocker_mask(square, steps);
  magic = {mask, factor, table, 64 - popcount(mask)};
  Bitboard blockers = 0;
  do {
    table[blockers * factor >> magic.shift] = slides(square, steps, blockers);
    blockers = (blockers - mask) & mask;
  } while (blockers);
}

constexpr std::array<Bitboard, 64> kBishopFactors{
    0x2020200122510540, 0x1220811200910010, 0x0008020C00380001, 0x0021204080400820,
    0x0489114000208200, 0x8212021084009018, 0x8029140221040100, 0x0000884108014008,
    0x010C10B010A08080, 0x00A0041000820498, 0x4010490404008400, 0x2034280843100102,
    0x0280011040000941, 0x110081010842B22A, 0x0480840082082068, 0x1818C0AB0C100448,
    0x5420000420240120, 0x82A0200208810104, 0x041200A048050220, 0x0628000082044052,
    0x0001020820080200, 0x0000200A02101200, 0x8040880402080211, 0x0000401908480400,
    0x3022098090B03000, 0x3042100060048081, 0x008A010008104400, 0x000400414C010082,
    0x0801010008104002, 0x088085000A004200, 0x028A1B8040C80808, 0x0030408101460850,
    0x0010422008100428, 0x140108020CA00412, 0x6004020810410442, 0x0010020083080080,
    0x0340280820020020, 0x0041210201030810, 0x501006060241A0A2, 0x02080E0230004100,
    0x000201100A1040B0, 0x0800440420100408, 0x0146740208000500, 0x0014002038000302,
    0x0004141104080608, 0x0104010051031601, 0x1108018420800400, 0x0901080210802040,
    0x8001008220200008, 0x0902088404021020, 0xC00D438400988210, 0x000A0000208811C0,
    0x0060004008220020, 0x0050893010008400, 0x4A08080188020006, 0x0002040126021000,
    0x1000108A84104048, 0x0020010100822014, 0x4002000841044100, 0x440280A008420200,
    0x00000000C0104100, 0x0119004004189081, 0x5011409208065084, 0x6090020818008214,
};
constexpr std::array<Bitboard, 64> kRookFactors{
    0x00800020D0400385, 0x0140001000200040, 0x1080100008802000, 0x0880048008001001,
    0x0200092002008410, 0x83000A0900080C00, 0x0880010022001080, 0x0100050008882046,
    0x4011002040800108, 0x0101004001008020, 0x1042004010820020, 0xE088800801801000,
    0xC000808004000800, 0x4850800200800400, 0x2804004401100298, 0x8028802040800100,
    0x0280004020004006, 0x0020830040002100, 0x8020010020401900, 0x0201010010000820,
    0x0018018004018008, 0x0482808004000200, 0x0008440001022890, 0x0400020024440183,
    0x4000400080008020, 0xC000200080400080, 0x0000200100104100, 0x3000100080800800,
    0x0008008080080400, 0x6300040080020080, 0x03001104000802B0, 0x0004204200009401,
    0x1040410202002080, 0x0010002000404010, 0x0000801002802000, 0x0048082101001000,
    0x0200040080800800, 0x4100800200800400, 0x1102011044008208, 0x0810008042000124,
    0x0080004260024001, 0x0400D0002000C004, 0x0802001480420020, 0x4000100008008080,
    0x4500080100050010, 0x0004000200048080, 0x00000228100400A1, 0x0000004100820004,
    0x4A014000F0800280, 0x800A400820008180, 0x0482004010802200, 0x3110000800C40240,
    0x0400240081080180, 0x0100040080020080, 0x4060080201500400, 0x0005204401208200,
    0x8013088000221441, 0x0040124000A18501, 0x4008100841002001, 0x0205000410002009,
    0x00C1003004180007, 0x0001000804000201, 0x1180100221009804, 0x00480C0440210082,
};

constexpr int kBishopEntries = 5248, kRookEntries = 102400;
Bitboard bishop_table[kBishopEntries];
Bitboard rook_table[kRookEntries];

void fill_magics(std::array<Magic, 64>& magics, Bitboard* table, const std::array<Step, 4>& steps,
                 const std::array<Bitboard, 64>& factors) {
  for (Square square = 0; square < 64; ++square) {
    fill_magic(magics[square], table, square, steps, factors[square]);
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
  fill_magics(bishop, bishop_table, kBishopSteps, kBishopFactors);
  fill_magics(rook, rook_table, kRookSteps, kRookFactors);
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
