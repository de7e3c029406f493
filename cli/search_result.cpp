#include "search_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "data/message.h"
#include "prepare.h"
#include "search_log.h"
#include "table.h"
#include "terminal.h"
#include "words.h"

namespace glgnn::cli {
namespace {

std::span<const TrialReport> best_of(const SearchResult& result, int64_t top) {
  return std::span(result.ranking).first(std::min(result.ranking.size(), static_cast<size_t>(top)));
}

}  // namespace

TestScore score_test_rows(const SearchResult& result, const Dataset& dataset, const Split& split) {
  const auto rows = labelled_rows(dataset.labels, split.test);
  if (rows.empty()) return {};
  return {rows.size(), accuracy(result.p, dataset.labels, rows)};
}

void print_ranking(const SearchResult& result, int64_t top) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& report : best_of(result, top)) {
    rows.push_back({std::to_string(report.trial), fmt::format("{:.4f}", report.score.value()),
                    percent(report.score.accuracy),
                    fmt::format("{:.3f}", report.score.log_likelihood),
                    duration_text(report.seconds), report.module});
  }
  print_table(stdout,
              {{"trial", true},
               {"score", true},
               {"validation", true},
               {"log-likelihood", true},
               {"time", true},
               {"module"}},
              rows);
}

Json ranking_json(const SearchResult& result, int64_t top) {
  Json list = Json::array();
  for (const auto& report : best_of(result, top)) {
    list.push_back(trial_json(report));
    list.back().erase("event");
  }
  return list;
}

Json counts_json(const SearchResult& result) {
  return {
      {"done", result.done}, {"in_full", result.ranking.size()}, {"cut_short", result.cut_short}};
}

Json joined_json(const SearchResult& result) {
  Json members = Json::array();
  for (const auto& member : result.members) {
    members.push_back(
        {{"trial", member.trial}, {"weight", member.weight}, {"module", member.module}});
  }
  return {{"val_accuracy", result.score.accuracy},
          {"val_log_likelihood", result.score.log_likelihood},
          {"members", std::move(members)}};
}

void print_joined(const SearchResult& result, const Split& split, const TestScore& test) {
  fmt::print("the best {} joined: validation accuracy {}   ({})\n", result.members.size(),
             percent(result.score.accuracy),
             counted(static_cast<int64_t>(split.val.size()), "row"));
  if (test.rows == 0) return;
  const auto correct = std::llround(test.accuracy * static_cast<double>(test.rows));
  fmt::print("{}   ({} of {})\n", Paint(stdout).bold("test accuracy " + percent(test.accuracy)),
             correct, test.rows);
}

}  // namespace glgnn::cli
