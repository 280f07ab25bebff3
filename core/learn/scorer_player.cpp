#include "learn/scorer_player.h"

#include <algorithm>

#include "search/endings.h"
#include "search/noise.h"

namespace selfmate {
namespace {

constexpr int kMaxPlies = 400;  // of a game of a match; longer ones are draws
constexpr float kLookaheadNats = 20, kUnknownValue = 0.5f;

// The mover's value after each move: 1 for mate, 0 for a draw, else the value head's.
std::vector<float> values_after(const ScorerNet& net, const Position& position,
                                const MoveEndings& known) {
  std::vector<float> values(known.moves.size(), kUnknownValue);
  CandidateBatch batch;
  Activations found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto ending = Ending(known.endings.values[i]);
    if (ending != Ending::kNone) values[i] = ending == Ending::kMate ? 1.0f : 0.0f;
    if (ending != Ending::kNone || !net.shape().value_head) continue;
    Position after = position;
    after.make(known.moves[i]);
    batch.clear();
    batch.add(net.shape().encoding, after, {});
    net.forward(batch, found);
    values[i] = position.turn() == kWhite ? found.values[0] : -found.values[0];
  }
  return values;
}

// Moves of a higher tier are preferred to all others. Who looks ahead compares draws by value.
int tier_of(Ending ending, const ScorerPlayerSettings& settings) {
  if (!settings.exact_endings) return 1;
  if (ending == Ending::kMate) return 2;
  return ending == Ending::kDraw && !settings.looks_ahead ? 0 : 1;
}

std::vector<std::size_t> playable(const MoveEndings& known, const ScorerPlayerSettings& settings) {
  std::vector<std::size_t> best;
  int highest = 0;
  for (std::size_t i = 0; i < known.moves.size(); ++i) {
    const int tier = tier_of(Ending(known.endings.values[i]), settings);
    if (tier > highest) best.clear();
    highest = std::max(highest, tier);
    if (tier == highest) best.push_back(i);
  }
  return best;
}

std::vector<float> log_probabilities(const Kernels& kernels, const std::vector<float>& scores,
                                     float temperature) {
  std::vector<float> log_probs(scores.size());
  log_policy(kernels, scores.data(), scores.size(), temperature, log_probs.data());
  return log_probs;
}

}  // namespace

ScoredMoves scored_moves(const ScorerNet& net, const Game& game, float temperature) {
  const MoveList legal = legal_moves(game.position());
  if (legal.empty()) throw BadInput("the game has no legal move to score");
  ScoredMoves found{
      {legal.begin(), legal.end()}, {}, std::vector<float>(std::size_t(legal.size()))};
  CandidateBatch batch;
  batch.add(net.shape().encoding, game.position(), found.moves);
  Activations activations;
  net.forward(batch, activations);
  found.scores = std::move(activations.scores);
  if (temperature > 0) {
    const auto log_probs = log_probabilities(net.kernels(), found.scores, temperature);
    net.kernels().exponentials(log_probs.data(), std::int64_t(log_probs.size()),
                               found.probabilities.data());
  } else {
    const auto best = std::max_element(found.scores.begin(), found.scores.end());
    found.probabilities[std::size_t(best - found.scores.begin())] = 1;
  }
  return found;
}

Move choose_move(const ScorerNet& net, const Game& game, const ScorerPlayerSettings& settings,
                 Random& random) {
  std::vector<float> scores = scored_moves(net, game, 0).scores;
  const Game* games[] = {&game};
  const MoveEndings known = move_endings(games, 1);
  if (settings.looks_ahead) {
    const std::vector<float> values = values_after(net, game.position(), known);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += kLookaheadNats * values[i];
  }
  const std::vector<std::size_t> places = playable(known, settings);
  std::vector<float> considered;
  for (const std::size_t place : places) considered.push_back(scores[place]);
  if (!(settings.temperature > 0)) {
    const auto best = std::max_element(considered.begin(), considered.end());
    return known.moves[places[std::size_t(best - considered.begin())]];
  }
  const auto log_probs = log_probabilities(net.kernels(), considered, settings.temperature);
  return known.moves[places[draw(net.kernels(), log_probs, uniform(random))]];
}

void RandomOpponentMatch::step(const ScorerNet& net) {
  const Color side = (won + drawn + lost) % 2 == 0 ? kWhite : kBlack;
  for (int ply = 0; ply < 2; ++ply) {
    if (game_.position().turn() == side) {
      game_.push(choose_move(net, game_, settings_, random_));
    } else {
      const MoveList legal = legal_moves(game_.position());
      game_.push(legal[int(random_.below(std::uint32_t(legal.size())))]);
    }
    const auto outcome = game_.outcome();
    if (!outcome && game_.plies() < kMaxPlies) continue;
    const int result = outcome ? result_of(*outcome) : 0;
    return count(side == kWhite ? result : -result);
  }
}

void RandomOpponentMatch::count(int result) {
  ++(result > 0 ? won : result < 0 ? lost : drawn);
  random_ = Random(seed_, std::uint64_t(won + drawn + lost));
  game_.restart(Position::start());
}

}  // namespace selfmate
