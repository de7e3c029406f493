// Iterative classification: logistic regression on a row's features and on the classes of its
// neighbours, asked again and again.
#include <algorithm>

#include "methods/linear_models.h"
#include "methods/methods.h"
#include "methods/network.h"

namespace glgnn {
namespace {

// The features with C more columns: the parts of each class among the row's neighbours.
Features with_neighbours(const Features& x, const Csr& graph, const std::vector<int32_t>& classes,
                         int64_t class_count, double weight) {
  const Pattern& edges = *graph.pattern;
  const auto parts_of = [&](int64_t i) {
    std::vector<float> parts(static_cast<size_t>(class_count), 0.0f);
    const auto share = static_cast<float>(
        weight / static_cast<double>(std::max<int64_t>(1, edges.view().row_size(i))));
    for (int64_t e = edges.row_ptr[i]; e < edges.row_ptr[i + 1]; ++e) {
      parts[classes[edges.col[e]]] += share;
    }
    return parts;
  };
  Features out;
  out.is_sparse = x.is_sparse;
  const int64_t columns = x.cols();
  if (!x.is_sparse) {
    out.dense = Matrix(x.rows(), columns + class_count);
    for (int64_t i = 0; i < x.rows(); ++i) {
      std::copy_n(x.dense[i], columns, out.dense[i]);
      std::ranges::copy(parts_of(i), out.dense[i] + columns);
    }
    return out;
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = x.rows();
  pattern->cols = columns + class_count;
  const Pattern& from = *x.sparse.pattern;
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t e = from.row_ptr[i]; e < from.row_ptr[i + 1]; ++e) {
      pattern->col.push_back(from.col[e]);
      out.sparse.values.push_back(x.sparse.values[e]);
    }
    const std::vector<float> parts = parts_of(i);
    for (int64_t c = 0; c < class_count; ++c) {
      if (parts[c] == 0) continue;
      pattern->col.push_back(static_cast<int32_t>(columns + c));
      out.sparse.values.push_back(parts[c]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  out.sparse.pattern = std::move(pattern);
  return out;
}

MethodAnswer fit_ica(const MethodTask& task) {
  const Problem& problem = task.problem;
  const double cost = task.value("cost");
  Matrix p = fit_linear(*problem.features, problem, LinearLoss::kLogistic, cost);
  for (int64_t round = 0; round < task.count("rounds"); ++round) {
    std::vector<int32_t> classes = predicted_classes(p);
    for (const int32_t row : problem.train) classes[row] = problem.labels[row];
    const Features x = with_neighbours(*problem.features, *problem.graph, classes, problem.classes,
                                       task.value("weight"));
    p = fit_linear(x, problem, LinearLoss::kLogistic, cost);
  }
  return {std::move(p)};
}

}  // namespace

Method ica_method() {
  return {.name = "ica",
          .paper = "Lu and Getoor, ICML 2003",
          .text = "logistic regression on features and on the classes of neighbours, in rounds",
          .needs_graph = true,
          .settings =
              std::vector<MethodSetting>{
                  {"rounds", 10, {5, 10, 20}, "how often the neighbours are asked"},
                  {"weight", 1, {0.3, 1, 3}, "of the neighbours' classes beside the features"}} +
              cost_settings(),
          .fit = fit_ica};
}

}  // namespace glgnn
