// Manifold regularisation: least squares whose answers change little along the graph (LapRLS), with
// a linear kernel, so that nothing is kept for pairs of rows.
//
//   min over f = X W + b of  mean over training rows |f_i - y_i|^2 + a |W|^2 + s / N tr(f' L f)
//
// with L = I - D^-1/2 A D^-1/2; solved by conjugate gradients on the normal equations.
#include <algorithm>
#include <cmath>

#include "kernels/edges.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/row_neighbours.h"
#include "modules/feature_products.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

constexpr int64_t kMostSteps = 500;
constexpr double kSmall = 1e-10;  // of the first remainder, squared

// W above b.
struct Weights {
  Matrix w, b;
};

double dot(const Matrix& x, const Matrix& y) {
  double sum = 0;
  for (int64_t e = 0; e < x.size(); ++e) sum += double{x.data()[e]} * y.data()[e];
  return sum;
}
double dot(const Weights& x, const Weights& y) { return dot(x.w, y.w) + dot(x.b, y.b); }

// y += factor x
void add(Matrix& y, double factor, const Matrix& x) {
  for (int64_t e = 0; e < y.size(); ++e) {
    y.data()[e] = static_cast<float>(y.data()[e] + factor * x.data()[e]);
  }
}
void add(Weights& y, double factor, const Weights& x) {
  add(y.w, factor, x.w);
  add(y.b, factor, x.b);
}

class LaplacianSquares {
 public:
  explicit LaplacianSquares(const MethodTask& task)
      : task_(task),
        x_(*task.problem.features, task.context.threads),
        graph_(divided(weighted_graph(task), Divide::kByBoth)) {}

  Matrix answers(const Weights& v) const {
    Matrix f(task_.problem.features->rows(), v.w.cols());
    x_.times(f, v.w);
    for (int64_t i = 0; i < f.rows(); ++i) {
      for (int64_t c = 0; c < f.cols(); ++c) f[i][c] += v.b[0][c];
    }
    return f;
  }

  // X' g and the sums of g's columns.
  Weights gathered(const Matrix& g) const {
    Weights out{Matrix(task_.problem.features->cols(), g.cols()), Matrix(1, g.cols())};
    x_.transposed_times(out.w, g);
    std::vector<double> sum(static_cast<size_t>(g.cols()), 0.0);
    for (int64_t e = 0; e < g.size(); ++e) sum[e % g.cols()] += g.data()[e];
    for (int64_t c = 0; c < g.cols(); ++c) out.b[0][c] = static_cast<float>(sum[c]);
    return out;
  }

  // The matrix of the normal equations times v.
  Weights times(const Weights& v) const {
    const Matrix f = answers(v);
    Matrix g(f.rows(), f.cols());
    cpu::spmm_forward(g.view(), graph_.pattern->view(), graph_.values.data(), f.view(),
                      task_.context.threads);
    const double smooth = task_.value("smooth") / static_cast<double>(f.rows());
    for (int64_t e = 0; e < f.size(); ++e) {
      g.data()[e] = static_cast<float>(smooth * (f.data()[e] - g.data()[e]));
    }
    for (const int32_t row : task_.problem.train) {
      for (int64_t c = 0; c < f.cols(); ++c) g[row][c] += share() * f[row][c];
    }
    Weights out = gathered(g);
    add(out.w, task_.value("ridge"), v.w);
    return out;
  }

  Weights right_side() const {
    Matrix y = one_hot(task_.problem);
    for (int64_t e = 0; e < y.size(); ++e) y.data()[e] *= share();
    return gathered(y);
  }

 private:
  float share() const { return 1.0f / static_cast<float>(task_.problem.train.size()); }

  const MethodTask& task_;
  FeatureProducts x_;
  Csr graph_;
};

MethodAnswer fit_manifold(const MethodTask& task) {
  const LaplacianSquares squares(task);
  Weights left = squares.right_side();  // what is not explained yet
  Weights v{Matrix(left.w.rows(), left.w.cols()), Matrix(1, left.w.cols())};
  Weights direction = left;
  double size = dot(left, left);
  const double first = size;
  for (int64_t step = 0; step < kMostSteps && size > kSmall * first; ++step) {
    const Weights image = squares.times(direction);
    const double far = size / std::max(1e-30, dot(direction, image));
    add(v, far, direction);
    add(left, -far, image);
    const double now = dot(left, left);
    Weights turned = left;
    add(turned, now / size, direction);
    direction = std::move(turned);
    size = now;
  }
  Matrix p = squares.answers(v);
  for (int64_t e = 0; e < p.size(); ++e) p.data()[e] = std::max(p.data()[e], 1e-6f);
  normalise_rows(p, class_shares(task.problem));
  return {std::move(p)};
}

}  // namespace

Method manifold_method() {
  return {
      .name = "manireg",
      .paper = "Belkin, Niyogi and Sindhwani, JMLR 2006",
      .text = "least squares smooth along the given graph, or that of nearest rows (linear LapRLS)",
      .settings =
          std::vector<MethodSetting>{
              {"ridge", 0.01, {1e-5, 1e-4, 1e-3, 0.01, 0.1}, "of the squared weights"},
              {"smooth", 1, {0.01, 0.1, 1, 10}, "of the changes along the graph"}} +
          weighted_settings(),
      .fit = fit_manifold};
}

}  // namespace glgnn
