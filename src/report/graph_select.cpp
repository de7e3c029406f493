// Which edges of a learned graph are kept.
#include <glgnn/error.h>
#include <glgnn/graph_file.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glgnn {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& found,
                         const std::string& expected, const std::string& repair) {
  throw Error(ErrorKind::kUsage,
              what + ": found \"" + found + "\", expected " + expected + "; " + repair);
}

void check(const Model& model, const GraphOptions& options) {
  const auto modules = static_cast<int64_t>(model.modules.size());
  if (options.module < 0 || options.module > modules) {
    refuse("graph of a module", std::to_string(options.module), "1 to " + std::to_string(modules),
           "choose one of these, or the fused graph of all");
  }
  if (!std::isfinite(options.min_weight)) {
    refuse("smallest weight", std::to_string(options.min_weight), "a finite number",
           "0 keeps every edge");
  }
  if (options.top < 0) {
    refuse("edges of each row", std::to_string(options.top), "1 or more", "0 keeps every edge");
  }
}

Csr transposed(const Csr& a) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = a.cols();
  pattern->cols = a.rows();
  pattern->row_ptr.assign(static_cast<size_t>(a.cols()) + 1, 0);
  for (const int32_t j : a.pattern->col) ++pattern->row_ptr[static_cast<size_t>(j) + 1];
  std::partial_sum(pattern->row_ptr.begin(), pattern->row_ptr.end(), pattern->row_ptr.begin());
  std::vector<int64_t> next = pattern->row_ptr;
  pattern->col.resize(a.pattern->col.size());
  Csr t;
  t.values.resize(a.values.size());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t e = a.pattern->row_ptr[i]; e < a.pattern->row_ptr[i + 1]; ++e) {
      const int64_t to = next[a.pattern->col[e]]++;
      pattern->col[to] = static_cast<int32_t>(i);
      t.values[to] = a.values[e];
    }
  }
  t.pattern = std::move(pattern);
  return t;
}

// (A + A^T) / 2: the columns of both, ascending.
Csr symmetric(const Csr& a) {
  const Csr t = transposed(a);
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = a.rows();
  pattern->cols = a.cols();
  Csr sum;
  for (int64_t i = 0; i < a.rows(); ++i) {
    int64_t e = a.pattern->row_ptr[i], f = t.pattern->row_ptr[i];
    const int64_t e_end = a.pattern->row_ptr[i + 1], f_end = t.pattern->row_ptr[i + 1];
    while (e < e_end || f < f_end) {
      const int32_t j = std::min(e < e_end ? a.pattern->col[e] : INT32_MAX,
                                 f < f_end ? t.pattern->col[f] : INT32_MAX);
      float weight = 0;
      if (e < e_end && a.pattern->col[e] == j) weight += a.values[e++];
      if (f < f_end && t.pattern->col[f] == j) weight += t.values[f++];
      pattern->col.push_back(j);
      sum.values.push_back(0.5f * weight);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  sum.pattern = std::move(pattern);
  return sum;
}

// Marks the heaviest `top` edges to other rows; of equal ones those to the first rows.
void mark_top(const Csr& a, int64_t row, int64_t top, std::vector<char>& keep) {
  std::vector<int64_t> edges;
  for (int64_t e = a.pattern->row_ptr[row]; e < a.pattern->row_ptr[row + 1]; ++e) {
    if (a.pattern->col[e] == row) {
      keep[e] = 1;
    } else {
      edges.push_back(e);
    }
  }
  const auto count = std::min(top, static_cast<int64_t>(edges.size()));
  std::partial_sort(edges.begin(), edges.begin() + count, edges.end(), [&](int64_t x, int64_t y) {
    return a.values[x] != a.values[y] ? a.values[x] > a.values[y] : x < y;
  });
  for (int64_t n = 0; n < count; ++n) keep[edges[n]] = 1;
}

// The entry (row, column) of a pattern that has it.
int64_t entry(const Pattern& pattern, int64_t row, int32_t column) {
  const auto begin = pattern.col.begin();
  return std::lower_bound(begin + pattern.row_ptr[row], begin + pattern.row_ptr[row + 1], column) -
         begin;
}

// An edge that one end keeps, both keep: the matrix stays symmetric.
void keep_at_both_ends(const Pattern& pattern, std::vector<char>& keep) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      if (keep[e]) keep[entry(pattern, pattern.col[e], static_cast<int32_t>(i))] = 1;
    }
  }
}

Csr thinned(const Csr& a, const GraphOptions& options) {
  std::vector<char> keep(a.values.size(), options.top == 0);
  for (int64_t i = 0; options.top > 0 && i < a.rows(); ++i) mark_top(a, i, options.top, keep);
  if (options.top > 0 && options.undirected) keep_at_both_ends(*a.pattern, keep);
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = a.rows();
  pattern->cols = a.cols();
  Csr kept;
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t e = a.pattern->row_ptr[i]; e < a.pattern->row_ptr[i + 1]; ++e) {
      if (!keep[e] || a.values[e] < options.min_weight) continue;
      pattern->col.push_back(a.pattern->col[e]);
      kept.values.push_back(a.values[e]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  kept.pattern = std::move(pattern);
  return kept;
}

}  // namespace

Csr learned_graph(const Model& model, const GraphOptions& options) {
  check(model, options);
  const Csr& whole = options.module == 0
                         ? model.fused_graph
                         : model.modules[static_cast<size_t>(options.module) - 1].graph;
  return thinned(options.undirected ? symmetric(whole) : whole, options);
}

}  // namespace glgnn
