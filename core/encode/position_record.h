// The position record: all that planes96, tokens78 and the legal moves need of a position, in 63
// bytes, in White's view. Datasets keep positions in this form by the million. Records come from
// files, so one that holds no valid position is refused with a BadInput that names its row.
#pragma once

#include <span>

#include "chess/ragged.h"
#include "chess/records.h"
#include "encode/actions.h"
#include "encode/games.h"
#include "encode/packed_features.h"
#include "encode/planes.h"
#include "encode/tokens.h"

namespace selfmate {

// Bytes  0-31  the board, two squares a byte from a1 on, the first in the low bits: 0 empty, 1-6
//              White's pawn, knight, bishop, rook, queen, king, 7-12 Black's; in Chess960 13 and 14
//              are White's and Black's rooks that may castle
// Bytes 32-55  the three boards before, newest first, each as the four changes that lead back to it
//              from the board after: square + 1 and what stood there; zeros where there are fewer
// Byte  56     bit 0 Black to move, bits 1-4 castling rights KQkq, bits 5-6 how many boards before
// Byte  57     the en-passant square, 64 for none
// Bytes 58-61  half-move clock and move number, two bytes each, low byte first
// Byte  62     how often the position occurred before
constexpr std::size_t kRecordBoardSize = 32;
constexpr std::size_t kRecordChanges = 4;  // castling moves two pieces
constexpr std::size_t kRecordStepSize = 2 * kRecordChanges;
constexpr std::size_t kPositionRecordSize =
    kRecordBoardSize + (kPlaneBoards - 1) * kRecordStepSize + 7;

// kPositionRecordSize bytes per position, end to end.
using PositionRecords = std::span<const std::uint8_t>;

// Writes a row per game.
void record_games(Games games, std::uint8_t* out, int threads);

// Positions of games that were played, a row each.
struct RecordedPositions {
  std::vector<std::uint8_t> records;
  std::vector<Move> moves;                // played there
  std::vector<std::int64_t> games;        // their indices
  std::vector<std::uint16_t> plies_left;  // to the end of the game, that move included
};
// The positions of the chosen games in which a move was played, without the first `skip` of each.
RecordedPositions record_positions(const GameRecords& games, std::span<const std::int64_t> chosen,
                                   int skip, int threads);

// Writes kPlanes96Size numbers per row.
void planes_of_records(PositionRecords records, float* out, int threads);
// Writes kTokens78Size tokens per row.
void tokens_of_records(PositionRecords records, std::uint8_t* out, int threads);
// Writes kPackedFeaturesSize bytes per row.
void packed_of_records(PositionRecords records, std::uint8_t* out, int threads);
// The same as legal_actions() and actions_of_moves() of the games.
Ragged<std::int32_t> legal_actions_of_records(ActionEncoding encoding, PositionRecords records,
                                              int threads);
void actions_of_records(ActionEncoding encoding, PositionRecords records, const Move* moves,
                        std::int32_t* out, int threads);

}  // namespace selfmate
