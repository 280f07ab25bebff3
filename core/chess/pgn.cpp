#include "chess/pgn.h"

#include <algorithm>

#include "chess/parallel.h"

namespace selfmate {
namespace {

constexpr std::size_t kLeastGameBytes = 1024;
constexpr int kMostThreads = 256;
// Text is worked through in slices of this size, whatever is fed at once.
constexpr std::size_t kSliceBytes = 1 << 20;
constexpr std::size_t kUnitsPerShare = 16;  // games a thread takes at a time

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
  const std::size_t share_count = (units.size() + kUnitsPerShare - 1) / kUnitsPerShare;
  std::vector<ParsedGames> shares(share_count);
  run_shares(int(share_count), threads_, [&](int share) {
    PgnParser parser(shares[std::size_t(share)], max_game_bytes_);
    const std::size_t begin = std::size_t(share) * kUnitsPerShare;
    for (std::size_t i = begin; i < std::min(begin + kUnitsPerShare, units.size()); ++i)
      parser.parse(units[i]);
  });
  for (ParsedGames& share : shares) games_.append(std::move(share));
}

}  // namespace selfmate
