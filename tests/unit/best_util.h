// Small tables for the tests of best mode, and questions about graphs and predictions.
#pragma once

#include <glgnn/trainer.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "core/rng.h"
#include "data/data.h"

namespace glgnn::test {

// Features, labels and a graph, with a problem that points into them: do not copy.
struct Table {
  Features features;
  std::vector<int32_t> labels;  // of every row
  Csr graph;
  Problem problem;

  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // The first rows of each class train, the next ones validate.
  void split(int64_t train_per_class, int64_t val_per_class, bool with_graph = false) {
    problem = {};
    problem.classes = 1 + *std::max_element(labels.begin(), labels.end());
    std::vector<int64_t> seen(problem.classes, 0);
    for (size_t i = 0; i < labels.size(); ++i) {
      const int64_t before = seen[labels[i]]++;
      if (before < train_per_class) {
        problem.train.push_back(static_cast<int32_t>(i));
      } else if (before < train_per_class + val_per_class) {
        problem.val.push_back(static_cast<int32_t>(i));
      }
    }
    problem.features = &features;
    problem.graph = with_graph ? &graph : nullptr;
    reveal();
  }

  // Shows `labels` to the problem, as far as it may see them.
  void reveal() {
    std::vector<int32_t> rows = problem.train;
    rows.insert(rows.end(), problem.val.begin(), problem.val.end());
    problem.labels = reveal_labels(labels, rows);
  }

  std::vector<int32_t> hidden_rows() const {
    std::vector<int32_t> rows;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (problem.labels[i] < 0) rows.push_back(static_cast<int32_t>(i));
    }
    return rows;
  }
  double hidden_accuracy(const Matrix& p) const { return accuracy(p, labels, hidden_rows()); }
};

inline Features dense_features(const std::vector<std::vector<float>>& rows) {
  Features x;
  x.dense = Matrix(static_cast<int64_t>(rows.size()),
                   static_cast<int64_t>(rows.empty() ? 0 : rows[0].size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), x.dense[static_cast<int64_t>(i)]);
  }
  return x;
}

inline Features sparse_features(const std::vector<std::vector<float>>& rows) {
  Features x = dense_features(rows);
  make_sparse(x);
  return x;
}

// Row i is of class i % classes: a normal cloud whose centre lies `apart` away along its own axis.
inline void make_blobs(Table& table, int64_t rows, int64_t cols, int64_t classes, float apart) {
  const Rng rng{7, Stream::kInit, 0, 0};
  table.features.dense = Matrix(rows, cols);
  table.labels.clear();
  for (int64_t i = 0; i < rows; ++i) {
    table.labels.push_back(static_cast<int32_t>(i % classes));
    for (int64_t f = 0; f < cols; ++f) {
      const float centre = f % classes == i % classes ? apart : 0.0f;
      table.features.dense[i][f] = centre + rng.normal(static_cast<uint64_t>(i * cols + f));
    }
  }
}

// Sparse counts: each row has `words` words, most of them among the own 20 words of its class.
inline void make_documents(Table& table, int64_t rows, int64_t classes, int64_t words,
                           float own_part = 0.8f) {
  constexpr int64_t kOwnWords = 20;
  const int64_t cols = kOwnWords * classes;
  const Rng rng{8, Stream::kInit, 0, 0};
  std::vector<std::vector<float>> counts(rows, std::vector<float>(cols, 0.0f));
  table.labels.clear();
  uint64_t next = 0;
  for (int64_t i = 0; i < rows; ++i) {
    table.labels.push_back(static_cast<int32_t>(i % classes));
    for (int64_t w = 0; w < words; ++w) {
      const bool own = rng.uniform(next++) < own_part;
      const int64_t first = own ? kOwnWords * (i % classes) : 0;
      const int64_t choices = own ? kOwnWords : cols;
      ++counts[i][first + static_cast<int64_t>(rng.uniform(next++) * static_cast<float>(choices))];
    }
  }
  table.features = sparse_features(counts);
}

// Edges in both directions, weight 1.
inline Csr graph_of(int64_t rows, const std::vector<std::pair<int32_t, int32_t>>& edges,
                    float weight = 1.0f) {
  std::vector<std::vector<int32_t>> columns(rows);
  for (const auto& [a, b] : edges) {
    columns[a].push_back(b);
    columns[b].push_back(a);
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = rows;
  for (auto& list : columns) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    pattern->col.insert(pattern->col.end(), list.begin(), list.end());
    pattern->row_ptr.push_back(pattern->nnz());
  }
  Csr graph;
  graph.values.assign(pattern->nnz(), weight);
  graph.pattern = std::move(pattern);
  return graph;
}

// Three links a row, most of them to a row of the same class.
inline void make_class_graph(Table& table) {
  const auto rows = static_cast<int64_t>(table.labels.size());
  const Rng rng{9, Stream::kInit, 0, 0};
  std::vector<std::pair<int32_t, int32_t>> edges;
  uint64_t next = 0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int link = 0; link < 3; ++link) {
      const bool same = rng.uniform(next++) < 0.8f;
      int64_t j = static_cast<int64_t>(rng.uniform(next++) * static_cast<float>(rows));
      while (j == i || (same && table.labels[j] != table.labels[i])) j = (j + 1) % rows;
      edges.emplace_back(i, j);
    }
  }
  table.graph = graph_of(rows, edges);
}

// The weight of an edge, 0 where there is none.
inline float weight_at(const Csr& graph, int64_t i, int64_t j) {
  for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
    if (graph.pattern->col[e] == j) return graph.values[e];
  }
  return 0.0f;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), 4 * a.size()) == 0);
}

inline bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.empty() || std::memcmp(a.data(), b.data(), 4 * a.size()) == 0);
}

// Every row finite, from 0 to 1, and of sum 1.
inline bool is_probabilities(const Matrix& p) {
  for (int64_t i = 0; i < p.rows(); ++i) {
    double sum = 0;
    for (int64_t c = 0; c < p.cols(); ++c) {
      if (!(p[i][c] >= 0 && p[i][c] <= 1.0001f)) return false;
      sum += p[i][c];
    }
    if (!(std::abs(sum - 1) < 1e-4)) return false;
  }
  return true;
}

}  // namespace glgnn::test
