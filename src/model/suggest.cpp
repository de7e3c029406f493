#include <glgnn/error.h>
#include <glgnn/suggest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "kernels/edges.h"

namespace glgnn {
namespace {

// The rule was chosen by learning curves on other tables than those of docs/results.md
// (docs/best_mode.md).
constexpr double kPassedOn = 0.9;  // part of what a row hears that it passes on to its neighbours
constexpr double kHeld = 10;       // how firmly a label holds its row, beside what the others say

// A Gaussian field over the rows: neighbours in the graph are likely of one class, and rows with a
// label are known. Its covariance says how much of a doubt about one row the label of another
// takes: C = (I - kPassedOn S + kHeld [labelled])^-1 with S = D^-1/2 A D^-1/2. A has the edges that
// both rows chose, because some rows are chosen by very many without being like them (short texts,
// above all); an edge counts as much as it is likely that both are of one class.
class Field {
 public:
  Field(const Csr& graph, const Matrix& p, const std::vector<int32_t>& labels, int threads)
      : edges_(chosen_by_both(graph, p)), threads_(threads), scale_(labels.size(), 1.0) {
    for (const int32_t label : labels) own_.push_back(label < 0 ? 1 : 1 + kHeld);
    std::vector<double> degrees = passed_on(std::vector<double>(labels.size(), 1.0));
    for (size_t i = 0; i < degrees.size(); ++i) {
      scale_[i] = degrees[i] > 0 ? 1 / std::sqrt(degrees[i]) : 0;
    }
  }

  void hold(int32_t row) { own_[row] = 1 + kHeld; }

  // C b, by conjugate gradients on what a row has of its own.
  std::vector<double> solve(const std::vector<double>& b) const {
    constexpr int kMostSteps = 100;
    constexpr double kSmall = 1e-10;  // squared
    const size_t n = b.size();
    std::vector<double> x(n, 0.0), rest = b, way(n), image(n);
    const double all = weighed(b);
    double size = all;
    for (size_t i = 0; i < n; ++i) way[i] = b[i] / own_[i];
    for (int step = 0; step < kMostSteps && size > kSmall * all; ++step) {
      image = passed_on(way);
      double bend = 0;
      for (size_t i = 0; i < n; ++i) {
        image[i] = own_[i] * way[i] - kPassedOn * image[i];
        bend += way[i] * image[i];
      }
      const double stride = size / bend;
      for (size_t i = 0; i < n; ++i) {
        x[i] += stride * way[i];
        rest[i] -= stride * image[i];
      }
      const double next = weighed(rest), turn = next / size;
      for (size_t i = 0; i < n; ++i) way[i] = rest[i] / own_[i] + turn * way[i];
      size = next;
    }
    return x;
  }

 private:
  double weighed(const std::vector<double>& r) const {
    double sum = 0;
    for (size_t i = 0; i < r.size(); ++i) sum += r[i] * r[i] / own_[i];
    return sum;
  }

  struct Edges {
    Pattern pattern;
    std::vector<double> weights;
  };

  static Edges chosen_by_both(const Csr& graph, const Matrix& p) {
    const Pattern& there = *graph.pattern;
    const Transpose transposed = transpose(there.view());
    const Pattern& back = transposed.pattern;
    std::vector<float> chosen(there.rows, 0.0f);  // by the row at hand
    Edges edges;
    edges.pattern.rows = edges.pattern.cols = there.rows;
    for (int64_t i = 0; i < there.rows; ++i) {
      const auto put = [&](bool is_put) {
        for (int64_t e = there.row_ptr[i]; e < there.row_ptr[i + 1]; ++e) {
          chosen[there.col[e]] = is_put ? graph.values[e] : 0.0f;
        }
      };
      put(true);
      for (int64_t e = back.row_ptr[i]; e < back.row_ptr[i + 1]; ++e) {
        const int32_t j = back.col[e];
        const float both = std::min(chosen[j], graph.values[transposed.source[e]]);
        if (j == i || both <= 0) continue;
        edges.pattern.col.push_back(j);
        edges.weights.push_back(both * std::inner_product(p[i], p[i] + p.cols(), p[j], 0.0));
      }
      put(false);
      edges.pattern.row_ptr.push_back(edges.pattern.nnz());
    }
    return edges;
  }

  // S x; until there are degrees, A x.
  std::vector<double> passed_on(const std::vector<double>& x) const {
    std::vector<double> out(x.size());
    const Pattern& pattern = edges_.pattern;
    for_row_ranges(pattern.rows, pattern.nnz(), threads_, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        double sum = 0;
        for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
          sum += edges_.weights[e] * scale_[pattern.col[e]] * x[pattern.col[e]];
        }
        out[i] = scale_[i] * sum;
      }
    });
    return out;
  }

  Edges edges_;
  int threads_;
  std::vector<double> own_, scale_;
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
        field_(model.fused_graph, model.probabilities, model.labels, context.threads) {
    for (int64_t i = 0; i < model.probabilities.rows(); ++i) {
      heard_.push_back(std::max(kLeastDoubt, doubt_of(model.probabilities, i)));
    }
    heard_ = field_.solve(heard_);
  }

  std::vector<Suggestion> choose(std::span<const int32_t> candidates, int64_t count) {
    std::vector<int32_t> open(candidates.begin(), candidates.end());
    std::sort(open.begin(), open.end());
    std::vector<Suggestion> chosen;
    while (!open.empty() && static_cast<int64_t>(chosen.size()) < count) {
      const auto top = std::max_element(
          open.begin(), open.end(), [&](int32_t a, int32_t b) { return heard_[a] < heard_[b]; });
      take(*top, chosen);
      open.erase(top);
    }
    return chosen;
  }

 private:
  // The row counts as labelled from now on: it takes their part of the doubt from all that follow
  // it.
  void take(int32_t row, std::vector<Suggestion>& chosen) {
    Suggestion& next = chosen.emplace_back(Suggestion{.row = row});
    if (chosen.size() == 1) first_heard_ = heard_[row];
    next.score = first_heard_ > 0 ? heard_[row] / first_heard_ : 0;
    next.doubt = doubt_of(model_.probabilities, row);
    next.disagreement = disagreement(model_, module_weights(model_), row);
    name_classes(next, model_.probabilities);

    std::vector<double> unit(heard_.size(), 0.0);
    unit[row] = 1;
    const std::vector<double> follow = field_.solve(unit);
    const double part = heard_[row] / (follow[row] + 1 / kHeld);
    for (size_t i = 0; i < follow.size(); ++i) {
      if (model_.labels[i] < 0) next.reach += follow[i] / follow[row];
      heard_[i] -= part * follow[i];
    }
    field_.hold(row);
  }

  const Model& model_;
  Field field_;
  std::vector<double> heard_;  // the doubt that arrives at each row
  double first_heard_ = 0;
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
