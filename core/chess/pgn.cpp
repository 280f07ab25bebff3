#include "chess/pgn.h"

#include <algorithm>
#include <memory>

#include "chess/parallel.h"

namespace selfmate {
namespace {

constexpr std::size_t kLeastGameBytes = 1024;
constexpr int kMostThreads = 256;
// Text is worked through in slices of this size, whatever is fed at once.
constexpr std::size_t kSliceBytes = 2 << 20;

int checked_threads(int threads) {
  if (threads < 1 || threads > kMostThreads)
    throw BadInput("threads is " + std::to_string(threads) + ", allowed are 1.." +
                   std::to_string(kMostThreads));
  return threads;
}

std::size_t checked_limit(std::size_t bytes) {
  if (bytes < kLeastGameBytes)
    throw BadInput("max_game_bytes is " + std::to_string(bytes) + ", allowed are " +
                   std::to_string(kLeastGameBytes) + " and more");
  return bytes;
}

}  // namespace

PgnReader::PgnReader(int threads, std::size_t max_game_bytes)
    : threads_(checked_threads(threads)),
      max_game_bytes_(checked_limit(max_game_bytes)),
      splitter_(max_game_bytes) {}

void PgnReader::feed(std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  if (finished_) throw BadInput("this reader has finished: make a new one");
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kSliceBytes)))
    parse(splitter_.feed(bytes.substr(0, kSliceBytes)));
}

void PgnReader::finish() {
  const std::scoped_lock lock(mutex_);
  if (!finished_) parse(splitter_.finish());
  finished_ = true;
}

GameRecords PgnReader::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(games_.records, {});
}

std::vector<DroppedGame> PgnReader::take_dropped() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(games_.dropped, {});
}

void PgnReader::parse(const std::vector<PgnUnit>& units) {
  // Each share's games lie at the index of its first unit, so that they can be joined in order.
  std::vector<std::unique_ptr<ParsedGames>> shares(units.size());
  const auto parse_share = [&](std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    ParsedGames& games = *(shares[std::size_t(begin)] = std::make_unique<ParsedGames>());
    PgnParser parser(games, max_game_bytes_);
    for (std::int64_t i = begin; i < end; ++i) parser.parse(units[std::size_t(i)]);
  };
  parallel_for(std::int64_t(units.size()), threads_, parse_share);
  for (const auto& share : shares)
    if (share) games_.append(std::move(*share));
}

}  // namespace selfmate
