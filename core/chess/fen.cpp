#include <vector>

#include "chess/notation.h"

namespace selfmate {
namespace {

constexpr std::string_view kPieceLetters = "PNBRQKpnbrqk";
constexpr std::string_view kCastlingLetters = "KQkq";
constexpr std::uint32_t kMaxCounter = 9999;

[[noreturn]] void refuse(std::string_view fen, const std::string& reason) {
  throw BadInput("bad FEN " + quoted(fen) + ": " + reason);
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::vector<std::string_view> split_fields(std::string_view text) {
  std::vector<std::string_view> fields;
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && is_space(text[i])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    if (i > begin) fields.push_back(text.substr(begin, i - begin));
  }
  return fields;
}

void place_rank(Position& position, std::string_view fen, std::string_view row, int rank) {
  int file = 0;
  bool after_digit = false;
  for (const char c : row) {
    const bool digit = c >= '1' && c <= '8';
    const std::size_t piece = kPieceLetters.find(c);
    if (!digit && piece == std::string_view::npos)
      refuse(fen, quoted(std::string_view(&c, 1)) +
                      " in the board field is neither a piece "
                      "(PNBRQK, pnbrqk) nor a digit 1-8");
    if (digit && after_digit) refuse(fen, "two digits in a row in the board field");
    if (!digit && file < 8) position.put(make_square(file, rank), Piece(piece));
    file += digit ? c - '0' : 1;
    after_digit = digit;
    if (file > 8) break;
  }
  if (file != 8)
    refuse(fen, "rank " + std::to_string(rank + 1) + " does not have exactly 8 squares");
}

void place_pieces(Position& position, std::string_view fen, std::string_view board) {
  int rank = 7;
  for (;; --rank) {
    const std::size_t slash = board.find('/');
    place_rank(position, fen, board.substr(0, slash), rank);
    if (slash == std::string_view::npos) break;
    if (rank == 0) refuse(fen, "the board field has more than 8 ranks");
    board.remove_prefix(slash + 1);
  }
  if (rank != 0) refuse(fen, "the board field has fewer than 8 ranks");
}

Color parse_turn(std::string_view fen, std::string_view field) {
  if (field != "w" && field != "b")
    refuse(fen, "the side to move is " + quoted(field) + ", allowed are w and b");
  return field == "w" ? kWhite : kBlack;
}

// White's letters come first, at most two for each side.
void check_castling_letters(std::string_view fen, std::string_view field) {
  int count[2] = {0, 0};
  for (const char c : field == "-" ? std::string_view() : field) {
    const char upper = char(c & ~32);
    const Color color = c == upper ? kWhite : kBlack;
    const bool known = upper == 'K' || upper == 'Q' || (upper >= 'A' && upper <= 'H');
    if (!known || ++count[color] > 2 || (color == kWhite && count[kBlack]))
      refuse(fen, "castling rights " + quoted(field) +
                      ", allowed are - or some of KQkq, in Chess960 also the files of the rooks");
  }
}

// The outermost rook on its side of the king; the corner if there is none.
Square outermost_rook(const Position& position, Color color, bool king_side) {
  const Square king = position.king(color), corner = make_square(king_side ? 7 : 0, 7 * color);
  const Bitboard rooks = position.pieces(color, kRook) & rank_mask(7 * color);
  const Square rook = !rooks ? corner : king_side ? highest(rooks) : lowest(rooks);
  return (rook > king) == king_side ? rook : corner;
}

bool is_standard(Color color, Square king, int right, Square rook) {
  return king == make_square(4, 7 * color) && rook == CastlingRights().rooks[std::size_t(right)];
}

CastlingRights find_castling(const Position& position, std::string_view field, bool chess960) {
  CastlingRights castling;
  castling.chess960 = chess960;
  for (const char c : field == "-" ? std::string_view() : field) {
    const char upper = char(c & ~32);
    const Color color = c == upper ? kWhite : kBlack;
    const Square king = position.king(color);
    const bool by_file = upper <= 'H';
    const bool king_side = by_file ? upper - 'A' > file_of(king) : upper == 'K';
    const Square rook =
        by_file ? make_square(upper - 'A', 7 * color) : outermost_rook(position, color, king_side);
    const int right = 2 * color + !king_side;
    std::uint8_t& known_rook = castling.rooks[std::size_t(right)];
    if ((castling.rights >> right & 1) && known_rook != rook)
      throw BadInput("two rooks on one side of the king have a castling right");
    castling.rights |= std::uint8_t(1 << right);
    known_rook = std::uint8_t(rook);
    const bool at_home = rank_of(king) == 7 * color;
    castling.chess960 |= by_file || (at_home && !is_standard(color, king, right, rook));
  }
  return castling;
}

Square parse_square(std::string_view fen, std::string_view field) {
  if (field == "-") return kNoSquare;
  if (field.size() != 2 || field[0] < 'a' || field[0] > 'h' || field[1] < '1' || field[1] > '8')
    refuse(fen, "en-passant field " + quoted(field) + " is neither - nor a square");
  return make_square(field[0] - 'a', field[1] - '1');
}

std::uint32_t parse_counter(std::string_view fen, std::string_view field, const char* name) {
  std::uint32_t value = 0;
  for (const char c : field) {
    if (c < '0' || c > '9') refuse(fen, std::string(name) + " " + quoted(field) + " is no number");
    value = value * 10 + std::uint32_t(c - '0');
    if (value > kMaxCounter)
      refuse(fen, std::string(name) + " " + quoted(field) + " is not in 0..9999");
  }
  return value;
}

void check_counts(const Position& position) {
  for (const Color color : {kWhite, kBlack}) {
    const std::string side = color == kWhite ? "White" : "Black";
    const int kings = popcount(position.pieces(color, kKing));
    if (kings == 0) throw BadInput(side + " has no king");
    if (kings > 1) throw BadInput(side + " has more than one king");
    if (popcount(position.pieces(color)) > 16) throw BadInput(side + " has more than 16 pieces");
    if (popcount(position.pieces(color, kPawn)) > 8)
      throw BadInput(side + " has more than 8 pawns");
  }
  if (position.pieces(kPawn) & kBackRanks)
    throw BadInput("there is a pawn on the first or last rank");
}

void check_castling(const Position& position, const CastlingRights& castling) {
  for (int right = 0; right < 4; ++right) {
    if (!(castling.rights >> right & 1)) continue;
    const Color color = Color(right / 2);
    const Square king = position.king(color), home = make_square(4, 7 * color);
    const Square rook = castling.rooks[std::size_t(right)];
    const std::string name =
        "castling right " + quoted(kCastlingLetters.substr(std::size_t(right), 1));
    if (position.piece_on(rook) != make_piece(color, kRook))
      throw BadInput(name + " without a rook on " + square_name(rook));
    if (!castling.chess960 && king != home)
      throw BadInput(name + " without the king on " + square_name(home));
    if (rank_of(king) != 7 * color)
      throw BadInput(name + " without the king on rank " + std::to_string(7 * color + 1));
  }
}

void check_en_passant(const Position& position, Color turn, Square target) {
  if (target == kNoSquare) return;
  const bool fits = rank_of(target) == (turn == kWhite ? 5 : 2) &&
                    position.piece_on(target ^ 8) == make_piece(~turn, kPawn) &&
                    position.piece_on(target) == kNoPiece &&
                    position.piece_on(target ^ 24) == kNoPiece;
  if (!fits)
    throw BadInput("no pawn can just have made a double step over the en-passant square " +
                   square_name(target));
}

// Checks that no legal last move can have given, as python-chess judges them.
void check_checks(const Position& position, Square target) {
  const Color turn = position.turn();
  if (position.attackers(position.king(~turn), turn, position.pieces()))
    throw BadInput(std::string(turn == kWhite ? "Black" : "White") +
                   " is in check, but it is the other side's move");
  const Bitboard checkers = position.checkers();
  if (!checkers) return;
  if (popcount(checkers) > 2) throw BadInput("the king is in check from more than two pieces");
  const Square king = position.king(turn);
  bool impossible;
  if (target != kNoSquare) {
    const Square pushed_to = target ^ 8, pushed_from = target ^ 24;
    const Bitboard before = (position.pieces() & ~bit(pushed_to)) | bit(pushed_from);
    impossible = more_than_one(checkers) ||
                 (highest(checkers) != pushed_to && position.attackers(king, ~turn, before));
  } else {
    impossible = more_than_one(checkers) && (line(lowest(checkers), highest(checkers)) & bit(king));
  }
  if (impossible) throw BadInput("no last move can have given this check");
}

char castling_letter(const Position& position, int right) {
  if (!position.chess960()) return kCastlingLetters[std::size_t(right)];
  return char((right < 2 ? 'A' : 'a') + file_of(position.castling_rook(right)));
}

}  // namespace

void complete_position(Position& position, Color turn, const CastlingRights& castling,
                       Square en_passant, std::uint32_t halfmove_clock,
                       std::uint32_t fullmove_number) {
  check_counts(position);
  check_castling(position, castling);
  check_en_passant(position, turn, en_passant);
  position.set_state(turn, castling, en_passant, halfmove_clock, fullmove_number);
  check_checks(position, en_passant);
}

Position parse_fen(std::string_view fen, bool chess960) {
  const std::vector<std::string_view> fields = split_fields(fen);
  if (fields.size() < 4 || fields.size() > 6)
    refuse(fen, "it has " + std::to_string(fields.size()) +
                    (fields.size() == 1 ? " field" : " fields") +
                    ", allowed are 4 to 6 (board, side, castling, en passant, clocks)");
  Position position;
  const Color turn = parse_turn(fen, fields[1]);
  check_castling_letters(fen, fields[2]);
  const Square target = parse_square(fen, fields[3]);
  const std::uint32_t halfmoves =
      fields.size() > 4 ? parse_counter(fen, fields[4], "half-move clock") : 0;
  const std::uint32_t fullmoves =
      fields.size() > 5 ? parse_counter(fen, fields[5], "full-move number") : 1;
  place_pieces(position, fen, fields[0]);
  try {
    complete_position(position, turn, find_castling(position, fields[2], chess960), target,
                      halfmoves, fullmoves ? fullmoves : 1);
  } catch (const BadInput& error) {
    refuse(fen, error.what());
  }
  return position;
}

std::string to_fen(const Position& position) {
  std::string fen;
  for (int rank = 7; rank >= 0; --rank) {
    int empty = 0;
    for (int file = 0; file < 8; ++file) {
      const Piece piece = position.piece_on(make_square(file, rank));
      if (piece == kNoPiece) {
        ++empty;
        continue;
      }
      if (empty) fen += char('0' + empty);
      empty = 0;
      fen += kPieceLetters[piece];
    }
    if (empty) fen += char('0' + empty);
    fen += rank ? '/' : ' ';
  }
  fen += position.turn() == kWhite ? "w " : "b ";
  for (int right = 0; right < 4; ++right)
    if (position.castling() >> right & 1) fen += castling_letter(position, right);
  if (!position.castling()) fen += '-';
  const Square target = position.en_passant();
  fen += ' ' + (target == kNoSquare ? "-" : square_name(target));
  fen += ' ' + std::to_string(position.halfmove_clock());
  fen += ' ' + std::to_string(position.fullmove_number());
  return fen;
}

}  // namespace selfmate
