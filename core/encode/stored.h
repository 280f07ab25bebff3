// Positions as chunks of games keep them by the million: all that planes68, the legal moves and
// the other encodings need, in 63 bytes, seen from White's side. Bytes come from files, so what is
// no position is refused with BadInput that names its row.
#pragma once

#include <span>

#include "chess/ragged.h"
#include "chess/records.h"
#include "encode/actions.h"
#include "encode/games.h"
#include "encode/planes.h"
#include "encode/tokens.h"

namespace selfmate {

// The board now, two squares a byte from a1 on, the lower one in the low bits: 0 empty, 1-6 White's
// pawn, knight, bishop, rook, queen, king, 7-12 Black's. Then the three boards before, newest
// first, each as four changes that lead back to it from the one after: a square counted from 1 on,
// and what stood there; zeros where there are fewer. Then a byte with Black to move in bit 0, KQkq
// in bits 1 to 4 and in bits 5 and 6 how many of the boards before there are; the en-passant
// square, 64 for none; half-move clock and move number, two bytes each, low byte first; how often
// the position stood there before.
constexpr std::size_t kStoredBoardSize = 32;
constexpr std::size_t kStoredChanges = 4;  // castling moves two pieces
constexpr std::size_t kStoredStepSize = 2 * kStoredChanges;
constexpr std::size_t kStoredSize = kStoredBoardSize + (kPlanes68Boards - 1) * kStoredStepSize + 7;

// kStoredSize bytes a position, end to end.
using StoredRows = std::span<const std::uint8_t>;

// Writes a row per game.
void store_games(Games games, std::uint8_t* out, int threads);

// Positions of games that were played, a row each.
struct StoredGames {
  std::vector<std::uint8_t> stored;
  std::vector<Move> moves;                // played there
  std::vector<std::int64_t> games;        // in the records
  std::vector<std::uint16_t> plies_left;  // to the end of the game, that move included
};
// The chosen games' positions in which a move was played, but for the first `skip` of each.
StoredGames store_records(const GameRecords& records, std::span<const std::int64_t> chosen,
                          int skip, int threads);

// Writes kPlanes68Size numbers per row.
void planes_of_stored(StoredRows stored, float* out, int threads);
// Writes kTokens78Size words per row.
void tokens_of_stored(StoredRows stored, std::uint8_t* out, int threads);
// As legal_actions() and actions_of_moves() would say it of the games.
Ragged<std::int32_t> legal_of_stored(Coding coding, StoredRows stored, int threads);
void actions_of_stored(Coding coding, StoredRows stored, const Move* moves, std::int32_t* out,
                       int threads);

}  // namespace selfmate
