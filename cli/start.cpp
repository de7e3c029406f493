#include "start.h"

#include <fmt/core.h>
#include <glgnn/error.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "failure.h"
#include "idle_threads.h"
#include "ranks.h"

namespace glgnn::cli {
namespace {

// A full disk may show only when the last of the output leaves our buffer.
void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw Error(ErrorKind::kIo, fmt::format("cannot write the output: {}", std::strerror(errno)));
}

// An exception that no caller can be told of: the JSON library asks for memory while it destroys.
void end_by_exception() {
  if (!std::current_exception()) std::abort();
  ::_exit(report_failure());
}

}  // namespace

int run_guarded(char** argv, const std::function<int()>& program) {
  // Large blocks go back to the system when they are freed; by default the limit grows with use,
  // and a third of the memory ends up in gaps.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  let_idle_threads_sleep(argv);
  std::set_terminate(end_by_exception);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error, not the end
  try {
    return run_on_ranks([&] {
      const int status = program();
      flush_output();
      return status;
    });
  } catch (...) {
    return report_failure();
  }
}

}  // namespace glgnn::cli
