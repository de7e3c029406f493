#include "resume_log.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/text_file.h"

namespace glgnn::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& path, const LogKind& kind) {
  std::ifstream in(path);
  if (!in) {
    throw Error(ErrorKind::kIo,
                fmt::format("{}: no such log, so there is nothing to resume; start without "
                            "--resume, or name the log of {} with --log",
                            path.string(), kind.one));
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void check_header(const fs::path& path, const LogKind& kind, const Json& found,
                  const Json& expected) {
  const bool fits = found.is_object() && found.value("event", "") == "start" &&
                    found.value("command", "") == kind.command;
  if (!fits) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: found no log of {} in its first line; name the log of one with "
                            "--log, or start without --resume",
                            path.string(), kind.one));
  }
  const auto refuse_other = [&](const std::string& name, const Json& there, const Json& wanted) {
    if (there == wanted) return;
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: is the log of another {}: found {} {}, expected {}; repeat its "
                            "call, name another log with --log, or start without --resume",
                            path.string(), kind.one.substr(kind.one.find(' ') + 1), name,
                            json_text(there), json_text(wanted)));
  };
  for (const std::string& name : kind.names) {
    refuse_other(name, found.value(name, Json()), expected.at(name));
  }
  const Json settings = found.value("settings", Json::object());
  for (const auto& [name, value] : expected.at("settings").items()) {
    refuse_other(name, settings.value(name, Json()), value);
  }
}

Error damaged(const fs::path& path, size_t line) {
  return Error(ErrorKind::kData,
               fmt::format("{}:{}: found a damaged line, expected a JSON object of the log; take "
                           "the line out, or start without --resume",
                           path.string(), line));
}

}  // namespace

Error other_data(const fs::path& path) {
  return Error(ErrorKind::kUsage,
               path.string() +
                   ": was made from other data (features, labels, graph or split differ); resume "
                   "with the same files, or start without --resume");
}

void check_log_path(const fs::path& path, const std::vector<std::string>& inputs) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::kIo,
                fmt::format("{}: no such folder for {}; make it with `mkdir -p "
                            "{}`, or choose another place with --log",
                            folder.string(), path.filename().string(), folder.string()));
  }
  if (!fs::exists(path)) return;
  if (!fs::is_regular_file(path)) {
    throw Error(ErrorKind::kIo,
                fmt::format("{}: found {}, expected a file that can be written; "
                            "choose another place with --log",
                            path.string(), fs::is_directory(path) ? "a folder" : "a device"));
  }
  for (const auto& input : inputs) {
    if (!fs::exists(input) || !fs::equivalent(path, input)) continue;
    throw Error(ErrorKind::kUsage, path.string() +
                                       ": this file is read by the same command and would be "
                                       "overwritten; choose another place with --log");
  }
}

void read_log(const fs::path& path, const LogKind& kind, const Json& header,
              const std::function<void(const Json&)>& visit) {
  const std::vector<std::string> lines = lines_of(path, kind);
  if (lines.empty()) check_header(path, kind, Json(), header);
  std::string whole;
  for (size_t l = 0; l < lines.size(); ++l) {
    const Json line = Json::parse(lines[l], nullptr, false);
    if (l == 0) check_header(path, kind, line, header);
    if (!line.is_object()) {
      if (l + 1 == lines.size()) break;  // a crash or a full disk cut it short
      throw damaged(path, l + 1);
    }
    try {
      visit(line);
    } catch (const Json::exception&) {
      throw damaged(path, l + 1);
    }
    whole += lines[l] + "\n";
  }
  write_text_file(path, whole);
}

}  // namespace glgnn::cli
