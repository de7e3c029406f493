// What a program does around its work.
#pragma once

#include <csignal>
#include <functional>

namespace glgnn::cli {

// The exit status of `program`; an error becomes a sentence on the standard error. May start the
// program anew, with settings of the OpenMP library that are read only then.
int run_guarded(char** argv, const std::function<int()>& program);

// Memory that is freed stays with the process, for the next that asks: many threads that give it
// back and take it again beside a GPU would wait for the system more than for the GPU.
void keep_freed_memory();

// The one place where an error becomes a sentence and an exit status.

// To be called in a catch block: prints `glgnn: TEXT` on the standard error.
int report_failure() noexcept;

// Ctrl-C or SIGTERM while training: the step at hand is finished first, if that takes no longer
// than a second. A second one ends the program at once.

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
