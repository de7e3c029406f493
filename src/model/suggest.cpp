#include <glgnn/error.h>
#include <glgnn/suggest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/doubt_field.h"
#include "modules/views.h"

namespace glgnn {
namespace {

// Two most probable classes.
void name_classes(Suggestion& found, const Matrix& p) {
  const float* row = p[found.row];
  for (int32_t c = 0; c < p.cols(); ++c) {
    if (found.likely < 0 || row[c] > row[found.likely]) {
      found.next = found.likely;
      found.likely = c;
    } else if (found.next < 0 || row[c] > row[found.next]) {
      found.next = c;
    }
  }
}

double entropy(const float* p, int64_t classes) {
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (p[c] > 0) sum -= p[c] * std::log(double{p[c]});
  }
  return sum;
}

// The entropy of a row's probabilities, 1 where all classes are alike.
double doubt_of(const Matrix& p, int64_t row) {
  if (p.cols() < 2) return 0;
  return std::clamp(entropy(p[row], p.cols()) / std::log(static_cast<double>(p.cols())), 0.0, 1.0);
}

// What the modules do not agree about: the entropy of their mean less their mean entropy, 1 where
// each is sure of another class.
double disagreement(const Model& model, const std::vector<double>& weights, int32_t row) {
  const int64_t classes = model.probabilities.cols();
  std::vector<float> mean(static_cast<size_t>(classes), 0.0f);
  double alone = 0, all = 0;
  for (size_t m = 0; m < weights.size(); ++m) {
    const Matrix& p = model.modules[m].probabilities;
    if (p.rows() != model.probabilities.rows() || p.cols() != classes) return 0;
    for (int64_t c = 0; c < classes; ++c) {
      mean[c] += static_cast<float>(weights[m]) * p[row][c];
    }
    alone += weights[m] * entropy(p[row], classes);
    all += weights[m];
  }
  if (all <= 0 || classes < 2) return 0;
  for (float& value : mean) value /= static_cast<float>(all);
  const double most = std::log(static_cast<double>(classes));
  return std::clamp((entropy(mean.data(), classes) - alone / all) / most, 0.0, 1.0);
}

// No prediction is certain: where all seem so, the rows that most others listen to come first.
constexpr double kLeastDoubt = 0.01;

// Rows are alike by their features; where a graph is given, or modules chose neighbours by what
// they learned (paper mode), by their edges.
std::unique_ptr<DoubtField> field_of(const Model& model, std::span<const int32_t> candidates,
                                     const Context& context) {
  std::vector<double> doubts;
  for (int64_t i = 0; i < model.probabilities.rows(); ++i) {
    doubts.push_back(std::max(kLeastDoubt, doubt_of(model.probabilities, i)));
  }
  const bool by_features = model.views && !model.has_graph &&
                           model.features.rows() == model.probabilities.rows() &&
                           std::ssize(model.feature_names) == model.features.cols();
  return by_features ? feature_field(model, doubts, candidates, context)
                     : graph_field(model, doubts, context);
}

}  // namespace

std::vector<Suggestion> suggest_rows(const Model& model, int64_t count, const Context& context,
                                     std::span<const int32_t> candidates) {
  const int64_t rows = model.probabilities.rows();
  if (static_cast<int64_t>(model.labels.size()) != rows || model.fused_graph.rows() != rows) {
    throw Error(ErrorKind::kUsage,
                "suggest_rows: the model has no labels or no graph of its rows; fit it with "
                "fit_dataset(), or call keep_data()");
  }
  std::vector<int32_t> unlabelled;
  if (candidates.empty()) {
    for (int32_t i = 0; i < rows; ++i) {
      if (model.labels[i] < 0) unlabelled.push_back(i);
    }
    candidates = unlabelled;
  }
  std::vector<int32_t> open(candidates.begin(), candidates.end());
  std::sort(open.begin(), open.end());
  const std::unique_ptr<DoubtField> field = field_of(model, open, context);
  std::vector<Suggestion> chosen;
  double first = 0;
  while (!open.empty() && std::ssize(chosen) < count) {
    const auto top =
        std::ranges::max_element(open, {}, [&](int32_t row) { return field->worth(row); });
    const double worth = field->worth(*top);
    if (worth < 0) break;  // of very many rows not all are looked at
    if (chosen.empty()) first = worth;
    Suggestion& next = chosen.emplace_back(Suggestion{.row = *top});
    next.score = first > 0 ? worth / first : 0;
    next.doubt = doubt_of(model.probabilities, *top);
    next.disagreement = disagreement(model, module_weights(model), *top);
    name_classes(next, model.probabilities);
    next.reach = field->take(*top);
    open.erase(top);
  }
  return chosen;
}

}  // namespace glgnn
