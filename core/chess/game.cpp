#include "chess/game.h"

#include <algorithm>

namespace selfmate {

std::vector<Move> Game::moves() const {
  std::vector<Move> moves;
  moves.reserve(line_.size());
  for (const Undo& undo : line_) moves.push_back(undo.move);
  return moves;
}

Position Game::start() const {
  Position position = position_;
  for (auto undo = line_.rbegin(); undo != line_.rend(); ++undo) position.unmake(*undo);
  return position;
}

void Game::pop() {
  position_.unmake(line_.back());
  line_.pop_back();
}

void Game::restart(const Position& start) {
  position_ = start;
  line_.clear();
}

int Game::occurrences_within(std::size_t plies) const {
  // Nothing before the last capture or pawn move can come back.
  const std::size_t reach =
      std::min({plies, line_.size(), std::size_t(position_.halfmove_clock())});
  int count = 0;
  for (std::size_t back = 4; back <= reach; back += 2)
    count += line_[line_.size() - back].hash == position_.hash();
  return count;
}

std::optional<Outcome> Game::outcome() const {
  return outcome_of(position_, has_legal_move(position_), earlier_occurrences());
}

int Game::recent_positions(Position* out, int count) const {
  Position position = position_;
  const int available = std::min(count, plies());
  for (int i = 0; i < available; ++i) {
    position.unmake(line_[line_.size() - 1 - std::size_t(i)]);
    out[i] = position;
  }
  return available;
}

}  // namespace selfmate
