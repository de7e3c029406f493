// A small problem for tests: three Gaussian classes in a few features, and a graph that mostly
// agrees.
#pragma once

#include <glgnn/trainer.h>

#include <vector>

#include "core/rng.h"

namespace glgnn::test {

struct Toy {
  Features features;
  Csr graph;
  std::vector<int32_t> labels;  // of every row
  Problem problem;              // points into this object: do not copy
  Toy(const Toy&) = delete;
  Toy& operator=(const Toy&) = delete;

  explicit Toy(int64_t rows = 60, int64_t cols = 7, bool sparse = false, bool known_graph = false) {
    const Rng rng{99, Stream::kInit, 0, 0};
    labels.resize(rows);
    features.dense = Matrix(rows, cols);
    for (int64_t i = 0; i < rows; ++i) {
      labels[i] = static_cast<int32_t>(i % 3);
      for (int64_t f = 0; f < cols; ++f) {
        const float centre = f % 3 == labels[i] ? 1.5f : 0.0f;
        features.dense[i][f] = centre + 0.8f * rng.normal(i * cols + f);
      }
    }
    if (sparse) make_sparse();
    make_ring();
    for (int64_t i = 0; i < rows; ++i) {
      if (i < 12) problem.train.push_back(static_cast<int32_t>(i));
      if (i >= 12 && i < 27) problem.val.push_back(static_cast<int32_t>(i));
    }
    problem.features = &features;
    problem.graph = known_graph ? &graph : nullptr;
    problem.classes = 3;
    std::vector<int32_t> seen = problem.train;
    seen.insert(seen.end(), problem.val.begin(), problem.val.end());
    problem.labels = reveal_labels(labels, seen);
  }

  static Config config() {
    Config config;
    config.mode = Mode::kPaper;
    config.k = 5;
    config.epochs = 6;
    config.hidden = 8;
    return config;
  }

 private:
  void make_sparse() {
    auto pattern = std::make_shared<Pattern>();
    pattern->rows = features.dense.rows();
    pattern->cols = features.dense.cols();
    for (int64_t i = 0; i < pattern->rows; ++i) {
      for (int64_t f = 0; f < pattern->cols; ++f) {
        if (features.dense[i][f] <= 0.5f) continue;
        pattern->col.push_back(static_cast<int32_t>(f));
        features.sparse.values.push_back(features.dense[i][f]);
      }
      pattern->row_ptr.push_back(pattern->nnz());
    }
    features.sparse.pattern = pattern;
    features.is_sparse = true;
    features.dense = {};
  }

  // Rows of one class in a ring: i is linked to i - 3 and i + 3.
  void make_ring() {
    const int64_t n = features.rows();
    auto pattern = std::make_shared<Pattern>();
    pattern->rows = pattern->cols = n;
    for (int64_t i = 0; i < n; ++i) {
      for (const int64_t j : {i - 3, i + 3}) {
        if (j >= 0 && j < n) pattern->col.push_back(static_cast<int32_t>(j));
      }
      pattern->row_ptr.push_back(pattern->nnz());
    }
    graph.values.assign(pattern->nnz(), 1.0f);
    graph.pattern = pattern;
  }
};

}  // namespace glgnn::test
