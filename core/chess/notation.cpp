#include "chess/notation.h"

namespace selfmate {
namespace {

constexpr std::string_view kLetters = "PNBRQK";

constexpr bool is_file(char c) {
  return c >= 'a' && c <= 'h';
}
constexpr bool is_rank(char c) {
  return c >= '1' && c <= '8';
}

constexpr std::array<std::int8_t, 256> kPieceOfLetter = [] {
  std::array<std::int8_t, 256> pieces;
  pieces.fill(-1);
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    pieces[static_cast<unsigned char>(kLetters[i])] = std::int8_t(i);
  return pieces;
}();

int piece_from_letter(char upper) {
  return kPieceOfLetter[static_cast<unsigned char>(upper)];
}

// The parts of [NBRQK]?[a-h]?[1-8]?[-x]?[a-h][1-8](=?[nbrqkNBRQK])?[+#]?, as python-chess reads it.
struct SanParts {
  int piece = -1;  // -1 when no letter is given
  int from_file = -1, from_rank = -1;
  Square to = kNoSquare;
  int promotion = 0;
};

bool split_san(std::string_view san, SanParts& parts) {
  std::size_t end = san.size();
  if (end && (san[end - 1] == '+' || san[end - 1] == '#')) --end;
  if (end && !is_rank(san[end - 1])) {
    parts.promotion = piece_from_letter(char(san[end - 1] & ~32));
    if (parts.promotion < kKnight) return false;
    --end;
    if (end && san[end - 1] == '=') --end;
  }
  if (end < 2 || !is_rank(san[end - 1]) || !is_file(san[end - 2])) return false;
  parts.to = make_square(san[end - 2] - 'a', san[end - 1] - '1');
  end -= 2;
  if (end && (san[end - 1] == '-' || san[end - 1] == 'x')) --end;
  std::size_t begin = 0;
  if (begin < end && san[begin] >= 'A' && san[begin] <= 'Z') {
    parts.piece = piece_from_letter(san[begin++]);
    if (parts.piece < kKnight) return false;
  }
  if (begin < end && is_file(san[begin])) parts.from_file = san[begin++] - 'a';
  if (begin < end && is_rank(san[begin])) parts.from_rank = san[begin++] - '1';
  return begin == end;
}

// 1 king's side, 2 queen's side, 0 neither.
int castling_side(std::string_view san) {
  if (san.empty() || (san[0] != 'O' && san[0] != '0')) return 0;
  const char o = san[0];
  if (san.back() == '+' || san.back() == '#') san.remove_suffix(1);
  for (std::size_t i = 0; i < san.size(); ++i)
    if (san[i] != (i % 2 ? '-' : o)) return 0;
  return san.size() == 3 ? 1 : san.size() == 5 ? 2 : 0;
}

SanError read_castling(const Position& position, int side, Move& move) {
  const Square king = position.king(position.turn());
  const Square to = position.castling_target(side == 1);
  if (to < 0 || to > 63) return SanError::kIllegal;
  move = make_move(king, to);
  return position.is_castling(move) && position.is_legal(move) ? SanError::kNone
                                                               : SanError::kIllegal;
}

Bitboard pawn_origins(const Position& position, Square to, bool captures) {
  const Color us = position.turn();
  const Bitboard pawns = position.pieces(us, kPawn);
  if (captures) return pawn_attacks(~us, to) & pawns;
  const int step = us == kWhite ? 8 : -8;
  const Square one = to - step, two = to - 2 * step;
  Bitboard origins = 0;
  if (one >= 0 && one < 64) origins |= bit(one);
  if (two >= 0 && two < 64) origins |= bit(two);
  return origins & pawns;
}

// Every origin that could be meant, legality aside.
Bitboard san_origins(const Position& position, const SanParts& parts) {
  Bitboard origins;
  if (parts.piece >= 0) {
    const PieceType type = PieceType(parts.piece);
    origins =
        piece_attacks(type, parts.to, position.pieces()) & position.pieces(position.turn(), type);
  } else {
    const bool captures = parts.from_file >= 0 && parts.from_file != file_of(parts.to);
    origins = pawn_origins(position, parts.to, captures);
  }
  if (parts.from_file >= 0) origins &= file_mask(parts.from_file);
  if (parts.from_rank >= 0) origins &= rank_mask(parts.from_rank);
  return origins;
}

// Attacks go both ways, so a piece among san_origins reaches its square: only the own king can
// object. This saves bulk reading the second look-up that is_legal would make.
bool origin_is_legal(const Position& position, const SanParts& parts, Move candidate) {
  if (parts.piece < 0) return position.is_legal(candidate);
  const bool onto_own = (position.pieces(position.turn()) & bit(parts.to)) != 0;
  return !parts.promotion && !onto_own && position.keeps_king_safe(from_of(candidate), parts.to);
}

}  // namespace

std::string square_name(Square square) {
  return {char('a' + file_of(square)), char('1' + rank_of(square))};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 100;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out + (text.size() > kShown ? "'..." : "'");
}

std::string to_uci(Move move) {
  std::string uci = square_name(from_of(move)) + square_name(to_of(move));
  if (const int promotion = promotion_of(move)) uci += "?nbrq"[promotion];
  return uci;
}

std::string describe_move(Move move) {
  return "move " + (promotion_of(move) <= kQueen ? quoted(to_uci(move)) : std::to_string(move));
}

Move parse_uci(std::string_view uci) {
  const bool shaped = (uci.size() == 4 || uci.size() == 5) && is_file(uci[0]) && is_rank(uci[1]) &&
                      is_file(uci[2]) && is_rank(uci[3]);
  const std::size_t promotion = uci.size() == 5 ? std::string_view("nbrq").find(uci[4]) : 0;
  if (!shaped || promotion == std::string_view::npos)
    throw BadInput("bad move " + quoted(uci) + ": a UCI move looks like e2e4 or e7e8q");
  return make_move(make_square(uci[0] - 'a', uci[1] - '1'), make_square(uci[2] - 'a', uci[3] - '1'),
                   uci.size() == 5 ? int(promotion) + 1 : 0);
}

Move parse_uci(const Position& position, std::string_view uci) {
  const Move move = parse_uci(uci);
  if (!position.is_legal(move)) {
    const bool castles = position.chess960() && type_of(position.piece_on(from_of(move))) == kKing;
    throw BadInput("illegal move " + quoted(uci) + " in " + to_fen(position) +
                   (castles ? "; in Chess960 castling is the king taking its own rook" : ""));
  }
  return move;
}

std::string to_san(const Position& position, Move move) {
  const Square from = from_of(move), to = to_of(move);
  const PieceType type = type_of(position.piece_on(from));
  const bool capture = position.is_capture(move);
  std::string san;
  if (position.is_castling(move)) {
    san = to > from ? "O-O" : "O-O-O";
  } else {
    if (type == kPawn) {
      if (capture) san += char('a' + file_of(from));
    } else {
      san += kLetters[type];
      Bitboard rivals = piece_attacks(type, to, position.pieces()) &
                        position.pieces(position.turn(), type) & ~bit(from);
      Bitboard legal_rivals = 0;
      while (rivals) {
        const Square rival = pop_lowest(rivals);
        if (position.is_legal(make_move(rival, to))) legal_rivals |= bit(rival);
      }
      const bool by_file = !(legal_rivals & file_mask(file_of(from)));
      const bool by_rank = !(legal_rivals & rank_mask(rank_of(from)));
      if (legal_rivals && (by_file || !by_rank)) san += char('a' + file_of(from));
      if (legal_rivals && !by_file) san += char('1' + rank_of(from));
    }
    if (capture) san += 'x';
    san += square_name(to);
    if (const int promotion = promotion_of(move)) (san += '=') += kLetters[std::size_t(promotion)];
  }
  Position after = position;
  after.make(move);
  if (after.in_check()) san += has_legal_move(after) ? '+' : '#';
  return san;
}

SanError read_san(const Position& position, std::string_view san, Move& move) {
  if (const int side = castling_side(san)) return read_castling(position, side, move);
  SanParts parts;
  if (!split_san(san, parts)) {
    const bool null_move = san == "--" || san == "Z0" || san == "0000" || san == "@@@@";
    return null_move ? SanError::kNullMove : SanError::kSyntax;
  }
  if (parts.piece < 0 && parts.from_file >= 0 && parts.from_rank >= 0) {
    // Fully given squares may name any piece, castling kings too.
    move = make_move(make_square(parts.from_file, parts.from_rank), parts.to, parts.promotion);
    return position.is_legal(move) ? SanError::kNone : SanError::kIllegal;
  }
  SanError result = SanError::kIllegal;
  for (Bitboard origins = san_origins(position, parts); origins;) {
    const Move candidate = make_move(pop_lowest(origins), parts.to, parts.promotion);
    if (!origin_is_legal(position, parts, candidate)) continue;
    if (result == SanError::kNone) return SanError::kAmbiguous;
    move = candidate;
    result = SanError::kNone;
  }
  return result;
}

Move parse_san(const Position& position, std::string_view san) {
  Move move = kNoMove;
  switch (read_san(position, san, move)) {
    case SanError::kNone:
      return move;
    case SanError::kSyntax:
      throw BadInput("bad move " + quoted(san) + ": not a move in algebraic notation");
    case SanError::kNullMove:
      throw BadInput("bad move " + quoted(san) + ": null moves are not allowed");
    case SanError::kAmbiguous:
      throw BadInput("ambiguous move " + quoted(san) + " in " + to_fen(position));
    default:
      throw BadInput("illegal move " + quoted(san) + " in " + to_fen(position));
  }
}

}  // namespace selfmate
