// Positions and moves as text: FEN, UCI, SAN. What cannot be read throws BadInput with a sentence.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "chess/movegen.h"

namespace selfmate {

// Becomes ValueError in Python.
struct BadInput : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

inline constexpr std::string_view kStartFen =
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// Accepts what python-chess accepts and finds valid; FENs of four to six fields. Castling rights
// are KQkq, each for the outermost rook on its side of the king (X-FEN), or the files of the rooks
// (Shredder-FEN). Files make the position one of Chess960, and so do rights that standard chess
// cannot have, or `chess960`.
Position parse_fen(std::string_view fen, bool chess960 = false);
// In Chess960 the rights are written as files, so that reading the text gives the same position.
std::string to_fen(const Position& position);

// Gives pieces that were put on a board their state. BadInput with the reason when python-chess
// would not find the position valid.
void complete_position(Position& position, Color turn, const CastlingRights& castling,
                       Square en_passant, std::uint32_t halfmove_clock,
                       std::uint32_t fullmove_number);

// Any code with a promotion digit of at most 4.
std::string to_uci(Move move);
// Any 16-bit code, for messages: the UCI text in quotes, or the bare number.
std::string describe_move(Move move);
// The code of a UCI text, whatever the position.
Move parse_uci(std::string_view uci);
// The same, and legal here.
Move parse_uci(const Position& position, std::string_view uci);

// The move must be legal.
std::string to_san(const Position& position, Move move);
// SAN as books and programs write it, long algebraic and 0-0 included; legal and unambiguous.
Move parse_san(const Position& position, std::string_view san);

// Why a SAN text is no move here; the cheap form of parse_san for bulk reading.
enum class SanError { kNone, kSyntax, kIllegal, kAmbiguous, kNullMove };
SanError read_san(const Position& position, std::string_view san, Move& move);

std::string square_name(Square square);
// Text quoted for an error message: shortened, control characters escaped.
std::string quoted(std::string_view text);

}  // namespace selfmate
