#include "encode/packed_features.h"

#include <algorithm>

namespace selfmate {
namespace {

constexpr std::size_t kEnPassantAt = 12 * 8;
constexpr std::size_t kFlagsAt = kEnPassantAt + 8;
constexpr std::size_t kHalfmoveAt = kFlagsAt + 1;
constexpr std::size_t kFullmoveAt = kHalfmoveAt + 1;
constexpr std::uint8_t kFlagBits = 0xF8;
constexpr int kPieces = int(MoverView::kPieces);
constexpr std::string_view kNames[] = {"features839", "attacks3399"};

// The board with its ranks flipped.
Bitboard flipped_ranks(Bitboard set) {
  return __builtin_bswap64(set);
}

std::uint8_t flags_of(const Position& position) {
  const bool flipped = position.turn() == kBlack;
  const Castling own_first[2][4] = {
      {kWhiteKingSide, kWhiteQueenSide, kBlackKingSide, kBlackQueenSide},
      {kBlackKingSide, kBlackQueenSide, kWhiteKingSide, kWhiteQueenSide}};
  std::uint8_t bits = 0x80;
  for (int i = 0; i < 4; ++i)
    if (position.castling() & own_first[flipped][i]) bits |= std::uint8_t(0x40 >> i);
  return bits;
}

constexpr std::uint8_t mirrored(std::uint8_t rank) {
  rank = std::uint8_t((rank & 0xF0) >> 4 | (rank & 0x0F) << 4);
  rank = std::uint8_t((rank & 0xCC) >> 2 | (rank & 0x33) << 2);
  return std::uint8_t((rank & 0xAA) >> 1 | (rank & 0x55) << 1);
}

void write_plane(Bitboard set, std::uint8_t* out) {
  for (int rank = 0; rank < 8; ++rank) out[rank] = mirrored(std::uint8_t(set >> (8 * rank)));
}

Bitboard read_plane(const std::uint8_t* bytes) {
  Bitboard set = 0;
  for (int rank = 0; rank < 8; ++rank) set |= Bitboard(mirrored(bytes[rank])) << (8 * rank);
  return set;
}

template <class Add>
void add_squares(Bitboard set, std::int32_t column, Add&& add) {
  while (set) add(column + std::int32_t(pop_lowest(set)), 1.0f);
}

// Everything but the pieces, from this column on.
template <class Add>
void add_state(const MoverView& view, std::int32_t column, Add&& add) {
  for (int i = 0; i < 5; ++i)
    if (view.flags & (0x80 >> i)) add(column + i, 1.0f);
  add_squares(view.en_passant, column + 5, add);
  if (view.halfmoves) add(column + 69, float(view.halfmoves) / float(kHalfmoveCap));
  if (view.fullmoves) add(column + 70, float(view.fullmoves) / float(kFullmoveCap));
}

template <class Add>
void add_features839(const MoverView& view, Add&& add) {
  for (int piece = 0; piece < kPieces; ++piece)
    add_squares(view.pieces[std::size_t(piece)], 64 * piece, add);
  add_state(view, kOnehot768Size, add);
}

// All squares that a side attacks.
Bitboard attacked_by(const MoverView& view, bool own, Bitboard occupied) {
  const auto* pieces = view.pieces.data() + (own ? 0 : 6);
  Bitboard found = own ? pawn_attacks<kWhite>(pieces[kPawn]) : pawn_attacks<kBlack>(pieces[kPawn]);
  for (const PieceType type : {kKnight, kBishop, kRook, kQueen, kKing})
    for (Bitboard rest = pieces[type]; rest;)
      found |= piece_attacks(type, pop_lowest(rest), occupied);
  return found;
}

template <class Add>
void add_attacks3399(const MoverView& view, Add&& add) {
  std::array<std::uint8_t, 64> standing{};  // 0 nothing, else 1 + the piece
  Bitboard occupied = 0;
  for (int piece = 0; piece < kPieces; ++piece)
    for (Bitboard rest = view.pieces[std::size_t(piece)] & ~occupied; rest;) {
      const Square square = pop_lowest(rest);
      standing[square] = std::uint8_t(1 + piece);
      occupied |= bit(square);
    }
  const Bitboard own = attacked_by(view, true, occupied);
  const Bitboard enemy = attacked_by(view, false, occupied);
  for (int square = 0; square < 64; ++square)
    add(kSquareStates * square + 4 * standing[std::size_t(square)] + 2 * int(enemy >> square & 1) +
            int(own >> square & 1),
        1.0f);
  add_state(view, 64 * kSquareStates, add);
}

template <class Add>
void add_features(InputFeatures features, const MoverView& view, Add&& add) {
  if (features == InputFeatures::kFeatures839)
    add_features839(view, add);
  else
    add_attacks3399(view, add);
}

}  // namespace

InputFeatures input_features_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return InputFeatures(i);
  throw BadInput("a Q-net has no inputs " + quoted(name) + "; there are features839, attacks3399");
}

MoverView view_of(const Position& position) {
  MoverView view;
  const bool flipped = position.turn() == kBlack;
  const auto seen = [&](Bitboard set) { return flipped ? flipped_ranks(set) : set; };
  for (int piece = 0; piece < kPieces; ++piece) {
    const Color color = piece < 6 ? position.turn() : ~position.turn();
    view.pieces[std::size_t(piece)] = seen(position.pieces(color, PieceType(piece % 6)));
  }
  const Square target = position.en_passant();
  view.en_passant = target == kNoSquare ? 0 : seen(bit(target));
  view.flags = flags_of(position);
  view.halfmoves = std::uint8_t(std::min(position.halfmove_clock(), kHalfmoveCap));
  view.fullmoves = std::uint8_t(std::min(position.fullmove_number(), kFullmoveCap));
  return view;
}

MoverView view_of(const std::uint8_t* packed) {
  MoverView view;
  for (std::size_t piece = 0; piece < MoverView::kPieces; ++piece)
    view.pieces[piece] = read_plane(packed + 8 * piece);
  view.en_passant = read_plane(packed + kEnPassantAt);
  view.flags = packed[kFlagsAt] & kFlagBits;
  view.halfmoves = packed[kHalfmoveAt];
  view.fullmoves = packed[kFullmoveAt];
  return view;
}

void pack_features(const Position& position, std::uint8_t* out) {
  const MoverView view = view_of(position);
  for (std::size_t piece = 0; piece < MoverView::kPieces; ++piece)
    write_plane(view.pieces[piece], out + 8 * piece);
  write_plane(view.en_passant, out + kEnPassantAt);
  out[kFlagsAt] = view.flags;
  out[kHalfmoveAt] = view.halfmoves;
  out[kFullmoveAt] = view.fullmoves;
}

void pack_features(Games games, std::uint8_t* out, int threads) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    pack_features(game.position(), out + i * kPackedFeaturesSize);
  });
}

FeatureRow sparse_features(InputFeatures features, const MoverView& view) {
  FeatureRow row;
  add_features(features, view, [&](std::int32_t column, float value) {
    row.columns[std::size_t(row.size)] = column;
    row.values[std::size_t(row.size++)] = value;
  });
  return row;
}

SparseFeatures unpack_features(InputFeatures features, std::span<const std::uint8_t> packed) {
  SparseFeatures found;
  found.offsets.push_back(0);
  const std::size_t count = packed.size() / kPackedFeaturesSize;
  found.columns.reserve(count * FeatureRow::kCapacity);
  found.values.reserve(count * FeatureRow::kCapacity);
  for (std::size_t i = 0; i < count; ++i) {
    const MoverView view = view_of(packed.data() + i * kPackedFeaturesSize);
    add_features(features, view, [&](std::int32_t column, float value) {
      found.columns.push_back(column);
      found.values.push_back(value);
    });
    found.offsets.push_back(std::int64_t(found.columns.size()));
  }
  return found;
}

}  // namespace selfmate
