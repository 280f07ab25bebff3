// Work over many games on several threads. Threads live for one call only, so nothing is left
// behind and forking is safe; starting one costs some ten microseconds.
#pragma once

#include <exception>
#include <thread>
#include <vector>

namespace selfmate {

// Calls work(begin, end) on contiguous shares of [0, count). The first exception, in order of the
// shares, is thrown after all have ended.
template <class Work>
void parallel_for(std::int64_t count, int threads, Work&& work) {
  constexpr std::int64_t kLeastShare = 16;
  const std::int64_t shares = std::min<std::int64_t>(threads, (count + kLeastShare - 1) / kLeastShare);
  if (shares <= 1) {
    work(std::int64_t(0), count);
    return;
  }
  std::vector<std::exception_ptr> errors(std::size_t(shares), nullptr);
  const auto run = [&](std::int64_t share) {
    try {
      work(count * share / shares, count * (share + 1) / shares);
    } catch (...) {
      errors[std::size_t(share)] = std::current_exception();
    }
  };
  std::vector<std::jthread> workers;
  for (std::int64_t share = 1; share < shares; ++share) workers.emplace_back(run, share);
  run(0);
  workers.clear();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace selfmate
