// Who is still there: every rank gives a sign of life each second, and a rank of the same machine
// is seen to be gone at once.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dist/ranks.h"

namespace glgnn {

class Watch {
 public:
  // Called once, by another thread, with the words for what was found: "rank 2 (process 4711 on
  // node3) is gone" or what the rank said before it gave up. It has to end the process: nothing of
  // the run can be finished.
  using OnLost = std::function<void(const std::string& words, int status)>;

  // Every rank makes one at the same time. Rank 0 watches all others, they watch rank 0.
  Watch(Ranks& ranks, OnLost on_lost);
  // To be called when the ranks have agreed that they are done.
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // "rank 2 (process 4711 on node3)"
  const std::string& name(int rank) const { return names_[static_cast<size_t>(rank)]; }

  // Tells rank 0 why this rank cannot go on.
  void give_up(const std::string& words, int status);

 private:
  struct Watched {
    int rank = 0;
    int process = 0;  // 0: not of this machine
    double heard = 0;
  };

  void look(double now);
  void run(std::stop_token stop);

  Ranks& ranks_;
  OnLost on_lost_;
  std::vector<std::string> names_;
  std::vector<Watched> watched_;
  double looked_ = 0;  // when it did last
  std::jthread thread_;
};

}  // namespace glgnn
