#include "interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <string_view>

namespace glgnn::cli {
namespace {

volatile std::sig_atomic_t received = 0;

// All of this may be called in a signal handler.
void print(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void end_now(int) {
  print("\nended in the middle of a step\n");
  ::_exit(128 + received);
}

// A step may take minutes: then it is not finished. What it has done is lost, as if it had been
// killed; files are old or new, never half. The other second of the two is for a busy machine.
void end_soon() {
  ::signal(SIGALRM, end_now);
  const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 1, .tv_usec = 0}};
  ::setitimer(ITIMER_REAL, &soon, nullptr);
}

void remember(int signal) {
  received = signal;
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  print("\nfinishing the step at hand, for a second at the most; once more ends at once\n");
  end_soon();
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
  // Who started us, or rank 0, has decided that it is not for us.
  if (old_int_.sa_handler == SIG_IGN) ::signal(SIGINT, SIG_IGN);
  if (old_term_.sa_handler == SIG_IGN) ::signal(SIGTERM, SIG_IGN);
}

InterruptGuard::~InterruptGuard() {
  if (received != 0) return;  // the next signal ends the program, and so does the clock
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

bool InterruptGuard::interrupted() const { return received != 0; }

int InterruptGuard::exit_status() const { return 128 + received; }

}  // namespace glgnn::cli
