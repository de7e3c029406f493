#include "dist/all_pairs.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.h"

namespace glgnn {
namespace {

constexpr size_t kLate = 3;  // visits

// A piece of the visitors' rows on the rank of their host.
struct Visit {
  int host = 0, visitor = 0;
  RowRange rows;  // of the visitor
  RowRange own;   // of the host, which they are compared with
};

// All visits of the step, in the order in which the host has them.
class Plan {
 public:
  Plan(const PairOptions& options, int ranks) : options_(options), ranks_(ranks) {}

  RowRange rows(int rank) const { return rows_of_rank(options_.rows, ranks_, rank); }

  std::vector<Visit> hosted_by(int host) const {
    std::vector<Visit> visits;
    for (int step = 1; 2 * step <= ranks_; ++step) add(visits, host, (host + step) % ranks_);
    return visits;
  }
  std::vector<Visit> visits_of(int visitor) const {
    std::vector<Visit> visits;
    for (int step = 1; 2 * step <= ranks_; ++step) {
      add(visits, (visitor + ranks_ - step) % ranks_, visitor);
    }
    return visits;
  }

 private:
  void add(std::vector<Visit>& visits, int host, int visitor) const {
    RowRange from = rows(visitor), own = rows(host);
    const bool is_twice = 2 * ((visitor + ranks_ - host) % ranks_) == ranks_;
    if (is_twice && host < visitor) from.end = middle(from);
    if (is_twice && host > visitor) own.begin = middle(own);
    for (int64_t begin = from.begin; begin < from.end; begin += options_.piece) {
      visits.push_back({host, visitor, {begin, std::min(from.end, begin + options_.piece)}, own});
    }
  }
  int64_t middle(const RowRange& range) const {
    const int64_t steps = (range.size() / 2 + options_.step - 1) / options_.step;
    return std::min(range.end, range.begin + steps * options_.step);
  }

  PairOptions options_;
  int ranks_;
};

// The thread that moves letters while another computes.
class Porter {
 public:
  Porter(Ranks& ranks, const Plan& plan, const PairWork& work)
      : ranks_(ranks),
        work_(work),
        coming_(plan.hosted_by(ranks.self())),
        going_(plan.visits_of(ranks.self())) {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
  }

  // The rows of the next visit.
  std::string next_visitors() { return take(visitors_); }
  // What own rows found at their next visit elsewhere.
  std::string next_found() { return take(found_); }

  void send_home(int to, std::string bytes) {
    const std::scoped_lock lock(mutex_);
    costs_.bytes_of_found += static_cast<int64_t>(bytes.size());
    to_send_.emplace_back(to, std::move(bytes));
  }
  // Waits until all letters are taken.
  PairCosts finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || is_idle(); });
    if (failure_) std::rethrow_exception(failure_);
    return costs_;
  }

 private:
  static constexpr size_t kWaiting = 1;  // visitors that wait, and pieces on their way to one host

  std::string take(std::deque<std::string>& from) {
    const auto start = Clock::now();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || !from.empty(); });
    if (failure_) std::rethrow_exception(failure_);
    costs_.seconds_waited += seconds_since(start);
    std::string bytes = std::move(from.front());
    from.pop_front();
    return bytes;
  }

  bool is_idle() const {
    return came_ == coming_.size() && went_ == going_.size() && heard_ == going_.size() &&
           to_send_.empty() && sending_.empty() && rows_.empty();
  }

  void run(std::stop_token stop) {
    constexpr std::chrono::microseconds kShortest{20}, kLongest{1000};
    auto pause = kShortest;
    try {
      while (!stop.stop_requested()) {
        if (move_letters()) {
          pause = kShortest;
          changed_.notify_all();
        } else {
          std::this_thread::sleep_for(pause);
          pause = std::min(2 * pause, kLongest);
        }
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  // Whether any was moved.
  bool move_letters() {
    bool moved = false;
    const std::scoped_lock lock(mutex_);
    moved |= std::erase_if(sending_, [](const auto& letter) { return letter->done(); }) > 0;
    moved |= std::erase_if(rows_, [](const auto& letter) { return letter->done(); }) > 0;
    for (; !to_send_.empty(); to_send_.pop_front(), moved = true) {
      auto& [to, bytes] = to_send_.front();
      sending_.push_back(ranks_.start(to, Mail::kFound, std::move(bytes)));
    }
    if (rows_.size() < kWaiting && went_ < going_.size()) {
      std::string bytes = work_.pack(going_[went_].rows);
      costs_.bytes_of_rows += static_cast<int64_t>(bytes.size());
      rows_.push_back(ranks_.start(going_[went_++].host, Mail::kVisitors, std::move(bytes)));
      moved = true;
    }
    if (visitors_.size() < kWaiting && came_ < coming_.size()) {
      if (auto bytes = ranks_.poll(coming_[came_].visitor, Mail::kVisitors)) {
        visitors_.push_back(std::move(*bytes));
        ++came_;
        moved = true;
      }
    }
    if (heard_ < going_.size()) {
      if (auto bytes = ranks_.poll(going_[heard_].host, Mail::kFound)) {
        found_.push_back(std::move(*bytes));
        ++heard_;
        moved = true;
      }
    }
    return moved;
  }

  Ranks& ranks_;
  const PairWork& work_;
  const std::vector<Visit> coming_, going_;
  size_t came_ = 0, went_ = 0, heard_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> visitors_, found_;
  std::deque<std::pair<int, std::string>> to_send_;
  std::vector<std::unique_ptr<Sending>> sending_, rows_;
  std::exception_ptr failure_;
  PairCosts costs_;
  std::jthread thread_;  // the last member: it ends before the others do
};

}  // namespace

RowRange rows_of_rank(int64_t rows, int ranks, int rank) {
  const int64_t runs = (rows + kRunOfRows - 1) / kRunOfRows;
  if (runs < ranks) return {rows * rank / ranks, rows * (rank + 1) / ranks};
  const auto begin = [&](int r) { return std::min(rows, runs * r / ranks * kRunOfRows); };
  return {begin(rank), begin(rank + 1)};
}

int owner_of(int64_t row, int64_t rows, int ranks) {
  int rank = static_cast<int>(std::min<int64_t>(row * ranks / rows, ranks - 1));
  while (row >= rows_of_rank(rows, ranks, rank).end) ++rank;
  while (row < rows_of_rank(rows, ranks, rank).begin) --rank;
  return rank;
}

PairCosts compare_all_pairs(Ranks& ranks, const PairOptions& options, PairWork& work) {
  work.compare_own();
  if (ranks.count() == 1) return {};
  const Plan plan(options, ranks.count());
  Porter porter(ranks, plan, work);
  const std::vector<Visit> coming = plan.hosted_by(ranks.self());
  const std::vector<Visit> going = plan.visits_of(ranks.self());
  size_t heard = 0;
  const auto take_until = [&](size_t end) {
    for (; heard < end; ++heard) work.take(going[heard].rows, porter.next_found());
  };
  for (size_t v = 0; v < coming.size(); ++v) {
    const std::string packed = porter.next_visitors();
    porter.send_home(coming[v].visitor, work.host(coming[v].rows, packed, coming[v].own));
    // At places that do not depend on the time: sums have a fixed order. A little late, so that
    // hardly ever somebody waits.
    take_until((v - std::min(v, kLate)) * going.size() / coming.size());
  }
  take_until(going.size());
  return porter.finish();
}

}  // namespace glgnn
