// A game: a start position and the line played from it.
#pragma once

#include <span>
#include <vector>

#include "chess/notation.h"
#include "chess/outcome.h"

namespace selfmate {

class Game {
 public:
  explicit Game(const Position& start = Position::start()) : position_(start) {}

  const Position& position() const { return position_; }
  int plies() const { return int(line_.size()); }
  std::span<const Undo> line() const { return line_; }
  std::vector<Move> moves() const;
  Position start() const;

  // The move must be legal.
  void push(Move move) { line_.push_back(position_.make(move)); }
  void pop();  // there must be a move
  void restart(const Position& start);

  // How often the present position stood on the board earlier in this game.
  int earlier_occurrences() const { return occurrences_within(line_.size()); }
  // How often it did at most so many plies ago.
  int occurrences_within(std::size_t plies) const;
  std::optional<Outcome> outcome() const;

  // The positions before this one, newest first, as far as `count` and the game go.
  int recent_positions(Position* out, int count) const;

 private:
  Position position_;
  std::vector<Undo> line_;
};

}  // namespace selfmate
