// Logs that a later call goes on from: JSON lines, the first of which says what was asked for.
#pragma once

#include <glgnn/error.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn::cli {

// Whose log it is: {"evaluate", "an evaluation"}.
struct LogKind {
  std::string command;
  std::string one;                 // for the texts
  std::vector<std::string> names;  // of the header that must be the same, beside the settings
};

// kIo where `path` is no file that can be written; kUsage where it is among `inputs`.
void check_log_path(const std::filesystem::path& path, const std::vector<std::string>& inputs);

// Calls visit(line) for the header and every line after it; a Json::exception there means a damaged
// line. A log whose header differs from `header` is refused (kUsage). A last line that was cut
// short is taken off the file.
void read_log(const std::filesystem::path& path, const LogKind& kind, const Json& header,
              const std::function<void(const Json&)>& visit);

// For visit(): what to throw where the data are others.
Error other_data(const std::filesystem::path& path);

}  // namespace glgnn::cli
