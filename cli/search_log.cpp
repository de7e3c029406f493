#include "search_log.h"

#include <nlohmann/json.hpp>

#include "resume_log.h"

namespace glgnn::cli {
namespace {

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

std::vector<TrialReport> read_search_log(const std::filesystem::path& path, const Json& header) {
  const LogKind kind{"search", "a search", {"dataset", "graph", "run"}};
  std::vector<TrialReport> reports;
  read_log(path, kind, header, [&](const Json& line) {
    const Json& event = line.at("event");
    if (event == "start" && line.at("fingerprint") != header.at("fingerprint")) {
      throw other_data(path);
    }
    if (event == "trial") reports.push_back(trial_of(line));
  });
  return reports;
}

}  // namespace glgnn::cli
