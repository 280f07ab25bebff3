#include "search/endgame_table.h"

#include "chess/attacks.h"

namespace selfmate {
namespace {

struct Placement {
  Square king, piece, black_king;
};

std::size_t index_of(Color side, const Placement& at) {
  return ((std::size_t(side) * 64 + std::size_t(at.king)) * 64 + std::size_t(at.piece)) * 64 +
         std::size_t(at.black_king);
}

// One endgame: its rules, and the fronts of positions that move back from the mates.
class Endgame {
 public:
  explicit Endgame(PieceType piece)
      : type_(piece), distances_(kEndgamePositions, kNotWon), escapes_(kEndgamePositions / 2, 0) {}

  std::vector<std::uint8_t> solve() {
    std::vector<Placement> lost = mates();
    for (std::uint8_t plies = 1; !lost.empty(); plies += 2) {
      const std::vector<Placement> won = before_black_is_lost(lost, plies);
      lost = before_white_has_won(won, std::uint8_t(plies + 1));
    }
    return std::move(distances_);
  }

 private:
  // As if Black's king were not there: it does not hide behind itself.
  Bitboard attacked(const Placement& at) const {
    return king_attacks(at.king) | piece_attacks(type_, at.piece, bit(at.king));
  }

  static bool is_apart(const Placement& at) {
    return at.king != at.piece && at.king != at.black_king && at.piece != at.black_king &&
           !(king_attacks(at.king) & bit(at.black_king));
  }

  // With White to move, Black must not stand in check.
  bool may_be_whites_turn(const Placement& at) const {
    return is_apart(at) && !(attacked(at) & bit(at.black_king));
  }

  // Where Black's king can go, the piece's square included if nobody guards it.
  Bitboard steps_of_black(const Placement& at) const {
    return king_attacks(at.black_king) & ~attacked(at);
  }

  // Also counts the escapes of all other positions.
  std::vector<Placement> mates() {
    std::vector<Placement> found;
    for (std::size_t index = 0; index < kEndgamePositions / 2; ++index) {
      const Placement at{Square(index >> 12), Square(index >> 6 & 63), Square(index & 63)};
      if (!is_apart(at)) continue;
      escapes_[index] = std::uint8_t(popcount(steps_of_black(at)));
      if (escapes_[index] || !(attacked(at) & bit(at.black_king))) continue;
      distances_[index_of(kBlack, at)] = 0;
      found.push_back(at);
    }
    return found;
  }

  std::vector<Placement> before_black_is_lost(const std::vector<Placement>& lost,
                                              std::uint8_t plies) {
    std::vector<Placement> found;
    const auto reach = [&](const Placement& before) {
      std::uint8_t& distance = distances_[index_of(kWhite, before)];
      if (distance != kNotWon || !may_be_whites_turn(before)) return;
      distance = plies;
      found.push_back(before);
    };
    for (const Placement& at : lost) {
      for (Bitboard from = king_attacks(at.king); from;)
        reach({pop_lowest(from), at.piece, at.black_king});
      const Bitboard kings = bit(at.king) | bit(at.black_king);
      for (Bitboard from = piece_attacks(type_, at.piece, kings) & ~kings; from;)
        reach({at.king, pop_lowest(from), at.black_king});
    }
    return found;
  }

  // Black is lost where every step leads to a win of White's.
  std::vector<Placement> before_white_has_won(const std::vector<Placement>& won,
                                              std::uint8_t plies) {
    std::vector<Placement> found;
    for (const Placement& at : won)
      for (Bitboard from = king_attacks(at.black_king); from;) {
        const Placement before{at.king, at.piece, pop_lowest(from)};
        if (!is_apart(before)) continue;
        if (--escapes_[index_of(kWhite, before)]) continue;
        distances_[index_of(kBlack, before)] = plies;
        found.push_back(before);
      }
    return found;
  }

  PieceType type_;
  std::vector<std::uint8_t> distances_;
  std::vector<std::uint8_t> escapes_;  // moves of Black that are not yet known to lose
};

}  // namespace

std::vector<std::uint8_t> endgame_table(PieceType piece) {
  return Endgame(piece).solve();
}

}  // namespace selfmate
