// Positions as chunks of games keep them by the million: all that planes68, the legal moves and
// the other encodings need, in 135 bytes, seen from White's side. Bytes come from files, so what
// is no position is refused with BadInput that names its row.
#pragma once

#include <span>

#include "chess/ragged.h"
#include "chess/records.h"
#include "encode/actions.h"
#include "encode/games.h"
#include "encode/planes.h"

namespace selfmate {

// The position now and the three before it, newest first, two squares a byte from a1 on, the lower
// one in the low bits: 0 empty, 1-6 White's pawn, knight, bishop, rook, queen, king, 7-12 Black's.
// A board from before the game is empty. Of the three only the difference to the board after it is
// kept, by exclusive or: mostly zeros, which pack well. Then a byte with Black to move in bit 0 and
// KQkq in bits 1 to 4; the en-passant square, 64 for none; half-move clock and move number, two
// bytes each, low byte first; how often the position stood there before.
constexpr std::size_t kStoredBoardSize = 32;
constexpr std::size_t kStoredSize = kPlanes68Boards * kStoredBoardSize + 7;

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
// As legal_actions() and actions_of_moves() would say it of the games.
Ragged<std::int32_t> legal_of_stored(Coding coding, StoredRows stored, int threads);
void actions_of_stored(Coding coding, StoredRows stored, const Move* moves, std::int32_t* out,
                       int threads);

}  // namespace selfmate
