#include "reading.h"

#include <fmt/core.h>

#include "terminal.h"

namespace glgnn::cli {
namespace {

constexpr auto kBeforeTheFirst = std::chrono::milliseconds(500);
constexpr auto kBetweenRedraws = std::chrono::milliseconds(100);
constexpr auto kBetweenLines = std::chrono::seconds(5);

}  // namespace

ReadingProgress::ReadingProgress(std::string file, bool quiet)
    : file_(std::move(file)),
      quiet_(quiet),
      on_terminal_(is_terminal(stderr)),
      due_(Clock::now() + (on_terminal_ ? Clock::duration(kBeforeTheFirst) : kBetweenLines)) {}

void ReadingProgress::update(double part) {
  const auto now = Clock::now();
  if (quiet_ || now < due_) return;
  due_ = now + (on_terminal_ ? Clock::duration(kBetweenRedraws) : kBetweenLines);
  const std::string line = fmt::format("reading {}  {:.0f} %", file_, 100 * part);
  if (on_terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", line);
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

ReadingProgress::~ReadingProgress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace glgnn::cli
