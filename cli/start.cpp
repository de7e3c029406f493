#include "start.h"

#include <fmt/core.h>
#include <glgnn/error.h>
#include <malloc.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/Error.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "core/check.h"
#include "core/cuda/device.h"
#include "ranks.h"
#include "text.h"
#include "threads.h"

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

void keep_freed_memory() {
  constexpr int kLargest = 1 << 30, kAtOnce = 1 << 26;
  ::mallopt(M_ARENA_MAX, 1);  // the one whose pages are large
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
  ::mallopt(M_TRIM_THRESHOLD, kLargest);
  ::mallopt(M_TOP_PAD, kAtOnce);
}

int run_guarded(char** argv, const std::function<int()>& program) {
  // Large blocks go back to the system when they are freed; by default the limit grows with use,
  // and a third of the memory ends up in gaps.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  let_idle_threads_sleep(argv);
  std::set_terminate(end_by_exception);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error, not the end
  try {
    const int status = run_on_ranks([&] {
      const int found = program();
      flush_output();
      return found;
    });
    // What is left to destroy is the driver's: the system takes it back sooner.
    if (cuda::has_ended()) std::_Exit(status);
    return status;
  } catch (...) {
    return report_failure();
  }
}

namespace {

constexpr int kOurFault = 70;

// What a file says may be in the text, and could be a command to the terminal.
void print_harmless(const char* text) {
  char piece[200];
  while (*text) {
    size_t size = 0;
    for (; *text && size < sizeof piece; ++text) {
      const auto byte = static_cast<unsigned char>(*text);
      piece[size++] = (byte < 0x20 && byte != '\n') || byte == 0x7F ? '?' : *text;
    }
    std::fwrite(piece, 1, size, stderr);
  }
}

// Plain stdio: this runs when memory may be short.
int say(const char* text, int status, const char* advice = "") {
  const bool colour = Paint(stderr).on();
  std::fprintf(stderr, "%sglgnn:%s ", colour ? "\x1b[31m" : "", colour ? "\x1b[0m" : "");
  print_harmless(text);
  std::fprintf(stderr, "%s%s\n", *advice ? "; " : "", advice);
  return status;
}

}  // namespace

int report_failure() noexcept {
  std::fflush(stdout);
  try {
    throw;
  } catch (const Error& error) {
    return say(error.what(), exit_status(error.kind()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what(), option = text.substr(0, text.find(':'));
    const bool twice = text.find("At Most") != std::string::npos;
    return say((option + (twice ? " is given more than once" : " needs a value after it")).c_str(),
               exit_status(ErrorKind::kUsage), "`glgnn --help` shows how");
  } catch (const CLI::ParseError& error) {
    return say(error.what(), exit_status(ErrorKind::kUsage), "`glgnn --help` shows how");
  } catch (const std::bad_alloc&) {
    return say(
        "out of memory; fewer rows or columns help, in paper mode also smaller --k, --modules "
        "or --hidden",
        exit_status(ErrorKind::kData));
  } catch (const std::filesystem::filesystem_error& error) {  // links in a circle, a long name
    char text[300];
    const bool has_name = !error.path1().empty();
    std::snprintf(text, sizeof text, "%.200s: %s",
                  has_name ? error.path1().c_str() : "the folder of the variable TMPDIR",
                  std::strerror(error.code().value()));
    return say(text, exit_status(ErrorKind::kIo), "check the name, its links and its permissions");
  } catch (const std::system_error& error) {
    return say(error.what(), exit_status(ErrorKind::kIo));
  } catch (const InternalFault& fault) {
    return say(fault.what(), kOurFault);
  } catch (const std::exception& error) {
    return say(error.what(), kOurFault, kReportIt);
  } catch (...) {
    return say("unknown failure", kOurFault, kReportIt);
  }
}

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
