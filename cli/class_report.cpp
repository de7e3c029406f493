#include "class_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/message.h"
#include "prepare.h"
#include "table.h"
#include "words.h"

namespace glgnn::cli {
namespace {

constexpr size_t kMostClasses = 12;

}  // namespace

ConfusionMatrix test_confusion(const Model& model) {
  return confusion_matrix(predicted_classes(model.probabilities), model.labels, model.test,
                          model.probabilities.cols());
}

void print_class_table(const ConfusionMatrix& confusion, const std::vector<std::string>& names) {
  const std::vector<ClassMetrics> metrics = class_metrics(confusion);
  std::vector<size_t> shown;
  for (size_t c = 0; c < metrics.size(); ++c) {
    if (metrics[c].support > 0) shown.push_back(c);
  }
  const size_t left_out = shown.size() > kMostClasses ? shown.size() - kMostClasses : 0;
  if (left_out > 0) {
    std::stable_sort(shown.begin(), shown.end(),
                     [&](size_t a, size_t b) { return metrics[a].recall() < metrics[b].recall(); });
    shown.resize(kMostClasses);
  }
  std::vector<std::vector<std::string>> rows;
  for (const size_t c : shown) {
    rows.push_back({percent(metrics[c].recall()), percent(metrics[c].precision()),
                    std::to_string(metrics[c].support), names[c]});
  }
  print_table(stdout, {{"recall", true}, {"precision", true}, {"rows", true}, {"class"}}, rows);
  if (left_out > 0) {
    fmt::print("{} with the highest recall not shown\n",
               left_out == 1 ? "1 class" : fmt::format("{} classes", left_out));
  }
}

std::string balance_note(const Dataset& dataset, const Split& split, const Config& config) {
  std::vector<int64_t> rows(static_cast<size_t>(dataset.classes()), 0);
  for (const int32_t row : split.train) {
    ++rows[static_cast<size_t>(dataset.labels[static_cast<size_t>(row)])];
  }
  std::erase(rows, 0);
  if (rows.empty() || config.class_weights == ClassWeights::kBalanced) return {};
  const auto [fewest, most] = std::ranges::minmax(rows);
  if (10 * fewest >= most) return {};
  return fmt::format(
      "classes are unbalanced ({} to {} labelled rows); --class_weights balanced counts them alike",
      fewest, most);
}

}  // namespace glgnn::cli
