// How far a large file has been read: on a terminal a line that redraws in place, elsewhere a plain
// line now and then. Nothing is shown of files that are read at once.
#pragma once

#include <chrono>
#include <string>

namespace glgnn::cli {

class ReadingProgress {
 public:
  ReadingProgress(std::string file, bool quiet);
  ~ReadingProgress();  // takes the line off a terminal
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;

  void update(double part);

 private:
  using Clock = std::chrono::steady_clock;

  std::string file_;
  bool quiet_, on_terminal_, drawn_ = false;
  Clock::time_point due_;
};

}  // namespace glgnn::cli
