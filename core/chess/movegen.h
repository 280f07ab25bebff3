// Generates legal moves only: pins and checks are known before a move is written.
#pragma once

#include <algorithm>
#include <array>

#include "chess/position.h"

namespace selfmate {

// No reachable position has more than 218 legal moves, but a FEN may hold fifteen queens.
constexpr int kMoveListCapacity = 512;

class MoveList {
 public:
  MoveList() = default;
  // Copies the moves, not the whole capacity.
  MoveList(const MoveList& other) { *this = other; }
  MoveList& operator=(const MoveList& other) {
    size_ = other.size_;
    std::copy(other.begin(), other.end(), moves_.begin());
    return *this;
  }

  const Move* begin() const { return moves_.data(); }
  const Move* end() const { return moves_.data() + size_; }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Move operator[](int index) const { return moves_[std::size_t(index)]; }
  void add(Move move) { moves_[std::size_t(size_++)] = move; }

 private:
  int size_ = 0;
  std::array<Move, kMoveListCapacity> moves_;
};

MoveList legal_moves(const Position& position);
int count_legal_moves(const Position& position);
bool has_legal_move(const Position& position);

// Leaf nodes of the tree of legal moves. `position` is restored on return.
std::uint64_t perft(Position& position, int depth);

}  // namespace selfmate
