#include "kernels/losses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"

namespace glgnn::cpu {
namespace {

// Entries and how much a and b differ there; which of the two is in the union's column. An entry
// that is not keeps its place within its pattern.
struct Met {
  int64_t a, b;
  float difference;
  bool in_a, in_b;
};

// Walks the rows first .. last - 1 of both patterns at once. No branches where both have entries
// left: which comes next cannot be predicted.
template <class Visit>
void for_each_union(const PatternView& at_a, const float* a, const PatternView& at_b,
                    const float* b, int64_t first, int64_t last, Visit&& visit) {
  for (int64_t i = first; i < last; ++i) {
    int64_t p = at_a.row_ptr[i], q = at_b.row_ptr[i];
    const int64_t p_end = at_a.row_ptr[i + 1], q_end = at_b.row_ptr[i + 1];
    while (p < p_end && q < q_end) {
      const bool in_a = at_a.col[p] <= at_b.col[q], in_b = at_b.col[q] <= at_a.col[p];
      visit(
          Met{p, q, static_cast<float>(in_a) * a[p] - static_cast<float>(in_b) * b[q], in_a, in_b});
      p += in_a;
      q += in_b;
    }
    for (; p < p_end; ++p) visit(Met{p, -1, a[p], true, false});
    for (; q < q_end; ++q) visit(Met{-1, q, -b[q], false, true});
  }
}

constexpr int64_t kPieceRows = 128;

}  // namespace

double sparse_l1_forward(PatternView pattern_a, const float* a, PatternView pattern_b,
                         const float* b, int threads) {
  std::vector<double> sums((pattern_a.rows + kPieceRows - 1) / kPieceRows);
  for_fixed_pieces(pattern_a.rows, kPieceRows, threads,
                   [&](int64_t piece, int64_t first, int64_t last) {
                     double sum = 0;
                     for_each_union(pattern_a, a, pattern_b, b, first, last,
                                    [&](const Met& met) { sum += std::abs(met.difference); });
                     sums[piece] = sum;
                   });
  double all = 0;
  for (const double sum : sums) all += sum;
  return all;
}

void sparse_l1_backward(float* d_a, float* d_b, float d_loss, PatternView pattern_a, const float* a,
                        PatternView pattern_b, const float* b, int threads) {
  const int64_t steps = 8 * (pattern_a.nnz() + pattern_b.nnz());
  for_row_ranges(pattern_a.rows, steps, threads, [&](int64_t first, int64_t last) {
    for_each_union(pattern_a, a, pattern_b, b, first, last, [&](const Met& met) {
      const float step = d_loss * static_cast<float>((met.difference > 0) - (met.difference < 0));
      if (met.a >= 0) d_a[met.a] += static_cast<float>(met.in_a) * step;
      if (met.b >= 0) d_b[met.b] -= static_cast<float>(met.in_b) * step;
    });
  });
}

namespace {

// Softmax of x and its sharpened form, both of n numbers.
void softmax_and_sharpened(float* p, float* sharp, const float* x, int64_t n) {
  const float top = *std::max_element(x, x + n);
  float sum = 0, squares = 0;
  for (int64_t c = 0; c < n; ++c) sum += p[c] = std::exp(x[c] - top);
  for (int64_t c = 0; c < n; ++c) {
    p[c] /= sum;
    squares += sharp[c] = p[c] * p[c];
  }
  for (int64_t c = 0; c < n; ++c) sharp[c] /= squares;
}

}  // namespace

void soft_pull(MatView<float> d_x, MatView<const float> x, MatView<const float> targets,
               const float* weights, float consistency, int threads) {
  const int64_t classes = x.cols;
  const float factor = 2 * consistency / static_cast<float>(std::max<int64_t>(1, x.rows));
  for_row_ranges(x.rows, 8 * x.size(), threads, [&](int64_t begin, int64_t end) {
    std::vector<float> both(2 * classes);
    float *p = both.data(), *sharp = p + classes;
    for (int64_t i = begin; i < end; ++i) {
      if (weights[i] == 0 && consistency == 0) continue;
      softmax_and_sharpened(p, sharp, x[i], classes);
      float mass = 0, dot = 0;
      for (int64_t c = 0; c < classes; ++c) {
        mass += targets[i][c];
        dot += factor * (p[c] - sharp[c]) * p[c];
      }
      for (int64_t c = 0; c < classes; ++c) {
        d_x[i][c] +=
            weights[i] * (p[c] * mass - targets[i][c]) + p[c] * (factor * (p[c] - sharp[c]) - dot);
      }
    }
  });
}

}  // namespace glgnn::cpu
