#include "report/training_log.h"

#include <glgnn/error.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/text_file.h"

namespace glgnn {

namespace fs = std::filesystem;

TrainingLog::TrainingLog(fs::path path, Start start, const Json& header, std::string option)
    : path_(std::move(path)), option_(std::move(option)) {
  continuing_ = start == Start::kContinue && fs::exists(path_);
  open(continuing_ ? "a" : "w");
  if (!continuing_) event(header);
}

void TrainingLog::epoch(const EpochReport& report) {
  if (continuing_) {
    continuing_ = false;
    drop_epochs_from(report.epoch);
    event({{"event", "resumed"}, {"epoch", report.epoch}, {"time", utc_time()}});
  }
  event(epoch_json(report));
}

void TrainingLog::event(const Json& object) {
  const std::string line = json_text(object) + "\n";
  const size_t written = std::fwrite(line.data(), 1, line.size(), file_.get());
  if (written != line.size() || std::fflush(file_.get()) != 0) {
    throw Error(ErrorKind::kIo, path_.string() + ": cannot write the log: " + std::strerror(errno) +
                                    "; free some space, or choose another place with " + option_);
  }
}

void TrainingLog::open(const char* mode) {
  file_.reset(std::fopen(path_.c_str(), mode));
  if (!file_) {
    throw Error(ErrorKind::kIo, path_.string() + ": cannot write the log: " + std::strerror(errno) +
                                    "; choose another place with " + option_);
  }
}

void TrainingLog::drop_epochs_from(int64_t epoch) {
  std::string kept;
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);) {
    const Json object = Json::parse(line, nullptr, false);
    if (!object.is_object()) continue;  // the end of a line that a crash cut short
    const bool later = object.value("event", "") == "epoch" && object.value("epoch", 0) >= epoch;
    if (!later) kept += line + "\n";
  }
  write_text_file(path_, kept);
  open("a");
}

}  // namespace glgnn
