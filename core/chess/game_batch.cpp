#include "chess/game_batch.h"

#include <algorithm>
#include <numeric>

#include "chess/parallel.h"

namespace selfmate {
namespace {

constexpr std::int64_t kLeastShare = 128;    // a step takes some 0.3 us, waking a helper some 10
constexpr std::int64_t kGamesPerShare = 64;  // of whole games, which vary much in length

std::optional<Outcome> outcome_within(const Game& game, bool has_moves, int max_plies) {
  if (auto outcome = outcome_of(game.position(), has_moves, game.earlier_occurrences()))
    return outcome;
  if (max_plies && game.plies() >= max_plies) return Outcome{Reason::kPlyLimit, std::nullopt};
  return std::nullopt;
}

std::string fen_unless_standard(const Position& position) {
  return position == Position::start() ? std::string() : to_fen(position);
}

// More would fill the memory of most machines.
constexpr std::int64_t kMaxBatchSize = 1'000'000, kMaxRandomGames = 10'000'000;

void check_counts(std::int64_t count, std::int64_t most, const char* what, int max_plies,
                  int threads) {
  if (count < 1)
    throw BadInput(std::string(what) + " must be at least 1, not " + std::to_string(count));
  if (count > most)
    throw BadInput(std::string(what) + " must be at most " + std::to_string(most) + ", not " +
                   std::to_string(count));
  if (max_plies < 0)
    throw BadInput("max_plies must be 0 (no limit) or more, not " + std::to_string(max_plies));
  if (threads < 1 || threads > 1024)
    throw BadInput("threads must be in 1..1024, not " + std::to_string(threads));
}

void play_randomly(Game& game, Random& random, int max_plies, GameRecords& records) {
  game.restart(Position::start());
  for (;;) {
    const MoveList legal = legal_moves(game.position());
    if (const auto outcome = outcome_within(game, !legal.empty(), max_plies)) {
      records.add(game.moves(), result_of(*outcome), outcome->reason, {});
      return;
    }
    game.push(legal[int(random.below(std::uint32_t(legal.size())))]);
  }
}

}  // namespace

GameBatch::GameBatch(int size, std::vector<Position> starts, std::uint64_t seed, int max_plies,
                     int threads)
    : max_plies_(max_plies), threads_(threads) {
  check_counts(size, kMaxBatchSize, "the size of a batch", max_plies, threads);
  if (starts.empty()) starts.push_back(Position::start());
  for (const Position& position : starts) {
    if (const auto outcome = Game(position).outcome())
      throw BadInput("no game can start from " + to_fen(position) + ": it is over (" +
                     std::string(reason_name(outcome->reason)) + ")");
    starts_.push_back({position, legal_moves(position), fen_unless_standard(position)});
  }
  slots_.reserve(std::size_t(size));
  game_numbers_.resize(std::size_t(size));
  for (int i = 0; i < size; ++i) {
    slots_.push_back({Game(), MoveList(), Random(seed, std::uint64_t(i))});
    begin_game(slots_.back());
  }
}

void GameBatch::begin_game(Slot& slot) {
  const std::int64_t number = games_begun_++;
  game_numbers_[std::size_t(&slot - slots_.data())] = number;
  slot.game.restart(start_of(number).position);
  slot.legal = start_of(number).legal;
}

std::vector<const Game*> GameBatch::games() const {
  std::vector<const Game*> games;
  games.reserve(slots_.size());
  for (const Slot& slot : slots_) games.push_back(&slot.game);
  return games;
}

template <class Work>
void GameBatch::for_each_slot(Work&& work) const {
  parallel_for(size(), threads_, kLeastShare, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) work(i);
  });
}

Ragged<Move> GameBatch::legal_moves_of_all() const {
  Ragged<Move> all;
  all.offsets.resize(slots_.size() + 1);
  for_each_slot([&](std::size_t i) { all.offsets[i + 1] = slots_[i].legal.size(); });
  std::partial_sum(all.offsets.begin(), all.offsets.end(), all.offsets.begin());
  all.values.resize(std::size_t(all.offsets.back()));
  for_each_slot([&](std::size_t i) {
    std::copy(slots_[i].legal.begin(), slots_[i].legal.end(), all.values.data() + all.offsets[i]);
  });
  return all;
}

void GameBatch::random_moves(std::span<Move> out) {
  for_each_slot([&](std::size_t i) {
    Slot& slot = slots_[i];
    out[i] = slot.legal[int(slot.random.below(std::uint32_t(slot.legal.size())))];
  });
}

bool GameBatch::advance(Slot& slot, Move move, std::optional<Outcome>& outcome) {
  if (!slot.game.position().is_legal(move)) return false;
  slot.game.push(move);
  slot.legal = legal_moves(slot.game.position());
  outcome = outcome_within(slot.game, !slot.legal.empty(), max_plies_);
  return true;
}

void GameBatch::take_back(std::span<const std::uint8_t> advanced) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!advanced[i]) continue;
    slots_[i].game.pop();
    slots_[i].legal = legal_moves(slots_[i].game.position());
  }
}

Finished GameBatch::step(std::span<const Move> moves) {
  std::vector<std::optional<Outcome>> outcomes(slots_.size());
  std::vector<std::uint8_t> advanced(slots_.size());
  for_each_slot([&](std::size_t i) { advanced[i] = advance(slots_[i], moves[i], outcomes[i]); });
  const auto refused = std::find(advanced.begin(), advanced.end(), 0);
  if (refused != advanced.end()) {
    take_back(advanced);
    const auto i = std::size_t(refused - advanced.begin());
    throw BadInput("game " + std::to_string(i) + ": " + describe_move(moves[i]) +
                   " is illegal in " + to_fen(slots_[i].game.position()));
  }
  return collect(outcomes);
}

Finished GameBatch::collect(std::span<const std::optional<Outcome>> outcomes) {
  Finished finished;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!outcomes[i]) continue;
    finished.slots.push_back(std::int32_t(i));
    finished.games.add(slots_[i].game.moves(), result_of(*outcomes[i]), outcomes[i]->reason,
                       start_of(game_numbers_[i]).fen);
    begin_game(slots_[i]);
  }
  return finished;
}

GameRecords random_games(std::int64_t count, std::uint64_t seed, int max_plies, int threads) {
  check_counts(count, kMaxRandomGames, "the number of games", max_plies, threads);
  const std::int64_t share_count = (count + kGamesPerShare - 1) / kGamesPerShare;
  std::vector<GameRecords> shares(static_cast<std::size_t>(share_count));
  run_shares(int(share_count), threads, [&](int share) {
    Game game;
    const std::int64_t begin = share * kGamesPerShare;
    for (std::int64_t i = begin; i < std::min(begin + kGamesPerShare, count); ++i) {
      Random random(seed, std::uint64_t(i));
      play_randomly(game, random, max_plies, shares[std::size_t(share)]);
    }
  });
  GameRecords records = std::move(shares[0]);
  for (std::size_t share = 1; share < shares.size(); ++share) records.append(shares[share]);
  return records;
}

}  // namespace selfmate
