// Ctrl-C or SIGTERM while training: the step at hand is finished first, if that takes no longer
// than a second. A second one ends the program at once.
#pragma once

#include <csignal>

namespace glgnn::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
  int exit_status() const;  // 128 + the signal, as shells count

 private:
  struct sigaction old_int_, old_term_;
};

}  // namespace glgnn::cli
