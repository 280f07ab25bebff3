#include "search/piece_square.h"

namespace selfmate {
namespace {

using PieceSquareTable = std::array<std::array<PieceSquareScore, 64>, 12>;

constexpr std::array<int, 6> kPhase{0, 1, 1, 2, 4, 0};

constexpr int from_edge(int file_or_rank) {
  return std::min(file_or_rank, 7 - file_or_rank);
}
constexpr int centrality(Square square) {
  return from_edge(file_of(square)) + from_edge(rank_of(square));
}

struct Placement {
  int middlegame, endgame;
};

// The squares below are White's; Black's pieces look up the mirrored square.
constexpr Placement pawn_placement(Square square) {
  const int steps = rank_of(square) - 1;
  const int middle_file = std::max(0, from_edge(file_of(square)) - 1);
  return {3 * steps + 6 * middle_file * std::min(steps, 2), 3 * steps * (steps + 1)};
}
constexpr Placement king_placement(Square square) {
  constexpr int kHomeByFile[] = {12, 20, 0, -8};
  const int rank = rank_of(square);
  return {kHomeByFile[from_edge(file_of(square))] - 16 * std::min(rank, 3),
          7 * centrality(square) - 20};
}
constexpr Placement placement(PieceType type, Square square) {
  const int central = centrality(square), rank = rank_of(square);
  switch (type) {
    case kPawn:
      return pawn_placement(square);
    case kKnight:
      return {8 * central - 24, 5 * central - 15};
    case kBishop:
      return {5 * central - 12 - (rank == 0 ? 6 : 0), 3 * central - 9};
    case kRook:
      return {3 * from_edge(file_of(square)) - 3 + (rank == 6 ? 20 : 0), rank == 6 ? 10 : 0};
    case kQueen:
      return {central - 3, 4 * central - 12};
    default:
      return king_placement(square);
  }
}

constexpr PieceSquareTable make_table() {
  PieceSquareTable table{};
  for (int piece = 0; piece < 12; ++piece)
    for (Square square = 0; square < 64; ++square) {
      const PieceType type = type_of(Piece(piece));
      const bool white = color_of(Piece(piece)) == kWhite;
      const Placement placed = placement(type, white ? square : flip_rank(square));
      const int sign = white ? 1 : -1;
      table[std::size_t(piece)][std::size_t(square)] = {
          sign * (kPieceValues[type] + placed.middlegame),
          sign * (kPieceValues[type] + placed.endgame), kPhase[type]};
    }
  return table;
}

}  // namespace

constexpr PieceSquareTable kPieceSquareTable = make_table();

PieceSquareScore piece_square_score(const Position& position) {
  PieceSquareScore score;
  for (Bitboard rest = position.pieces(); rest;) {
    const Square square = pop_lowest(rest);
    score += piece_square_score(position.piece_on(square), square);
  }
  return score;
}

}  // namespace selfmate
