#include "learn/scorer_self_play.h"

#include <algorithm>

#include "search/noise.h"

namespace selfmate {
namespace {

// Games that move in one step: their rows share the fetching of weights, and no step takes long.
constexpr std::size_t kGamesPerStep = 4;
// A mate in one is e^20 times as likely as its score says.
constexpr float kMateNats = 20;

bool mates(const Position& position, Move move) {
  Position after = position;
  after.make(move);
  return after.in_check() && !has_legal_move(after);
}

}  // namespace

std::size_t draw(const Kernels& kernels, std::span<const float> log_probs, double uniform_number) {
  std::vector<float> probs(log_probs.size());
  kernels.exponentials(log_probs.data(), std::int64_t(probs.size()), probs.data());
  double sum = 0;
  for (const float prob : probs) sum += double(prob);
  double rest = uniform_number * sum;
  for (std::size_t i = 0; i < probs.size(); ++i)
    if ((rest -= double(probs[i])) < 0) return i;
  return probs.size() - 1;  // a number just below 1 may be rounded to it
}

ScorerSelfPlay::ScorerSelfPlay(const SelfPlaySettings& settings, int games, std::uint64_t seed)
    : settings_(settings) {
  for (int i = 0; i < games; ++i) {
    Random random(seed, std::uint64_t(i));
    const int side = random.below(2) ? 1 : -1;
    const bool has_random_side = uniform(random) < settings.vs_random;
    slots_.push_back({Game(), random, has_random_side ? side : 0});
    running_.push_back(std::size_t(i));
  }
  sampled_.results.resize(slots_.size());
  sampled_.is_truncated.resize(slots_.size());
  sampled_.temperature = settings.temperature;
}

// The policy always plays the first ply, so that every game has one to learn from.
bool ScorerSelfPlay::moves_at_random(const Slot& slot) const {
  const int side = slot.game.position().turn() == kWhite ? 1 : -1;
  return slot.random_side == side && slot.game.plies() > 0;
}

void ScorerSelfPlay::step(const ScorerNet& net) {
  const std::size_t end = std::min(next_ + kGamesPerStep, running_.size());
  std::vector<MoveList> legal;
  batch_.clear();
  for (std::size_t i = next_; i < end; ++i) {
    const Slot& slot = slots_[running_[i]];
    legal.push_back(legal_moves(slot.game.position()));
    if (!moves_at_random(slot))
      batch_.add(net.shape().encoding, slot.game.position(),
                 {legal.back().begin(), legal.back().end()});
  }
  net.forward(batch_, found_);
  std::vector<std::size_t> going_on;
  for (std::size_t i = next_, row = 0; i < end; ++i) {
    Slot& slot = slots_[running_[i]];
    const MoveList& moves = legal[i - next_];
    const Move move = moves_at_random(slot)
                          ? moves[int(slot.random.below(std::uint32_t(moves.size())))]
                          : sample(net, running_[i], moves, row++);
    if (play(running_[i], move)) going_on.push_back(running_[i]);
  }
  std::copy(going_on.begin(), going_on.end(), running_.begin() + std::ptrdiff_t(next_));
  running_.erase(running_.begin() + std::ptrdiff_t(next_ + going_on.size()),
                 running_.begin() + std::ptrdiff_t(end));
  next_ += going_on.size();
  if (next_ >= running_.size()) next_ = 0;
}

Move ScorerSelfPlay::sample(const ScorerNet& net, std::size_t number, const MoveList& legal,
                            std::size_t row) {
  Slot& slot = slots_[number];
  const Kernels& kernels = net.kernels();
  const auto begin = std::size_t(batch_.offsets[row]), count = std::size_t(legal.size());
  log_probs_.resize(count);
  log_policy(kernels, found_.scores.data() + begin, count, settings_.temperature,
             log_probs_.data());
  sampled_.entropies.push_back(entropy_of(kernels, log_probs_));
  if (settings_.plays_mate_in_one) {
    for (std::size_t i = 0; i < count; ++i)
      if (batch_.gives_check(begin + i) && mates(slot.game.position(), legal[int(i)]))
        log_probs_[i] += kMateNats;
    log_policy(kernels, log_probs_.data(), count, 1.0f, log_probs_.data());
  }
  const std::size_t chosen = draw(kernels, log_probs_, uniform(slot.random));
  sampled_.add_inputs(batch_, row);
  sampled_.games.push_back(std::int32_t(number));
  sampled_.chosen.push_back(std::uint8_t(chosen));
  sampled_.log_probs.push_back(log_probs_[chosen]);
  return legal[int(chosen)];
}

bool ScorerSelfPlay::play(std::size_t number, Move move) {
  Game& game = slots_[number].game;
  game.push(move);
  ++plies_;
  if (const auto outcome = game.outcome()) {
    sampled_.results[number] = result_of(*outcome);
    return false;
  }
  sampled_.is_truncated[number] = game.plies() >= settings_.max_plies;
  return !sampled_.is_truncated[number];
}

}  // namespace selfmate
