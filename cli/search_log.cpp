#include "search_log.h"

#include <fmt/format.h>
#include <glgnn/error.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/text_file.h"

namespace glgnn::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShort = "short";
constexpr const char* kFull = "full";

TrialReport trial_of(const Json& line) {
  return {.trial = line.at("trial").get<int64_t>(),
          .stage = line.at("stage") == kShort ? SearchStage::kShort : SearchStage::kFull,
          .module = line.at("module").get<std::string>(),
          .score = {.accuracy = line.at("val_accuracy").get<double>(),
                    .log_likelihood = line.at("val_log_likelihood").get<double>(),
                    .optimism = line.at("val_optimism").get<double>()},
          .seconds = line.at("seconds").get<double>()};
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  if (!in) {
    throw Error(ErrorKind::kIo, path.string() +
                                    ": no such log, so there is nothing to resume; start without "
                                    "--resume, or name the log of the search with --log");
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void refuse_other(const fs::path& path, const std::string& name, const Json& found,
                  const Json& expected) {
  if (found == expected) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: is the log of another search: found {} {}, expected {}; repeat its "
                          "call, name another log with --log, or start without --resume",
                          path.string(), name, json_text(found), json_text(expected)));
}

void check_header(const fs::path& path, const Json& found, const Json& expected) {
  if (!found.is_object() || found.value("event", "") != "start" ||
      found.value("command", "") != "search") {
    throw Error(ErrorKind::kUsage,
                path.string() +
                    ": found no log of a search in its first line; name the log of one with "
                    "--log, or start without --resume");
  }
  for (const char* name : {"dataset", "graph", "run"}) {
    refuse_other(path, name, found.value(name, Json()), expected.at(name));
  }
  const Json settings = found.value("settings", Json::object());
  for (const auto& [name, value] : expected.at("settings").items()) {
    refuse_other(path, name, settings.value(name, Json()), value);
  }
  if (found.value("fingerprint", Json()) != expected.at("fingerprint")) {
    throw Error(ErrorKind::kUsage,
                path.string() +
                    ": was made from other data (features, labels, graph or split differ); resume "
                    "with the same files, or start without --resume");
  }
}

Error damaged(const fs::path& path, size_t line) {
  return Error(ErrorKind::kData,
               fmt::format("{}:{}: found a damaged line, expected a JSON object of the log; take "
                           "the line out, or start without --resume",
                           path.string(), line));
}

}  // namespace

Json trial_json(const TrialReport& report) {
  return {{"event", "trial"},
          {"trial", report.trial},
          {"stage", report.stage == SearchStage::kShort ? kShort : kFull},
          {"module", report.module},
          {"val_accuracy", report.score.accuracy},
          {"val_log_likelihood", report.score.log_likelihood},
          {"val_optimism", report.score.optimism},
          {"seconds", report.seconds}};
}

void check_search_log(const fs::path& path, const std::vector<std::string>& inputs) {
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

std::vector<TrialReport> read_search_log(const fs::path& path, const Json& header) {
  const std::vector<std::string> lines = lines_of(path);
  std::vector<TrialReport> reports;
  std::string whole;
  for (size_t l = 0; l < lines.size(); ++l) {
    const Json line = Json::parse(lines[l], nullptr, false);
    if (l == 0) check_header(path, line, header);
    if (!line.is_object()) {
      if (l + 1 == lines.size()) break;  // a crash or a full disk cut it short
      throw damaged(path, l + 1);
    }
    try {
      if (line.at("event") == "trial") reports.push_back(trial_of(line));
    } catch (const Json::exception&) {
      throw damaged(path, l + 1);
    }
    whole += lines[l] + "\n";
  }
  if (lines.empty()) check_header(path, Json(), header);
  write_text_file(path, whole);
  return reports;
}

}  // namespace glgnn::cli
