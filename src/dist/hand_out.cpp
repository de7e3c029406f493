#include "dist/hand_out.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "core/parallel.h"

namespace glgnn {
namespace {

// A letter to rank 0: a word alone, or a result with the number of its piece.
const std::string kFree = "free", kLeft = "left";
const std::string kNoMore = "";

std::string number_text(int64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

int64_t number_in(const std::string& bytes) {
  int64_t number = 0;
  bytes.copy(reinterpret_cast<char*>(&number), sizeof number);
  return number;
}

class Lead {
 public:
  Lead(Ranks& ranks, const Job& job) : ranks_(ranks), job_(job) {
    for (int rank = 1; rank < ranks.count(); ++rank) others_.push_back(rank);
    if (!others_.empty()) change_current(this);
  }
  ~Lead() {
    if (ranks_.count() > 1) change_current(nullptr);
  }

  static bool keep_finished() {
    const std::scoped_lock lock(current_mutex_);
    if (!current_) return false;
    const std::scoped_lock whole(current_->mutex_);
    if (current_->job_.keep) current_->job_.keep();
    return true;
  }

  void run() {
    std::thread desk;
    if (!others_.empty()) desk = std::thread([this] { serve(); });
    // Not a loop over the pieces: another rank may take any of them.
    parallel_for(job_.threads, job_.threads, 1, [this](int64_t) { work(); });
    if (desk.joinable()) desk.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool is_over() { return failure_ || job_.stopped(); }

  std::optional<int64_t> take() {
    const std::scoped_lock lock(mutex_);
    if (is_over() || next_ == job_.pieces.size()) return std::nullopt;
    return job_.pieces[next_++];
  }

  template <class Step>
  void guard(Step&& step) {
    try {
      step();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void work() {
    guard([this] {
      while (const auto piece = take()) {
        if (!job_.make(*piece)) return;
        const std::scoped_lock lock(mutex_);
        job_.finished(*piece);
      }
    });
  }

  void serve() {
    guard([this] {
      while (!others_.empty()) {
        {
          const std::scoped_lock lock(mutex_);
          if (is_over()) return;  // they may need minutes, and their work is of no use
        }
        if (!answer_all()) std::this_thread::sleep_for(std::chrono::microseconds(500));
      }
    });
  }

  // Whether a letter had come.
  bool answer_all() {
    bool any = false;
    std::erase_if(others_, [&](int rank) {
      const auto letter = ranks_.poll(rank, Mail::kAsk);
      if (!letter) return false;
      any = true;
      if (*letter == kLeft) return true;
      if (*letter == kFree) {
        const auto piece = take();
        ranks_.send(rank, Mail::kPiece, piece ? number_text(*piece) : kNoMore);
        return false;
      }
      const int64_t piece = number_in(*letter);
      const std::scoped_lock lock(mutex_);
      job_.unpack(piece, letter->substr(sizeof piece));
      job_.finished(piece);
      return false;
    });
    return any;
  }

  static void change_current(Lead* lead) {
    const std::scoped_lock lock(current_mutex_);
    current_ = lead;
  }

  // The one of this process: who is lost is noticed by a thread that knows no job.
  inline static std::mutex current_mutex_;
  inline static Lead* current_ = nullptr;

  Ranks& ranks_;
  const Job& job_;
  std::vector<int> others_;  // that have not left
  std::mutex mutex_;
  size_t next_ = 0;
  std::exception_ptr failure_;
};

void follow(Ranks& ranks, const Job& job) {
  parallel_for(job.threads, job.threads, 1, [&](int64_t) {
    while (true) {
      ranks.send(0, Mail::kAsk, kFree);
      const std::string answer = ranks.wait(0, Mail::kPiece);
      if (answer == kNoMore) return;
      const int64_t piece = number_in(answer);
      if (job.make(piece)) ranks.send(0, Mail::kAsk, number_text(piece) + job.pack(piece));
    }
  });
  ranks.send(0, Mail::kAsk, kLeft);
}

}  // namespace

bool keep_finished_pieces() { return Lead::keep_finished(); }

void hand_out(Ranks& ranks, const Job& job) {
  if (ranks.leads())
    Lead(ranks, job).run();
  else
    follow(ranks, job);
}

}  // namespace glgnn
