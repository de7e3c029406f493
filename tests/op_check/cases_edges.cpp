// Cases of the ops on the values of a pattern: softmax, norms, symmetry, spmm.
#include <algorithm>
#include <cmath>
#include <memory>

#include "check.h"
#include "kernels/edge_softmax.h"
#include "kernels/graph_norm.h"
#include "kernels/spmm.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

Case edge_exp_case(std::string name, SharedPattern pattern) {
  const double nnz = static_cast<double>(pattern->nnz());
  return {.name = name,
          .in = {{"s", uniform(1, pattern->nnz(), -2, 2)}, {"lse", uniform(2, pattern->rows, 1, 3)}},
          .out = {{"p", pattern->nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::edge_exp_forward<T>(r.out[0].data(), r.in[0].data(), r.in[1].data(),
                                         pattern->row_ptr.data(), pattern->rows);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::edge_exp_backward<T>(r.d_in[0].data(), r.d_in[1].data(), r.d_out[0].data(),
                                          r.out[0].data(), pattern->row_ptr.data(), pattern->rows);
              },
          .forward_work = {.bytes = 8 * nnz},
          .backward_work = {.bytes = 16 * nnz}};
}

Case edge_softmax_case(std::string name, SharedPattern pattern, double size) {
  const double nnz = static_cast<double>(pattern->nnz());
  return {.name = name,
          .in = {{"s", uniform(1, pattern->nnz(), -size, size)}},
          .out = {{"p", pattern->nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::edge_softmax_forward<T>(r.out[0].data(), r.in[0].data(),
                                             pattern->row_ptr.data(), pattern->rows);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::edge_softmax_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.out[0].data(),
                                              pattern->row_ptr.data(), pattern->rows);
              },
          .forward_work = {.bytes = 8 * nnz},
          .backward_work = {.bytes = 16 * nnz}};
}

Case row_scale_case(std::string name, SharedPattern pattern, std::vector<double> a) {
  const double nnz = static_cast<double>(pattern->nnz());
  return {.name = name,
          .in = {{"a", a}},
          .out = {{"y", pattern->nnz()}, {"sum", pattern->rows, false}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::row_scale_forward<T>(r.out[0].data(), r.out[1].data(), r.in[0].data(),
                                          pattern->row_ptr.data(), pattern->rows);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::row_scale_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.out[0].data(),
                                           r.out[1].data(), pattern->row_ptr.data(), pattern->rows);
              },
          .forward_work = {.bytes = 8 * nnz},
          .backward_work = {.bytes = 16 * nnz}};
}

// A row of zeros stays and passes no gradient, by definition.
Case row_scale_zero_case() {
  Case c = row_scale_case("zero row", full_pattern(1, 3), std::vector<double>(3, 0.0));
  c.oracle_backward = [](Run<double>&) {};
  return c;
}

// y by dense matrices: A + I, then the sums of its rows.
void dense_gcn_norm(Run<double>& r, PatternView pattern, PatternView with_loops) {
  const int64_t n = pattern.rows;
  std::vector<double> a(n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    a[i * n + i] = 1;
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      a[i * n + pattern.col[e]] += r.in[0][e];
    }
    r.out[1][i] = 0;
    for (int64_t j = 0; j < n; ++j) r.out[1][i] += a[i * n + j];
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = with_loops.row_ptr[i]; e < with_loops.row_ptr[i + 1]; ++e) {
      const int64_t j = with_loops.col[e];
      r.out[0][e] = a[i * n + j] / std::sqrt(r.out[1][i] * r.out[1][j]);
    }
  }
}

Case gcn_norm_case(std::string name, SharedPattern pattern) {
  const auto loops = std::make_shared<const SelfLoops>(add_self_loops(pattern->view()));
  const double nnz = static_cast<double>(loops->pattern.nnz());
  return {
      .name = name,
      .in = {{"a", uniform(1, pattern->nnz(), 0.1, 1)}},
      .out = {{"y", loops->pattern.nnz()}, {"degree", pattern->rows, false}},
      .forward =
          [=]<class T>(Run<T>& r) {
            ref::gcn_norm_forward<T>(r.out[0].data(), r.out[1].data(), loops->pattern.view(),
                                     loops->source.data(), r.in[0].data());
          },
      .backward =
          [=]<class T>(Run<T>& r) {
            std::vector<T> scratch(pattern->rows);
            ref::gcn_norm_backward<T>(r.d_in[0].data(), scratch.data(), r.d_out[0].data(),
                                      r.out[0].data(), r.out[1].data(), loops->pattern.view(),
                                      loops->source.data());
          },
      .oracle =
          [=](Run<double>& r) { dense_gcn_norm(r, pattern->view(), loops->pattern.view()); },
      .forward_work = {.bytes = 20 * nnz},
      .backward_work = {.bytes = 28 * nnz}};
}

void dense_symmetrise(Run<double>& r, PatternView pattern, PatternView out, SymmetricForm form) {
  const auto value = [&](int64_t i, int64_t j) {
    const int64_t e = find_entry(pattern, i, j);
    return e < 0 ? 0.0 : r.in[0][e];
  };
  for (int64_t i = 0; i < out.rows; ++i) {
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      const double here = value(i, out.col[e]), there = value(out.col[e], i);
      r.out[0][e] =
          form == SymmetricForm::kMean ? 0.5 * (here + there) : (here > there ? here : there);
    }
  }
}

Case symmetrise_case(std::string name, SharedPattern pattern, SymmetricForm form) {
  const auto both = std::make_shared<const SymmetricUnion>(symmetric_union(pattern->view()));
  const double nnz = static_cast<double>(both->pattern.nnz());
  return {.name = name,
          .in = {{"a", apart(1, pattern->view(), 0)}},
          .out = {{"y", both->pattern.nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::symmetrise_forward<T>(r.out[0].data(), r.in[0].data(), *both, form);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::symmetrise_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.in[0].data(),
                                            *both, form);
              },
          .oracle =
              [=](Run<double>& r) {
                dense_symmetrise(r, pattern->view(), both->pattern.view(), form);
              },
          .forward_work = {.bytes = 28 * nnz},
          .backward_work = {.bytes = 36 * nnz}};
}

// Where a_ij = a_ji, each has the gradient of its own place.
Case symmetrise_tie_case() {
  const SharedPattern pattern = full_pattern(3, 3);
  Case c = symmetrise_case("ties", pattern, SymmetricForm::kMax);
  c.in[0].values.assign(9, 0.5);
  c.oracle_backward = [](Run<double>& r) {
    for (size_t e = 0; e < 9; ++e) r.d_in[0][e] += r.d_out[0][e];
  };
  return c;
}

Case spmm_case(std::string name, SharedPattern pattern, int64_t cols) {
  const auto transposed = std::make_shared<const Transpose>(transpose(pattern->view()));
  const int64_t n = pattern->rows, m = pattern->cols;
  const double flops = 2.0 * pattern->nnz() * cols;
  return {.name = name,
          .in = {{"values", uniform(1, pattern->nnz())}, {"x", uniform(2, m * cols)}},
          .out = {{"y", n * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::spmm_forward<T>(view(r.out[0], n, cols), pattern->view(), r.in[0].data(),
                                     view(r.in[1], m, cols));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::spmm_backward_values<T>(r.d_in[0].data(), pattern->view(),
                                             view(r.d_out[0], n, cols), view(r.in[1], m, cols));
                ref::spmm_backward_x<T>(view(r.d_in[1], m, cols), transposed->view(),
                                        r.in[0].data(), view(r.d_out[0], n, cols));
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::spmm_forward(view(r.out[0], n, cols), pattern->view(),
                                            r.in[0].data(), view(r.in[1], m, cols), threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::spmm_backward_values(r.d_in[0].data(), pattern->view(),
                                                    view(r.d_out[0], n, cols),
                                                    view(r.in[1], m, cols), threads);
                          cpu::spmm_backward_x(view(r.d_in[1], m, cols), transposed->view(),
                                               r.in[0].data(), view(r.d_out[0], n, cols), threads);
                        }}},
          .forward_work = {.flops = flops},
          .backward_work = {.flops = 2 * flops}};
}

std::vector<Case> edge_exp_cases() {
  return {edge_exp_case("23x19, empty rows", random_pattern(1, 23, 19, 5)),
          edge_exp_case("one pair", full_pattern(1, 1)),
          edge_exp_case("no entries", empty_pattern(4, 4))};
}

std::vector<Case> edge_softmax_cases() {
  return {edge_softmax_case("23x19, empty rows", random_pattern(1, 23, 19, 5), 2),
          edge_softmax_case("sharp rows", random_pattern(1, 9, 9, 5), 60),
          edge_softmax_case("one pair", full_pattern(1, 1), 1),
          edge_softmax_case("no entries", empty_pattern(4, 4), 1)};
}

std::vector<Case> row_scale_cases() {
  const SharedPattern pattern = random_pattern(1, 23, 19, 5);
  return {row_scale_case("23x19, empty rows", pattern, uniform(1, pattern->nnz(), 0.1, 1)),
          row_scale_case("one pair", full_pattern(1, 1), {0.25}),
          row_scale_case("no entries", empty_pattern(4, 4), {}), row_scale_zero_case()};
}

std::vector<Case> gcn_norm_cases() {
  return {gcn_norm_case("23, empty rows", random_graph(1, 23, 5)),
          gcn_norm_case("17, with loops", random_pattern(2, 17, 17, 4)),
          gcn_norm_case("all pairs", full_pattern(5, 5)),
          gcn_norm_case("one row", empty_pattern(1, 1)),
          gcn_norm_case("no entries", empty_pattern(6, 6))};
}

std::vector<Case> symmetrise_mean_cases() {
  return {symmetrise_case("23, empty rows", random_graph(1, 23, 5), SymmetricForm::kMean),
          symmetrise_case("17, with loops", random_pattern(2, 17, 17, 6), SymmetricForm::kMean),
          symmetrise_case("no entries", empty_pattern(3, 3), SymmetricForm::kMean)};
}

std::vector<Case> symmetrise_max_cases() {
  return {symmetrise_case("23, empty rows", random_graph(1, 23, 5), SymmetricForm::kMax),
          symmetrise_case("17, with loops", random_pattern(2, 17, 17, 6), SymmetricForm::kMax),
          symmetrise_case("no entries", empty_pattern(3, 3), SymmetricForm::kMax),
          symmetrise_tie_case()};
}

std::vector<Case> spmm_cases() {
  return {spmm_case("23x19 x 7, empty rows", random_pattern(1, 23, 19, 5), 7),
          spmm_case("one row", full_pattern(1, 1), 1),
          spmm_case("one column", random_pattern(2, 13, 11, 4), 1),
          spmm_case("no entries", empty_pattern(4, 5), 3),
          spmm_case("no rows", empty_pattern(0, 5), 3),
          spmm_case("301x257 x 33", random_pattern(3, 301, 257, 12), 33)};
}

}  // namespace

std::vector<Op> edge_ops() {
  constexpr int64_t kRows = 3000, kPerRow = 20;
  return {
      {"edge_exp", edge_exp_cases,
       [] { return edge_exp_case("3000, 20 a row", random_graph(1, kRows, kPerRow)); }},
      {"edge_softmax", edge_softmax_cases,
       [] { return edge_softmax_case("3000, 20 a row", random_graph(1, kRows, kPerRow), 1); }},
      {"row_scale", row_scale_cases,
       [] {
         const SharedPattern graph = random_graph(1, kRows, kPerRow);
         return row_scale_case("3000, 20 a row", graph, uniform(1, graph->nnz(), 0.1, 1));
       }},
      {"gcn_norm", gcn_norm_cases,
       [] { return gcn_norm_case("3000, 20 a row", random_graph(1, kRows, kPerRow)); }},
      {"symmetrise_mean", symmetrise_mean_cases,
       [] {
         return symmetrise_case("3000, 20 a row", random_graph(1, kRows, kPerRow),
                                SymmetricForm::kMean);
       }},
      {"symmetrise_max", symmetrise_max_cases,
       [] {
         return symmetrise_case("3000, 20 a row", random_graph(1, kRows, kPerRow),
                                SymmetricForm::kMax);
       }},
      {"spmm", spmm_cases,
       [] { return spmm_case("3000, 20 a row, x 32", random_graph(1, kRows, kPerRow), 32); }},
  };
}

}  // namespace glgnn::op_check
