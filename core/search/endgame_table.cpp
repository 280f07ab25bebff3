#include "search/endgame_table.h"

#include <array>

#include "chess/attacks.h"

namespace selfmate {
namespace {

// Of White's king, its N pieces, and Black's king.
template <std::size_t N>
struct Placement {
  Square king;
  std::array<Square, N> pieces;
  Square black_king;
};

template <std::size_t N>
constexpr std::size_t kPositions = std::size_t(1) << 6 * (N + 2);  // with one side to move

template <std::size_t N>
std::size_t index_of(Color side, const Placement<N>& at) {
  std::size_t index = std::size_t(side) * 64 + std::size_t(at.king);
  for (const Square piece : at.pieces) index = index * 64 + std::size_t(piece);
  return index * 64 + std::size_t(at.black_king);
}

template <std::size_t N>
Placement<N> placement_at(std::size_t index) {
  Placement<N> at{};
  at.black_king = Square(index & 63);
  for (std::size_t i = N; i-- > 0;) at.pieces[i] = Square((index >>= 6) & 63);
  at.king = Square(index >> 6 & 63);
  return at;
}

// One endgame: its rules, and the fronts of positions that move back from the mates.
template <std::size_t N>
class Retrograde {
  using Place = Placement<N>;

 public:
  explicit Retrograde(std::array<PieceType, N> types)
      : types_(types), distances_(2 * kPositions<N>, kNotWon), escapes_(kPositions<N>, 0) {}

  std::vector<std::uint8_t> solve() {
    std::vector<Place> lost = mates();
    for (std::uint8_t plies = 1; !lost.empty(); plies += 2) {
      const std::vector<Place> won = before_black_is_lost(lost, plies);
      lost = before_white_has_won(won, std::uint8_t(plies + 1));
    }
    return std::move(distances_);
  }

 private:
  static Bitboard whites(const Place& at) {
    Bitboard set = bit(at.king);
    for (const Square piece : at.pieces) set |= bit(piece);
    return set;
  }

  // As if Black's king were not there: it does not hide behind itself.
  Bitboard attacked(const Place& at) const {
    Bitboard found = king_attacks(at.king);
    for (std::size_t i = 0; i < N; ++i) found |= piece_attacks(types_[i], at.pieces[i], whites(at));
    return found;
  }

  static bool is_apart(const Place& at) {
    const Bitboard all = whites(at);
    return popcount(all) == int(N) + 1 && !((all | king_attacks(at.king)) & bit(at.black_king));
  }

  // With White to move, Black must not stand in check.
  bool may_be_whites_turn(const Place& at) const {
    return is_apart(at) && !(attacked(at) & bit(at.black_king));
  }

  // Where Black's king can go, the piece's square included if nobody guards it.
  Bitboard steps_of_black(const Place& at) const {
    return king_attacks(at.black_king) & ~attacked(at);
  }

  // Also counts the escapes of all other positions.
  std::vector<Place> mates() {
    std::vector<Place> found;
    for (std::size_t index = 0; index < kPositions<N>; ++index) {
      const Place at = placement_at<N>(index);
      if (!is_apart(at)) continue;
      escapes_[index] = std::uint8_t(popcount(steps_of_black(at)));
      if (escapes_[index] || !(attacked(at) & bit(at.black_king))) continue;
      distances_[index_of(kBlack, at)] = 0;
      found.push_back(at);
    }
    return found;
  }

  std::vector<Place> before_black_is_lost(const std::vector<Place>& lost, std::uint8_t plies) {
    std::vector<Place> found;
    const auto reach = [&](const Place& before) {
      std::uint8_t& distance = distances_[index_of(kWhite, before)];
      if (distance != kNotWon || !may_be_whites_turn(before)) return;
      distance = plies;
      found.push_back(before);
    };
    for (const Place& at : lost) {
      const Bitboard all = whites(at) | bit(at.black_king);
      Place before = at;
      for (Bitboard from = king_attacks(at.king) & ~all; from;) {
        before.king = pop_lowest(from);
        reach(before);
      }
      before = at;
      for (std::size_t i = 0; i < N; ++i, before = at)
        for (Bitboard from = piece_attacks(types_[i], at.pieces[i], all) & ~all; from;) {
          before.pieces[i] = pop_lowest(from);
          reach(before);
        }
    }
    return found;
  }

  // Black is lost where every step leads to a win of White's.
  std::vector<Place> before_white_has_won(const std::vector<Place>& won, std::uint8_t plies) {
    std::vector<Place> found;
    for (const Place& at : won)
      for (Bitboard from = king_attacks(at.black_king); from;) {
        Place before = at;
        before.black_king = pop_lowest(from);
        if (!is_apart(before)) continue;
        if (--escapes_[index_of(kWhite, before)]) continue;
        distances_[index_of(kBlack, before)] = plies;
        found.push_back(before);
      }
    return found;
  }

  std::array<PieceType, N> types_;
  std::vector<std::uint8_t> distances_;
  std::vector<std::uint8_t> escapes_;  // moves of Black that are not yet known to lose
};

}  // namespace

std::vector<std::uint8_t> endgame_table(Endgame endgame) {
  if (endgame == Endgame::kBishops) return Retrograde<2>({kBishop, kBishop}).solve();
  return Retrograde<1>({endgame == Endgame::kQueen ? kQueen : kRook}).solve();
}

}  // namespace selfmate
