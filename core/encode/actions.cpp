#include "encode/actions.h"

#include <algorithm>

#include "chess/notation.h"

namespace selfmate {
namespace {

struct Step {
  int file, rank;
};
// Clockwise from north, which is forward for the side to move.
constexpr std::array<Step, 8> kDirections{
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
// Clockwise from north-north-east.
constexpr std::array<Step, 8> kKnightJumps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};

constexpr int kAzTypes = 73, kAzKnight = 56, kAzUnderpromotion = 64;

// kNoSquare when the step leaves the board.
constexpr Square stepped(Square from, Step step, int times = 1) {
  const int file = file_of(from) + times * step.file, rank = rank_of(from) + times * step.rank;
  return file < 0 || file > 7 || rank < 0 || rank > 7 ? kNoSquare : make_square(file, rank);
}

// An action encoding as two tables. Every index has one move; promotions to a queen are listed
// without the queen where the encoding leaves it out.
template <int Size>
struct Tables {
  std::array<Move, Size> move_of{};                          // kNoMove where the board ends
  std::array<std::array<std::int16_t, 4096>, 5> index_of{};  // by promotion, from and to << 6

  constexpr void set(int index, Move move) {
    move_of[std::size_t(index)] = move;
    index_of[std::size_t(promotion_of(move))][move & 4095] = std::int16_t(index);
  }
  constexpr int index(Move move) const {
    return index_of[std::size_t(promotion_of(move))][move & 4095];
  }
};

constexpr bool queen_or_knight_moves(Square from, Square to) {
  const int files = file_of(to) - file_of(from), ranks = rank_of(to) - rank_of(from);
  const int wide = files < 0 ? -files : files, high = ranks < 0 ? -ranks : ranks;
  return from != to && (wide == 0 || high == 0 || wide == high || wide * high == 2);
}

constexpr int add_uci_promotions(Tables<1968>& tables, int index, int from_rank, int to_rank) {
  for (int file = 0; file < 8; ++file)
    for (int target = file - 1; target <= file + 1; ++target)
      for (int piece = kQueen; piece >= kKnight && target >= 0 && target < 8; --piece)
        tables.set(index++,
                   make_move(make_square(file, from_rank), make_square(target, to_rank), piece));
  return index;
}

constexpr Tables<1968> kUci = [] {
  Tables<1968> tables;
  int index = 0;
  for (Square from = 0; from < 64; ++from)
    for (Square to = 0; to < 64; ++to)
      if (queen_or_knight_moves(from, to)) tables.set(index++, make_move(from, to));
  index = add_uci_promotions(tables, index, 6, 7);
  add_uci_promotions(tables, index, 1, 0);
  return tables;
}();

constexpr void add_az_underpromotions(Tables<4672>& tables, Square from, int base) {
  for (int piece = kKnight; piece <= kRook; ++piece)
    for (int side = -1; side <= 1; ++side)
      if (const Square to = stepped(from, {side, 1}); to != kNoSquare)
        tables.set(base + (piece - kKnight) * 3 + side + 1, make_move(from, to, piece));
}

// In the view of the side to move.
constexpr Tables<4672> kAz = [] {
  Tables<4672> tables;
  for (Square from = 0; from < 64; ++from) {
    const int base = from * kAzTypes;
    for (int direction = 0; direction < 8; ++direction) {
      for (int distance = 1; distance <= 7; ++distance)
        if (const Square to = stepped(from, kDirections[direction], distance); to != kNoSquare)
          tables.set(base + direction * 7 + distance - 1, make_move(from, to));
      if (const Square to = stepped(from, kKnightJumps[direction]); to != kNoSquare)
        tables.set(base + kAzKnight + direction, make_move(from, to));
    }
    if (rank_of(from) == 6) add_az_underpromotions(tables, from, base + kAzUnderpromotion);
  }
  return tables;
}();

constexpr Move flip_ranks(Move move) {
  return Move(move ^ (56 | 56 << 6));
}
constexpr Move without_queen(Move move) {
  return promotion_of(move) == kQueen ? Move(move & 4095) : move;
}

constexpr std::array<std::int32_t, 1968> kUciFlipped = [] {
  std::array<std::int32_t, 1968> flipped{};
  for (std::size_t index = 0; index < flipped.size(); ++index)
    flipped[index] = kUci.index(flip_ranks(kUci.move_of[index]));
  return flipped;
}();

// For encodings that say "promotes to a queen" by the squares alone.
Move with_queen(Move move, const Position& position) {
  const bool last_rank = (bit(to_of(move)) & kBackRanks) != 0;
  const bool pawn = (position.pieces(kPawn) & bit(from_of(move))) != 0;
  const bool bare = promotion_of(move) == 0;
  return bare && pawn && last_rank ? Move(move | kQueen << 12) : move;
}

Move move_at(ActionEncoding encoding, int index, const Position& position) {
  switch (encoding) {
    case ActionEncoding::kFromTo4096:
      return with_queen(make_move(index >> 6, index & 63), position);
    case ActionEncoding::kUci1968:
      return kUci.move_of[std::size_t(index)];
    case ActionEncoding::kAz4672:
      break;
  }
  const Move seen = kAz.move_of[std::size_t(index)];
  return with_queen(position.turn() == kWhite ? seen : flip_ranks(seen), position);
}

}  // namespace

ActionEncoding action_encoding_named(std::string_view name) {
  std::string allowed;
  for (std::size_t i = 0; i < kActionEncodings.size(); ++i) {
    if (kActionEncodings[i].name == name) return ActionEncoding(i);
    allowed += (i ? ", " : "") + std::string(kActionEncodings[i].name);
  }
  throw BadInput("unknown action encoding " + quoted(name) + "; known are " + allowed);
}

int encode_action(ActionEncoding encoding, Move move, Color turn) {
  switch (encoding) {
    case ActionEncoding::kFromTo4096:
      return from_of(move) * 64 + to_of(move);
    case ActionEncoding::kUci1968:
      return kUci.index(move);
    case ActionEncoding::kAz4672:
      break;
  }
  return kAz.index(without_queen(turn == kWhite ? move : flip_ranks(move)));
}

Move decode_action(ActionEncoding encoding, int index, const Position& position) {
  if (index < 0 || index >= action_count(encoding)) return kNoMove;
  const Move move = move_at(encoding, index, position);
  return position.is_legal(move) ? move : kNoMove;
}

Move mover_move(ActionEncoding encoding, int index) {
  if (encoding == ActionEncoding::kAz4672) return kAz.move_of[std::size_t(index)];
  return make_move(index >> 6, index & 63);
}

int count_actions(ActionEncoding encoding, const Position& position) {
  if (encoding != ActionEncoding::kFromTo4096) return count_legal_moves(position);
  const MoveList moves = legal_moves(position);
  return int(std::count_if(moves.begin(), moves.end(),
                           [&](Move move) { return represents_action(encoding, move); }));
}

void list_actions(ActionEncoding encoding, const Position& position, std::int32_t* out) {
  for (const Move move : legal_moves(position))
    if (represents_action(encoding, move)) *out++ = encode_action(encoding, move, position.turn());
}

const std::array<Move, 1968>& uci1968_moves() {
  return kUci.move_of;
}

const std::array<Move, 4672>& az4672_moves() {
  return kAz.move_of;
}

const std::array<std::int32_t, 1968>& uci1968_flipped() {
  return kUciFlipped;
}

}  // namespace selfmate
