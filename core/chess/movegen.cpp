#include "chess/movegen.h"

namespace selfmate {
namespace {

struct ListSink {
  MoveList& list;
  void add(Square from, Bitboard targets) {
    while (targets) list.add(make_move(from, pop_lowest(targets)));
  }
  // Pawn moves come as sets of targets with one offset from their origins.
  void add_pawns(Bitboard targets, int offset) {
    while (targets) {
      const Square to = pop_lowest(targets);
      list.add(make_move(to - offset, to));
    }
  }
  void add_promotions(Bitboard targets, int offset) {
    while (targets) {
      const Square to = pop_lowest(targets);
      for (int piece = kQueen; piece >= kKnight; --piece)
        list.add(make_move(to - offset, to, piece));
    }
  }
};

struct CountSink {
  int count = 0;
  void add(Square, Bitboard targets) { count += popcount(targets); }
  void add_pawns(Bitboard targets, int) { count += popcount(targets); }
  void add_promotions(Bitboard targets, int) { count += 4 * popcount(targets); }
};

// The king's walk is tested with the king lifted off, so that it cannot hide behind itself.
template <Color Us>
Bitboard safe_king_steps(const Position& position, Square king) {
  Bitboard steps = king_attacks(king) & ~position.pieces(Us);
  steps &= ~pawn_attacks<~Us>(position.pieces(~Us, kPawn));
  const Bitboard occupied = position.pieces() ^ bit(king);
  Bitboard safe = 0;
  while (steps) {
    const Square to = pop_lowest(steps);
    if (!position.attackers(to, ~Us, occupied)) safe |= bit(to);
  }
  return safe;
}

template <Color Us>
Bitboard pinned_pieces(const Position& position, Square king) {
  const Bitboard them = position.pieces(~Us), queens = position.pieces(kQueen);
  Bitboard snipers = them & ((bishop_attacks(king, them) & (position.pieces(kBishop) | queens)) |
                             (rook_attacks(king, them) & (position.pieces(kRook) | queens)));
  Bitboard pinned = 0;
  while (snipers) {
    const Bitboard shield = between(king, pop_lowest(snipers)) & position.pieces(Us);
    if (!more_than_one(shield)) pinned |= shield;
  }
  return pinned;
}

template <Color Us, class Sink>
void add_pawn_targets(Sink& sink, Bitboard targets, int offset) {
  const Bitboard last_rank = targets & kBackRanks;
  sink.add_pawns(targets ^ last_rank, offset);
  if (last_rank) sink.add_promotions(last_rank, offset);
}

template <Color Us, class Sink>
void generate_pawns(const Position& position, Sink& sink, Square king, Bitboard pinned,
                    Bitboard allowed) {
  constexpr int kUp = Us == kWhite ? 8 : -8;
  constexpr Bitboard kThirdRank = rank_mask(Us == kWhite ? 2 : 5);
  const Bitboard pawns = position.pieces(Us, kPawn);
  const Bitboard empty = ~position.pieces(), them = position.pieces(~Us);

  // A pinned pawn moves only along the line of its pin.
  const Bitboard pushers = pawns & (~pinned | file_mask(file_of(king)));
  const Bitboard single = forward<Us>(pushers) & empty;
  const Bitboard twice = forward<Us>(single & kThirdRank) & empty;
  add_pawn_targets<Us>(sink, single & allowed, kUp);
  sink.add_pawns(twice & allowed, 2 * kUp);

  const Bitboard rising = kAttacks.diagonal[king], falling = kAttacks.anti_diagonal[king];
  const Bitboard eastward = pawns & (~pinned | (Us == kWhite ? rising : falling));
  const Bitboard westward = pawns & (~pinned | (Us == kWhite ? falling : rising));
  add_pawn_targets<Us>(sink, east(forward<Us>(eastward)) & them & allowed, kUp + 1);
  add_pawn_targets<Us>(sink, west(forward<Us>(westward)) & them & allowed, kUp - 1);

  if (const Square target = position.en_passant(); target != kNoSquare) {
    Bitboard takers = pawn_attacks(~Us, target) & pawns;
    while (takers) {
      const Square from = pop_lowest(takers);
      if (position.en_passant_is_legal(from, target)) sink.add(from, bit(target));
    }
  }
}

// The rook of a lost right may have left a square for the king to step on, which is not castling.
template <class Sink>
void generate_chess960_castling(const Position& position, Sink& sink, Square king) {
  for (const bool king_side : {true, false}) {
    const Move move = make_move(king, position.castling_target(king_side));
    if (position.is_castling(move) && position.is_legal(move)) sink.add(king, bit(to_of(move)));
  }
}

template <Color Us, class Sink>
void generate_castling(const Position& position, Sink& sink, Square king) {
  constexpr std::uint8_t kBoth =
      Us == kWhite ? kWhiteKingSide | kWhiteQueenSide : kBlackKingSide | kBlackQueenSide;
  if (!(position.castling() & kBoth)) return;
  if (position.chess960()) [[unlikely]]
    return generate_chess960_castling(position, sink, king);
  for (const Square to : {king + 2, king - 2})
    if (position.is_legal(make_move(king, to))) sink.add(king, bit(to));
}

template <Color Us, class Sink>
void generate_pieces(const Position& position, Sink& sink, Square king, Bitboard pinned,
                     Bitboard allowed) {
  const Bitboard occupied = position.pieces();
  for (Bitboard rest = position.pieces(Us, kKnight) & ~pinned; rest;) {
    const Square from = pop_lowest(rest);
    sink.add(from, knight_attacks(from) & allowed);
  }
  const Bitboard queens = position.pieces(Us, kQueen);
  for (Bitboard rest = position.pieces(Us, kBishop) | queens; rest;) {
    const Square from = pop_lowest(rest);
    const Bitboard targets = bishop_attacks(from, occupied) & allowed;
    sink.add(from, pinned & bit(from) ? targets & line(king, from) : targets);
  }
  for (Bitboard rest = position.pieces(Us, kRook) | queens; rest;) {
    const Square from = pop_lowest(rest);
    const Bitboard targets = rook_attacks(from, occupied) & allowed;
    sink.add(from, pinned & bit(from) ? targets & line(king, from) : targets);
  }
}

template <Color Us, class Sink>
void generate(const Position& position, Sink& sink) {
  const Square king = position.king(Us);
  const Bitboard checkers = position.attackers(king, ~Us, position.pieces());
  if (!more_than_one(checkers)) {
    Bitboard allowed = ~position.pieces(Us);
    if (checkers) allowed = checkers | between(king, lowest(checkers));
    const Bitboard pinned = pinned_pieces<Us>(position, king);
    generate_pawns<Us>(position, sink, king, pinned, allowed);
    generate_pieces<Us>(position, sink, king, pinned, allowed);
  }
  sink.add(king, safe_king_steps<Us>(position, king));
  if (!checkers) generate_castling<Us>(position, sink, king);
}

template <class Sink>
void generate(const Position& position, Sink& sink) {
  if (position.turn() == kWhite)
    generate<kWhite>(position, sink);
  else
    generate<kBlack>(position, sink);
}

}  // namespace

MoveList legal_moves(const Position& position) {
  MoveList list;
  ListSink sink{list};
  generate(position, sink);
  return list;
}

int count_legal_moves(const Position& position) {
  CountSink sink;
  generate(position, sink);
  return sink.count;
}

bool has_legal_move(const Position& position) {
  return count_legal_moves(position) > 0;
}

std::uint64_t perft(Position& position, int depth) {
  if (depth == 0) return 1;
  if (depth == 1) return std::uint64_t(count_legal_moves(position));
  std::uint64_t nodes = 0;
  for (const Move move : legal_moves(position)) {
    const Undo undo = position.make(move);
    nodes += perft(position, depth - 1);
    position.unmake(undo);
  }
  return nodes;
}

}  // namespace selfmate
