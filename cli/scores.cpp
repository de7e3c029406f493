#include "scores.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "data/message.h"
#include "prepare.h"
#include "text.h"

namespace glgnn::cli {
namespace {

// Student's t at 97.5 %, by the number of runs less one.
double t_value(size_t freedom) {
  constexpr std::array kValues{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  return freedom <= kValues.size() ? kValues[freedom - 1]
                                   : 1.96 + 2.5 / static_cast<double>(freedom);
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double interval_of(const std::vector<double>& values, double test_to_train) {
  if (values.size() < 2) return 0;
  const double overlap = std::min(1.0, test_to_train);
  return t_value(values.size() - 1) * deviation_of(values) *
         std::sqrt(1 / static_cast<double>(values.size()) + overlap);
}

double area_under_curve(std::vector<Scored> list, int64_t zeros_true, int64_t zeros_false) {
  std::ranges::sort(list, {}, &Scored::score);
  double trues = static_cast<double>(zeros_true), falses = static_cast<double>(zeros_false);
  double won = 0.5 * trues * falses;
  for (size_t begin = 0, end = 0; begin < list.size(); begin = end) {
    double level_trues = 0, level_falses = 0;
    for (; end < list.size() && list[end].score == list[begin].score; ++end) {
      (list[end].is_true ? level_trues : level_falses) += 1;
    }
    won += level_trues * (falses + 0.5 * level_falses);
    trues += level_trues;
    falses += level_falses;
  }
  return trues > 0 && falses > 0 ? won / (trues * falses) : 0.5;
}

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
  for (const auto* part : {&split.train, &split.val}) {
    for (const int32_t row : *part) ++rows[static_cast<size_t>(dataset.labels[row])];
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
