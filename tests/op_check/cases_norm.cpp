// Cases of what makes kept similarities a normalised graph.
#include <cmath>
#include <memory>
#include <string>

#include "check.h"
#include "kernels/graph_norm.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

Case row_scale_case(std::string name, SharedPattern pattern, std::vector<double> a,
                    RowScale form = {}) {
  const double nnz = static_cast<double>(pattern->nnz());
  return {.name = name,
          .in = {{"a", a}},
          .out = {{"y", pattern->nnz()}, {"size", pattern->rows, false}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::row_scale_forward<T>(r.out[0].data(), r.out[1].data(), r.in[0].data(),
                                          pattern->row_ptr.data(), pattern->rows, form);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::row_scale_backward<T>(r.d_in[0].data(), r.d_out[0].data(), r.out[0].data(),
                                           r.out[1].data(), pattern->row_ptr.data(), pattern->rows,
                                           form);
              },
          .forward_work = {.bytes = 8 * nnz},
          .backward_work = {.bytes = 16 * nnz}};
}

// Numbers from 0.1 to 1.5, no two neighbours of seven alike: the largest of a row is clear.
std::vector<double> spaced(int64_t n) {
  std::vector<double> out;
  for (int64_t e = 0; e < n; ++e) out.push_back(static_cast<float>(0.1 + 0.2 * (3 * e % 8)));
  return out;
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

// y and r by dense matrices: B + I, then the sums of its rows.
void dense_symmetric_norm(Run<double>& r, PatternView pattern, PatternView out,
                          SymmetricForm form) {
  const int64_t n = pattern.rows;
  const auto value = [&](int64_t i, int64_t j) {
    const int64_t e = find_entry(pattern, i, j);
    return e < 0 ? 0.0 : r.in[0][e];
  };
  std::vector<double> b(n * n);
  for (int64_t i = 0; i < n; ++i) {
    double degree = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double here = value(i, j), there = value(j, i);
      b[i * n + j] =
          form == SymmetricForm::kMean ? 0.5 * (here + there) : (here > there ? here : there);
      b[i * n + j] += i == j;
      degree += b[i * n + j];
    }
    r.out[1][i] = 1 / std::sqrt(degree);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      r.out[0][e] = b[i * n + out.col[e]] * r.out[1][i] * r.out[1][out.col[e]];
    }
  }
}

Case symmetric_norm_case(std::string name, SharedPattern pattern, SymmetricForm form) {
  const auto both = std::make_shared<const SymmetricUnion>(symmetric_union(pattern->view()));
  const double nnz = static_cast<double>(both->pattern().nnz());
  return {.name = name,
          .in = {{"a", apart(1, pattern->view(), 0)}},
          .out = {{"y", both->pattern().nnz()}, {"r", pattern->rows, false}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::symmetric_norm_forward<T>(r.out[0].data(), r.out[1].data(), r.in[0].data(),
                                               *both, form);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                std::vector<T> scratch(pattern->rows);
                ref::symmetric_norm_backward<T>(r.d_in[0].data(), scratch.data(), r.d_out[0].data(),
                                                r.out[0].data(), r.out[1].data(), r.in[0].data(),
                                                pattern->view(), *both, form);
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::symmetric_norm_forward(r.out[0].data(), r.out[1].data(),
                                                      r.in[0].data(), *both, form, threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::symmetric_norm_backward(
                              r.d_in[0].data(), r.d_out[0].data(), r.out[0].data(), r.out[1].data(),
                              r.in[0].data(), pattern->view(), *both, form, threads);
                        }}},
          .oracle =
              [=](Run<double>& r) {
                dense_symmetric_norm(r, pattern->view(), both->pattern().view(), form);
              },
          .forward_work = {.bytes = 28 * nnz},
          .backward_work = {.bytes = 36 * nnz}};
}

std::vector<Case> row_scale_cases() {
  const SharedPattern pattern = random_pattern(1, 23, 19, 5);
  return {row_scale_case("23x19, empty rows", pattern, uniform(1, pattern->nnz(), 0.1, 1)),
          row_scale_case("one pair", full_pattern(1, 1), {0.25}),
          row_scale_case("no entries", empty_pattern(4, 4), {}),
          row_scale_zero_case(),
          row_scale_case("sum 5", pattern, uniform(1, pattern->nnz(), 0.1, 1), {.target = 5}),
          row_scale_case("largest 1", pattern, spaced(pattern->nnz()), {.by_largest = true}),
          row_scale_case("largest 3", full_pattern(2, 7), spaced(14),
                         {.by_largest = true, .target = 3})};
}

std::vector<Case> gcn_norm_cases() {
  return {gcn_norm_case("23, empty rows", random_graph(1, 23, 5)),
          gcn_norm_case("17, with loops", random_pattern(2, 17, 17, 4)),
          gcn_norm_case("all pairs", full_pattern(5, 5)),
          gcn_norm_case("one row", empty_pattern(1, 1)),
          gcn_norm_case("301, 60 a row", random_pattern(3, 301, 301, 60)),
          gcn_norm_case("no entries", empty_pattern(6, 6))};
}

std::vector<Case> symmetric_norm_cases() {
  std::vector<Case> out;
  for (const auto form : {SymmetricForm::kMean, SymmetricForm::kMax}) {
    const std::string name = form == SymmetricForm::kMean ? "mean " : "max ";
    out.push_back(symmetric_norm_case(name + "23, empty rows", random_graph(1, 23, 5), form));
    out.push_back(symmetric_norm_case(name + "17, loops", random_pattern(2, 17, 17, 6), form));
    out.push_back(symmetric_norm_case(name + "no entries", empty_pattern(3, 3), form));
    out.push_back(symmetric_norm_case(name + "301", random_pattern(3, 301, 301, 40), form));
  }
  // The mean of equal numbers is also the larger of them, and both have half of the gradient.
  Case ties = symmetric_norm_case("max ties", full_pattern(3, 3), SymmetricForm::kMax);
  ties.in[0].values.assign(9, 0.5);
  const Case mean = symmetric_norm_case("mean", full_pattern(3, 3), SymmetricForm::kMean);
  ties.oracle_backward = mean.backward.in_double;
  out.push_back(ties);
  return out;
}

}  // namespace

std::vector<Op> norm_ops() {
  constexpr int64_t kRows = 3000, kPerRow = 20;
  return {
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
      {"symmetric_norm", symmetric_norm_cases,
       [] {
         const SharedPattern graph = random_graph(1, kRows, kPerRow);
         return std::vector{symmetric_norm_case("mean 3000, 20 a row", graph, SymmetricForm::kMean),
                            symmetric_norm_case("max 3000, 20 a row", graph, SymmetricForm::kMax)};
       }},
  };
}

}  // namespace glgnn::op_check
