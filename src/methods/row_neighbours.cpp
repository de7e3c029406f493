#include "methods/row_neighbours.h"

#include <algorithm>
#include <cmath>

#include "kernels/dense.h"
#include "methods/network.h"
#include "modules/row_graph.h"

namespace glgnn {
namespace {

// X X' of sparse rows, one row spread out at a time.
void sparse_products(Matrix& products, const Csr& x) {
  const Pattern& pattern = *x.pattern;
  std::vector<float> spread(static_cast<size_t>(x.cols()), 0.0f);
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      spread[pattern.col[e]] = x.values[e];
    }
    for (int64_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (int64_t e = pattern.row_ptr[j]; e < pattern.row_ptr[j + 1]; ++e) {
        sum += double{spread[pattern.col[e]]} * x.values[e];
      }
      products[i][j] = products[j][i] = static_cast<float>(sum);
    }
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      spread[pattern.col[e]] = 0.0f;
    }
  }
}

}  // namespace

std::vector<MethodSetting> kernel_settings() {
  return {{"gamma", 3, {0.3, 1, 3, 10, 30}, "how fast similarity falls with the distance"}};
}

double mean_squared_distance(const Features& x) {
  std::vector<double> sum(static_cast<size_t>(x.cols()), 0.0);
  double squares = 0;
  const auto add = [&](int64_t f, double value) {
    sum[f] += value;
    squares += value * value;
  };
  if (x.is_sparse) {
    for (int64_t e = 0; e < x.sparse.nnz(); ++e) add(x.sparse.pattern->col[e], x.sparse.values[e]);
  } else {
    for (int64_t e = 0; e < x.dense.size(); ++e) add(e % x.cols(), x.dense.data()[e]);
  }
  const double n = static_cast<double>(x.rows());
  double of_mean = 0;
  for (const double s : sum) of_mean += (s / n) * (s / n);
  return 2 * (squares / n - of_mean);
}

double squared_distance(const Features& x, int64_t i, int64_t j) {
  double sum = 0;
  if (!x.is_sparse) {
    for (int64_t f = 0; f < x.cols(); ++f) {
      const double d = double{x.dense[i][f]} - x.dense[j][f];
      sum += d * d;
    }
    return sum;
  }
  const auto& [pattern, values] = x.sparse;
  int64_t a = pattern->row_ptr[i], b = pattern->row_ptr[j];
  const int64_t a_end = pattern->row_ptr[i + 1], b_end = pattern->row_ptr[j + 1];
  while (a < a_end || b < b_end) {
    const int64_t at_a = a < a_end ? pattern->col[a] : x.cols();
    const int64_t at_b = b < b_end ? pattern->col[b] : x.cols();
    const double d = (at_a <= at_b ? values[a++] : 0.0) - (at_b <= at_a ? values[b++] : 0.0);
    sum += d * d;
  }
  return sum;
}

Matrix pair_distances(const Features& x, const Pattern& pairs) {
  const double mean = std::max(1e-12, mean_squared_distance(x));
  Matrix apart(pairs.nnz(), 1);
  for (int64_t i = 0; i < pairs.rows; ++i) {
    for (int64_t e = pairs.row_ptr[i]; e < pairs.row_ptr[i + 1]; ++e) {
      apart.data()[e] = static_cast<float>(squared_distance(x, i, pairs.col[e]) / mean);
    }
  }
  return apart;
}

Matrix gaussian_kernel(const Features& x, double gamma, int threads) {
  const int64_t n = x.rows();
  Matrix k(n, n);
  if (x.is_sparse)
    sparse_products(k, x.sparse);
  else
    cpu::gemm(k.view(), x.dense.view(), x.dense.view(), {.transpose_b = true}, threads);
  std::vector<double> square(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) square[i] = k[i][i];
  const double mean = mean_squared_distance(x);
  const double factor = mean > 0 ? gamma / mean : 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const double distance = std::max(0.0, square[i] + square[j] - 2.0 * k[i][j]);
      k[i][j] = i == j ? 1.0f : static_cast<float>(std::exp(-factor * distance));
    }
  }
  return k;
}

std::vector<MethodSetting> neighbour_settings() {
  return {{"k", 10, {5, 10, 15, 20}, "neighbours of each row"},
          {"cosine", 1, {0, 1}, "1: nearest by angle (sparse rows always); 0: by distance"}};
}

Csr neighbour_graph(const MethodTask& task, double self_weight) {
  const RowGraphOptions options{.k = std::min(task.count("k"), task.problem.features->rows() - 1),
                                .euclidean = task.value("cosine") == 0,
                                .self_weight = self_weight};
  return build_row_graph({.views = {task.problem.features}}, options, task.context);
}

std::vector<MethodSetting> weighted_settings() { return neighbour_settings() + kernel_settings(); }

Csr weighted_graph(const MethodTask& task) {
  if (task.problem.graph) return *task.problem.graph;
  const Features& x = *task.problem.features;
  Csr graph = neighbour_graph(task, 0);
  const Matrix apart = pair_distances(x, *graph.pattern);
  for (int64_t e = 0; e < graph.nnz(); ++e) {
    // Far rows keep a little: a row without any weight would hear nothing.
    const double near = std::exp(-task.value("gamma") * apart.data()[e]);
    graph.values[e] = static_cast<float>(std::max(1e-6, near));
  }
  return graph;
}

Csr divided(Csr graph, Divide how) {
  const Pattern& pattern = *graph.pattern;
  std::vector<double> degree(static_cast<size_t>(graph.rows()), 0.0);
  const auto each = [&](auto&& visit) {
    for (int64_t i = 0; i < pattern.rows; ++i) {
      for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
        visit(i, pattern.col[e], graph.values[e]);
      }
    }
  };
  each([&](int64_t i, int64_t, float value) { degree[i] += value; });
  each([&](int64_t i, int64_t j, float& value) {
    const double by = how == Divide::kByRow ? degree[i] : std::sqrt(degree[i] * degree[j]);
    value = by > 0 ? static_cast<float>(value / by) : 0.0f;
  });
  return graph;
}

}  // namespace glgnn
