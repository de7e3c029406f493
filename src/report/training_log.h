// The JSON-lines log of a training: one object that says what is trained, one for each epoch, one
// at the end. Every line is on the disk's way before the next epoch starts, so `tail -f` works.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "report/json.h"

namespace glgnn {

class TrainingLog {
 public:
  enum class Start { kNew, kContinue };

  // kNew empties the file and writes `header`. kContinue keeps what is there (or is kNew, where
  // there is nothing). `option` is what the person moves the file with.
  TrainingLog(std::filesystem::path path, Start start, const Json& header,
              std::string option = "--out");

  // Continuing, the first call drops what an interrupted run logged of this epoch and later ones:
  // its checkpoint may be older than its log.
  void epoch(const EpochReport& report);

  void event(const Json& object);

 private:
  void open(const char* mode);
  void drop_epochs_from(int64_t epoch);

  std::filesystem::path path_;
  std::string option_;
  bool continuing_ = false;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
};

}  // namespace glgnn
