#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "kernels/edges.h"
#include "model/doubt_field.h"

namespace glgnn {
namespace {

// Chosen by learning curves on other data than those of docs/results.md (docs/best_mode.md).
constexpr double kPassedOn = 0.9;  // part of what a row hears that it passes on to its neighbours
constexpr double kHeld = 10;       // how firmly a label holds its row, beside what the others say

// A Gaussian field over the rows: neighbours in the graph are likely of one class, and rows with a
// label are known. Its covariance says how much of a doubt about one row the label of another
// takes: C = (I - kPassedOn S + kHeld [labelled])^-1 with S = D^-1/2 A D^-1/2. A has the edges that
// both rows chose, because some rows are chosen by very many without being like them (short texts,
// above all); an edge counts as much as it is likely that both are of one class.
class GraphField : public DoubtField {
 public:
  GraphField(const Model& model, std::span<const double> doubts, int threads)
      : labels_(model.labels),
        edges_(chosen_by_both(model.fused_graph, model.probabilities)),
        threads_(threads),
        scale_(labels_.size(), 1.0) {
    for (const int32_t label : labels_) own_.push_back(label < 0 ? 1 : 1 + kHeld);
    std::vector<double> degrees = passed_on(std::vector<double>(labels_.size(), 1.0));
    for (size_t i = 0; i < degrees.size(); ++i) {
      scale_[i] = degrees[i] > 0 ? 1 / std::sqrt(degrees[i]) : 0;
    }
    heard_ = solve({doubts.begin(), doubts.end()});
  }

  double worth(int32_t row) const override { return heard_[row]; }

  // It takes its part of the doubt from all that follow it.
  double take(int32_t row) override {
    std::vector<double> unit(heard_.size(), 0.0);
    unit[row] = 1;
    const std::vector<double> follow = solve(unit);
    const double part = heard_[row] / (follow[row] + 1 / kHeld);
    double reach = 0;
    for (size_t i = 0; i < follow.size(); ++i) {
      if (labels_[i] < 0) reach += follow[i] / follow[row];
      heard_[i] -= part * follow[i];
    }
    own_[row] = 1 + kHeld;
    return reach;
  }

 private:
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

  const std::vector<int32_t>& labels_;
  Edges edges_;
  int threads_;
  std::vector<double> own_, scale_;
  std::vector<double> heard_;  // the doubt that arrives at each row
};

}  // namespace

std::unique_ptr<DoubtField> graph_field(const Model& model, std::span<const double> doubts,
                                        const Context& context) {
  return std::make_unique<GraphField>(model, doubts, context.threads);
}

}  // namespace glgnn
