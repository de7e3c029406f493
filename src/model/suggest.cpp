#include <glgnn/error.h>
#include <glgnn/suggest.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "core/parallel.h"
#include "kernels/edges.h"

namespace glgnn {
namespace {

// How much of a row's doubt the label of another one takes: this part of the weight of the edge to
// it, and of the product of the weights on a way of two edges. Chosen by learning curves.
constexpr double kNear = 0.6, kFar = 1.5;

// Who listens to a row, and how much.
class Listeners {
 public:
  explicit Listeners(const Csr& graph)
      : graph_(graph), transposed_(transpose(graph.pattern->view())) {}

  // Numbers of one row at a time; one for each thread.
  class Found {
   public:
    explicit Found(int64_t rows) : part_(static_cast<size_t>(rows), 0.0) {}

    template <class Visit>
    void for_each(Visit&& visit) const {
      for (const int32_t row : rows_) visit(row, std::min(1.0, part_[row]));
    }

   private:
    friend class Listeners;
    void add(int32_t row, double part) {
      if (part_[row] == 0) rows_.push_back(row);
      part_[row] += part;
    }
    void clear() {
      for (const int32_t row : rows_) part_[row] = 0;
      rows_.clear();
    }
    std::vector<double> part_;
    std::vector<int32_t> rows_;
  };

  void find(int32_t row, Found& found) const {
    found.clear();
    found.add(row, 1);
    visit(row, [&](int32_t near, double weight) {
      found.add(near, kNear * weight);
      visit(near, [&](int32_t far, double next) { found.add(far, kFar * weight * next); });
    });
  }

 private:
  template <class Visit>
  void visit(int32_t row, Visit&& visit) const {
    const Pattern& pattern = transposed_.pattern;
    for (int64_t e = pattern.row_ptr[row]; e < pattern.row_ptr[row + 1]; ++e) {
      const double weight = graph_.values[transposed_.source[e]];
      if (weight > 0) visit(pattern.col[e], weight);
    }
  }

  const Csr& graph_;
  Transpose transposed_;
};

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

class Chooser {
 public:
  Chooser(const Model& model, const Context& context)
      : model_(model),
        context_(context),
        listeners_(model.fused_graph),
        found_(model.fused_graph.rows()) {
    for (int64_t i = 0; i < model.probabilities.rows(); ++i) {
      left_.push_back(std::max(kLeastDoubt, doubt_of(model.probabilities, i)));
    }
    for (int32_t i = 0; i < model.probabilities.rows(); ++i) {
      if (model.labels[i] >= 0) hear(i);
    }
  }

  std::vector<Suggestion> choose(std::span<const int32_t> candidates, int64_t count) {
    // The largest first, then the smaller row. A value only falls as others are chosen: one that
    // stays the largest when it is computed again is the largest of all.
    const auto later = [](const Ranked& a, const Ranked& b) {
      return a.value != b.value ? a.value < b.value : a.row > b.row;
    };
    std::priority_queue<Ranked, std::vector<Ranked>, decltype(later)> queue(
        later, first_values(candidates));
    std::vector<Suggestion> chosen;
    while (!queue.empty() && static_cast<int64_t>(chosen.size()) < count) {
      Ranked top = queue.top();
      queue.pop();
      if (top.after != chosen.size()) {
        top.value = value(top.row, found_);
        top.after = chosen.size();
        queue.push(top);
        continue;
      }
      take(top, chosen);
    }
    return chosen;
  }

 private:
  struct Ranked {
    double value = 0;
    int32_t row = 0;
    size_t after = 0;  // how many rows were chosen when the value was computed
  };

  std::vector<Ranked> first_values(std::span<const int32_t> candidates) const {
    std::vector<Ranked> ranked(candidates.size());
    const auto count = static_cast<int64_t>(candidates.size());
    constexpr int64_t kNumbersOfARow = 1000;
    for_row_ranges(count, kNumbersOfARow * count, context_.threads, [&](int64_t from, int64_t to) {
      Listeners::Found found(model_.fused_graph.rows());
      for (int64_t c = from; c < to; ++c) ranked[c] = {value(candidates[c], found), candidates[c]};
    });
    return ranked;
  }

  double value(int32_t row, Listeners::Found& found) const {
    listeners_.find(row, found);
    double sum = 0;
    found.for_each([&](int32_t other, double part) { sum += part * left_[other]; });
    return sum;
  }

  // Takes from all that listen to a labelled row their part of the doubt, and gives how many of
  // them have no label.
  double hear(int32_t row) {
    double reach = 0;
    listeners_.find(row, found_);
    found_.for_each([&](int32_t other, double part) {
      if (model_.labels[other] < 0) reach += part;
      left_[other] *= 1 - part;
    });
    return reach;
  }

  void take(const Ranked& top, std::vector<Suggestion>& chosen) {
    Suggestion& next = chosen.emplace_back(Suggestion{.row = top.row});
    next.reach = hear(top.row);
    if (chosen.size() == 1) first_value_ = top.value;
    next.score = first_value_ > 0 ? top.value / first_value_ : 0;
    next.doubt = doubt_of(model_.probabilities, top.row);
    next.disagreement = disagreement(model_, module_weights(model_), top.row);
    name_classes(next, model_.probabilities);
  }

  const Model& model_;
  const Context& context_;
  Listeners listeners_;
  Listeners::Found found_;
  std::vector<double> left_;  // of the doubt of each row
  double first_value_ = 0;
};

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
  return Chooser(model, context).choose(candidates, count);
}

}  // namespace glgnn
