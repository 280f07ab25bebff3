// Games of self-play as REINFORCE learns from them, and the net's inputs of some of their plies.
#pragma once

#include <span>

#include "nets/move_scorer_inputs.h"

namespace selfmate {

struct SampledGames;

// Positions and the moves to score, at least one each, as sparse rows. Row i of positions stands
// from position_offsets[i] to position_offsets[i + 1], and so on.
struct CandidateBatch {
  std::vector<std::int32_t> position_columns;
  std::vector<float> position_values;
  std::vector<std::int64_t> position_offsets{0};
  std::vector<std::uint8_t> is_white;    // whether White is to move, of each position
  std::vector<std::int64_t> offsets{0};  // the moves of each position
  std::vector<std::int32_t> move_columns;
  std::vector<std::int64_t> move_offsets{0};

  std::size_t positions() const { return is_white.size(); }
  std::size_t moves() const { return move_offsets.size() - 1; }
  void clear();
  void add(PositionEncoding encoding, const Position& position, std::span<const Move> moves);
  void add(const SampledGames& games, std::size_t ply);
  bool gives_check(std::size_t move) const;
};

// Moves sampled from a policy: the plies of some games in any order. The columns are those of
// selfmate.data.trajectories.SampledGames; counts are offsets here.
struct SampledGames {
  std::vector<std::int8_t> results;        // of each game, White's view: 1, 0, -1
  std::vector<std::uint8_t> is_truncated;  // of each game: it reached the ply limit
  float temperature = 1;                   // of the policy softmax(score / temperature)
  // Of each ply:
  std::vector<std::int32_t> games;
  std::vector<std::uint8_t> is_white;
  std::vector<std::uint8_t> chosen;  // the move that was played, among the legal moves
  std::vector<float> log_probs;      // of that move, when it was sampled
  std::vector<float> entropies;      // of the policy, in nats
  std::vector<std::int64_t> position_offsets{0}, legal_offsets{0};
  std::vector<std::int16_t> position_columns;
  std::vector<std::uint8_t> position_values;
  std::vector<std::int64_t> move_offsets{0};  // of each legal move
  std::vector<std::uint8_t> move_columns;

  std::size_t plies() const { return games.size(); }
  std::size_t legal_count(std::size_t ply) const {
    return std::size_t(legal_offsets[ply + 1] - legal_offsets[ply]);
  }
  int result_of_ply(std::size_t ply) const { return results[std::size_t(games[ply])]; }
  // Appends the inputs of a ply; the other columns are the caller's.
  void add_inputs(const CandidateBatch& batch, std::size_t row);
};

}  // namespace selfmate
