#include "interrupt.h"

#include <unistd.h>

namespace glgnn::cli {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) {
  received = signal;
  constexpr char kText[] = "\nfinishing the step at hand; once more ends at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

bool InterruptGuard::interrupted() const { return received != 0; }

int InterruptGuard::exit_status() const { return 128 + received; }

}  // namespace glgnn::cli
