// Rows as liblinear and libsvm read them: a number for each column that has one, columns from 1.
#pragma once

#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <vector>

namespace glgnn {

template <class Node>
void append_numbers(std::vector<Node>& nodes, const Features& x, int64_t row) {
  const auto add = [&](int64_t column, float value) {
    if (value != 0) nodes.push_back({static_cast<int>(column + 1), value});
  };
  if (x.is_sparse) {
    const Pattern& pattern = *x.sparse.pattern;
    for (int64_t e = pattern.row_ptr[row]; e < pattern.row_ptr[row + 1]; ++e) {
      add(pattern.col[e], x.sparse.values[e]);
    }
  } else {
    for (int64_t f = 0; f < x.cols(); ++f) add(f, x.dense[row][f]);
  }
}

// The training rows with their labels; `append_row` adds one row and its end mark.
template <class Node>
struct TrainingNodes {
  std::vector<Node> nodes;
  std::vector<Node*> rows;
  std::vector<double> labels;

  template <class AppendRow>
  TrainingNodes(const Features& x, const Problem& problem, AppendRow&& append_row) {
    std::vector<size_t> starts;
    for (const int32_t row : problem.train) {
      starts.push_back(nodes.size());
      append_row(nodes, x, row);
      labels.push_back(problem.labels[row]);
    }
    for (const size_t start : starts) rows.push_back(nodes.data() + start);
  }
  TrainingNodes(const TrainingNodes&) = delete;  // points into itself
  TrainingNodes& operator=(const TrainingNodes&) = delete;
};

}  // namespace glgnn
