// Other programs, and folders for what passes between them and us.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace glgnn::bench {

struct Ended {
  int status = 0;  // 128 + the signal's number when a signal ended it
  std::string out, err;

  std::string last_error_line() const;
};

// Runs to the end; `environment` holds "NAME=value" to set and "NAME" to take away. kIo when the
// program cannot be started.
Ended run_process(const std::vector<std::string>& command,
                  const std::vector<std::string>& environment = {});

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace glgnn::bench
