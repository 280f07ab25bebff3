#include "chess/parallel.h"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace selfmate {
namespace {

// A sleeping thread takes some hundred microseconds to come back, as long as hundreds of games take
// to step. So a waiting thread first spins for a while, yielding to other threads.
constexpr std::chrono::microseconds kSpinTime(200);
// How long a thread that is done leaves the shares of other threads alone. Games that change cores
// must be fetched from the other core's cache, which takes longer than most of the work on them.
constexpr std::chrono::microseconds kStealDelay(30);

template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  while (value.load() == old) {
    if (std::chrono::steady_clock::now() > end) return value.wait(old);
    std::this_thread::yield();
  }
}

// One call's shares. Helpers hold it by shared_ptr, so a late one finds nothing to do, not a ghost.
struct Job {
  Job(int share_count, int thread_count, const std::function<void(int)>& share_work)
      : shares(share_count),
        workers(std::min(share_count, thread_count)),
        work(&share_work),
        unclaimed(share_count),
        unfinished(share_count),
        claimed(std::size_t(share_count)),
        errors(std::size_t(share_count)) {}

  // Each worker has a block of its own, so that the same games stay in the same core's cache from
  // call to call; after that it takes what others have left.
  void do_shares(int worker) {
    const auto begin_of = [&](int w) { return int(std::int64_t(shares) * w / workers); };
    const int begin = begin_of(worker), end = begin_of(worker + 1);
    for (int share = begin; share < end; ++share) claim(share);
    const auto until = std::chrono::steady_clock::now() + kStealDelay;
    while (unclaimed.load() > 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    for (int i = 0; i < shares && unclaimed.load() > 0; ++i) claim((end + i) % shares);
  }

  void claim(int share) {
    if (claimed[std::size_t(share)].exchange(true)) return;
    unclaimed.fetch_sub(1);
    do_share(share);
  }

  void do_share(int share) {
    try {
      (*work)(share);
    } catch (...) {
      errors[std::size_t(share)] = std::current_exception();
    }
    if (unfinished.fetch_sub(1) == 1) unfinished.notify_all();
  }

  void wait() {
    for (int left; (left = unfinished.load()) > 0;) wait_while(unfinished, left);
  }

  const int shares, workers;
  const std::function<void(int)>* work;  // alive while any share is unfinished
  std::atomic<int> unclaimed, unfinished;
  std::vector<std::atomic<bool>> claimed;
  std::vector<std::exception_ptr> errors;
};

class Helpers {
 public:
  void run(const std::shared_ptr<Job>& job) {
    // The caller is worker 0.
    while (count_ < job->workers - 1 && start_helper(count_ + 1)) ++count_;
    {
      const std::lock_guard lock(job_mutex_);
      job_ = job;
    }
    calls_.fetch_add(1);
    calls_.notify_all();
    job->do_shares(0);
    job->wait();
  }

 private:
  // False when the system has no further thread: those there are do its shares as well.
  bool start_helper(int worker) {
    try {
      std::thread([this, worker] { serve(worker); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  void serve(int worker) {
    for (std::uint32_t seen = 0;;) {
      wait_while(calls_, seen);
      seen = calls_.load();
      std::shared_ptr<Job> job;
      {
        const std::lock_guard lock(job_mutex_);
        job = job_;
      }
      if (job && worker < job->workers) job->do_shares(worker);
    }
  }

  int count_ = 0;
  std::atomic<std::uint32_t> calls_{0};
  std::mutex job_mutex_;
  std::shared_ptr<Job> job_;
};

std::mutex caller_mutex;
Helpers* helpers = nullptr;  // never destroyed: its threads wait until the process ends
std::int64_t owner = 0;

// The same for the life of a process where processes cannot fork.
std::int64_t process_id() {
#if __has_include(<unistd.h>)
  return getpid();
#else
  return 1;
#endif
}

}  // namespace

void run_shares(int shares, int threads, const std::function<void(int)>& work) {
  if (shares == 0) return;
  const auto job = std::make_shared<Job>(shares, threads, work);
  if (const std::unique_lock lock(caller_mutex, std::try_to_lock); lock) {
    if (owner != process_id()) {  // a fork leaves the helpers behind
      helpers = new Helpers;
      owner = process_id();
    }
    helpers->run(job);
  } else {
    job->do_shares(0);
  }
  for (const std::exception_ptr& error : job->errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace selfmate
