// Cases of the ops on the values of a pattern: edge_dot, softmax, norms, symmetry, spmm.
#include <algorithm>
#include <cmath>
#include <memory>

#include "check.h"
#include "kernels/edge_dot.h"
#include "kernels/edge_softmax.h"
#include "kernels/graph_norm.h"
#include "kernels/spmm.h"
#include "make.h"
#include "rows.h"

namespace glgnn::op_check {
namespace {

template <class Rows>
Case edge_dot_case(std::string name, Rows rows, std::vector<double> z, SharedPattern pattern) {
  const auto transposed = std::make_shared<const Transpose>(transpose(pattern->view()));
  const double flops = 2.0 * pattern->nnz() * rows.size() / std::max<int64_t>(1, rows.rows());
  return {.name = name,
          .in = {{"z", z}},
          .out = {{"s", pattern->nnz()}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::edge_dot_forward<T>(r.out[0].data(), pattern->view(), rows.z(r.in[0]));
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::edge_dot_backward<T>(rows.gradient(r.d_in[0]), r.d_out[0].data(),
                                          pattern->view(), transposed->view(), rows.z(r.in[0]));
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::edge_dot_forward(r.out[0].data(), pattern->view(), rows.z(r.in[0]),
                                                threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::edge_dot_backward(rows.gradient(r.d_in[0]), r.d_out[0].data(),
                                                 pattern->view(), transposed->view(),
                                                 rows.z(r.in[0]), threads);
                        }}},
          .oracle =
              [=](Run<double>& r) {
                const std::vector<double> dense = rows.as_dense(r.in[0]);
                for (int64_t i = 0; i < pattern->rows; ++i) {
                  for (int64_t e = pattern->row_ptr[i]; e < pattern->row_ptr[i + 1]; ++e) {
                    r.out[0][e] = dot(dense, rows.cols(), i, pattern->col[e]);
                  }
                }
              },
          .forward_work = {.flops = flops},
          .backward_work = {.flops = 2 * flops}};
}

Case edge_exp_case(std::string name, SharedPattern pattern) {
  const double nnz = static_cast<double>(pattern->nnz());
  return {
      .name = name,
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
    double degree = 0;
    for (int64_t j = 0; j < n; ++j) degree += a[i * n + j];
    r.out[1][i] = 1 / std::sqrt(degree);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = with_loops.row_ptr[i]; e < with_loops.row_ptr[i + 1]; ++e) {
      const int64_t j = with_loops.col[e];
      r.out[0][e] = a[i * n + j] * r.out[1][i] * r.out[1][j];
    }
  }
}

Case gcn_norm_case(std::string name, SharedPattern pattern) {
  const auto loops = std::make_shared<const SelfLoops>(add_self_loops(pattern->view()));
  const auto transposed = std::make_shared<const Transpose>(transpose(loops->pattern.view()));
  const double nnz = static_cast<double>(loops->pattern.nnz());
  return {
      .name = name,
      .in = {{"a", uniform(1, pattern->nnz(), 0.1, 1)}},
      .out = {{"y", loops->pattern.nnz()}, {"r", pattern->rows, false}},
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
      .backends = {{"cpu",
                    [=](Run<float>& r, int threads) {
                      cpu::gcn_norm_forward(r.out[0].data(), r.out[1].data(), loops->pattern.view(),
                                            loops->source.data(), r.in[0].data(), threads);
                    },
                    [=](Run<float>& r, int threads) {
                      cpu::gcn_norm_backward(r.d_in[0].data(), r.d_out[0].data(), r.out[0].data(),
                                             r.out[1].data(), loops->pattern.view(),
                                             transposed->view(), loops->source.data(), threads);
                    }}},
      .oracle = [=](Run<double>& r) { dense_gcn_norm(r, pattern->view(), loops->pattern.view()); },
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
  return {
      .name = name,
      .in = {{"a", apart(1, pattern->view(), 0)}},
      .out = {{"y", both->pattern.nnz()}},
      .forward =
          [=]<class T>(Run<T>& r) {
            ref::symmetrise_forward<T>(r.out[0].data(), r.in[0].data(), *both, form);
          },
      .backward =
          [=]<class T>(Run<T>& r) {
            ref::symmetrise_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.in[0].data(), *both,
                                        form);
          },
      .oracle =
          [=](Run<double>& r) { dense_symmetrise(r, pattern->view(), both->pattern.view(), form); },
      .forward_work = {.bytes = 28 * nnz},
      .backward_work = {.bytes = 36 * nnz}};
}

// Where a_ij = a_ji, each has the gradient of its own place.
Case symmetrise_tie_case() {
  const SharedPattern pattern = full_pattern(3, 3);
  Case c = symmetrise_case("max ties", pattern, SymmetricForm::kMax);
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

std::vector<Case> edge_dot_cases() {
  const auto dense = [](std::string name, int64_t n, int64_t d, SharedPattern pattern) {
    return edge_dot_case(name, DenseRows{n, d}, uniform(n + d, n * d), pattern);
  };
  const auto sparse = [](std::string name, SharedPattern z, SharedPattern pattern) {
    return edge_dot_case(name, SparseRows(z), uniform(1, z->nnz()), pattern);
  };
  return {dense("17x5", 17, 5, random_pattern(1, 17, 17, 4)),
          dense("all pairs", 6, 9, full_pattern(6, 6)),
          dense("one row", 1, 3, full_pattern(1, 1)),
          dense("no pairs", 5, 3, empty_pattern(5, 5)),
          dense("301x41", 301, 41, random_pattern(2, 301, 301, 12)),
          sparse("sparse 17x11", random_pattern(1, 17, 11, 4), random_pattern(1, 17, 17, 4)),
          sparse("sparse all pairs", random_pattern(2, 6, 9, 5), full_pattern(6, 6)),
          sparse("sparse no entries", empty_pattern(6, 4), full_pattern(6, 6)),
          sparse("sparse no pairs", random_pattern(3, 5, 7, 3), empty_pattern(5, 5)),
          sparse("sparse 301x97", random_pattern(5, 301, 97, 8), random_pattern(2, 301, 301, 12))};
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
          gcn_norm_case("301, 60 a row", random_pattern(3, 301, 301, 60)),
          gcn_norm_case("no entries", empty_pattern(6, 6))};
}

std::vector<Case> symmetrise_cases() {
  std::vector<Case> out;
  for (const auto form : {SymmetricForm::kMean, SymmetricForm::kMax}) {
    const std::string name = form == SymmetricForm::kMean ? "mean " : "max ";
    out.push_back(symmetrise_case(name + "23, empty rows", random_graph(1, 23, 5), form));
    out.push_back(symmetrise_case(name + "17, loops", random_pattern(2, 17, 17, 6), form));
    out.push_back(symmetrise_case(name + "no entries", empty_pattern(3, 3), form));
  }
  out.push_back(symmetrise_tie_case());
  return out;
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
      {"edge_dot", edge_dot_cases,
       [] {
         const SharedPattern z = random_pattern(1, 2000, 1433, 18),
                             graph = random_graph(2, 2000, 20);
         return std::vector{
             edge_dot_case("2000x256, 20 a row", DenseRows{2000, 256}, uniform(1, 2000 * 256),
                           graph),
             edge_dot_case("sparse 2000x1433", SparseRows(z), uniform(1, z->nnz()), graph)};
       }},
      {"edge_exp", edge_exp_cases,
       [] {
         return std::vector{edge_exp_case("3000, 20 a row", random_graph(1, kRows, kPerRow))};
       }},
      {"edge_softmax", edge_softmax_cases,
       [] {
         return std::vector{
             edge_softmax_case("3000, 20 a row", random_graph(1, kRows, kPerRow), 1)};
       }},
      {"row_scale", row_scale_cases,
       [] {
         const SharedPattern graph = random_graph(1, kRows, kPerRow);
         return std::vector{
             row_scale_case("3000, 20 a row", graph, uniform(1, graph->nnz(), 0.1, 1))};
       }},
      {"gcn_norm", gcn_norm_cases,
       [] {
         return std::vector{gcn_norm_case("3000, 20 a row", random_graph(1, kRows, kPerRow))};
       }},
      {"symmetrise", symmetrise_cases,
       [] {
         const SharedPattern graph = random_graph(1, kRows, kPerRow);
         return std::vector{symmetrise_case("mean 3000, 20 a row", graph, SymmetricForm::kMean),
                            symmetrise_case("max 3000, 20 a row", graph, SymmetricForm::kMax)};
       }},
      {"spmm", spmm_cases,
       [] {
         return std::vector{spmm_case("3000, 20 a row, x 32", random_graph(1, kRows, kPerRow), 32)};
       }},
  };
}

}  // namespace glgnn::op_check
