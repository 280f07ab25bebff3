#include "encode/position_record.h"

#include <algorithm>

namespace selfmate {
namespace {

constexpr int kEarlierBoards = kPlaneBoards - 1;
constexpr std::size_t kStepsAt = kRecordBoardSize;
constexpr std::size_t kFlagsAt = kStepsAt + kEarlierBoards * kRecordStepSize;
constexpr std::size_t kEnPassantAt = kFlagsAt + 1;
constexpr std::size_t kHalfmoveAt = kEnPassantAt + 1;
constexpr std::size_t kFullmoveAt = kHalfmoveAt + 2;
constexpr std::size_t kOccurrencesAt = kFullmoveAt + 2;
static_assert(kOccurrencesAt + 1 == kPositionRecordSize);

constexpr std::uint32_t kMaxWord = 0xFFFF;
constexpr int kMaxByte = 0xFF;
constexpr std::int64_t kMinRowsPerThread = 64;

using Boards = std::array<Position, kPlaneBoards>;
using Step = std::array<std::uint8_t, kRecordStepSize>;
using Codes = std::array<std::uint8_t, 64>;  // of what stands on each square

constexpr std::uint8_t kCastlingRook = 13;  // White's; Black's follows

std::uint8_t code_of(Piece piece) {
  return piece == kNoPiece ? 0 : std::uint8_t(piece + 1);
}

Piece piece_of(std::uint8_t code) {
  if (code >= kCastlingRook) return make_piece(Color(code - kCastlingRook), kRook);
  return Piece(code - 1);
}

void write_board(const Position& position, std::uint8_t* out) {
  Codes codes;
  for (Square square = 0; square < 64; ++square)
    codes[std::size_t(square)] = code_of(position.piece_on(square));
  for (int right = 0; right < 4 && position.chess960(); ++right)
    if (position.castling() >> right & 1)
      codes[std::size_t(position.castling_rook(right))] = std::uint8_t(kCastlingRook + right / 2);
  for (std::size_t square = 0; square < 64; square += 2)
    *out++ = std::uint8_t(codes[square] | codes[square + 1] << 4);
}

// A move changes four squares at most.
Step step_back(const Position& after, const Position& before) {
  Step step{};
  std::size_t at = 0;
  for (Square square = 0; square < 64; ++square)
    if (after.piece_on(square) != before.piece_on(square)) {
      step[at++] = std::uint8_t(square + 1);
      step[at++] = code_of(before.piece_on(square));
    }
  return step;
}

void write_word(std::uint32_t value, std::uint8_t* out) {
  value = std::min(value, kMaxWord);
  out[0] = std::uint8_t(value);
  out[1] = std::uint8_t(value >> 8);
}

std::uint32_t read_word(const std::uint8_t* bytes) {
  return std::uint32_t(bytes[0] | bytes[1] << 8);
}

// `steps` lead back to the `earlier_boards` boards before, newest first.
void write_row(const Position& position, const Step* steps, int earlier_boards,
               int earlier_occurrences, std::uint8_t* row) {
  write_board(position, row);
  std::fill(row + kStepsAt, row + kFlagsAt, std::uint8_t(0));
  for (int age = 0; age < earlier_boards; ++age)
    std::copy(steps[age].begin(), steps[age].end(),
              row + kStepsAt + std::size_t(age) * kRecordStepSize);
  row[kFlagsAt] = std::uint8_t(position.turn() | position.castling() << 1 | earlier_boards << 5);
  row[kEnPassantAt] = std::uint8_t(position.en_passant());
  write_word(position.halfmove_clock(), row + kHalfmoveAt);
  write_word(position.fullmove_number(), row + kFullmoveAt);
  row[kOccurrencesAt] = std::uint8_t(std::min(earlier_occurrences, kMaxByte));
}

void record_game(const Game& game, std::uint8_t* row) {
  Boards boards;
  boards[0] = game.position();
  const int earlier = game.recent_positions(&boards[1], kEarlierBoards);
  std::array<Step, kEarlierBoards> steps;
  for (std::size_t age = 0; age < std::size_t(earlier); ++age)
    steps[age] = step_back(boards[age], boards[age + 1]);
  write_row(boards[0], steps.data(), earlier, game.earlier_occurrences(), row);
}

// Replays a recorded game and keeps the steps back to the last boards.
class Replay {
 public:
  explicit Replay(const std::string& start_fen)
      : game_(start_fen.empty() ? Position::start() : parse_fen(start_fen)) {}

  void push(Move move) {
    const Position before = game_.position();
    game_.push(move);
    std::copy_backward(steps_.begin(), steps_.end() - 1, steps_.end());
    steps_[0] = step_back(game_.position(), before);
  }

  void write(std::uint8_t* row) const {
    write_row(game_.position(), steps_.data(), std::min(game_.plies(), kEarlierBoards),
              game_.earlier_occurrences(), row);
  }

 private:
  Game game_;
  std::array<Step, kEarlierBoards> steps_{};
};

std::span<const Move> line_of(const GameRecords& games, std::int64_t game) {
  const auto begin = std::size_t(games.offsets[std::size_t(game)]);
  const auto end = std::size_t(games.offsets[std::size_t(game) + 1]);
  return std::span(games.moves).subspan(begin, end - begin);
}

void record_line(const GameRecords& games, std::int64_t game, std::size_t skip, std::size_t row,
                 RecordedPositions& out) {
  const std::span<const Move> line = line_of(games, game);
  Replay replay(games.start_fens[std::size_t(game)]);
  for (std::size_t ply = 0; ply < line.size(); ++ply) {
    if (ply >= skip) {
      replay.write(out.records.data() + row * kPositionRecordSize);
      out.moves[row] = line[ply];
      out.games[row] = game;
      out.plies_left[row] = std::uint16_t(std::min<std::size_t>(line.size() - ply, kMaxWord));
      ++row;
    }
    replay.push(line[ply]);
  }
}

void check_code(int code, Square square, int last) {
  if (code > last)
    throw BadInput("there is no piece " + std::to_string(code) + " to stand on " +
                   square_name(square));
}

Codes read_board(const std::uint8_t* row) {
  Codes codes;
  for (Square square = 0; square < 64; ++square) {
    codes[std::size_t(square)] = row[square / 2] >> (square % 2 * 4) & 15;
    check_code(codes[std::size_t(square)], square, kCastlingRook + kBlack);
  }
  return codes;
}

void go_back(const std::uint8_t* step, Codes& codes) {
  for (std::size_t i = 0; i < kRecordStepSize; i += 2) {
    if (step[i] > 64)
      throw BadInput("there is no square " + std::to_string(step[i]) + " to change");
    if (step[i] == 0) continue;
    check_code(step[i + 1], step[i] - 1, kCastlingRook - 1);
    codes[std::size_t(step[i] - 1)] = step[i + 1];
  }
}

Position placed(const Codes& codes) {
  Position position;
  for (Square square = 0; square < 64; ++square)
    if (const std::uint8_t code = codes[std::size_t(square)]) position.put(square, piece_of(code));
  return position;
}

CastlingRights read_castling(const Position& position, const Codes& codes, std::uint8_t rights) {
  CastlingRights castling{.rights = rights};
  int found = 0;  // rights whose rooks have the code
  for (Square square = 0; square < 64; ++square) {
    const int color = codes[std::size_t(square)] - kCastlingRook;
    if (color < kWhite) continue;
    const int right = 2 * color + (square < position.king(Color(color)));
    castling.rooks[std::size_t(right)] = std::uint8_t(square);
    found |= 1 << right;
  }
  if (found && found != rights) throw BadInput("its castling rights are not those of its rooks");
  castling.chess960 = found != 0;
  return castling;
}

Position read_position(const std::uint8_t* row, const Codes& codes) {
  const std::uint8_t flags = row[kFlagsAt];
  if (flags >> 7) throw BadInput("its flags are " + std::to_string(flags));
  if (row[kEnPassantAt] > kNoSquare)
    throw BadInput("its en-passant square is " + std::to_string(row[kEnPassantAt]));
  Position position = placed(codes);
  complete_position(position, Color(flags & 1), read_castling(position, codes, flags >> 1 & 15),
                    row[kEnPassantAt], read_word(row + kHalfmoveAt), read_word(row + kFullmoveAt));
  return position;
}

Position read_position(const std::uint8_t* row) {
  return read_position(row, read_board(row));
}

void planes_of_row(const std::uint8_t* row, float* out) {
  Codes codes = read_board(row);
  Boards boards;
  boards[0] = read_position(row, codes);
  const std::size_t earlier = row[kFlagsAt] >> 5 & 3;
  for (std::size_t age = 1; age <= earlier; ++age) {
    go_back(row + kStepsAt + (age - 1) * kRecordStepSize, codes);
    boards[age] = placed(codes);
  }
  encode_planes96(std::span(boards.data(), 1 + earlier), row[kOccurrencesAt], out);
}

[[noreturn]] void refuse(std::size_t number, const std::string& reason) {
  throw BadInput("row " + std::to_string(number) + " of the position records: " + reason);
}

// Calls work(number, row) for each, in order within a thread's share.
template <class Work>
void for_each_row(PositionRecords records, int threads, Work&& work) {
  parallel_for(std::int64_t(records.size() / kPositionRecordSize), threads, kMinRowsPerThread,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
                   try {
                     work(i, records.data() + i * kPositionRecordSize);
                   } catch (const BadInput& error) {
                     refuse(i, error.what());
                   }
                 }
               });
}

std::vector<Position> read_positions(PositionRecords records, int threads) {
  std::vector<Position> positions(records.size() / kPositionRecordSize);
  for_each_row(records, threads,
               [&](std::size_t i, const std::uint8_t* row) { positions[i] = read_position(row); });
  return positions;
}

}  // namespace

void record_games(Games games, std::uint8_t* out, int threads) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    record_game(game, out + i * kPositionRecordSize);
  });
}

RecordedPositions record_positions(const GameRecords& games, std::span<const std::int64_t> chosen,
                                   int skip, int threads) {
  const auto skipped = std::size_t(skip);
  std::vector<std::size_t> first_rows{0};
  for (const std::int64_t game : chosen) {
    const std::size_t plies = line_of(games, game).size();
    first_rows.push_back(first_rows.back() + plies - std::min(plies, skipped));
  }
  RecordedPositions out;
  out.records.resize(first_rows.back() * kPositionRecordSize);
  out.moves.resize(first_rows.back());
  out.games.resize(first_rows.back());
  out.plies_left.resize(first_rows.back());
  parallel_for(std::int64_t(chosen.size()), threads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
      record_line(games, chosen[i], skipped, first_rows[i], out);
  });
  return out;
}

void planes_of_records(PositionRecords records, float* out, int threads) {
  for_each_row(records, threads, [&](std::size_t i, const std::uint8_t* row) {
    planes_of_row(row, out + i * kPlanes96Size);
  });
}

void tokens_of_records(PositionRecords records, std::uint8_t* out, int threads) {
  for_each_row(records, threads, [&](std::size_t i, const std::uint8_t* row) {
    encode_tokens78(read_position(row), out + i * kTokens78Size);
  });
}

void packed_of_records(PositionRecords records, std::uint8_t* out, int threads) {
  for_each_row(records, threads, [&](std::size_t i, const std::uint8_t* row) {
    pack_features(read_position(row), out + i * kPackedFeaturesSize);
  });
}

Ragged<std::int32_t> legal_actions_of_records(ActionEncoding encoding, PositionRecords records,
                                              int threads) {
  const std::vector<Position> positions = read_positions(records, threads);
  Ragged<std::int32_t> ragged;
  ragged.offsets.resize(positions.size() + 1);
  for_each_row(records, threads, [&](std::size_t i, const std::uint8_t*) {
    ragged.offsets[i + 1] = count_actions(encoding, positions[i]);
  });
  for (std::size_t i = 0; i < positions.size(); ++i) ragged.offsets[i + 1] += ragged.offsets[i];
  ragged.values.resize(std::size_t(ragged.offsets.back()));
  for_each_row(records, threads, [&](std::size_t i, const std::uint8_t*) {
    list_actions(encoding, positions[i], ragged.values.data() + ragged.offsets[i]);
  });
  return ragged;
}

void actions_of_records(ActionEncoding encoding, PositionRecords records, const Move* moves,
                        std::int32_t* out, int threads) {
  for_each_row(records, threads, [&](std::size_t i, const std::uint8_t* row) {
    const Position position = read_position(row);
    if (!position.is_legal(moves[i]))
      throw BadInput(describe_move(moves[i]) + " is not legal in " + to_fen(position));
    out[i] = encode_action(encoding, moves[i], position.turn());
  });
}

}  // namespace selfmate
