#include "search/alphabeta.h"

#include <algorithm>
#include <functional>

#include "search/check_finder.h"

namespace selfmate {
namespace {

constexpr int kInfinity = 2 * kMateScore;

bool any_repeats(std::span<const std::uint64_t> hashes) {
  for (std::size_t i = 0; i < hashes.size(); ++i)
    for (std::size_t j = i + 4; j < hashes.size(); j += 2)
      if (hashes[i] == hashes[j]) return true;
  return false;
}

// A proof that no stalemate is one ply away. One move can capture a piece, block a pawn, and pin at
// most two pieces that are not on a line with the king now (by leaving a line, with one piece or
// two when it captures en passant). So with five pieces off the king's lines that can move, at
// least one still can after any move that gives no check.
template <Color Us>
bool always_has_moves(const Position& position) {
  const Bitboard occupied = position.pieces(), ours = position.pieces(Us);
  const Bitboard unseen = ours & ~queen_attacks(position.king(Us), occupied);
  int free_pieces = popcount(forward<Us>(unseen & position.pieces(kPawn)) & ~occupied);
  for (const PieceType type : {kKnight, kBishop, kRook, kQueen})
    for (Bitboard rest = unseen & position.pieces(type); rest && free_pieces < 5;)
      free_pieces += (piece_attacks(type, pop_lowest(rest), occupied) & ~ours) != 0;
  return free_pieces >= 5;
}

template <class Iterator>
void bring_best_forward(Iterator first, Iterator end) {
  auto best = *first;
  for (Iterator other = first + 1; other != end; ++other) {
    const auto item = *other;
    *other = std::min(best, item);
    best = std::max(best, item);
  }
  *first = best;
}

}  // namespace

AlphaBeta::AlphaBeta(const Game& game, const std::atomic<bool>* stop, std::int64_t max_nodes)
    : position_(game.position()),
      piece_square_(piece_square_score(position_)),
      max_nodes_(max_nodes),
      stop_(stop) {
  // After a hundred reversible plies the game is drawn, whatever comes back.
  const auto line = game.line();
  const std::size_t reach =
      std::min({line.size(), std::size_t(position_.halfmove_clock()), std::size_t(100)});
  for (const Undo& undo : line.last(reach)) hashes_[std::size_t(hash_count_++)] = undo.hash;
  hashes_[std::size_t(hash_count_)] = position_.hash();
  history_repeats_ = any_repeats({hashes_.data(), std::size_t(hash_count_ + 1)});
}

int AlphaBeta::score(Move move, int depth) {
  // Within four plies nothing can stand for the third time that did not stand twice before.
  may_repeat_ = history_repeats_ || depth > 4;
  const int score = child_search(move, depth, -kInfinity, kInfinity);
  update_line(move);
  return score;
}

std::vector<Move> AlphaBeta::line() const {
  return {lines_[0].moves.begin(), lines_[0].moves.begin() + lines_[0].length};
}

int AlphaBeta::child_search(Move move, int depth, int alpha, int beta) {
  const PieceSquareScore before = piece_square_;
  const Undo undo = make(move);
  const int score = -search(depth - 1, -beta, -alpha);
  unmake(undo, before);
  return score;
}

int AlphaBeta::search(int depth, int alpha, int beta) {
  const MoveList moves = legal_moves(position_);
  if (moves.empty() && position_.in_check()) return ply_ - kMateScore;
  if (is_drawn(!moves.empty())) return 0;
  if (depth == 0) return evaluate_side_to_move(position_, piece_square_);
  return depth == 1 ? search_last_ply(moves, alpha, beta) : search_moves(moves, depth, alpha, beta);
}

int AlphaBeta::search_moves(const MoveList& moves, int depth, int alpha, int beta) {
  Candidates candidates;
  list_candidates(moves, candidates);
  const auto begin = candidates.items.begin(), end = begin + candidates.size;
  std::sort(begin, end, std::greater<>());
  for (auto candidate = begin; candidate != end && alpha < beta; ++candidate) {
    const int score = child_search(candidate->move(), depth, alpha, beta);
    if (score <= alpha) continue;
    alpha = score;
    update_line(candidate->move());
  }
  return alpha;
}

// Most leaves need no evaluation. The piece-square score after a move bounds its evaluation before
// the move is made, so only moves that could beat alpha, or end the game, are made.
int AlphaBeta::search_last_ply(const MoveList& moves, int alpha, int beta) {
  Candidates candidates;
  list_candidates(moves, candidates);
  const bool may_draw = may_draw_next();
  const auto begin = candidates.items.begin(), end = begin + candidates.size;
  bool promising = true;
  for (auto candidate = begin; candidate != end && alpha < beta; ++candidate) {
    if (promising) bring_best_forward(candidate, end);
    promising = candidate->limit() > alpha;
    if (!promising && !candidate->may_check() && !(may_draw && alpha < 0)) continue;
    const int score = last_child(*candidate, may_draw, alpha);
    if (score <= alpha) continue;
    alpha = score;
    update_line(candidate->move());
  }
  return alpha;
}

int AlphaBeta::last_child(const Candidate& candidate, bool may_draw, int alpha) {
  const PieceSquareScore before = piece_square_;
  const Undo undo = make(candidate.move());
  int score = candidate.limit();
  if (candidate.may_check() && position_.in_check() && !has_legal_move(position_))
    score = kMateScore - ply_;
  else if (may_draw && is_drawn(has_legal_move(position_)))
    score = 0;
  else if (candidate.limit() > alpha)
    score = -evaluate_side_to_move(position_, piece_square_);
  unmake(undo, before);
  return score;
}

void AlphaBeta::list_candidates(const MoveList& moves, Candidates& out) const {
  const CheckFinder checks(position_);
  const int sign = position_.turn() == kWhite ? 1 : -1;
  const bool few_pieces =
      std::min(popcount(position_.pieces(kWhite)), popcount(position_.pieces(kBlack))) <= 2;
  const int slack = kMaxPositional + (few_pieces ? kMaxLoneKing : 0);
  for (const Move move : moves) {
    const PieceSquareScore after = score_after(position_, piece_square_, move);
    const int limit = sign * tapered(after) + slack;
    out.items[std::size_t(out.size++)] = {move, checks.may_check(move), limit};
  }
}

bool AlphaBeta::is_drawn(bool has_moves) const {
  return !has_moves || position_.halfmove_clock() >= 100 || insufficient_material(position_) ||
         (may_repeat_ && earlier_occurrences() >= 2);
}

bool AlphaBeta::may_draw_next() const {
  // A pawn that takes and becomes a minor piece leaves two fewer of these.
  const Bitboard sufficient =
      position_.pieces(kPawn) | position_.pieces(kRook) | position_.pieces(kQueen);
  if (may_repeat_ || position_.halfmove_clock() >= 99 || popcount(sufficient) <= 2) return true;
  return position_.turn() == kWhite ? !always_has_moves<kBlack>(position_)
                                    : !always_has_moves<kWhite>(position_);
}

Undo AlphaBeta::make(Move move) {
  const bool spent = max_nodes_ && nodes_ >= max_nodes_;
  if (spent || (stop_ && stop_->load(std::memory_order_relaxed))) throw SearchStopped();
  ++nodes_;
  hashes_[std::size_t(hash_count_++)] = position_.hash();
  piece_square_ = score_after(position_, piece_square_, move);
  lines_[std::size_t(++ply_)].length = 0;
  return position_.make(move);
}

void AlphaBeta::unmake(const Undo& undo, PieceSquareScore before) {
  position_.unmake(undo);
  piece_square_ = before;
  --ply_;
  --hash_count_;
}

int AlphaBeta::earlier_occurrences() const {
  const int reach = std::min(hash_count_, int(position_.halfmove_clock()));
  int count = 0;
  for (int back = 4; back <= reach; back += 2)
    count += hashes_[std::size_t(hash_count_ - back)] == position_.hash();
  return count;
}

void AlphaBeta::update_line(Move move) {
  const Line& child = lines_[std::size_t(ply_ + 1)];
  Line& line = lines_[std::size_t(ply_)];
  line.moves[0] = move;
  std::copy_n(child.moves.begin(), child.length, line.moves.begin() + 1);
  line.length = child.length + 1;
}

}  // namespace selfmate
