#include "encode/stored.h"

#include <cstring>

namespace selfmate {
namespace {

constexpr std::size_t kFlagsAt = kPlanes68Boards * kStoredBoardSize;
constexpr std::size_t kEnPassantAt = kFlagsAt + 1;
constexpr std::size_t kHalfmoveAt = kEnPassantAt + 1;
constexpr std::size_t kFullmoveAt = kHalfmoveAt + 2;
constexpr std::size_t kOccurrencesAt = kFullmoveAt + 2;
static_assert(kOccurrencesAt + 1 == kStoredSize);

constexpr std::uint32_t kMostWord = 0xFFFF;
constexpr int kMostByte = 0xFF;
constexpr std::int64_t kLeastRowsPerThread = 64;

using Boards = std::array<Position, kPlanes68Boards>;
using BoardBytes = std::array<std::uint8_t, kFlagsAt>;

unsigned nibble_of(Piece piece) {
  return piece == kNoPiece ? 0 : piece + 1u;
}

void write_board(const Position& position, std::uint8_t* out) {
  for (Square square = 0; square < 64; square += 2)
    *out++ = std::uint8_t(nibble_of(position.piece_on(square)) |
                          nibble_of(position.piece_on(square + 1)) << 4);
}

void write_differences(std::uint8_t* row) {
  for (std::size_t i = kFlagsAt; i-- > kStoredBoardSize;) row[i] ^= row[i - kStoredBoardSize];
}

BoardBytes read_differences(const std::uint8_t* row) {
  BoardBytes boards;
  std::copy_n(row, kFlagsAt, boards.begin());
  for (std::size_t i = kStoredBoardSize; i < kFlagsAt; ++i)
    boards[i] ^= boards[i - kStoredBoardSize];
  return boards;
}

void write_word(std::uint32_t value, std::uint8_t* out) {
  value = std::min(value, kMostWord);
  out[0] = std::uint8_t(value);
  out[1] = std::uint8_t(value >> 8);
}

std::uint32_t read_word(const std::uint8_t* bytes) {
  return std::uint32_t(bytes[0] | bytes[1] << 8);
}

void write_state(const Position& position, int earlier_occurrences, std::uint8_t* row) {
  row[kFlagsAt] = std::uint8_t(position.turn() | position.castling() << 1);
  row[kEnPassantAt] = std::uint8_t(position.en_passant());
  write_word(position.halfmove_clock(), row + kHalfmoveAt);
  write_word(position.fullmove_number(), row + kFullmoveAt);
  row[kOccurrencesAt] = std::uint8_t(std::min(earlier_occurrences, kMostByte));
}

void store_game(const Game& game, std::uint8_t* row) {
  std::fill_n(row, kStoredSize, std::uint8_t(0));
  Boards boards;
  boards[0] = game.position();
  const int earlier = game.recent_positions(&boards[1], kPlanes68Boards - 1);
  for (std::size_t age = 0; age <= std::size_t(earlier); ++age)
    write_board(boards[age], row + age * kStoredBoardSize);
  write_differences(row);
  write_state(game.position(), game.earlier_occurrences(), row);
}

// Plays a recorded game through, with the boards of the last plies at hand.
class Replay {
 public:
  explicit Replay(const std::string& start_fen)
      : game_(start_fen.empty() ? Position::start() : parse_fen(start_fen)) {
    write_board(game_.position(), boards_.data());
  }

  void push(Move move) {
    game_.push(move);
    std::memmove(boards_.data() + kStoredBoardSize, boards_.data(), kFlagsAt - kStoredBoardSize);
    write_board(game_.position(), boards_.data());
  }

  void write(std::uint8_t* row) const {
    std::copy(boards_.begin(), boards_.end(), row);
    write_differences(row);
    write_state(game_.position(), game_.earlier_occurrences(), row);
  }

 private:
  Game game_;
  BoardBytes boards_{};
};

std::span<const Move> line_of(const GameRecords& records, std::int64_t game) {
  const auto begin = std::size_t(records.offsets[std::size_t(game)]);
  const auto end = std::size_t(records.offsets[std::size_t(game) + 1]);
  return std::span(records.moves).subspan(begin, end - begin);
}

void store_line(const GameRecords& records, std::int64_t game, std::size_t skip, std::size_t row,
                StoredGames& out) {
  const std::span<const Move> line = line_of(records, game);
  Replay replay(records.start_fens[std::size_t(game)]);
  for (std::size_t ply = 0; ply < line.size(); ++ply) {
    if (ply >= skip) {
      replay.write(out.stored.data() + row * kStoredSize);
      out.moves[row] = line[ply];
      out.games[row] = game;
      out.plies_left[row] = std::uint16_t(std::min<std::size_t>(line.size() - ply, kMostWord));
      ++row;
    }
    replay.push(line[ply]);
  }
}

Position read_board(const std::uint8_t* bytes) {
  Position position;
  for (Square square = 0; square < 64; ++square) {
    const int nibble = bytes[square / 2] >> (square % 2 * 4) & 15;
    if (nibble > kNoPiece)
      throw BadInput("there is no piece " + std::to_string(nibble) + " to stand on " +
                     square_name(square));
    if (nibble) position.put(square, Piece(nibble - 1));
  }
  return position;
}

Position read_position(const std::uint8_t* row) {
  Position position = read_board(row);
  if (row[kFlagsAt] >> 5) throw BadInput("its flags are " + std::to_string(row[kFlagsAt]));
  if (row[kEnPassantAt] > kNoSquare)
    throw BadInput("its en-passant square is " + std::to_string(row[kEnPassantAt]));
  complete_position(position, Color(row[kFlagsAt] & 1), row[kFlagsAt] >> 1, row[kEnPassantAt],
                    read_word(row + kHalfmoveAt), read_word(row + kFullmoveAt));
  return position;
}

void planes_of_row(const std::uint8_t* row, float* out) {
  const BoardBytes bytes = read_differences(row);
  Boards boards;
  boards[0] = read_position(row);
  for (std::size_t age = 1; age < boards.size(); ++age)
    boards[age] = read_board(bytes.data() + age * kStoredBoardSize);
  encode_planes68(boards, row[kOccurrencesAt], out);
}

[[noreturn]] void refuse(std::size_t number, const std::string& reason) {
  throw BadInput("row " + std::to_string(number) + " is no position of a game: " + reason);
}

// Calls work(number, row) for each, in order within a thread's share.
template <class Work>
void for_each_row(StoredRows stored, int threads, Work&& work) {
  parallel_for(std::int64_t(stored.size() / kStoredSize), threads, kLeastRowsPerThread,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
                   try {
                     work(i, stored.data() + i * kStoredSize);
                   } catch (const BadInput& error) {
                     refuse(i, error.what());
                   }
                 }
               });
}

std::vector<Position> read_positions(StoredRows stored, int threads) {
  std::vector<Position> positions(stored.size() / kStoredSize);
  for_each_row(stored, threads,
               [&](std::size_t i, const std::uint8_t* row) { positions[i] = read_position(row); });
  return positions;
}

}  // namespace

void store_games(Games games, std::uint8_t* out, int threads) {
  for_each_game(games, threads,
                [&](std::size_t i, const Game& game) { store_game(game, out + i * kStoredSize); });
}

StoredGames store_records(const GameRecords& records, std::span<const std::int64_t> chosen,
                          int skip, int threads) {
  const auto skipped = std::size_t(skip);
  std::vector<std::size_t> first_rows{0};
  for (const std::int64_t game : chosen) {
    const std::size_t plies = line_of(records, game).size();
    first_rows.push_back(first_rows.back() + plies - std::min(plies, skipped));
  }
  StoredGames out;
  out.stored.resize(first_rows.back() * kStoredSize);
  out.moves.resize(first_rows.back());
  out.games.resize(first_rows.back());
  out.plies_left.resize(first_rows.back());
  parallel_for(std::int64_t(chosen.size()), threads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
      store_line(records, chosen[i], skipped, first_rows[i], out);
  });
  return out;
}

void planes_of_stored(StoredRows stored, float* out, int threads) {
  for_each_row(stored, threads, [&](std::size_t i, const std::uint8_t* row) {
    planes_of_row(row, out + i * kPlanes68Size);
  });
}

Ragged<std::int32_t> legal_of_stored(Coding coding, StoredRows stored, int threads) {
  const std::vector<Position> positions = read_positions(stored, threads);
  Ragged<std::int32_t> ragged;
  ragged.offsets.resize(positions.size() + 1);
  for_each_row(stored, threads, [&](std::size_t i, const std::uint8_t*) {
    ragged.offsets[i + 1] = count_actions(coding, positions[i]);
  });
  for (std::size_t i = 0; i < positions.size(); ++i) ragged.offsets[i + 1] += ragged.offsets[i];
  ragged.values.resize(std::size_t(ragged.offsets.back()));
  for_each_row(stored, threads, [&](std::size_t i, const std::uint8_t*) {
    list_actions(coding, positions[i], ragged.values.data() + ragged.offsets[i]);
  });
  return ragged;
}

void actions_of_stored(Coding coding, StoredRows stored, const Move* moves, std::int32_t* out,
                       int threads) {
  for_each_row(stored, threads, [&](std::size_t i, const std::uint8_t* row) {
    const Position position = read_position(row);
    if (!position.is_legal(moves[i]))
      throw BadInput("the move " + describe_move(moves[i]) + " is not legal in " +
                     to_fen(position));
    out[i] = encode_action(coding, moves[i], position.turn());
  });
}

}  // namespace selfmate
