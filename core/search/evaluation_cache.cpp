#include "search/evaluation_cache.h"

#include <algorithm>

#include "chess/random.h"

namespace selfmate {
namespace {

constexpr int kBoardsBefore = 3;

std::uint64_t combine(std::uint64_t key, std::uint64_t more) {
  return mix_bits(key ^ mix_bits(more + 0x9E3779B97F4A7C15ULL));
}

}  // namespace

std::uint64_t evaluation_key(const Game& game, int earlier_occurrences, bool exact) {
  const Position& position = game.position();
  std::uint64_t key = combine(position.hash(), std::uint64_t(std::min(earlier_occurrences, 2)));
  if (!exact) return key;
  key = combine(key, position.halfmove_clock());
  key = combine(key, position.fullmove_number());
  const auto line = game.line();
  for (std::size_t back = 1; back <= kBoardsBefore && back <= line.size(); ++back)
    key = combine(key, line[line.size() - back].hash);
  return key;
}

const Evaluation* EvaluationCache::find(std::uint64_t key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &evaluations_[found->second];
}

void EvaluationCache::add(std::uint64_t key, Evaluation evaluation) {
  if (capacity_ == 0 || places_.contains(key)) return;
  if (evaluations_.size() < capacity_) {
    places_[key] = evaluations_.size();
    keys_.push_back(key);
    evaluations_.push_back(std::move(evaluation));
    return;
  }
  places_.erase(keys_[next_]);
  places_[key] = next_;
  keys_[next_] = key;
  evaluations_[next_] = std::move(evaluation);
  next_ = (next_ + 1) % capacity_;
}

}  // namespace selfmate
