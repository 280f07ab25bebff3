// The teacher's alpha-beta search: fixed depth, an exact score for every move of the root.
#pragma once

#include <atomic>
#include <vector>

#include "chess/game.h"
#include "search/evaluate.h"

namespace selfmate {

constexpr int kMaxTeacherDepth = 6;
// A mate in n plies is worth kMateScore - n.
constexpr int kMateScore = 10000;

// Thrown out of a search that was stopped or has reached its maximum of nodes.
struct SearchStopped {};

class AlphaBeta {
 public:
  // Searches the game's present position; draws by repetition count its history. Another thread may
  // set `stop`. With a `max_nodes` of 0 there is no limit.
  explicit AlphaBeta(const Game& game, const std::atomic<bool>* stop = nullptr,
                     std::int64_t max_nodes = 0);

  // The exact score of a legal move for the side that plays it, looking `depth` plies ahead.
  int score(Move move, int depth);

  std::int64_t nodes() const { return nodes_; }
  // The principal variation of the move scored last.
  std::vector<Move> line() const;

 private:
  struct Line {
    std::array<Move, kMaxTeacherDepth> moves;
    int length = 0;
  };
  // A move, and an upper bound of its child's evaluation for the side that plays it, unless it ends
  // the game. One number, so that the best can be found without branches.
  class Candidate {
   public:
    Candidate() = default;
    Candidate(Move move, bool may_check, int limit)
        : key_(std::int64_t(limit) * (1LL << 32) + (may_check << 16) + move) {}
    Move move() const { return Move(key_); }
    bool may_check() const { return key_ >> 16 & 1; }
    int limit() const { return int(key_ >> 32); }
    auto operator<=>(const Candidate&) const = default;

   private:
    std::int64_t key_;
  };
  struct Candidates {
    std::array<Candidate, kMoveListCapacity> items;
    int size = 0;
  };

  // Scores for the side to move. At or below alpha a score is an upper bound, at or above beta a
  // lower bound.
  int search(int depth, int alpha, int beta);
  int child_search(Move move, int depth, int alpha, int beta);
  int search_moves(const MoveList& moves, int depth, int alpha, int beta);
  int search_last_ply(const MoveList& moves, int alpha, int beta);
  int last_child(const Candidate& candidate, bool may_draw, int alpha);
  bool is_drawn(bool has_moves) const;
  void list_candidates(const MoveList& moves, Candidates& out) const;
  // Whether the game may be drawn after one more ply. May be true without need; false is certain.
  bool may_draw_next() const;

  Undo make(Move move);
  void unmake(const Undo& undo, PieceSquareScore before);
  int earlier_occurrences() const;
  // Sets this node's principal variation: the move, followed by the child's.
  void update_line(Move move);

  Position position_;
  PieceSquareScore piece_square_;
  int ply_ = 0;
  // Hashes of positions that may come back: of the game, then of the path searched.
  std::array<std::uint64_t, 100 + kMaxTeacherDepth + 1> hashes_;
  int hash_count_ = 0;
  bool history_repeats_;
  bool may_repeat_ = true;
  std::array<Line, kMaxTeacherDepth + 2> lines_;
  std::int64_t nodes_ = 0;
  std::int64_t max_nodes_;
  const std::atomic<bool>* stop_;
};

}  // namespace selfmate
